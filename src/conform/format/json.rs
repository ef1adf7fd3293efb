//! One JSON document.

use super::{Format, FormatError};
use crate::conform::Report;
use serde_json::json;

pub(super) struct Json;

impl Format for Json {
    fn name(&self) -> &'static str {
        "json"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["json"]
    }

    fn tell(&self, report: &Report) -> Result<String, FormatError> {
        let document =
            json!({ "report": report, "verdict": report.verdict(), "conforms": report.conforms() });
        Ok(serde_json::to_string(&document)? + "\n")
    }
}
