//! A function in OpenAI's formats: nested under `function` for chat completions, flat for responses.

use super::{Definition, DefinitionFault, definition::Served};
use serde_json::{Map, Value};

/// Reads one tool of either format; left-out `parameters` mean a function that takes none.
///
/// # Errors
/// [`DefinitionFault`] for a tool that is no function, and for one without a name.
pub fn definition(raw: Value) -> Result<Definition, DefinitionFault> {
    let mut served = Served::new(raw)?;
    if let Some(kind) = served.text("type").filter(|kind| kind != "function") {
        return Err(DefinitionFault::NotAFunction { kind });
    }
    if let Some(Value::Object(function)) = served.fields.shift_remove("function") {
        served.fields = function;
    }
    let parameters = match served.schema("parameters") {
        Err(DefinitionFault::SchemaMissing { .. }) => no_parameters(),
        other => other?,
    };
    served.finish(parameters)
}

fn no_parameters() -> Map<String, Value> {
    [("type", Value::from("object")), ("properties", Value::Object(Map::new()))]
        .map(|(keyword, value)| (keyword.to_owned(), value))
        .into_iter()
        .collect()
}
