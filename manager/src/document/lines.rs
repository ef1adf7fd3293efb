//! JSONL: one JSON document a line.

use super::{Diagnostics, Node, Place, json, text};
use std::sync::Arc;

/// Reads a JSONL file; blank lines are skipped, and places carry the file's own line numbers.
///
/// # Errors
/// Every line that is not JSON.
pub fn parse_lines(file: impl Into<Arc<str>>, bytes: &[u8]) -> Result<Vec<Node>, Diagnostics> {
    let start = Place::start(file.into());
    let text = text::decode(&start, bytes)?;
    let (mut nodes, mut wrong) = (Vec::new(), Diagnostics::new());
    for (line, number) in text.lines().zip(1..) {
        if !line.trim().is_empty() {
            nodes.extend(wrong.take(json::parse(&start.moved(number, 1), line)));
        }
    }
    wrong.into_result(nodes)
}
