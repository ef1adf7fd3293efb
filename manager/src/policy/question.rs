//! What policy is asked, and what it answers.

use super::{labels, scene::Scene};
use crate::model::{
    ActionType, ApprovalPolicy, Decision, Digest, Egress, OutputExposure, PolicyId, Principal, PrincipalId,
    SandboxMode, SourceType, ToolDescriptor, ToolId, ToolIntent, ToolVersion,
};
use cedar_policy::{Entities, Entity, EntityId, EntityTypeName, EntityUid, RestrictedExpression as Expr};
use serde::Serialize;
use serde_json::Value;
use std::{
    collections::{HashMap, HashSet},
    str::FromStr,
    sync::{Arc, LazyLock},
};

/// One question to policy.
#[derive(Debug, Clone, Copy)]
pub struct Question<'a> {
    /// Who acts.
    pub actor: &'a Actor,
    /// With which tool.
    pub tool: &'a PolicySubject,
    /// In which surroundings.
    pub scene: &'a Scene,
    /// To do what.
    pub asks: Asks<'a>,
}

/// What somebody wants to do with a tool.
#[derive(Debug, Clone, Copy)]
pub enum Asks<'a> {
    /// Show it to a model.
    Expose {
        /// Whether the intent itself demands a confirmation.
        confirmation: bool,
    },
    /// Let a call happen.
    Call {
        /// Why.
        intent: &'a ToolIntent,
        /// With these arguments, which the tool's schema allows.
        args: &'a Value,
    },
}

impl Asks<'_> {
    pub(super) fn confirmation(&self) -> bool {
        match self {
            Self::Expose { confirmation } => *confirmation,
            Self::Call { intent, .. } => intent.constraints.require_confirmation,
        }
    }
}

/// What policy answered, and why.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PolicyAnswer {
    /// The answer.
    pub decision: Decision,
    /// The policies that made it so.
    pub policy_ids: Vec<PolicyId>,
    /// Digest of the policy set that was asked.
    pub policy_set: Digest,
    /// The policies' reasons, for people.
    pub reasons: Vec<String>,
    /// Whether policy could not be evaluated; the decision is then `deny`.
    pub failed: bool,
}

impl PolicyAnswer {
    /// The reasons in one line.
    pub fn reason(&self) -> String {
        self.reasons.join("; ")
    }
}

/// A principal, prepared for many questions.
#[derive(Debug, Clone)]
pub struct Actor {
    pub(super) entity: Entity,
    principal: Arc<Principal>,
}

impl Actor {
    /// Prepares a principal.
    pub fn new(principal: Principal) -> Self {
        let scopes = Expr::new_set(principal.scopes.iter().cloned().map(Expr::new_string));
        let kind = principal.id.split_once(':').map_or("", |(kind, _)| kind);
        let attributes = [("id", text(&principal.id)), ("kind", text(kind)), ("scopes", scopes)];
        Self { entity: entity(principal_uid(&principal.id), attributes, None), principal: principal.into() }
    }

    /// Who it is.
    pub fn principal(&self) -> &Principal {
        &self.principal
    }

    pub(crate) fn shared(&self) -> &Arc<Principal> {
        &self.principal
    }
}

/// A tool, prepared for many questions.
#[derive(Debug, Clone)]
pub struct PolicySubject {
    pub(super) id: ToolId,
    pub(super) version: ToolVersion,
    pub(super) uid: EntityUid,
    /// The action of calling it.
    pub(super) call: EntityUid,
    /// The tool, and the action as one of the group of all calls.
    pub(super) entities: Entities,
}

impl PolicySubject {
    /// Prepares a tool version.
    pub fn new(tool: &ToolDescriptor) -> Self {
        let (uid, call) = (uid(&TOOL, &tool.tool_id), call_uid(&tool.tool_id));
        let entities = [entity(uid.clone(), attributes(tool), None), action(call.clone())];
        Self {
            id: tool.tool_id.clone(),
            version: tool.version.clone(),
            uid,
            call,
            entities: Entities::from_entities(entities, None)
                .expect("INVARIANT: a tool and an action, distinct and without a cycle"),
        }
    }
}

fn attributes(tool: &ToolDescriptor) -> [(&'static str, Expr); 21] {
    let texts = |all: &[String]| Expr::new_set(all.iter().map(|t| text(t)));
    let principals =
        |all: &[PrincipalId]| Expr::new_set(all.iter().map(|p| Expr::new_entity_uid(principal_uid(p))));
    let permissions = &tool.permissions;
    let actions = tool.intent.action_types.iter().map(|a: &ActionType| text(a.as_str()));
    let gives = labels::given_by(tool).into_iter().map(|label| text(&label));
    [
        ("id", text(&tool.tool_id)),
        ("level", Expr::new_long(tool.level().number().into())),
        ("actionTypes", Expr::new_set(actions)),
        ("source", text(source_word(tool.source.kind))),
        ("sourceId", text(&tool.source.source_id)),
        ("trust", text(tool.provenance.trust_level.as_str())),
        ("risk", text(tool.risk.level.as_str())),
        ("destructive", Expr::new_bool(tool.risk.destructive)),
        ("reversible", Expr::new_bool(tool.effects.reversible)),
        ("idempotent", Expr::new_bool(tool.effects.idempotent)),
        ("externalCalls", Expr::new_bool(tool.effects.external_calls)),
        ("sendsUserData", Expr::new_bool(tool.effects.sends_user_data)),
        ("dryRunSupported", Expr::new_bool(tool.effects.dry_run_supported)),
        ("egress", Expr::new_bool(has_egress(tool))),
        ("labels", Expr::new_set(gives)),
        ("sandboxed", Expr::new_bool(tool.sandbox.mode != SandboxMode::None)),
        ("redacted", Expr::new_bool(is_redacted(tool))),
        ("approvalPolicy", text(approval_word(permissions.approval_policy))),
        ("requiredScopes", texts(&permissions.required_scopes)),
        ("allowedPrincipals", principals(&permissions.allowed_principals)),
        ("blockedPrincipals", principals(&permissions.blocked_principals)),
    ]
}

fn has_egress(tool: &ToolDescriptor) -> bool {
    let open = tool.sandbox.network.as_ref().is_some_and(|n| n.egress_policy != Egress::None);
    let writes = tool.effects.writes.iter().any(|w| w.locality() == crate::model::Locality::External);
    tool.effects.external_calls || tool.effects.sends_user_data || writes || open
}

fn is_redacted(tool: &ToolDescriptor) -> bool {
    let context = &tool.context_policy;
    context.redaction_policy.is_some() || context.expose_output_to_model == OutputExposure::None
}

static PRINCIPAL: LazyLock<EntityTypeName> = LazyLock::new(|| type_name("Principal"));
static TOOL: LazyLock<EntityTypeName> = LazyLock::new(|| type_name("Tool"));
static ACTION: LazyLock<EntityTypeName> = LazyLock::new(|| type_name("Action"));
/// Showing a tool to a model.
pub(super) static EXPOSE: LazyLock<EntityUid> = LazyLock::new(|| uid(&ACTION, "expose"));
static CALL: LazyLock<EntityUid> = LazyLock::new(|| uid(&ACTION, "call"));

/// The action of calling a tool, as policies name it.
pub(super) fn call_action(tool: &str) -> String {
    format!("call:{tool}")
}

fn call_uid(tool: &str) -> EntityUid {
    uid(&ACTION, &call_action(tool))
}

fn action(uid: EntityUid) -> Entity {
    entity(uid, [], Some(CALL.clone()))
}

fn principal_uid(id: &str) -> EntityUid {
    uid(&PRINCIPAL, id)
}

fn uid(kind: &EntityTypeName, id: &str) -> EntityUid {
    EntityUid::from_type_name_and_id(kind.clone(), EntityId::new(id))
}

fn type_name(name: &str) -> EntityTypeName {
    EntityTypeName::from_str(name).expect("INVARIANT: the type names are Cedar identifiers")
}

fn text(text: &str) -> Expr {
    Expr::new_string(text.to_owned())
}

fn entity<const N: usize>(
    uid: EntityUid,
    attributes: [(&str, Expr); N],
    parent: Option<EntityUid>,
) -> Entity {
    let attributes: HashMap<String, Expr> =
        attributes.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    let parents: HashSet<EntityUid> = parent.into_iter().collect();
    Entity::new(uid, attributes, parents)
        .expect("INVARIANT: attributes are literals and sets of literals, which always evaluate")
}

pub(super) const fn source_word(source: SourceType) -> &'static str {
    match source {
        SourceType::Builtin => "builtin",
        SourceType::Cli => "cli",
        SourceType::Skill => "skill",
        SourceType::Mcp => "mcp",
        SourceType::Http => "http",
        SourceType::Subagent => "subagent",
    }
}

pub(super) const fn approval_word(policy: ApprovalPolicy) -> &'static str {
    match policy {
        ApprovalPolicy::Never => "never",
        ApprovalPolicy::OnRequest => "on_request",
        ApprovalPolicy::OnRisk => "on_risk",
        ApprovalPolicy::Always => "always",
    }
}
