//! A tool in Anthropic's format.

use super::{Definition, DefinitionFault, definition::Served};
use serde_json::Value;

/// Reads one tool.
///
/// # Errors
/// [`DefinitionFault`] for a tool that Anthropic runs, and for one without a name or `input_schema`.
pub fn definition(raw: Value) -> Result<Definition, DefinitionFault> {
    let mut served = Served::new(raw)?;
    if let Some(kind) = served.text("type").filter(|kind| kind != "custom") {
        return Err(DefinitionFault::NotAFunction { kind });
    }
    let schema = served.schema("input_schema")?;
    served.finish(schema)
}
