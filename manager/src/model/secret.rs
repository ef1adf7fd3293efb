//! A secret that cannot be printed, logged or serialized.

use secrecy::{ExposeSecret, SecretString};

/// Secret text, such as an API key.
///
/// It has no `Display` and no `Serialize`, its `Debug` shows nothing, and its memory is wiped when dropped.
///
/// ```
/// let key = proofhouse_manager::model::Secret::new("hunter2-hunter2".to_owned());
/// assert!(!format!("{key:?}").contains("hunter2"));
/// ```
///
/// ```compile_fail
/// let key = proofhouse_manager::model::Secret::new("hunter2-hunter2".to_owned());
/// serde_json::to_string(&key).unwrap();
/// ```
#[derive(Clone)]
pub struct Secret(SecretString);

impl Secret {
    /// Takes the text over.
    pub fn new(text: String) -> Self {
        Self(text.into())
    }

    /// The text itself, for the one place that hands it to a runtime.
    pub fn expose(&self) -> &str {
        self.0.expose_secret()
    }
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secret(…)")
    }
}
