//! One thing that is wrong, wherever it was noticed.

use proofhouse_manager::{
    document::{DocumentError, Place},
    lint::{Finding, Severity},
};
use serde::Serialize;
use std::path::Path;

/// A mistake in a file, or a finding of a lint.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Item {
    /// The lint; nothing for a file or tool that cannot be used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) code: Option<String>,
    pub(super) severity: Severity,
    #[serde(skip)]
    pub(super) place: Option<Place>,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) tool: Option<String>,
    /// JSON pointer, or the field as a dotted path.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(super) field: String,
    pub(super) message: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(super) hint: String,
}

impl Item {
    fn new(severity: Severity, place: Option<Place>, message: &str) -> Self {
        let (message, hint) = message.split_once("\nhint: ").unwrap_or((message, ""));
        Self {
            code: None,
            severity,
            file: place.as_ref().map(|place| place.file.to_string()),
            line: place.as_ref().map(|place| place.line),
            column: place.as_ref().map(|place| place.column),
            place,
            tool: None,
            field: String::new(),
            message: message.to_owned(),
            hint: hint.to_owned(),
        }
    }

    /// What a lint found.
    pub(super) fn finding(finding: Finding, place: Option<Place>) -> Self {
        Self {
            code: Some(finding.code.to_string()),
            tool: Some(finding.tool.to_string()),
            field: finding.pointer,
            hint: finding.hint,
            ..Self::new(finding.severity, place, &finding.message)
        }
    }

    /// A mistake in a file as a whole.
    pub(super) fn mistake(path: &Path, message: &str) -> Self {
        Self::new(Severity::Error, Some(Place::start(path.display().to_string().into())), message)
    }

    /// A mistake at its place in a file.
    pub(super) fn document(error: &DocumentError) -> Self {
        let item = Self::new(Severity::Error, Some(error.place.clone()), &error.message);
        Self { field: error.field.clone(), hint: error.hint.clone().unwrap_or_default(), ..item }
    }

    /// A tool that cannot be used, with a reason that says where.
    pub(super) fn rejected(name: &str, reason: &str) -> Self {
        let item = Self::new(Severity::Error, None, &format!("`{name}` cannot be used: {reason}"));
        Self { tool: Some(name.to_owned()), ..item }
    }

    /// Whether something cannot be used at all.
    pub(super) fn is_mistake(&self) -> bool {
        self.code.is_none()
    }
}
