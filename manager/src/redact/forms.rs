//! The forms in which a secret is looked for, in texts whose escapes are undone.

use super::reading::{Letters, Reading};
use base64::{Engine as _, alphabet, engine::general_purpose::NO_PAD};

/// A shorter form would be found by chance.
pub(super) const SHORTEST: usize = 6;

/// Every form of a secret, as it reads.
pub(super) fn forms(secret: &str) -> Vec<Vec<u8>> {
    let hex: String = secret.bytes().map(|b| format!("{b:02x}")).collect();
    let mut forms = vec![
        secret.to_owned(),
        // a form of a web page writes a blank so
        secret.replace(' ', "+"),
        secret.chars().rev().collect(),
        hex.to_uppercase(),
        hex,
    ];
    forms.extend((0..3).flat_map(|offset| in_base64(secret, offset)));
    let read = |form: &String, reading| {
        let mut letters = Letters::default();
        letters.take(form.as_bytes(), reading);
        letters.bytes
    };
    let mut read: Vec<Vec<u8>> = forms
        .iter()
        .flat_map(|form| [read(form, Reading::Plain), read(form, Reading::Unescaped)])
        .filter(|form| form.len() >= SHORTEST)
        .collect();
    read.sort();
    read.dedup();
    read
}

/// The characters of base64 that are the same whatever stands before and behind the secret, which begins
/// `offset` bytes into a group of three: each holds six bits of it.
fn in_base64(secret: &str, offset: usize) -> [String; 2] {
    let mut bytes = vec![0; offset];
    bytes.extend_from_slice(secret.as_bytes());
    let whole = (offset * 8).div_ceil(6)..bytes.len() * 8 / 6;
    [alphabet::STANDARD, alphabet::URL_SAFE].map(|alphabet| {
        let text = base64::engine::GeneralPurpose::new(&alphabet, NO_PAD).encode(&bytes);
        text.get(whole.clone()).unwrap_or_default().to_owned()
    })
}
