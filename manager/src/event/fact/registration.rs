//! Facts of §10: how a tool becomes callable, step by step, each with its evidence.

use super::{Summary, shorten};
use crate::model::{
    Digest, EffectLevel, Effects, EnablementScope, EventId, Finding, GrantId, LintCode, LintStage,
    PrincipalId, RegistrationState, Severity, SourceType, ToolEval, ToolId, ToolVersion, TrustLevel,
};
use serde::{Deserialize, Serialize};

/// A source names a tool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolDiscovered {
    /// The tool.
    pub tool_id: ToolId,
    /// Where it was found.
    pub source: String,
    /// Form of the source.
    pub source_type: SourceType,
    /// What it looked like there.
    pub definition_digest: Digest,
}

/// The manifest of a tool could be read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolParsed {
    /// The tool.
    pub tool_id: ToolId,
    /// What it looked like where it was found.
    pub definition_digest: Digest,
}

/// A tool has a canonical descriptor, and its schemas compile.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolNormalized {
    /// The tool.
    pub tool_id: ToolId,
    /// Its version.
    pub tool_version: ToolVersion,
    /// The contract's digest.
    pub descriptor_digest: Digest,
    /// What it looked like where it was found.
    pub definition_digest: Digest,
    /// Form of its source.
    pub source_type: SourceType,
    /// What runs it.
    pub adapter: String,
    /// How far it reaches.
    pub level: EffectLevel,
    /// Whether it can destroy.
    pub destructive: bool,
    /// What it declares to do.
    pub effects: Effects,
    /// Fields that nobody stated and the worst case filled.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inferred: Vec<String>,
    /// How far whoever registers it trusts its source; what a descriptor claims of itself proves nothing.
    #[serde(default)]
    pub trust: TrustLevel,
    /// Who registers it, and owns it from then on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<PrincipalId>,
}

/// A lint's finding, as the journal keeps it: less what its [`ToolLinted`] says once and what the lint itself says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LintFinding {
    /// The lint's stable code.
    pub code: LintCode,
    /// How bad it is.
    pub severity: Severity,
    /// JSON pointer into the descriptor.
    pub pointer: String,
    /// What is wrong, for people.
    pub message: String,
}

impl From<Finding> for LintFinding {
    fn from(finding: Finding) -> Self {
        let Finding { code, severity, pointer, message, .. } = finding;
        Self { code, severity, pointer, message }
    }
}

/// The lints of one stage were asked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolLinted {
    /// The tool.
    pub tool_id: ToolId,
    /// Its version.
    pub tool_version: ToolVersion,
    /// The contract's digest.
    pub descriptor_digest: Digest,
    /// Which lints.
    pub stage: LintStage,
    /// Whether none of them found an error.
    pub passed: bool,
    /// What they found.
    pub findings: Vec<LintFinding>,
    /// Who had them asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<PrincipalId>,
}

/// What a review came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReviewStatus {
    /// A person looked at exactly this and accepts it.
    Accepted,
    /// A person looked at it and does not.
    Rejected,
    /// The rules demand none for a tool of this trust and reach.
    NotRequired,
}

/// A tool was reviewed for security.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolSecurityReviewed {
    /// The tool.
    pub tool_id: ToolId,
    /// Its version.
    pub tool_version: ToolVersion,
    /// The contract's digest.
    pub descriptor_digest: Digest,
    /// What it came to.
    pub status: ReviewStatus,
    /// Who says so.
    pub reviewer: PrincipalId,
    /// Why.
    pub reason: String,
}

/// What a dry run or health check came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HealthStatus {
    /// It answered as it should.
    Passed,
    /// It did not.
    Failed,
    /// It was not tried: trying it would have had effects.
    Skipped,
}

/// A tool was tried without effects.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolHealthChecked {
    /// The tool.
    pub tool_id: ToolId,
    /// Its version.
    pub tool_version: ToolVersion,
    /// The contract's digest.
    pub descriptor_digest: Digest,
    /// What it came to.
    pub status: HealthStatus,
    /// What was tried, or why nothing was.
    pub reason: String,
    /// Who had it tried.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<PrincipalId>,
}

/// The selection of a tool was measured with golden and negative prompts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EvalCompleted {
    /// What was measured.
    #[serde(flatten)]
    pub eval: ToolEval,
    /// Whether every threshold holds.
    pub passed: bool,
    /// The thresholds, and those that do not hold, in words.
    pub thresholds: Vec<String>,
    /// Who answered the prompts.
    pub model: String,
    /// Who had it measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<PrincipalId>,
}

/// Every check before enabling has passed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolVerified {
    /// The tool.
    pub tool_id: ToolId,
    /// Its version.
    pub tool_version: ToolVersion,
    /// The contract's digest.
    pub descriptor_digest: Digest,
    /// The events that prove it.
    pub evidence: Vec<EventId>,
}

/// A tool version may be granted and used.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolEnabled {
    /// The tool.
    pub tool_id: ToolId,
    /// Its version.
    pub tool_version: ToolVersion,
    /// The contract's digest.
    pub descriptor_digest: Digest,
    /// For whom.
    pub scope: EnablementScope,
    /// Who says so.
    pub by: PrincipalId,
    /// The events that prove that it may be.
    pub evidence: Vec<EventId>,
}

/// A principal may use an enabled tool version.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolGranted {
    /// The tool.
    pub tool_id: ToolId,
    /// Its version.
    pub tool_version: ToolVersion,
    /// The contract's digest.
    pub descriptor_digest: Digest,
    /// The grant.
    pub grant_id: GrantId,
    /// To whom.
    pub principal: PrincipalId,
}

/// A tool version is to be replaced; calls still work and say so.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolDeprecated {
    /// The tool.
    pub tool_id: ToolId,
    /// Its version.
    pub tool_version: ToolVersion,
    /// Who says so.
    pub by: PrincipalId,
    /// Why.
    pub reason: String,
    /// What to use instead.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replacement: Option<ToolId>,
}

/// Why a tool is blocked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BlockCause {
    /// Somebody wants it so.
    Person,
    /// Its definition is no longer the one that was reviewed.
    Drift,
}

/// A tool must not be called, in any version or in one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolBlocked {
    /// The tool.
    pub tool_id: ToolId,
    /// The version; every version where it is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_version: Option<ToolVersion>,
    /// What made it so.
    pub cause: BlockCause,
    /// Who says so.
    pub by: PrincipalId,
    /// Why.
    pub reason: String,
    /// What the definition looks like now, where it drifted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub definition_digest: Option<Digest>,
}

/// A tool did not make it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolRegistrationFailed {
    /// The tool, by the name it was found under.
    pub tool_id: ToolId,
    /// Its version, where it got so far as to have one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_version: Option<ToolVersion>,
    /// The contract's digest, where it got so far as to have one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub descriptor_digest: Option<Digest>,
    /// The state it failed into.
    pub state: RegistrationState,
    /// Why.
    pub reason: String,
}

impl Summary for ToolDiscovered {
    fn summary(&self) -> String {
        format!("`{}` found in {}", self.tool_id, self.source)
    }
}

impl Summary for ToolParsed {
    fn summary(&self) -> String {
        format!("`{}` can be read", self.tool_id)
    }
}

impl Summary for ToolNormalized {
    fn summary(&self) -> String {
        format!("`{}` {} is {}", self.tool_id, self.tool_version, self.level)
    }
}

impl Summary for ToolLinted {
    fn summary(&self) -> String {
        let word = if self.passed { "passes" } else { "fails" };
        let Self { tool_id, stage, findings, .. } = self;
        format!("`{tool_id}` {word} the {stage} lints, {} findings", findings.len())
    }
}

impl Summary for ToolSecurityReviewed {
    fn summary(&self) -> String {
        let word = match self.status {
            ReviewStatus::Accepted => "accepted",
            ReviewStatus::Rejected => "rejected",
            ReviewStatus::NotRequired => "needs no review",
        };
        format!("`{}` {word} by {}: {}", self.tool_id, self.reviewer, shorten(&self.reason))
    }
}

impl Summary for ToolHealthChecked {
    fn summary(&self) -> String {
        let word = format!("{:?}", self.status).to_lowercase();
        format!("`{}` health check {word}: {}", self.tool_id, shorten(&self.reason))
    }
}

impl Summary for EvalCompleted {
    fn summary(&self) -> String {
        let Self { eval, passed, .. } = self;
        let word = if *passed { "thresholds met" } else { "thresholds missed" };
        format!("`{}`: {} golden and {} negative prompts, {word}", eval.tool_id, eval.golden, eval.negative)
    }
}

impl Summary for ToolVerified {
    fn summary(&self) -> String {
        format!("`{}` {} is verified", self.tool_id, self.tool_version)
    }
}

impl Summary for ToolEnabled {
    fn summary(&self) -> String {
        format!("`{}` {} is enabled by {}", self.tool_id, self.tool_version, self.by)
    }
}

impl Summary for ToolGranted {
    fn summary(&self) -> String {
        format!("`{}` {} may be used by {}", self.tool_id, self.tool_version, self.principal)
    }
}

impl Summary for ToolDeprecated {
    fn summary(&self) -> String {
        format!("`{}` {} is deprecated: {}", self.tool_id, self.tool_version, shorten(&self.reason))
    }
}

impl Summary for ToolBlocked {
    fn summary(&self) -> String {
        format!("`{}` is blocked by {}: {}", self.tool_id, self.by, shorten(&self.reason))
    }
}

impl Summary for ToolRegistrationFailed {
    fn summary(&self) -> String {
        format!("`{}`: {}", self.tool_id, self.reason)
    }
}
