//! One file, read whole and within bounds.

use crate::{
    document::{self, DocumentError, Field, Format, Node, Place},
    port::SourceError,
};
use serde_json::Value;
use std::{cell::OnceCell, fs::File, io::Read as _, path::Path, sync::Arc};

/// No file larger than this is read.
pub const MAX_BYTES: u64 = 50_000_000;

/// A file's bytes and name.
#[derive(Debug)]
pub(super) struct SourceFile {
    pub(super) name: Arc<str>,
    bytes: Vec<u8>,
    format: Format,
    document: OnceCell<Result<Node, DocumentError>>,
}

impl SourceFile {
    pub(super) fn read(path: &Path) -> Result<Self, SourceError> {
        let name = path.display().to_string();
        let unreadable =
            |error: std::io::Error| SourceError::Unreadable { file: name.clone(), reason: error.to_string() };
        let mut bytes = Vec::new();
        // One byte more than allowed tells a file of the largest size from a larger one, whatever its length
        // claims to be.
        File::open(path)
            .and_then(|file| file.take(MAX_BYTES + 1).read_to_end(&mut bytes))
            .map_err(unreadable)?;
        if bytes.len() as u64 > MAX_BYTES {
            return Err(SourceError::TooLarge { file: name, max: MAX_BYTES });
        }
        Ok(Self::of_bytes(name, bytes))
    }

    /// A text that is at hand, under a file's name.
    pub(super) fn of_text(name: &str, text: &str) -> Self {
        Self::of_bytes(name.to_owned(), text.as_bytes().to_vec())
    }

    fn of_bytes(name: String, bytes: Vec<u8>) -> Self {
        let extension = Path::new(&name).extension().and_then(|e| e.to_str());
        let format = extension.and_then(Format::of_extension).unwrap_or(Format::Json);
        Self { name: name.into(), bytes, format, document: OnceCell::new() }
    }

    /// The document with its places, read once.
    pub(super) fn document(&self) -> Result<&Node, DocumentError> {
        let parsed =
            self.document.get_or_init(|| document::parse(Arc::clone(&self.name), &self.bytes, self.format));
        parsed.as_ref().map_err(Clone::clone)
    }

    /// The document itself.
    pub(super) fn into_document(self) -> Result<Node, DocumentError> {
        self.document()?;
        self.document.into_inner().expect("INVARIANT: `document` fills the cell")
    }

    /// The document without places: much faster for the large JSON that machines write, where places are
    /// asked for only if something is wrong.
    pub(super) fn value(&self) -> Result<Value, DocumentError> {
        let placed = || self.document().map(Node::to_value);
        match self.format {
            Format::Yaml => placed(),
            Format::Json => serde_json::from_slice(&self.bytes).or_else(|_| placed()),
        }
    }

    /// Something that is wrong at a JSON pointer, with its place if the document gives one.
    pub(super) fn problem(&self, pointer: &str, message: impl Into<String>) -> DocumentError {
        let place = match self.document() {
            Ok(document) => document.nearest(pointer).place.clone(),
            Err(_) => Place::start(Arc::clone(&self.name)),
        };
        DocumentError::new(place, &Field::of_pointer(pointer), message)
    }

    /// The file's name without folder and extension: the name of what it holds.
    pub(super) fn stem(path: &Path) -> String {
        path.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned())
    }
}
