//! The tools that scenarios use, and the files around them: the same for every manager.

use crate::conform::protocol::{Fixture, Source};
use serde::Deserialize;
use serde_json::{Map, Value};
use std::{collections::BTreeMap, sync::LazyLock};

use super::text::Content;

/// The kit as it is written.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct KitText {
    files: BTreeMap<String, Content>,
    tools: Vec<ToolText>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct ToolText {
    pub(super) source: Source,
    /// Absent for what an MCP server serves.
    #[serde(default)]
    fixture: Option<Map<String, Value>>,
    #[serde(default)]
    tool_id: Option<String>,
}

static KIT: LazyLock<KitText> = LazyLock::new(|| {
    serde_saphyr::from_str(include_str!("suite/kit.yaml"))
        .expect("INVARIANT: the kit ships in this program and is read in its tests")
});

/// The files that every scenario finds in its workspace.
pub(super) fn files() -> &'static BTreeMap<String, Content> {
    &KIT.files
}

/// A tool of the kit.
pub(super) fn tool(id: &str) -> Result<&'static ToolText, String> {
    let found = KIT.tools.iter().find(|tool| tool.id() == id);
    found.ok_or_else(|| format!("there is no tool `{id}` in the kit"))
}

impl ToolText {
    fn id(&self) -> &str {
        let fixture = self.fixture.as_ref().and_then(|f| f.get("toolId")).and_then(Value::as_str);
        fixture.or(self.tool_id.as_deref()).unwrap_or_default()
    }

    /// Its definition, for `discover`; none for what a server serves itself.
    pub(super) fn fixture(&self) -> Option<&Map<String, Value>> {
        self.fixture.as_ref()
    }
}

/// Puts the kit's definitions in place of `{kit: ID, …}`, with what stands beside it.
///
/// # Errors
/// An id that the kit does not have, or a definition that is none.
pub(super) fn fill(value: &mut Value) -> Result<(), String> {
    match value {
        Value::Object(fields) => {
            if let Some(id) = fields.shift_remove("kit") {
                let id = id.as_str().unwrap_or_default();
                let known = tool(id)?.fixture().ok_or_else(|| format!("`{id}` is a server's own"))?;
                let mut filled = known.clone();
                for (name, field) in std::mem::take(fields) {
                    match field {
                        Value::Null => drop(filled.shift_remove(&name)),
                        field => drop(filled.insert(name, field)),
                    }
                }
                let filled = Value::Object(filled);
                serde_json::from_value::<Fixture>(filled.clone()).map_err(|e| format!("`{id}`: {e}"))?;
                *value = filled;
                return Ok(());
            }
            fields.values_mut().try_for_each(fill)
        }
        Value::Array(items) => items.iter_mut().try_for_each(fill),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn every_definition_is_one_of_the_protocol() {
        for tool in &KIT.tools {
            assert!(!tool.id().is_empty());
            if let Some(fixture) = tool.fixture() {
                let read: Result<Fixture, _> = serde_json::from_value(Value::Object(fixture.clone()));
                assert!(read.is_ok(), "{}: {read:?}", tool.id());
            }
        }
    }

    #[test]
    fn a_name_is_filled_in_with_what_stands_beside_it() {
        let mut value = json!({ "tools": [{ "kit": "file.read", "version": "9", "effects": null }] });
        fill(&mut value).unwrap();
        assert_eq!(value["tools"][0]["version"], "9");
        assert_eq!(value["tools"][0]["toolId"], "file.read");
        assert_eq!(value["tools"][0].get("effects"), None);
        assert!(fill(&mut json!({ "kit": "nobody" })).is_err());
    }
}
