//! Whether the structured result holds anything.

use super::{Builtin, HookCall, Ran};
use serde_json::Value;

/// The hook.
pub(super) struct JsonNotEmpty;

impl Builtin for JsonNotEmpty {
    fn name(&self) -> &'static str {
        "json-not-empty"
    }

    fn judge(&self, ran: &Ran, _: &HookCall<'_>) -> Result<(), String> {
        let read = || serde_json::from_slice(&ran.output).map_err(|e| format!("its output is no JSON: {e}"));
        let value = ran.structured.clone().map_or_else(read, Ok)?;
        if is_empty(&value) { Err("its result is empty".to_owned()) } else { Ok(()) }
    }
}

/// Whether a value holds nothing, however deep.
fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(_) | Value::Number(_) => false,
        Value::String(text) => text.trim().is_empty(),
        Value::Array(items) => items.iter().all(is_empty),
        Value::Object(fields) => fields.values().all(is_empty),
    }
}
