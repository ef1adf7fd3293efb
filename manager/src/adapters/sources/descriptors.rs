//! Canonical descriptors: one tool a file, in YAML or JSON.

use super::{FileFormat, file::SourceFile};
use crate::{
    document::{DocumentError, Field, Node},
    model::{Digest, Domain, ToolDescriptor, ToolId, digest_value},
    port::{Discovered, Discovery, Rejected, SourceError, Spot, ToolSourcePort},
    registry::Arguments,
};
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::Arc,
};

pub(super) const FORMAT: FileFormat = FileFormat {
    word: "descriptors",
    about: "canonical descriptors, one tool a file",
    claims: |value| value.get("toolId").is_some(),
    open: |path, _| Box::new(Descriptors { paths: vec![path] }),
};

/// Files of descriptors, which together name each tool once.
#[derive(Debug, Clone, Default)]
pub struct Descriptors {
    /// The files, in the order in which their tools are found.
    pub paths: Vec<PathBuf>,
}

impl ToolSourcePort for Descriptors {
    fn discover(&self) -> Result<Discovery, SourceError> {
        let mut discovery = Discovery::default();
        let mut seen: BTreeMap<ToolId, String> = BTreeMap::new();
        for path in &self.paths {
            match read(path, &mut seen) {
                Ok(tool) => discovery.tools.push(tool),
                Err(problem) => {
                    discovery.rejected.push(Rejected { name: SourceFile::stem(path), problem });
                }
            }
        }
        Ok(discovery)
    }
}

/// Reads one file.
fn read(path: &Path, seen: &mut BTreeMap<ToolId, String>) -> Result<Discovered, DocumentError> {
    read_file(&SourceFile::read(path).map_err(|error| unreadable(path, error))?, seen)
}

/// Reads a descriptor that is at hand.
pub(super) fn read_text(
    name: &str,
    text: &str,
    seen: &mut BTreeMap<ToolId, String>,
) -> Result<Discovered, DocumentError> {
    read_file(&SourceFile::of_text(name, text), seen)
}

fn read_file(file: &SourceFile, seen: &mut BTreeMap<ToolId, String>) -> Result<Discovered, DocumentError> {
    let node = file.document()?;
    let descriptor: ToolDescriptor = node.decode()?;
    if let Some(first) = seen.get(&descriptor.tool_id) {
        let message = format!("the tool `{}` is described in `{first}` already", descriptor.tool_id);
        return Err(at(node, "/toolId", message).with_hint("give each tool one file and one id"));
    }
    Arguments::compile(&descriptor.schemas.input_schema).map_err(|fault| {
        let pointer = format!("/schemas/inputSchema{}", fault.pointer());
        at(node, &pointer, fault.to_string())
    })?;
    seen.insert(descriptor.tool_id.clone(), file.name.to_string());
    Ok(discovered(descriptor, node, Arc::clone(&file.name)))
}

fn discovered(descriptor: ToolDescriptor, node: &Node, file: Arc<str>) -> Discovered {
    let value = node.to_value();
    let definition_digest = digest_value(Domain::Definition, &value)
        .unwrap_or_else(|_| Digest::of_bytes(Domain::Definition, value.to_string().as_bytes()));
    let spot = Some(Spot { file, pointer: String::new() });
    Discovered { descriptor, definition_digest, notes: Vec::new(), served: None, spot }
}

fn at(node: &Node, pointer: &str, message: String) -> DocumentError {
    DocumentError::new(node.nearest(pointer).place.clone(), &Field::of_pointer(pointer), message)
}

fn unreadable(path: &Path, error: SourceError) -> DocumentError {
    match error {
        SourceError::Document(error) => error,
        other => {
            let message = other.to_string();
            let (message, hint) = message.split_once("\nhint: ").unwrap_or((&message, ""));
            let place = crate::document::Place::start(path.display().to_string().into());
            DocumentError::new(place, &Field::root(), message).with_hint(hint)
        }
    }
}
