//! The Model Context Protocol: a tool as `tools/list` serves it.
//!
//! The hints are the manager's own, made from the contract, not what some server once claimed.

use super::{CompiledTool, Form, NameLimits, downgrade::Downgrades, schema::Draft};
use crate::{model::ToolDescriptor, registry::RegisteredTool};
use serde_json::{Map, Value, json};

pub(super) const FORM: Form =
    Form { word: "mcp", names: NameLimits::new(128, true), compile };

fn compile(tool: &RegisteredTool, name: &str) -> CompiledTool {
    let mut downgrades = Downgrades::of(tool.id());
    let descriptor = tool.descriptor();
    let mut payload = Map::new();
    payload.insert("name".to_owned(), json!(name));
    payload.insert("title".to_owned(), json!(descriptor.display_name));
    payload.insert("description".to_owned(), json!(tool.model_description()));
    let input = Draft::of(tool.input_schema(), &mut downgrades).object_root().schema;
    payload.insert("inputSchema".to_owned(), Value::Object(input));
    if let Some(output) = &descriptor.schemas.output_schema {
        payload.insert("outputSchema".to_owned(), output.to_value());
    }
    payload.insert("annotations".to_owned(), hints(descriptor));
    CompiledTool::new(tool, name, Value::Object(payload), downgrades)
}

fn hints(tool: &ToolDescriptor) -> Value {
    let effects = &tool.effects;
    let read_only = !effects.mutates_state && effects.writes.is_empty() && effects.deletes.is_empty();
    json!({
        "readOnlyHint": read_only && !tool.risk.destructive,
        "destructiveHint": tool.risk.destructive || !effects.deletes.is_empty(),
        "idempotentHint": effects.idempotent,
        "openWorldHint": tool.risk.open_world || effects.external_calls,
    })
}
