//! What the log has said about tools so far; every invariant may look at it.

use super::Event;
use serde_json::Value;
use std::collections::HashMap;

/// One version of a tool's contract.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Version {
    pub(super) tool: String,
    pub(super) version: String,
    pub(super) digest: String,
}

impl Version {
    pub(super) fn of(event: &Event) -> Self {
        Self {
            tool: event.text("toolId").to_owned(),
            version: event.text("toolVersion").to_owned(),
            digest: event.text("descriptorDigest").to_owned(),
        }
    }
}

impl Version {
    /// The contract that a view exposes.
    pub(super) fn exposed(tool: &Value) -> Self {
        let text = |name: &str| tool.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        Self { tool: text("toolId"), version: text("toolVersion"), digest: text("descriptorDigest") }
    }
}

/// What a tool's contract says of itself.
#[derive(Debug, Clone, Default)]
pub(crate) struct Contract {
    pub(super) definition: String,
    pub(super) source: String,
    pub(super) adapter: String,
    pub(super) level: String,
    pub(super) destructive: bool,
    pub(super) effects: Option<Value>,
}

/// Tools by what was discovered and normalized.
#[derive(Debug, Default)]
pub(crate) struct Known {
    contracts: HashMap<Version, Contract>,
    /// What was seen last of a tool where it is served: form of the source, and digest of the definition.
    served: HashMap<String, (String, String)>,
}

impl Known {
    pub(super) fn see(&mut self, event: &Event) {
        match event.kind() {
            "ToolDiscovered" => {
                let seen = (event.text("sourceType").to_owned(), event.text("definitionDigest").to_owned());
                self.served.insert(event.text("toolId").to_owned(), seen);
            }
            "ToolNormalized" => {
                let contract = Contract {
                    definition: event.text("definitionDigest").to_owned(),
                    source: event.text("sourceType").to_owned(),
                    adapter: event.text("adapter").to_owned(),
                    level: event.text("level").to_owned(),
                    destructive: event.is("destructive"),
                    effects: event.get("effects").cloned(),
                };
                self.contracts.insert(Version::of(event), contract);
            }
            _ => {}
        }
    }

    pub(super) fn contract(&self, version: &Version) -> Option<&Contract> {
        self.contracts.get(version)
    }

    /// Form of the source and digest of the definition, as they were seen last.
    pub(super) fn served(&self, tool: &str) -> Option<&(String, String)> {
        self.served.get(tool)
    }
}
