//! Addresses inside the page, the same as its scripts make them.

use crate::run::TrialKey;
use std::fmt::Write as _;

/// `#trial=…` of a trial.
pub(super) fn to_trial(key: &TrialKey) -> String {
    format!("#trial={}", encoded(&trial_path(key)))
}

/// `SUITE/MODEL/DISTRACTORS/CASE/REPEAT`, each part encoded.
pub(super) fn trial_path(key: &TrialKey) -> String {
    let parts = [&key.suite, &key.model, &key.distractors.to_string(), &key.case, &key.repeat.to_string()];
    parts.map(|part| encoded(part)).join("/")
}

/// `#tool=…` of a tool.
pub(super) fn to_tool(tool: &str) -> String {
    format!("#tool={}", encoded(tool))
}

/// Percent-encoded, as `encodeURIComponent` does it.
fn encoded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'!' | b'~' | b'*' | b'\'' | b'(' | b')' => {
                out.push(char::from(byte));
            }
            _ => write!(out, "%{byte:02X}").expect("INVARIANT: writing to a string does not fail"),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_encoded_part_by_part_and_then_as_a_whole() {
        let key = TrialKey { suite: "s".into(), model: "a/b".into(), distractors: 20, case: "ü &".into(), repeat: 1 };
        assert_eq!(to_trial(&key), "#trial=s%2Fa%252Fb%2F20%2F%25C3%25BC%2520%2526%2F1");
        assert_eq!(to_tool("file.read"), "#tool=file.read");
    }
}
