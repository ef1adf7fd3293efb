//! What a call of a tool makes its session know: private data, and text that a stranger wrote.
//!
//! Both together in one session, and a way out, are how injected text sends data away. The labels are
//! what flow rules speak about.

use crate::model::{CredentialStrategy, Locality, PrivacyRisk, ToolDescriptor};
use std::collections::BTreeSet;

/// The session has read data about people, or under somebody's own identity.
pub const READ_PRIVATE: &str = "read-private";
/// The session has read text from outside, which may hold instructions.
pub const READ_UNTRUSTED: &str = "read-untrusted";

/// The labels that a call of this tool adds to its session, by the worst case where nothing is stated.
pub fn given_by(tool: &ToolDescriptor) -> BTreeSet<String> {
    let labels = [(READ_PRIVATE, reads_private(tool)), (READ_UNTRUSTED, reads_untrusted(tool))];
    labels.into_iter().filter(|(_, given)| *given).map(|(label, _)| label.to_owned()).collect()
}

fn reads_private(tool: &ToolDescriptor) -> bool {
    let personal =
        matches!(tool.credentials.strategy, CredentialStrategy::UserOauth | CredentialStrategy::Delegated);
    tool.risk.privacy_risk.map_or(personal, |risk| risk >= PrivacyRisk::Medium)
}

fn reads_untrusted(tool: &ToolDescriptor) -> bool {
    let outside = tool.effects.reads.iter().any(|r| r.locality() == Locality::External);
    outside
        || tool.effects.external_calls
        || tool.risk.open_world
        || !tool.provenance.trust_level.is_trusted()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::testing::descriptor;
    use serde_json::{Value, json};

    #[test]
    fn labels_follow_from_what_the_contract_says() {
        let none: &[&str] = &[];
        for (pointer, value, expected) in [
            ("/risk/level", json!("low"), none),
            ("/risk/privacyRisk", json!("low"), none),
            ("/risk/privacyRisk", json!("medium"), &[READ_PRIVATE]),
            ("/credentials/strategy", json!("user_oauth"), &[READ_PRIVATE]),
            ("/effects/externalCalls", json!(true), &[READ_UNTRUSTED]),
            ("/effects/reads", json!(["api:mail"]), &[READ_UNTRUSTED]),
            ("/effects/reads", json!(["file:**"]), none),
            ("/risk/openWorld", json!(true), &[READ_UNTRUSTED]),
            ("/provenance/trustLevel", json!("third_party"), &[READ_UNTRUSTED]),
        ] {
            let mut tool: Value = serde_json::to_value(descriptor("t")).unwrap();
            let (parent, key) = pointer.rsplit_once('/').unwrap();
            tool.pointer_mut(parent).unwrap()[key] = value.clone();
            let got = given_by(&serde_json::from_value(tool).unwrap());
            assert_eq!(got.iter().map(String::as_str).collect::<Vec<_>>(), expected, "{pointer} {value}");
        }
    }
}
