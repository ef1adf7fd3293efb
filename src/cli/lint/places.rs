//! Where in a file a finding stands.

use crate::run::ToolOrigin;
use proofhouse_manager::{
    adapters::sources::read_document,
    document::{Node, Place},
    lint::{Finding, Linted},
    normalize::definition_pointers,
};
use std::{collections::HashMap, path::Path, sync::Arc};

/// The documents that findings point into, each read once.
#[derive(Debug, Default)]
pub(super) struct Places {
    documents: HashMap<Arc<str>, Option<Node>>,
}

impl Places {
    /// The place of a finding, if its tool stands in a file that can still be read.
    pub(super) fn of(&mut self, finding: &Finding, origin: &ToolOrigin) -> Option<Place> {
        let spot = origin.spot.as_ref()?;
        let document = self
            .documents
            .entry(Arc::clone(&spot.file))
            .or_insert_with(|| read_document(Path::new(&*spot.file)).ok())
            .as_ref()?;
        let tool = document.at(&spot.pointer)?;
        let place = match (finding.linted, &origin.served) {
            (Linted::Descriptor, None) => tool.nearest(&finding.pointer),
            (Linted::Descriptor, Some(_)) => defined(tool, &finding.pointer),
            // Chat completions keep all but the type one level deeper.
            (Linted::Definition, _) => tool.get("function").unwrap_or(tool).nearest(&finding.pointer),
        };
        Some(place.place.clone())
    }
}

/// Where a definition says what stands at a pointer of its descriptor.
fn defined<'n>(tool: &'n Node, pointer: &str) -> &'n Node {
    let pointers = definition_pointers(pointer);
    let exact = pointers.iter().find_map(|pointer| tool.at(pointer));
    let above = || {
        let begins = |pointer: &&String| {
            let first = pointer.split('/').nth(1).unwrap_or_default();
            tool.get(first).is_some()
        };
        pointers.iter().find(begins).map(|pointer| tool.nearest(pointer))
    };
    exact.or_else(above).unwrap_or(tool)
}
