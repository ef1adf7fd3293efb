//! What answers have said, for later steps: `$call.callId` is the field `callId` of the answers under `call`.

use serde_json::{Map, Value};

/// Answers by name; the fields of several answers under one name stand together.
#[derive(Debug, Default)]
pub(super) struct Variables(Map<String, Value>);

impl Variables {
    pub(super) fn remember(&mut self, name: &str, answer: &Value) {
        let known = self.0.entry(name).or_insert_with(|| Value::Object(Map::new()));
        if let (Value::Object(known), Value::Object(fields)) = (known, answer) {
            known.extend(fields.clone());
        }
    }

    pub(super) fn get(&self, path: &str) -> Option<&Value> {
        let mut parts = path.split('.');
        let first = self.0.get(parts.next()?)?;
        parts.try_fold(first, |value, part| value.get(part))
    }

    /// Puts values in the place of their names. A name that ends in `?` may have none: then its field is left out.
    ///
    /// # Errors
    /// The name that no answer has given a value.
    pub(super) fn fill(&self, value: &Value) -> Result<Option<Value>, String> {
        Ok(Some(match value {
            Value::String(text) => match text.strip_prefix('$') {
                None => value.clone(),
                Some(path) => match (self.get(path.trim_end_matches('?')), path.ends_with('?')) {
                    (Some(found), _) => found.clone(),
                    (None, true) => return Ok(None),
                    (None, false) => return Err(path.to_owned()),
                },
            },
            Value::Array(items) => {
                let items: Result<Vec<_>, _> = items.iter().map(|item| self.fill(item)).collect();
                Value::Array(items?.into_iter().flatten().collect())
            }
            Value::Object(fields) => {
                let mut filled = Map::new();
                for (name, field) in fields {
                    if let Some(field) = self.fill(field)? {
                        filled.insert(name.clone(), field);
                    }
                }
                Value::Object(filled)
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn names_become_values_and_missing_ones_are_told() {
        let mut variables = Variables::default();
        variables.remember("call", &json!({ "callId": "c1" }));
        variables.remember("call", &json!({ "approval": { "approvalId": "a1" } }));
        let written = json!({
            "callId": "$call.callId", "approvalId": "$call.approval.approvalId",
            "phrase": "$call.approval.phrase?", "by": "user:x",
        });
        let filled = json!({ "callId": "c1", "approvalId": "a1", "by": "user:x" });
        assert_eq!(variables.fill(&written), Ok(Some(filled)));
        assert_eq!(variables.fill(&json!(["$call.grantId"])), Err("call.grantId".to_owned()));
    }
}
