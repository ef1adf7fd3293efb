//! From a tool's definition, as somebody served it, to the descriptor that the manager decides by.
//!
//! A definition says what a tool is called, what it takes and, in MCP, some hints. What it does to the world is
//! inferred: by the worst case, and every inferred field is named in `provenance.inferred`.
//!
//! | asked | worst case, taken when nothing is said | the other answer counts |
//! | --- | --- | --- |
//! | `readOnlyHint` | `false` | from a trusted source, unless `destructiveHint` is `true` |
//! | `destructiveHint` | `true` | from a trusted source |
//! | `idempotentHint` | `false` | from a trusted source |
//! | `openWorldHint` | `true` | from a trusted source |
//!
//! | believed | effects | level |
//! | --- | --- | --- |
//! | read-only, closed world | reads `state:` | L0 |
//! | read-only, open world | reads `api:`, calls outside | L3 |
//! | not destructive, closed world | writes `state:` | L2 |
//! | not destructive, open world | writes `api:`, calls outside, sends data | L4 |
//! | destructive | deletes as well, and `risk.destructive` | L5 |
//!
//! The verb of the name gives the action type, whose floor can raise that level and never lowers it. So a tool
//! of a source that nobody trusts is L5 whatever it claims. A worst case that is *claimed*, by `destructiveHint`
//! or by a verb such as *delete*, makes the risk critical instead of high.
//!
//! Nothing here reads files, compiles schemas or knows who serves a definition; see [`Origin`].

pub mod anthropic;
mod definition;
mod effects;
mod hints;
pub mod mcp;
pub mod openai;
mod origin;
mod pointer;
pub(crate) mod verbs;

pub use definition::{Definition, DefinitionFault};
pub use hints::Hints;
pub use origin::{Origin, Reach};
pub use pointer::definition_pointers;

use crate::model::{
    ApprovalPolicy, ContextPolicy, CredentialStrategy, Credentials, Description, Digest, EffectLevel,
    Execution, IntentHints, JsonSchema, OutputExposure, Permissions, Provenance, RetryPolicy, Schemas,
    ToolDescriptor, ToolId, ToolVersion,
};
use effects::Inferred;
use hints::Believed;
use serde_json::{Map, Value};

const PREVIEW_TOKENS: u64 = 1000;
const TIMEOUT_MS: u64 = 60_000;

/// A definition as a descriptor, with what was noticed on the way.
#[derive(Debug, Clone, PartialEq)]
pub struct Normalized {
    /// The contract.
    pub descriptor: ToolDescriptor,
    /// The digest of the whole definition as it was served.
    pub definition_digest: Digest,
    /// What was noticed.
    pub notes: Vec<Note>,
    /// The fields of the definition that the descriptor does not hold as they are, such as annotations.
    pub served: Map<String, Value>,
}

/// Something worth knowing about a definition that is no mistake.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// JSON pointer into the definition.
    pub pointer: &'static str,
    /// What was noticed.
    pub message: String,
}

/// Makes the descriptor of a definition.
pub fn normalize(definition: Definition, origin: &Origin) -> Normalized {
    let Definition {
        digest,
        name,
        title,
        description,
        input_schema,
        output_schema,
        hints,
        mut notes,
        served,
    } = definition;
    let believed = Believed::from(hints, origin.trust.is_trusted(), &mut notes);
    let action_types = verbs::action_types(&name, title.as_deref(), &description, hints.read_only);
    let Inferred { effects, risk, level, mut pointers } =
        effects::infer(&believed, &action_types, &origin.source_id);
    let tool_id = origin.tool_id(&name);
    let version = origin.version.clone().unwrap_or_else(|| {
        pointers.push("/version");
        ToolVersion::from(format!("0.0.0+{}", digest.short()))
    });
    let descriptor = ToolDescriptor {
        canonical_name: tool_id.to_string(),
        display_name: title.unwrap_or(name),
        tool_id,
        version,
        source: origin.source(),
        lifecycle: Default::default(),
        description: Description {
            summary: description,
            use_when: Vec::new(),
            do_not_use_when: Vec::new(),
            examples: Vec::new(),
        },
        intent: intent(action_types),
        schemas: Schemas {
            input_schema: JsonSchema(input_schema),
            output_schema: output_schema.map(JsonSchema),
            error_schema: None,
        },
        effects,
        risk,
        permissions: permissions(level, origin),
        sandbox: origin.reach.sandbox(TIMEOUT_MS),
        credentials: no_credentials(),
        context_policy: preview(),
        execution: Execution {
            adapter: origin.adapter.to_owned(),
            timeout_ms: TIMEOUT_MS,
            retry_policy: RetryPolicy { max_retries: 0, retry_on: Vec::new(), backoff_ms: None },
            command: None,
            request: None,
        },
        hooks: Default::default(),
        observability: Default::default(),
        provenance: provenance(&digest, origin, pointers),
        subagent: None,
    };
    Normalized { descriptor, definition_digest: digest, notes, served }
}

fn intent(action_types: Vec<crate::model::ActionType>) -> IntentHints {
    IntentHints {
        action_types,
        domains: Vec::new(),
        required_user_intent: Vec::new(),
        negative_intent_hints: Vec::new(),
    }
}

fn permissions(level: EffectLevel, origin: &Origin) -> Permissions {
    let asks = level >= EffectLevel::ExternalWrite;
    Permissions {
        approval_policy: if asks { ApprovalPolicy::Always } else { ApprovalPolicy::Never },
        required_scopes: vec![format!("{}:use", origin.source_id)],
        allowed_principals: Vec::new(),
        blocked_principals: Vec::new(),
        tenant_boundary: None,
    }
}

fn no_credentials() -> Credentials {
    Credentials {
        strategy: CredentialStrategy::None,
        required_secrets: Vec::new(),
        token_audience: None,
        scope_check_required: false,
    }
}

fn preview() -> ContextPolicy {
    ContextPolicy {
        expose_to_model: true,
        expose_output_to_model: OutputExposure::Preview,
        max_output_preview_tokens: PREVIEW_TOKENS,
        redaction_policy: None,
    }
}

/// Fields that no definition states.
const NEVER_STATED: [&str; 7] = [
    "/intent/actionTypes",
    "/permissions/approvalPolicy",
    "/permissions/requiredScopes",
    "/sandbox",
    "/credentials",
    "/contextPolicy",
    "/execution",
];

fn provenance(digest: &Digest, origin: &Origin, mut inferred: Vec<&'static str>) -> Provenance {
    inferred.extend(NEVER_STATED);
    inferred.sort_unstable();
    Provenance {
        manifest_hash: Some(digest.clone()),
        signature: None,
        source_refs: Vec::new(),
        trust_level: origin.trust,
        inferred: inferred.into_iter().map(str::to_owned).collect(),
    }
}

impl Origin {
    fn tool_id(&self, name: &str) -> ToolId {
        if self.qualified { ToolId::from(format!("{}.{name}", self.source_id)) } else { ToolId::from(name) }
    }
}

#[cfg(test)]
mod tests;
