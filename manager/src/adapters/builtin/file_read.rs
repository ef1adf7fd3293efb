//! `file.read`: the text of one file, or some of its lines.

use super::{
    Fault, Tool,
    job::{Done, Job, file},
    places::Purpose,
    plan::Plan,
};
use crate::model::{ArtifactKind, EffectsObserved};
use serde_json::json;

/// The tool.
pub(super) struct FileRead;

impl Tool for FileRead {
    fn id(&self) -> &'static str {
        "file.read"
    }

    fn run(&self, job: &Job<'_>) -> Result<Done, Fault> {
        let found = job.places.find(job.text("path"), Purpose::Read)?;
        let path = found.path.clone();
        let bytes = found.read(job.max_bytes())?;
        let whole = String::from_utf8(bytes)
            .map_err(|_| Fault::new("not_text", format!("`{path}` is no UTF-8 text")))?;
        let text =
            lines(&whole, job.number("startLine").unwrap_or(1), job.number("endLine").unwrap_or(usize::MAX));
        Ok(Done {
            output: text.clone().into_bytes(),
            kind: ArtifactKind::File,
            structured: json!({ "path": path, "lines": text.lines().count(), "text": text }),
            effects: EffectsObserved { reads: vec![file(&path)], ..Default::default() },
            plan: Plan::default(),
        })
    }
}

/// Lines from the first to the last, both counted from 1 and included, with their line ends.
fn lines(text: &str, first: usize, last: usize) -> String {
    text.split_inclusive('\n').skip(first - 1).take(last.saturating_sub(first).saturating_add(1)).collect()
}
