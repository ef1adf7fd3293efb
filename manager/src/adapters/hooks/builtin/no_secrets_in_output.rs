//! Whether an output looks as if it held a secret that nobody here has bound.
//!
//! What is bound was taken out before. This knows the shapes of keys that services give out; a no says the shape,
//! never the key.

use super::{Builtin, HookCall, Ran};
use regex::bytes::RegexSet;
use std::sync::LazyLock;

/// Shapes, each with its name.
const SHAPES: [(&str, &str); 9] = [
    ("a private key", r"-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----"),
    (
        "a token of a code host",
        r"\b(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{60,}|glpat-[A-Za-z0-9_-]{20,})",
    ),
    ("a key of a cloud", r"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b"),
    ("a key of an API", r"\bsk-(?:[A-Za-z]+-)*[A-Za-z0-9_-]{32,}"),
    ("a key of an API", r"\bAIza[A-Za-z0-9_-]{35}\b"),
    ("a token of a chat", r"\bxox[abprs]-[A-Za-z0-9-]{20,}"),
    ("a signed token", r"\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}"),
    ("an authorization header", r"(?i)\bauthorization:\s*(?:bearer|basic)\s+[a-z0-9._~+/=-]{16,}"),
    ("a password in an address", r"\b[a-z][a-z0-9+.-]*://[^\s/:@]+:[^\s/@]{6,}@[a-zA-Z0-9.-]+"),
];

static SET: LazyLock<RegexSet> = LazyLock::new(|| {
    RegexSet::new(SHAPES.map(|(_, pattern)| pattern))
        .expect("INVARIANT: the shapes are patterns, a test compiles them")
});

/// The hook.
pub(super) struct NoSecretsInOutput;

impl Builtin for NoSecretsInOutput {
    fn name(&self) -> &'static str {
        "no-secrets-in-output"
    }

    fn judge(&self, ran: &Ran, _: &HookCall<'_>) -> Result<(), String> {
        let structured = ran.structured.as_ref().map(|s| s.to_string().into_bytes()).unwrap_or_default();
        let error = ran.error.as_ref().map(|e| e.message.clone().into_bytes()).unwrap_or_default();
        for text in [&ran.output, &structured, &error] {
            if let Some(at) = SET.matches(text).iter().next() {
                return Err(format!("it looks as if it held {}", SHAPES[at].0));
            }
        }
        Ok(())
    }
}
