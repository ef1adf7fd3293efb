//! OpenAI responses: the same function, flat, and always with a word on strict mode.

use super::{CompiledTool, Form, NameLimits, downgrade::Downgrades, openai};
use crate::registry::RegisteredTool;
use serde_json::{Map, Value, json};

pub(super) const FORM: Form = Form {
    word: "openai-responses",
    names: NameLimits::new(64, false),
    compile,
};

fn compile(tool: &RegisteredTool, name: &str) -> CompiledTool {
    let mut downgrades = Downgrades::of(tool.id());
    let (function, strict) = openai::function(tool, name, &mut downgrades);
    let mut payload = Map::new();
    payload.insert("type".to_owned(), json!("function"));
    payload.extend(function);
    // Never left out: the endpoint would bend the schema towards strict mode by itself.
    payload.insert("strict".to_owned(), json!(strict));
    CompiledTool::new(tool, name, Value::Object(payload), downgrades)
}
