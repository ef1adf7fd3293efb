//! A tool as an MCP server lists it.

use super::{
    Definition, DefinitionFault, Hints, Note,
    definition::{Served, kind},
};
use serde_json::{Map, Value};

/// Reads one entry of `tools/list`.
///
/// # Errors
/// [`DefinitionFault`] without a name or without an object as `inputSchema`.
pub fn definition(raw: Value) -> Result<Definition, DefinitionFault> {
    let mut served = Served::new(raw)?;
    let annotations = match served.fields.shift_remove("annotations") {
        Some(Value::Object(annotations)) => annotations,
        _ => Map::new(),
    };
    let annotated = annotations.get("title").and_then(Value::as_str).map(str::to_owned);
    let title = served.text("title").or(annotated).filter(|title| !title.trim().is_empty());
    let output = served.fields.shift_remove("outputSchema");
    let input_schema = served.schema("inputSchema")?;
    let mut definition = served.finish(input_schema)?;
    definition.hints = Hints::read(&annotations, &mut definition.notes);
    definition.title = title;
    match output {
        Some(Value::Object(schema)) => definition.output_schema = Some(schema),
        Some(Value::Null) | None => {}
        Some(other) => definition.notes.push(Note {
            pointer: "/outputSchema",
            message: format!("`outputSchema` is {} and is left out", kind(&other)),
        }),
    }
    Ok(definition)
}
