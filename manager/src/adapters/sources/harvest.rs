//! From a list of raw definitions to discovered tools, one by one.

use super::file::SourceFile;
use crate::{
    normalize::{Definition, DefinitionFault, Normalized, Origin, normalize},
    port::{Discovered, Discovery, Rejected, Spot},
};
use serde_json::Value;
use std::{collections::BTreeSet, sync::Arc};

/// Where a file keeps its list of tools.
#[derive(Debug)]
pub(super) struct Listed {
    pub(super) tools: Vec<Value>,
    pub(super) pointer: &'static str,
}

impl Listed {
    /// The list that stands at the first of these pointers; the empty pointer is the document itself.
    pub(super) fn take(value: &mut Value, pointers: &[&'static str]) -> Option<Self> {
        pointers.iter().find_map(|pointer| match value.pointer_mut(pointer) {
            Some(Value::Array(tools)) => Some(Self { tools: std::mem::take(tools), pointer }),
            _ => None,
        })
    }
}

/// Reads each definition; what is no tool, or has a name that is taken, is rejected.
pub(super) fn harvest(
    file: &SourceFile,
    listed: Listed,
    read: fn(Value) -> Result<Definition, DefinitionFault>,
    origin: &Origin,
) -> Discovery {
    let mut discovery = Discovery::default();
    let mut taken = BTreeSet::new();
    for (index, raw) in listed.tools.into_iter().enumerate() {
        let name = name_of(&raw).map_or_else(|| format!("tool {}", index + 1), str::to_owned);
        // Chat completions keep all but the type one level deeper.
        let inner = if raw.get("function").is_some_and(Value::is_object) { "/function" } else { "" };
        let reject = |pointer: &str, why: String| Rejected {
            name: name.clone(),
            problem: file.problem(&format!("{}/{index}{pointer}", listed.pointer), why),
        };
        match read(raw) {
            Err(fault @ DefinitionFault::NotAFunction { .. }) => {
                discovery.rejected.push(reject(&fault.pointer(), fault.to_string()));
            }
            Err(fault) => {
                let pointer = format!("{inner}{}", fault.pointer());
                discovery.rejected.push(reject(&pointer, fault.to_string()));
            }
            Ok(definition) if !taken.insert(definition.name.clone()) => {
                let why = format!("another tool of this list is called `{}` already", definition.name);
                discovery.rejected.push(reject(&format!("{inner}/name"), why));
            }
            Ok(definition) => {
                let pointer = format!("{}/{index}", listed.pointer);
                let spot = Some(Spot { file: Arc::clone(&file.name), pointer });
                discovery.tools.push(Discovered { spot, ..normalize(definition, origin).into() });
            }
        }
    }
    discovery
}

fn name_of(raw: &Value) -> Option<&str> {
    raw.get("name").or_else(|| raw.pointer("/function/name"))?.as_str().filter(|name| !name.is_empty())
}

impl From<Normalized> for Discovered {
    fn from(tool: Normalized) -> Self {
        let Normalized { descriptor, definition_digest, notes, served } = tool;
        Self { descriptor, definition_digest, notes, served: Some(served), spot: None }
    }
}
