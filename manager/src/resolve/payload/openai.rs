//! OpenAI chat completions, and every server that speaks like it.

use super::{
    CompiledTool, Form, NameLimits,
    downgrade::{DowngradeCode, Downgrades},
    schema::Draft,
    strict,
};
use crate::registry::RegisteredTool;
use serde_json::{Map, Value, json};

pub(super) const FORM: Form =
    Form { word: "openai", names: NameLimits::new(64, false), compile };

/// The length beyond which some deployments and compatible servers still refuse a description.
const LONG_DESCRIPTION: usize = 1024;
const REFUSED_AT_ROOT: [&str; 6] = ["oneOf", "anyOf", "allOf", "enum", "const", "not"];

fn compile(tool: &RegisteredTool, name: &str) -> CompiledTool {
    let mut downgrades = Downgrades::of(tool.id());
    let (mut function, strict) = function(tool, name, &mut downgrades);
    if strict {
        function.insert("strict".to_owned(), json!(true));
    }
    CompiledTool::new(tool, name, json!({ "type": "function", "function": function }), downgrades)
}

/// Name, description and parameters, and whether they fit strict mode.
pub(super) fn function(
    tool: &RegisteredTool,
    name: &str,
    downgrades: &mut Downgrades<'_>,
) -> (Map<String, Value>, bool) {
    let description = tool.model_description();
    note_length(description, downgrades);
    let parameters = Draft::of(tool.input_schema(), downgrades)
        .standard_keywords()
        .fold_root(&REFUSED_AT_ROOT)
        .object_root()
        .root_properties()
        .array_items()
        .schema;
    let misfit = strict::misfit(&parameters);
    if let Some(why) = &misfit {
        downgrades.push(DowngradeCode::StrictOff, format!("strict mode is off: {why}"));
    }
    let mut function = Map::new();
    function.insert("name".to_owned(), json!(name));
    if !description.is_empty() {
        function.insert("description".to_owned(), json!(description));
    }
    function.insert("parameters".to_owned(), Value::Object(parameters));
    (function, misfit.is_none())
}

fn note_length(description: &str, downgrades: &mut Downgrades<'_>) {
    let length = description.chars().count();
    if length > LONG_DESCRIPTION {
        downgrades.push(
            DowngradeCode::DescriptionLong,
            format!(
                "the description of {length} characters is sent whole, and some endpoints refuse more than \
                 {LONG_DESCRIPTION}"
            ),
        );
    }
}
