//! Bounds on a JSON Schema before it is compiled.
//!
//! A schema comes from strangers. The compiler recurses with its depth and unfolds its references, so a
//! few hundred bytes can overflow a stack or take minutes; both are refused here.

use serde_json::Value;
use std::collections::BTreeMap;

/// Deeper nesting than this is refused; the deepest schema seen in the wild has 14 levels.
const MAX_DEPTH: usize = 64;
/// More nodes than this are refused.
const MAX_NODES: usize = 50_000;
/// More nodes than this after unfolding references are refused.
const MAX_UNFOLDED: u64 = 1_000_000;

/// Why a schema is not used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SchemaFault {
    /// Nested too deeply.
    #[error("the schema is nested deeper than {MAX_DEPTH} levels")]
    TooDeep,
    /// Too large.
    #[error("the schema has more than {MAX_NODES} nodes")]
    TooLarge,
    /// References unfold to too much.
    #[error("the schema's references unfold to more than {MAX_UNFOLDED} nodes")]
    Explodes,
    /// Points outside of itself.
    #[error("the schema refers to `{0}`, and nothing outside of it is ever fetched")]
    Remote(String),
    /// Arguments are always an object.
    #[error("the root of an input schema must be an object schema, and this one says `{0}`")]
    RootNotObject(String),
    /// The compiler refuses it.
    #[error("the schema is invalid at `{path}`: {message}")]
    Invalid {
        /// JSON pointer into the schema.
        path: String,
        /// What is wrong.
        message: String,
    },
}

impl SchemaFault {
    /// JSON pointer into the schema, to where the fault is.
    pub fn pointer(&self) -> &str {
        match self {
            Self::Invalid { path, .. } => path,
            Self::RootNotObject(_) => "/type",
            Self::TooDeep | Self::TooLarge | Self::Explodes | Self::Remote(_) => "",
        }
    }
}

/// Checks a schema's bounds.
///
/// # Errors
/// The first bound that it breaks.
pub(super) fn check(schema: &Value) -> Result<(), SchemaFault> {
    let mut nodes = 0;
    measure(schema, 0, &mut nodes)?;
    let mut unfolded = Unfolding { root: schema, sizes: BTreeMap::new() };
    if unfolded.size(schema)? > MAX_UNFOLDED { Err(SchemaFault::Explodes) } else { Ok(()) }
}

/// Depth of arguments that are worth validating; what is deeper is refused unread.
pub(super) fn is_too_deep(value: &Value) -> bool {
    measure(value, 0, &mut 0).is_err_and(|fault| fault == SchemaFault::TooDeep)
}

fn measure(value: &Value, depth: usize, nodes: &mut usize) -> Result<(), SchemaFault> {
    *nodes += 1;
    if depth > MAX_DEPTH {
        return Err(SchemaFault::TooDeep);
    }
    if *nodes > MAX_NODES {
        return Err(SchemaFault::TooLarge);
    }
    match value {
        Value::Array(items) => items.iter().try_for_each(|v| measure(v, depth + 1, nodes)),
        Value::Object(map) => map.values().try_for_each(|v| measure(v, depth + 1, nodes)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Ok(()),
    }
}

/// Counts nodes with every local reference unfolded once per use; a loop counts as it is entered.
struct Unfolding<'a> {
    root: &'a Value,
    sizes: BTreeMap<&'a str, Option<u64>>,
}

impl<'a> Unfolding<'a> {
    fn size(&mut self, value: &'a Value) -> Result<u64, SchemaFault> {
        let mut total: u64 = 1;
        match value {
            Value::Array(items) => {
                for item in items {
                    total = total.saturating_add(self.size(item)?);
                }
            }
            Value::Object(map) => {
                for (key, item) in map {
                    let part = match (key.as_str(), item) {
                        ("$ref" | "$dynamicRef", Value::String(target)) => self.target(target)?,
                        _ => self.size(item)?,
                    };
                    total = total.saturating_add(part);
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
        Ok(total)
    }

    fn target(&mut self, target: &'a str) -> Result<u64, SchemaFault> {
        let Some(fragment) = target.strip_prefix('#') else {
            return Err(SchemaFault::Remote(target.to_owned()));
        };
        match self.sizes.get(target) {
            Some(Some(known)) => return Ok(*known),
            // On the way already: a recursive schema, which the compiler handles.
            Some(None) => return Ok(1),
            None => {}
        }
        self.sizes.insert(target, None);
        let size = match self.root.pointer(fragment) {
            Some(found) => self.size(found)?,
            // An anchor, or dangling: the compiler resolves it or says so.
            None => 1,
        };
        self.sizes.insert(target, Some(size));
        Ok(size)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn nested(depth: usize) -> Value {
        (0..depth).fold(json!({}), |inner, _| json!({ "not": inner }))
    }

    #[test]
    fn bounds_hold_at_their_edge() {
        assert_eq!(check(&nested(MAX_DEPTH)), Ok(()));
        assert_eq!(check(&nested(MAX_DEPTH + 1)), Err(SchemaFault::TooDeep));
        assert_eq!(check(&json!({ "enum": vec![0; MAX_NODES] })), Err(SchemaFault::TooLarge));
    }

    #[test]
    fn a_reference_bomb_is_refused_and_a_recursive_schema_is_not() {
        let mut defs = serde_json::Map::new();
        defs.insert("d0".into(), json!({ "type": "string" }));
        for level in 1..32 {
            let below = json!({ "$ref": format!("#/$defs/d{}", level - 1) });
            defs.insert(format!("d{level}"), json!({ "allOf": [below, below] }));
        }
        let bomb = json!({ "$ref": "#/$defs/d31", "$defs": defs });
        assert_eq!(check(&bomb), Err(SchemaFault::Explodes));

        let tree = json!({ "properties": { "children": { "type": "array", "items": { "$ref": "#" } } } });
        assert_eq!(check(&tree), Ok(()));
    }

    #[test]
    fn nothing_outside_is_referred_to() {
        let schema = json!({ "properties": { "a": { "$ref": "file:///etc/passwd" } } });
        assert_eq!(check(&schema), Err(SchemaFault::Remote("file:///etc/passwd".into())));
    }
}
