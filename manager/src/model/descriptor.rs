//! §6: the capability contract of a tool.

use super::{
    ActionType, CommandTemplate, Digest, Domain, EffectLevel, JsonSchema, Locality, PrincipalId,
    RequestTemplate, ResourcePattern, SandboxRequirement, ServerId, Subagent, ToolId, ToolVersion,
    digest_value,
};
use chrono::{DateTime, Utc};
use schemars::JsonSchema as DeriveSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What a tool is for, what it touches, who may use it, where it runs and what it leaves.
///
/// Optional in a file are only fields that the specification marks so, and those whose absence has one
/// strict meaning (`hooks`: none; `observability`: everything; `provenance`: untrusted; `lifecycle`: just
/// discovered).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, DeriveSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ToolDescriptor {
    /// Identity across versions, such as `file.read`.
    pub tool_id: ToolId,
    /// The dotted name from which provider names are made.
    pub canonical_name: String,
    /// The name for people.
    pub display_name: String,
    /// Version of this contract.
    pub version: ToolVersion,
    /// Where the tool comes from.
    pub source: ToolSource,
    /// Where it stands in its life; no part of the digest.
    #[serde(default)]
    pub lifecycle: Lifecycle,
    /// What the model is told.
    pub description: Description,
    /// Which intents it serves.
    pub intent: IntentHints,
    /// Shapes of arguments, results and errors.
    pub schemas: Schemas,
    /// What it does to the world.
    pub effects: Effects,
    /// How bad it can get.
    pub risk: Risk,
    /// Who may use it, and whether somebody is asked.
    pub permissions: Permissions,
    /// What its execution must be limited to.
    pub sandbox: SandboxRequirement,
    /// Under whose identity it acts.
    pub credentials: Credentials,
    /// How much of it reaches the model.
    pub context_policy: ContextPolicy,
    /// How it is run.
    pub execution: Execution,
    /// Checks around a call.
    #[serde(default)]
    pub hooks: Hooks,
    /// What is written down.
    #[serde(default)]
    pub observability: Observability,
    /// Who says so.
    #[serde(default)]
    pub provenance: Provenance,
    /// Present for a delegated agent (§14).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subagent: Option<Subagent>,
}

/// Which form a capability arrived in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, DeriveSchema)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the specification's own words")]
pub enum SourceType {
    Builtin,
    Cli,
    Skill,
    Mcp,
    Http,
    Subagent,
}

/// Where a tool comes from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, DeriveSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[expect(missing_docs, reason = "the specification's own words")]
pub struct ToolSource {
    #[serde(rename = "type")]
    pub kind: SourceType,
    pub source_id: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub package_name: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server_id: Option<ServerId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uri: Option<String>,
}

/// Where a descriptor stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, DeriveSchema)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the specification's own words")]
pub enum LifecycleStatus {
    #[default]
    Discovered,
    Verified,
    Enabled,
    Disabled,
    Deprecated,
    Blocked,
}

/// A claim about where a descriptor stands; what counts is the evidence in the registry.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, DeriveSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Lifecycle {
    /// The status.
    pub status: LifecycleStatus,
    /// Set by the registry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub registered_at: Option<DateTime<Utc>>,
    /// Set by the registry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<DateTime<Utc>>,
    /// Who answers for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
}

/// What the model is told about a tool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, DeriveSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Description {
    /// What it does, in a sentence or two.
    pub summary: String,
    /// When it is right.
    #[serde(default)]
    pub use_when: Vec<String>,
    /// When another tool, or none, is right.
    #[serde(default)]
    pub do_not_use_when: Vec<String>,
    /// Requests with the arguments they lead to.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub examples: Vec<ToolExample>,
}

impl Description {
    /// The text that a model sees: the summary, then when to use the tool and when not.
    pub fn for_model(&self) -> String {
        let mut text = self.summary.trim_end().to_owned();
        for (head, entries) in [("Use when", &self.use_when), ("Do not use when", &self.do_not_use_when)] {
            if !entries.is_empty() {
                text.push_str(&format!("\n{head}: {}.", entries.join("; ").trim_end_matches('.')));
            }
        }
        text
    }
}

/// A request and the arguments it leads to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, DeriveSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[expect(missing_docs, reason = "the specification's own words")]
pub struct ToolExample {
    pub user_request: String,
    pub expected_args: Value,
}

/// Which intents a tool serves.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, DeriveSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[expect(missing_docs, reason = "the specification's own words")]
pub struct IntentHints {
    pub action_types: Vec<ActionType>,
    #[serde(default)]
    pub domains: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub required_user_intent: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub negative_intent_hints: Vec<String>,
}

/// Shapes of what goes in and comes out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, DeriveSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[expect(missing_docs, reason = "the specification's own words")]
pub struct Schemas {
    pub input_schema: JsonSchema,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_schema: Option<JsonSchema>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_schema: Option<JsonSchema>,
}

/// What a tool does to the world.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, DeriveSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[expect(missing_docs, reason = "the specification's own words")]
pub struct Effects {
    pub reads: Vec<ResourcePattern>,
    pub writes: Vec<ResourcePattern>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub deletes: Vec<ResourcePattern>,
    pub external_calls: bool,
    pub sends_user_data: bool,
    pub mutates_state: bool,
    pub idempotent: bool,
    pub reversible: bool,
    pub dry_run_supported: bool,
}

/// Four steps of risk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, DeriveSchema)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the specification's own words")]
pub enum RiskLevel {
    Low,
    Medium,
    High,
    Critical,
}

impl RiskLevel {
    /// The specification's word, as in JSON.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
            Self::Critical => "critical",
        }
    }
}

/// What a call costs in money.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, DeriveSchema)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the specification's own words")]
pub enum FinancialCost {
    None,
    Low,
    Metered,
    Unknown,
}

/// What a call can give away about people.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, DeriveSchema)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the specification's own words")]
pub enum PrivacyRisk {
    None,
    Low,
    Medium,
    High,
}

/// How bad it can get.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, DeriveSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[expect(missing_docs, reason = "the specification's own words")]
pub struct Risk {
    pub level: RiskLevel,
    pub destructive: bool,
    pub open_world: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub financial_cost: Option<FinancialCost>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub privacy_risk: Option<PrivacyRisk>,
}

/// When somebody is asked before a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, DeriveSchema)]
#[serde(rename_all = "snake_case")]
pub enum ApprovalPolicy {
    /// Nobody is asked, as far as this tool is concerned.
    Never,
    /// When the intent demands a confirmation.
    OnRequest,
    /// When the risk is above low.
    OnRisk,
    /// Before every call.
    Always,
}

/// Where one customer's data ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, DeriveSchema)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the specification's own words")]
pub enum TenantBoundary {
    User,
    Org,
    Workspace,
    Project,
}

/// Who may use a tool, and whether somebody is asked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, DeriveSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Permissions {
    /// When somebody is asked.
    pub approval_policy: ApprovalPolicy,
    /// Scopes that the principal must hold, all of them.
    pub required_scopes: Vec<String>,
    /// If not empty, only these principals.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub allowed_principals: Vec<PrincipalId>,
    /// Never these principals.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub blocked_principals: Vec<PrincipalId>,
    /// Where one customer's data ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tenant_boundary: Option<TenantBoundary>,
}

/// Whose identity a tool acts under.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, DeriveSchema)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the specification's own words")]
pub enum CredentialStrategy {
    None,
    System,
    UserOauth,
    ServiceAccount,
    Delegated,
}

/// Which credentials the broker must bind; names only, never values.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, DeriveSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[expect(missing_docs, reason = "the specification's own words")]
pub struct Credentials {
    pub strategy: CredentialStrategy,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub required_secrets: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token_audience: Option<String>,
    pub scope_check_required: bool,
}

/// How much of a result may reach the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, DeriveSchema)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the specification's own words")]
pub enum OutputExposure {
    None,
    Preview,
    Structured,
    Full,
}

/// How much of a tool and its output reaches the model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, DeriveSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[expect(missing_docs, reason = "the specification's own words")]
pub struct ContextPolicy {
    pub expose_to_model: bool,
    pub expose_output_to_model: OutputExposure,
    pub max_output_preview_tokens: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub redaction_policy: Option<String>,
}

/// How a tool is run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, DeriveSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Execution {
    /// Name of the adapter that runs it.
    pub adapter: String,
    /// Wall time in milliseconds.
    pub timeout_ms: u64,
    /// When a failed call is tried again.
    pub retry_policy: RetryPolicy,
    /// How its program is started, for the adapter `cli`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<CommandTemplate>,
    /// The request that it makes, for the adapter `http`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<RequestTemplate>,
}

/// When a failed call is tried again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, DeriveSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[expect(missing_docs, reason = "the specification's own words")]
pub struct RetryPolicy {
    pub max_retries: u32,
    #[serde(default)]
    pub retry_on: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backoff_ms: Option<u64>,
}

/// Names of checks around a call.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, DeriveSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
#[expect(missing_docs, reason = "the specification's own words")]
pub struct Hooks {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pre_call: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub post_call: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub verifier: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub on_error: Vec<String>,
}

/// How much is audited.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, DeriveSchema)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the specification's own words")]
pub enum AuditLevel {
    None,
    Basic,
    Full,
}

/// What is written down about a call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, DeriveSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[expect(missing_docs, reason = "the specification's own words")]
pub struct Observability {
    pub log_args: bool,
    pub log_result_preview: bool,
    pub audit_level: AuditLevel,
}

impl Default for Observability {
    fn default() -> Self {
        Self { log_args: true, log_result_preview: true, audit_level: AuditLevel::Full }
    }
}

/// How far a source is trusted.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize, DeriveSchema,
)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the specification's own words")]
pub enum TrustLevel {
    #[default]
    Untrusted,
    ThirdParty,
    Workspace,
    FirstParty,
}

impl TrustLevel {
    /// Whether the source's own claims may lower a risk.
    pub fn is_trusted(self) -> bool {
        self >= Self::Workspace
    }

    /// The specification's word, as in JSON.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Untrusted => "untrusted",
            Self::ThirdParty => "third_party",
            Self::Workspace => "workspace",
            Self::FirstParty => "first_party",
        }
    }
}

/// Who stands behind a descriptor.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, DeriveSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Provenance {
    /// Digest of the definition as it was served.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub manifest_hash: Option<Digest>,
    /// Signature over the digest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signature: Option<String>,
    /// Where it can be looked up.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub source_refs: Vec<String>,
    /// How far the source is trusted.
    pub trust_level: TrustLevel,
    /// JSON pointers of fields that nobody stated: a normalizer inferred them, by the worst case.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inferred: Vec<String>,
}

impl ToolDescriptor {
    /// How far the tool reaches (§12): the highest floor of its action types and of its declared effects.
    pub fn level(&self) -> EffectLevel {
        let floor = self.intent.action_types.iter().map(|a| a.floor()).max();
        floor.unwrap_or(EffectLevel::PureRead).max(self.effects.level()).max(self.risk.floor())
    }

    /// The digest of the contract: everything but its lifecycle and signature.
    pub fn digest(&self) -> Digest {
        let mut value = serde_json::to_value(self).unwrap_or_default();
        if let Some(map) = value.as_object_mut() {
            map.remove("lifecycle");
            if let Some(provenance) = map.get_mut("provenance").and_then(Value::as_object_mut) {
                provenance.remove("signature");
            }
        }
        // A schema may hold an integer that JCS would round; its own text then stands for it.
        digest_value(Domain::Descriptor, &value)
            .unwrap_or_else(|_| Digest::of_bytes(Domain::Descriptor, value.to_string().as_bytes()))
    }
}

impl Effects {
    /// The lowest level that these effects allow.
    fn level(&self) -> EffectLevel {
        let reach = |patterns: &[ResourcePattern]| patterns.iter().map(ResourcePattern::locality).max();
        if reach(&self.deletes) > Some(Locality::Scratch) {
            return EffectLevel::DestructiveOrAdmin;
        }
        let written = match reach(&self.writes) {
            Some(Locality::External) => EffectLevel::ExternalWrite,
            Some(Locality::Local) => EffectLevel::WorkspaceWrite,
            Some(Locality::Scratch) => EffectLevel::LocalCompute,
            None if self.mutates_state => EffectLevel::WorkspaceWrite,
            None => EffectLevel::PureRead,
        };
        let reads_outside = self.external_calls || reach(&self.reads) == Some(Locality::External);
        written.max(if reads_outside { EffectLevel::ExternalRead } else { EffectLevel::PureRead })
    }
}

impl Risk {
    fn floor(&self) -> EffectLevel {
        if self.destructive { EffectLevel::DestructiveOrAdmin } else { EffectLevel::PureRead }
    }
}
