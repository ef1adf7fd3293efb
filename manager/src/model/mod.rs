//! The ontology: what a tool, an intent, a call, a result, an approval and a view *are*.
//!
//! Plain values with serde, a file a concept, `camelCase` in JSON as in the specification. Nothing here
//! does IO, reads a clock or an environment, or is async; nothing here decides anything beyond what a value
//! says about itself (its effect level, its digest).

mod action;
mod approval;
mod artifact;
mod call;
mod canonical;
mod change;
mod command;
mod credential;
mod descriptor;
mod eval;
mod finding;
mod grant;
mod hook;
mod host;
mod ids;
mod intent;
pub(crate) mod jcs;
mod policy;
mod registration;
mod request;
mod resource;
mod result;
mod runtime;
mod sandbox;
mod schema;
mod secret;
mod strict;
mod subagent;
mod surroundings;
#[cfg(test)]
pub(crate) mod testing;
mod trace;
mod undo;
mod view;

pub use action::{ActionType, EffectLevel};
pub use approval::{
    ApprovalContract, ApprovalDiff, ApprovalOptions, ApprovalRequest, ApprovalRisk, ApprovalTool,
    ContractDifference, CredentialPreview, EffectsPreview, ExecutableRef,
};
pub use artifact::{ArtifactKind, ToolArtifact};
pub use call::{
    Authorization, AuthorizationStatus, CallStatus, Prediction, ProposedArgs, ProposedBy, ProposedCall,
    Runtime, ToolCall,
};
pub(crate) use canonical::append_canonical;
pub use canonical::{CanonicalError, Digest, Domain, canonical_bytes, digest_of, digest_value};
pub use change::{Changes, FileChange, FileState};
pub use command::{
    CommandEnvironment, CommandFault, CommandFaultKind, CommandPart, CommandTemplate, OutputFormat,
    WorkspaceWrites,
};
pub use credential::{CredentialBinding, Injection, ToolPattern};
pub use descriptor::{
    ApprovalPolicy, AuditLevel, ContextPolicy, CredentialStrategy, Credentials, Description, Effects,
    Execution, FinancialCost, Hooks, IntentHints, Lifecycle, LifecycleStatus, Observability, OutputExposure,
    Permissions, PrivacyRisk, Provenance, RetryPolicy, Risk, RiskLevel, Schemas, SourceType, TenantBoundary,
    ToolDescriptor, ToolExample, ToolSource, TrustLevel,
};
pub use eval::{EvalScores, ToolEval};
pub use finding::{Finding, LintCode, LintStage, Linted, Severity};
pub use grant::{GrantArguments, GrantBinding, PermissionGrant};
pub use hook::Moment;
pub use host::{Host, HostError, HostPattern};
pub use ids::{
    ApprovalId, ArtifactId, CallId, CredentialBindingId, EventId, GrantId, IntentId, PolicyId, PrincipalId,
    RunId, SandboxId, ServerId, SessionId, ToolId, ToolVersion, ViewId,
};
pub use intent::{Constraints, ExpectedEffect, Target, TargetKind, ToolIntent};
pub use policy::{Decision, Principal, StopCode, StopReason, ToolBudget, ToolPolicy};
pub use registration::{EnablementScope, RegistrationState, ToolRegistration};
pub use request::{
    PathPiece, RequestFault, RequestFaultKind, RequestMethod, RequestPart, RequestTemplate, ResponseFormat,
    is_reserved_header,
};
pub use resource::{Locality, ResourcePattern, ResourceRef};
pub use result::{
    CheckResult, EffectsObserved, ResultProvenance, ResultStatus, ToolError, ToolResult, Usage, Verification,
    VerificationCheck, VerificationStatus,
};
pub use runtime::RuntimeTerms;
pub use sandbox::{
    Egress, FilesystemLimits, FilesystemRules, NetworkLimits, NetworkRules, ResourceLimits, SandboxAudit,
    SandboxEnvironment, SandboxMode, SandboxPolicy, SandboxProcess, SandboxRequirement,
};
pub use schema::JsonSchema;
pub use secret::Secret;
pub use strict::parse_strict;
pub use subagent::{ParentContext, Subagent, SubagentBudget, SubagentContext};
pub use surroundings::{BudgetLeft, Surroundings};
pub use trace::{ToolTrace, TraceStep};
pub use undo::{UndoRecord, UndoStanding};
pub use view::{Dropped, ExposedTool, ResolveFilter, ToolCandidate, ToolView};
