//! The secret that the suite plants, and the forms in which tools give it away.

use base64::{Engine as _, prelude::BASE64_STANDARD, prelude::BASE64_URL_SAFE_NO_PAD};
use serde::Deserialize;

/// The name by which tools ask for it.
pub(super) const NAME: &str = "SUITE_TOKEN";

/// The secret itself. Its bytes look different in each of the forms.
pub(super) const VALUE: &str = "canary/7f3a9c?1b=\"Zq~w>4e\"";

/// A form of the secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Form {
    Raw,
    Base64,
    /// One byte into a group of three.
    Base64Second,
    /// Two bytes into a group of three.
    Base64Third,
    Base64Url,
    Hex,
    HexUpper,
    Percent,
    Json,
    Reversed,
}

/// The secret in that form.
pub(super) fn encoded(form: Form) -> String {
    let hex: String = VALUE.bytes().map(|b| format!("{b:02x}")).collect();
    match form {
        Form::Raw => VALUE.to_owned(),
        Form::Base64 => BASE64_STANDARD.encode(VALUE),
        Form::Base64Second => BASE64_STANDARD.encode(format!("x{VALUE}y")),
        Form::Base64Third => BASE64_STANDARD.encode(format!("xx{VALUE}yy")),
        Form::Base64Url => BASE64_URL_SAFE_NO_PAD.encode(VALUE),
        Form::Hex => hex,
        Form::HexUpper => hex.to_uppercase(),
        Form::Percent => VALUE.bytes().map(|b| format!("%{b:02X}")).collect(),
        Form::Json => serde_json::Value::from(VALUE).to_string(),
        Form::Reversed => VALUE.chars().rev().collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conform::invariants::forms_of_secret;

    #[test]
    fn the_judge_finds_every_form_and_no_two_are_alike() {
        let all = [
            Form::Raw,
            Form::Base64,
            Form::Base64Second,
            Form::Base64Third,
            Form::Base64Url,
            Form::Hex,
            Form::HexUpper,
            Form::Percent,
            Form::Json,
            Form::Reversed,
        ];
        let mut seen = Vec::new();
        for form in all {
            let text = encoded(form);
            assert!(forms_of_secret(VALUE).iter().any(|known| text.contains(known)), "{form:?}");
            assert!(!seen.contains(&text), "{form:?}");
            seen.push(text);
        }
    }
}
