//! Reading files: bytes from disk, located nodes out.

use super::csv::parse_table;
use proofhouse_manager::document::{
    Diagnostics, DocumentError, Field, Format, Node, Place, parse, parse_lines,
};
use std::{fs, path::Path, sync::Arc};

/// The document that a file holds.
pub(super) fn document(path: &Path) -> Result<Node, Diagnostics> {
    let start = start_of(path);
    let format = Format::of_extension(extension(path)).ok_or_else(|| {
        DocumentError::new(start.clone(), &Field::root(), "a suite is a YAML or JSON file")
            .with_hint("name it `.yaml` or `.json`")
    })?;
    Ok(parse(Arc::clone(&start.file), &bytes(path, &start)?, format)?)
}

/// The cases that a file holds, each with its path in the file.
pub(super) fn cases(path: &Path) -> Result<Vec<(Node, Field)>, Diagnostics> {
    let start = start_of(path);
    let bytes = bytes(path, &start)?;
    let extension = extension(path);
    if let Some(format) = Format::of_extension(extension) {
        return listed(parse(start.file, &bytes, format)?);
    }
    let rows = match extension.to_ascii_lowercase().as_str() {
        "jsonl" | "ndjson" => parse_lines(start.file, &bytes)?,
        "csv" => parse_table(&start, &bytes)?,
        _ => {
            let error = DocumentError::new(start, &Field::root(), "this is no case file");
            return Err(error.with_hint("cases are `.yaml`, `.json`, `.jsonl` or `.csv` files").into());
        }
    };
    Ok(rows.into_iter().map(|row| (row, Field::root())).collect())
}

fn listed(root: Node) -> Result<Vec<(Node, Field)>, Diagnostics> {
    let kind = root.kind();
    match root.content {
        proofhouse_manager::document::Content::Array(items) => Ok(items
            .into_iter()
            .enumerate()
            .map(|(index, item)| (item, Field::root().index(index)))
            .collect()),
        _ => Err(DocumentError::new(
            root.place,
            &Field::root(),
            format!("a case file is a list of cases, and this is {kind}"),
        )
        .with_hint("begin each case with `- id: …`")
        .into()),
    }
}

/// The first place of a file.
pub(super) fn start_of(path: &Path) -> Place {
    Place::start(path.display().to_string().into())
}

fn extension(path: &Path) -> &str {
    path.extension().and_then(|extension| extension.to_str()).unwrap_or_default()
}

fn bytes(path: &Path, start: &Place) -> Result<Vec<u8>, DocumentError> {
    fs::read(path).map_err(|error| {
        DocumentError::new(start.clone(), &Field::root(), format!("cannot read the file: {error}"))
            .with_hint("check the path; it is relative to the folder of the file that names it")
    })
}
