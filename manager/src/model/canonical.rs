//! Canonical JSON (RFC 8785, JCS) and digests over it.
//!
//! One documented number rule: an integer beyond ±(2^53 − 1) has no canonical form here, because JCS would
//! round it and two different numbers would share a digest. Such a value is refused, never rounded.

use super::jcs::{Integers, Scratch, rewrite};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use std::{fmt, sync::Arc};

/// SHA-256 as 64 lower-case hexadecimal digits.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Digest(#[schemars(with = "String")] Arc<str>);

/// What a digest is *of*. Part of the hashed bytes, so that no digest of one kind can stand for another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Domain {
    /// A tool descriptor without its lifecycle.
    Descriptor,
    /// What a tool looked like where it was discovered.
    Definition,
    /// A compiled view.
    View,
    /// What a model is shown of one tool.
    ToolPayload,
    /// A request to a model.
    Request,
    /// A suite.
    Suite,
    /// A policy set.
    PolicySet,
    /// An approval contract.
    Approval,
    /// What a sandbox demands.
    Sandbox,
    /// What a call changes.
    Changes,
    /// A public key.
    Key,
    /// No tag: what others can check with nothing but SHA-256. Of the JCS form of arguments and events, and of
    /// the bytes of outputs.
    Plain,
}

impl Domain {
    const fn tag(self) -> &'static [u8] {
        match self {
            Self::Descriptor => b"proofhouse/descriptor/1\0",
            Self::Definition => b"proofhouse/definition/1\0",
            Self::View => b"proofhouse/view/1\0",
            Self::ToolPayload => b"proofhouse/tool-payload/1\0",
            Self::Request => b"proofhouse/request/1\0",
            Self::Suite => b"proofhouse/suite/1\0",
            Self::PolicySet => b"proofhouse/policy-set/1\0",
            Self::Approval => b"proofhouse/approval/1\0",
            Self::Changes => b"proofhouse/changes/1\0",
            Self::Sandbox => b"proofhouse/sandbox/1\0",
            Self::Key => b"proofhouse/key/1\0",
            Self::Plain => b"",
        }
    }
}

impl Digest {
    /// The digest of some bytes.
    pub fn of_bytes(domain: Domain, bytes: &[u8]) -> Self {
        let mut hasher = Sha256::new();
        hasher.update(domain.tag());
        hasher.update(bytes);
        Self::from_hash(&hasher.finalize().into())
    }

    /// Writes a 32-byte hash as hexadecimal.
    pub fn from_hash(hash: &[u8; 32]) -> Self {
        const HEX: &[u8; 16] = b"0123456789abcdef";
        let text: String = hash
            .iter()
            .flat_map(|b| [HEX[usize::from(b >> 4)] as char, HEX[usize::from(b & 15)] as char])
            .collect();
        Self(text.into())
    }

    /// 64 hexadecimal zeros: what the first event of a journal follows.
    pub fn zero() -> Self {
        Self::from_hash(&[0; 32])
    }

    /// The digest as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The first twelve digits, for people.
    pub fn short(&self) -> &str {
        self.0.get(..12).unwrap_or(&self.0)
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.short())
    }
}

/// A value that has no canonical form.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CanonicalError {
    /// An integer that JCS would round.
    #[error("the integer `{number}` at `{path}` is beyond ±(2^53 − 1) and would be rounded")]
    IntegerTooLarge {
        /// JSON pointer to the number.
        path: String,
        /// The number as written.
        number: String,
    },
    /// The serializer refused the value.
    #[error("cannot be written as canonical JSON: {0}")]
    Unserializable(String),
}

const MAX_SAFE: u64 = (1 << 53) - 1;

/// The JCS bytes of a value.
///
/// # Errors
/// [`CanonicalError`] if the value cannot be written as JSON. Integers are *not* checked here; see
/// [`digest_value`].
pub fn canonical_bytes<T: Serialize>(value: &T) -> Result<Vec<u8>, CanonicalError> {
    let mut out = Vec::with_capacity(512);
    append_canonical(value, &mut out)?;
    Ok(out)
}

/// Appends the JCS bytes of a value.
pub(crate) fn append_canonical<T: Serialize>(value: &T, out: &mut Vec<u8>) -> Result<(), CanonicalError> {
    let unserializable = |e: &dyn fmt::Display| CanonicalError::Unserializable(e.to_string());
    let text = serde_json::to_string(value).map_err(|e| unserializable(&e))?;
    let start = out.len();
    rewrite(&text, Integers::Round, &mut Scratch::default(), out).map_err(|fault| {
        out.truncate(start);
        unserializable(&fault)
    })
}

/// The digest of a typed value, which by its type has no integer that could be rounded.
///
/// # Errors
/// [`CanonicalError`] if the value cannot be written as JSON.
pub fn digest_of<T: Serialize>(domain: Domain, value: &T) -> Result<Digest, CanonicalError> {
    Ok(Digest::of_bytes(domain, &canonical_bytes(value)?))
}

/// The digest of JSON that came from outside.
///
/// # Errors
/// [`CanonicalError::IntegerTooLarge`] for an integer that JCS would round.
pub fn digest_value(domain: Domain, value: &Value) -> Result<Digest, CanonicalError> {
    if let Some((path, number)) = unsafe_integer(value) {
        return Err(CanonicalError::IntegerTooLarge { path, number });
    }
    Ok(Digest::of_bytes(domain, &canonical_bytes(value)?))
}

fn unsafe_integer(value: &Value) -> Option<(String, String)> {
    match value {
        Value::Number(n) => {
            let too_large = n.as_u64().is_some_and(|u| u > MAX_SAFE)
                || n.as_i64().is_some_and(|i| i.unsigned_abs() > MAX_SAFE);
            too_large.then(|| (String::new(), n.to_string()))
        }
        Value::Array(items) => items
            .iter()
            .enumerate()
            .find_map(|(i, v)| unsafe_integer(v).map(|(path, n)| (format!("/{i}{path}"), n))),
        Value::Object(map) => map.iter().find_map(|(key, v)| {
            let escaped = || key.replace('~', "~0").replace('/', "~1");
            unsafe_integer(v).map(|(path, n)| (format!("/{}{path}", escaped()), n))
        }),
        Value::Null | Value::Bool(_) | Value::String(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn key_order_does_not_change_the_digest_and_bytes_are_rfc_8785() {
        let value = json!({"b": 1.0, "a": "é\u{2028}", "\u{20ac}": [1e30, 0.000001, -0.0]});
        let bytes = canonical_bytes(&value).unwrap();
        assert_eq!(
            String::from_utf8(bytes).unwrap(),
            "{\"a\":\"é\u{2028}\",\"b\":1,\"€\":[1e+30,0.000001,0]}"
        );
    }

    #[test]
    fn plain_digest_is_sha256_of_jcs() {
        // printf '{"a":1}' | sha256sum
        let digest = digest_value(Domain::Plain, &json!({"a": 1})).unwrap();
        assert_eq!(digest.as_str(), "015abd7f5cc57a2dd94b7590f04ad8084273905ee33ec5cebeae62276a97f862");
    }

    #[test]
    fn domains_keep_digests_apart() {
        let of = |domain| digest_value(domain, &json!({})).unwrap();
        assert_ne!(of(Domain::Descriptor), of(Domain::View));
    }

    #[test]
    fn an_integer_that_would_be_rounded_is_refused_with_its_place() {
        let error = digest_value(Domain::Plain, &json!({"a/b": [0, 9_007_199_254_740_993_u64]})).unwrap_err();
        assert_eq!(
            error,
            CanonicalError::IntegerTooLarge { path: "/a~1b/1".into(), number: "9007199254740993".into() }
        );
        assert!(digest_value(Domain::Plain, &json!(-9_007_199_254_740_991_i64)).is_ok());
    }

    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<u64>().prop_map(Value::from),
            any::<f64>().prop_filter("JSON has no such number", |n| n.is_finite()).prop_map(Value::from),
            any::<String>().prop_map(Value::from),
            "[\\x00-\\x7f]{0,8}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 48, 6, |inner| {
            let key = prop_oneof!["[a-zA-Z_]{0,6}", "[\\x00-\\x7f]{0,4}", any::<String>()];
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
                prop::collection::vec((key, inner), 0..6)
                    .prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn every_value_is_written_as_the_library_writes_it(value in any_json()) {
            let ours = String::from_utf8(canonical_bytes(&value).unwrap()).unwrap();
            let theirs = serde_json_canonicalizer::to_string(&value).unwrap();
            prop_assert_eq!(&ours, &theirs);
            // However it was spelled, the text leads to the same bytes.
            let mut spelled = Vec::new();
            let pretty = serde_json::to_string_pretty(&value).unwrap().replace('/', "\\/");
            rewrite(&pretty, Integers::Round, &mut Scratch::default(), &mut spelled).unwrap();
            prop_assert_eq!(String::from_utf8(spelled).unwrap(), theirs);
        }

        #[test]
        fn no_text_is_read_that_serde_json_refuses(text in "[\\[\\]{}:,\"\\\\ua-f0-9.eE+\\- tnrl]{0,24}") {
            let mut out = Vec::new();
            let read = rewrite(&text, Integers::Round, &mut Scratch::default(), &mut out).is_ok();
            let value = serde_json::from_str::<Value>(&text);
            prop_assert!(!read || value.is_ok(), "{}", text);
            if let (true, Ok(value)) = (read, value) {
                prop_assert_eq!(String::from_utf8(out).unwrap(), serde_json_canonicalizer::to_string(&value).unwrap());
            }
        }
    }
}
