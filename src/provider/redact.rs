//! API keys: read from the environment, and kept out of everything that is shown or stored.
//!
//! Every text that comes back from a server or a program passes through a [`Redactor`] before it becomes a
//! reply, an error or a recording, because servers do echo the key that they refuse.

use super::settings::Environment;
use proofhouse_manager::model::Secret;

/// Variables that hold keys.
pub(super) const OPENAI_API_KEY: &str = "OPENAI_API_KEY";
/// Variables that hold keys.
pub(super) const ANTHROPIC_API_KEY: &str = "ANTHROPIC_API_KEY";

/// A shorter "key" is a word like `none` or `test` for a server that wants any; taking it out would maim answers.
const SHORTEST_KEY: usize = 8;

/// The key in this variable; one that is empty is none.
pub(super) fn key(env: &Environment, variable: &str) -> Option<Secret> {
    let text = env(variable)?;
    let text = text.trim();
    (!text.is_empty()).then(|| Secret::new(text.to_owned()))
}

/// Takes every known key out of a text.
#[derive(Debug, Clone)]
pub(super) struct Redactor {
    keys: Vec<Secret>,
}

impl Redactor {
    /// Knows every key that the environment holds, whichever provider it is for.
    pub(super) fn new(env: &Environment) -> Self {
        let keys = [OPENAI_API_KEY, ANTHROPIC_API_KEY].iter().filter_map(|name| key(env, name));
        Self { keys: keys.filter(|key| key.expose().len() >= SHORTEST_KEY).collect() }
    }

    /// The text without keys, in plain or as they stand in JSON.
    pub(super) fn redact(&self, mut text: String) -> String {
        for key in &self.keys {
            for form in [key.expose().to_owned(), in_json(key.expose())] {
                if text.contains(&form) {
                    text = text.replace(&form, "[redacted]");
                }
            }
        }
        text
    }
}

fn in_json(text: &str) -> String {
    serde_json::Value::from(text).to_string().trim_matches('"').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    fn check(key: &str, text: &str, expected: &str) {
        let key = key.to_owned();
        let env: Environment = Arc::new(move |name| (name == OPENAI_API_KEY).then(|| key.clone()));
        assert_eq!(Redactor::new(&env).redact(text.to_owned()), expected, "{text}");
    }

    #[test]
    fn keys_are_taken_out_wherever_they_stand() {
        check(
            "sk-12345678",
            "no key `sk-12345678` here: sk-12345678",
            "no key `[redacted]` here: [redacted]",
        );
        check(" sk-12345678\n", "sk-12345678", "[redacted]");
        check("sk-1234\\5678", r#"{"echo":"sk-1234\\5678"}"#, r#"{"echo":"[redacted]"}"#);
    }

    #[test]
    fn a_placeholder_is_no_key() {
        check("test", "npm.test", "npm.test");
        check("", "nothing", "nothing");
    }
}
