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
    let output = served.fields.shift_remove("outputSchema");
    let input_schema = served.schema("inputSchema")?;
    let mut definition = served.finish(input_schema)?;
    let annotations = definition.served.get("annotations").and_then(Value::as_object);
    if let Some(annotations) = annotations {
        definition.hints = Hints::read(annotations, &mut definition.notes);
    }
    definition.title = title(&definition.served);
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

/// The title for people: the tool's own, else that of its annotations.
fn title(served: &Map<String, Value>) -> Option<String> {
    let own = served.get("title").and_then(Value::as_str);
    let annotated = || served.get("annotations")?.get("title")?.as_str();
    own.or_else(annotated).filter(|title| !title.trim().is_empty()).map(str::to_owned)
}
