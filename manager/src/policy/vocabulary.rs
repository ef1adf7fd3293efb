//! What policies can speak of here: the fixed part, and the arguments of the tools that they name.
//!
//! Cedar checks each policy once for every action, so an action for each of 100,000 tools would make loading
//! a matter of minutes. Only the tools that a policy names get an action of their own, `call:TOOL`; one
//! stands for all others. All of them are members of the group `call`, as are the actions that are asked
//! about, so a policy about `action in Action::"call"` holds for every tool, named or not.

use super::{question::call_action, shape::Record};
use crate::model::{ToolDescriptor, ToolId, ToolVersion};
use cedar_policy::{Schema, SchemaFragment};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

const SCHEMA: &str = include_str!("standard/schema.cedarschema");
/// The action that stands for the call of every tool without one of its own.
const OTHERS: &str = "call:*";

/// The tools that policies can name.
#[derive(Debug, Clone, Default)]
pub struct Vocabulary<'t> {
    tools: BTreeMap<&'t str, Vec<&'t ToolDescriptor>>,
}

/// A tool whose arguments policies can speak of.
#[derive(Debug, Clone)]
pub(super) struct TypedTool {
    pub(super) versions: Vec<ToolVersion>,
    pub(super) arguments: Record,
}

pub(super) type TypedTools = BTreeMap<ToolId, TypedTool>;

impl<'t> Vocabulary<'t> {
    /// The vocabulary of these tools; of several versions of one tool, what they have in common.
    pub fn new(tools: impl IntoIterator<Item = &'t ToolDescriptor>) -> Self {
        let mut known: BTreeMap<&str, Vec<&ToolDescriptor>> = BTreeMap::new();
        for tool in tools {
            known.entry(&tool.tool_id).or_default().push(tool);
        }
        Self { tools: known }
    }

    /// Whether a tool of that id is known.
    pub fn has(&self, tool: &str) -> bool {
        self.tools.contains_key(tool)
    }

    /// The schema that policies about these tools are checked with, in Cedar's language.
    pub fn to_cedar(&self) -> String {
        let mut actions = schema_json(&self.typed(self.ids()))[""]["actions"].take();
        if let Some(actions) = actions.as_object_mut() {
            actions.retain(|name, _| self.ids().any(|tool| call_action(tool) == *name));
        }
        let generated = json!({ "": { "entityTypes": {}, "actions": actions } });
        let generated = SchemaFragment::from_json_value(generated).ok().and_then(|s| s.to_cedarschema().ok());
        format!("{SCHEMA}\n{}", generated.unwrap_or_default())
    }

    pub(super) fn ids(&self) -> impl Iterator<Item = &'t str> + '_ {
        self.tools.keys().copied()
    }

    pub(super) fn len(&self) -> usize {
        self.tools.len()
    }

    pub(super) fn scopes(&self) -> BTreeSet<&'t str> {
        let required = self.tools.values().flatten().flat_map(|t| &t.permissions.required_scopes);
        required.map(String::as_str).collect()
    }

    /// The arguments of those of the tools that are known.
    pub(super) fn typed<'i>(&self, ids: impl IntoIterator<Item = &'i str>) -> TypedTools {
        let mut typed = TypedTools::new();
        for id in ids {
            let Some(versions) = self.tools.get(id) else { continue };
            let shapes = versions.iter().map(|t| Record::of_schema(&t.schemas.input_schema.to_value()));
            let Some(arguments) = shapes.reduce(|a, b| a.common(&b)) else { continue };
            let versions = versions.iter().map(|t| t.version.clone()).collect();
            typed.insert(id.into(), TypedTool { versions, arguments });
        }
        typed
    }
}

/// The fixed schema, with an action for each of the tools.
///
/// # Errors
/// What Cedar says, should it refuse a generated schema.
pub(super) fn schema(typed: &TypedTools) -> Result<Schema, String> {
    Schema::from_json_value(schema_json(typed)).map_err(|e| e.to_string())
}

fn schema_json(typed: &TypedTools) -> Value {
    let (fixed, _) =
        SchemaFragment::from_cedarschema_str(SCHEMA).expect("INVARIANT: the schema as shipped parses");
    let mut json = fixed.to_json_value().expect("INVARIANT: the schema as shipped has a JSON form");
    let actions = &mut json[""]["actions"];
    for (tool, of) in typed {
        let mut action = actions[OTHERS].clone();
        action["appliesTo"]["context"]["attributes"]["args"] = of.arguments.to_cedar();
        actions[call_action(tool)] = action;
    }
    json
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::testing::descriptor;

    #[test]
    fn a_tool_has_an_action_with_its_arguments() {
        let mut tool = descriptor("file \"read\"");
        tool.schemas.input_schema = serde_json::from_value(json!({
            "type": "object", "required": ["path"],
            "properties": { "path": { "type": "string" }, "max lines": { "type": "integer" }, "x": {} },
        }))
        .unwrap();
        let shown = Vocabulary::new([&tool]).to_cedar();
        let action = shown.split("action ").find(|a| a.starts_with(r#""call:file \"read\"""#)).unwrap();
        for part in [
            r#"in [Action::"call"]"#,
            r#""max lines"?: __cedar::Long"#,
            "path: __cedar::String",
            "labels: Set<String>",
        ] {
            let squeezed = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(squeezed(action).contains(&squeezed(part)), "{part} in {action}");
        }
    }

    #[test]
    fn the_schema_as_shipped_is_one() {
        assert!(schema(&TypedTools::new()).is_ok());
    }
}
