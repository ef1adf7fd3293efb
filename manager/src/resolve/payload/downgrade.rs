//! What a provider cannot be told, said aloud.

use crate::model::ToolId;
use serde::{Deserialize, Serialize};
use std::fmt;

/// One way in which a provider's form of a tool says less, or something else, than the tool does.
///
/// The manager still judges arguments by the tool's own schema.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Downgrade {
    /// The tool.
    pub tool: ToolId,
    /// Which kind.
    pub code: DowngradeCode,
    /// What was changed, where, and why.
    pub message: String,
}

/// The kinds of downgrade.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DowngradeCode {
    /// Strict mode is off because the schema does not fit it.
    StrictOff,
    /// A keyword is not sent: `$schema`, or one that JSON Schema does not know.
    KeywordRemoved,
    /// A keyword that may not stand at the root was folded into the properties.
    RootFolded,
    /// A formal part that the provider demands was added; nothing else is valid because of it.
    Completed,
    /// A property is not sent because of its name.
    PropertyRemoved,
    /// The description is sent whole, but is longer than some endpoints accept.
    DescriptionLong,
}

impl DowngradeCode {
    /// The code as in JSON.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::StrictOff => "strict-off",
            Self::KeywordRemoved => "keyword-removed",
            Self::RootFolded => "root-folded",
            Self::Completed => "completed",
            Self::PropertyRemoved => "property-removed",
            Self::DescriptionLong => "description-long",
        }
    }
}

impl fmt::Display for Downgrade {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`: {} [{}]", self.tool, self.message, self.code.as_str())
    }
}

/// Collects the downgrades of one tool.
#[derive(Debug)]
pub(super) struct Downgrades<'t> {
    tool: &'t ToolId,
    list: Vec<Downgrade>,
}

impl<'t> Downgrades<'t> {
    pub(super) fn of(tool: &'t ToolId) -> Self {
        Self { tool, list: Vec::new() }
    }

    pub(super) fn push(&mut self, code: DowngradeCode, message: impl Into<String>) {
        self.list.push(Downgrade { tool: self.tool.clone(), code, message: message.into() });
    }

    pub(super) fn into_list(self) -> Vec<Downgrade> {
        self.list
    }
}
