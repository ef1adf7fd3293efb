//! Anthropic messages.

use super::{CompiledTool, Form, NameLimits, downgrade::Downgrades, schema::Draft};
use crate::registry::RegisteredTool;
use serde_json::{Map, Value, json};

pub(super) const FORM: Form =
    Form { word: "anthropic", names: NameLimits::new(128, false), compile };

const REFUSED_AT_ROOT: [&str; 3] = ["oneOf", "anyOf", "allOf"];

fn compile(tool: &RegisteredTool, name: &str) -> CompiledTool {
    let mut downgrades = Downgrades::of(tool.id());
    let schema = Draft::of(tool.input_schema(), &mut downgrades)
        .standard_keywords()
        .fold_root(&REFUSED_AT_ROOT)
        .object_root()
        .property_names(allows_property)
        .schema;
    let mut payload = Map::new();
    payload.insert("name".to_owned(), json!(name));
    if !tool.model_description().is_empty() {
        payload.insert("description".to_owned(), json!(tool.model_description()));
    }
    payload.insert("input_schema".to_owned(), Value::Object(schema));
    CompiledTool::new(tool, name, Value::Object(payload), downgrades)
}

/// Names of the root's properties, `^[a-zA-Z0-9_.-]{1,64}$`; deeper ones are not looked at.
fn allows_property(name: &str) -> bool {
    (1..=64).contains(&name.len())
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'-'))
}
