//! Telling a suite from other files.

use proofhouse_manager::document::{Format, parse};
use std::path::Path;

/// Whether a file is meant as a suite: a document with a `suite` key. Mistakes in it are told by loading it.
pub fn is_suite(path: &Path) -> bool {
    let extension = path.extension().and_then(|e| e.to_str()).unwrap_or_default();
    let Some(format) = Format::of_extension(extension) else { return false };
    let Ok(bytes) = std::fs::read(path) else { return false };
    match parse(path.display().to_string(), &bytes, format) {
        Ok(node) => node.get("suite").is_some(),
        // Broken YAML is taken for a suite, so that its error is told with its place.
        Err(_) => matches!(format, Format::Yaml),
    }
}
