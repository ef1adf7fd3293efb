//! §10: what a lint says about a tool.

use super::ToolId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::{borrow::Cow, fmt};

/// How much a finding weighs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Worth knowing.
    Note,
    /// Better changed.
    Warning,
    /// The tool does not pass the stage.
    Error,
}

impl Severity {
    /// The word, as in JSON.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The step of registration that a lint belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LintStage {
    /// What the tool takes and returns, and what it is called.
    Schema,
    /// Whether effects, risk, scopes and approval fit together.
    Permission,
    /// Whether the sandbox fits the effects.
    Sandbox,
    /// What could harm whoever offers the tool to a model.
    Security,
    /// Whether a model can choose the tool by its words; never an error.
    Description,
}

impl LintStage {
    /// Every stage, in the order of registration.
    pub const ALL: [Self; 5] =
        [Self::Schema, Self::Permission, Self::Sandbox, Self::Security, Self::Description];

    /// The word, as in JSON.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Schema => "schema",
            Self::Permission => "permission",
            Self::Sandbox => "sandbox",
            Self::Security => "security",
            Self::Description => "description",
        }
    }
}

impl fmt::Display for LintStage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The stable name of a lint, such as `catch-all-tool`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct LintCode(Cow<'static, str>);

impl LintCode {
    /// The code that is written so.
    pub const fn new(code: &'static str) -> Self {
        Self(Cow::Borrowed(code))
    }

    /// The code as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for LintCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Which text a finding points into.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Linted {
    /// The canonical descriptor.
    Descriptor,
    /// The definition as its source served it.
    Definition,
}

/// Something that a lint found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Finding {
    /// Which lint.
    pub code: LintCode,
    /// The step of registration that it belongs to.
    pub stage: LintStage,
    /// How much it weighs.
    pub severity: Severity,
    /// The tool.
    pub tool: ToolId,
    /// What the pointer leads into.
    pub linted: Linted,
    /// JSON pointer to what is meant.
    pub pointer: String,
    /// What was found.
    pub message: String,
    /// What to do about it.
    pub hint: String,
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_finding_is_public_data() {
        let json = json!({
            "code": "secret-parameter", "stage": "security", "severity": "error", "tool": "a.b",
            "linted": "definition", "pointer": "/name", "message": "m", "hint": "h",
        });
        let finding: Finding = serde_json::from_value(json.clone()).unwrap();
        assert_eq!(finding.code, LintCode::new("secret-parameter"));
        assert_eq!(serde_json::to_value(&finding).unwrap(), json);
        assert!(Severity::Error > Severity::Warning && Severity::Warning > Severity::Note);
        for stage in LintStage::ALL {
            assert_eq!(serde_json::to_value(stage).unwrap(), stage.as_str());
        }
    }
}
