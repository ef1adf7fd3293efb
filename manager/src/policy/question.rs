//! What policy is asked, and what it answers.

use crate::model::{ActionType, Decision, PolicyId, Principal, SandboxMode, SourceType, ToolDescriptor};
use cedar_policy::{Entity, EntityId, EntityTypeName, EntityUid, RestrictedExpression as Expr};
use serde::Serialize;
use std::{collections::HashMap, str::FromStr, sync::LazyLock};

/// What somebody wants to do with a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PolicyAction {
    /// Show it to a model.
    Expose,
    /// Let a call happen.
    Call,
}

impl PolicyAction {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Expose => "expose",
            Self::Call => "call",
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
    /// Their reasons, for people.
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
    principal: Principal,
}

impl Actor {
    /// Prepares a principal.
    pub fn new(principal: Principal) -> Self {
        let scopes = Expr::new_set(principal.scopes.iter().cloned().map(Expr::new_string));
        let entity = entity(principal_uid(&principal.id), [("scopes", scopes)]);
        Self { entity, principal }
    }

    /// Who it is.
    pub fn principal(&self) -> &Principal {
        &self.principal
    }
}

/// A tool, prepared for many questions.
#[derive(Debug, Clone)]
pub struct PolicySubject {
    pub(super) entity: Entity,
}

impl PolicySubject {
    /// Prepares a tool version.
    pub fn new(tool: &ToolDescriptor) -> Self {
        let text = |s: &str| Expr::new_string(s.to_owned());
        let texts = |all: &[String]| Expr::new_set(all.iter().cloned().map(Expr::new_string));
        let principals = |all: &[crate::model::PrincipalId]| {
            Expr::new_set(all.iter().map(|p| Expr::new_entity_uid(principal_uid(p))))
        };
        let permissions = &tool.permissions;
        let actions = tool.intent.action_types.iter().map(|a: &ActionType| text(a.as_str()));
        let entity = entity(
            uid(&TOOL, &tool.tool_id),
            [
                ("level", Expr::new_long(tool.level().number().into())),
                ("actionTypes", Expr::new_set(actions)),
                ("source", text(source_word(tool.source.kind))),
                ("trust", text(tool.provenance.trust_level.as_str())),
                ("risk", text(tool.risk.level.as_str())),
                ("destructive", Expr::new_bool(tool.risk.destructive)),
                ("externalCalls", Expr::new_bool(tool.effects.external_calls)),
                ("sendsUserData", Expr::new_bool(tool.effects.sends_user_data)),
                ("dryRunSupported", Expr::new_bool(tool.effects.dry_run_supported)),
                ("sandboxed", Expr::new_bool(tool.sandbox.mode != SandboxMode::None)),
                ("approvalPolicy", text(approval_word(permissions.approval_policy))),
                ("requiredScopes", texts(&permissions.required_scopes)),
                ("allowedPrincipals", principals(&permissions.allowed_principals)),
                ("blockedPrincipals", principals(&permissions.blocked_principals)),
            ],
        );
        Self { entity }
    }
}

static PRINCIPAL: LazyLock<EntityTypeName> = LazyLock::new(|| type_name("Principal"));
static TOOL: LazyLock<EntityTypeName> = LazyLock::new(|| type_name("Tool"));
static ACTION: LazyLock<EntityTypeName> = LazyLock::new(|| type_name("Action"));

pub(super) fn action_uid(action: PolicyAction) -> EntityUid {
    uid(&ACTION, action.name())
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

fn entity<const N: usize>(uid: EntityUid, attributes: [(&str, Expr); N]) -> Entity {
    let attributes: HashMap<String, Expr> =
        attributes.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    Entity::new(uid, attributes, Default::default())
        .expect("INVARIANT: attributes are literals and sets of literals, which always evaluate")
}

const fn source_word(source: SourceType) -> &'static str {
    match source {
        SourceType::Builtin => "builtin",
        SourceType::Cli => "cli",
        SourceType::Skill => "skill",
        SourceType::Mcp => "mcp",
        SourceType::Http => "http",
        SourceType::Subagent => "subagent",
    }
}

const fn approval_word(policy: crate::model::ApprovalPolicy) -> &'static str {
    use crate::model::ApprovalPolicy as P;
    match policy {
        P::Never => "never",
        P::OnRequest => "on_request",
        P::OnRisk => "on_risk",
        P::Always => "always",
    }
}
