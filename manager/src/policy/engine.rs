//! The engine: policies loaded, validated and asked.

use super::question::{Actor, PolicyAction, PolicyAnswer, PolicySubject, action_uid};
use crate::model::{Decision, Digest, Domain, PolicyId};
use cedar_policy::{
    Authorizer, Context, Entities, EntityUid, PolicyId as CedarId, PolicySet, Request, Response,
    RestrictedExpression as Expr, Schema, ValidationMode, Validator,
};
use std::{collections::HashMap, str::FromStr};

const SCHEMA: &str = include_str!("standard/schema.cedarschema");
const STANDARD: &str = include_str!("standard/levels.cedar");

/// A policy set that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum PolicyLoadError {
    /// It is no Cedar.
    #[error("the policies cannot be parsed: {0}")]
    Parse(String),
    /// It speaks of things that do not exist, or can never match.
    #[error("the policies do not fit the schema: {0}")]
    Invalid(String),
    /// It holds no policy, so it would deny everything.
    #[error(
        "there is no policy in the set\nhint: an empty set denies everything; load the standard policies"
    )]
    Empty,
    /// Two policies share an id, or one has none.
    #[error("{0}")]
    Ids(String),
}

/// A validated policy set, ready to answer.
pub struct PolicyEngine {
    authorizer: Authorizer,
    policies: PolicySet,
    names: HashMap<CedarId, Named>,
    digest: Digest,
    expose: EntityUid,
    call: EntityUid,
    contexts: [Context; 4],
}

struct Named {
    id: PolicyId,
    reason: String,
}

impl std::fmt::Debug for PolicyEngine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PolicyEngine").field("digest", &self.digest).finish_non_exhaustive()
    }
}

impl PolicyEngine {
    /// The default policies of §12.
    ///
    /// # Errors
    /// Never for the policies as shipped; a test keeps it so.
    pub fn standard() -> Result<Self, PolicyLoadError> {
        Self::from_cedar(STANDARD)
    }

    /// Loads and validates policies.
    ///
    /// # Errors
    /// [`PolicyLoadError`] for text that is no Cedar, an unknown attribute, a policy that can never match,
    /// a policy without a unique `@id`, and for an empty set.
    pub fn from_cedar(text: &str) -> Result<Self, PolicyLoadError> {
        let (schema, _) = Schema::from_cedarschema_str(SCHEMA)
            .map_err(|e| PolicyLoadError::Invalid(format!("schema: {e}")))?;
        let policies = PolicySet::from_str(text).map_err(|e| PolicyLoadError::Parse(e.to_string()))?;
        if policies.is_empty() {
            return Err(PolicyLoadError::Empty);
        }
        validate(schema, &policies)?;
        Ok(Self {
            authorizer: Authorizer::new(),
            names: name_policies(&policies)?,
            policies,
            digest: Digest::of_bytes(Domain::PolicySet, text.as_bytes()),
            expose: action_uid(PolicyAction::Expose),
            call: action_uid(PolicyAction::Call),
            contexts: [(false, false), (false, true), (true, false), (true, true)].map(context),
        })
    }

    /// Digest of the policy set; every decision is recorded with it.
    pub fn digest(&self) -> &Digest {
        &self.digest
    }

    /// Decides: allow as it is, ask because an approval would allow it, or deny.
    pub fn decide(
        &self,
        actor: &Actor,
        action: PolicyAction,
        tool: &PolicySubject,
        confirmation_requested: bool,
    ) -> PolicyAnswer {
        let entities = match Entities::from_entities([actor.entity.clone(), tool.entity.clone()], None) {
            Ok(entities) => entities,
            Err(error) => return failure(vec![error.to_string()]),
        };
        let ask = |approved| self.ask(actor, action, tool, &entities, approved, confirmation_requested);
        let as_it_is = match ask(false) {
            Ok(response) => response,
            Err(errors) => return failure(errors),
        };
        if as_it_is.decision() == cedar_policy::Decision::Allow {
            return self.answer(Decision::Allow, &as_it_is);
        }
        match ask(true) {
            Err(errors) => failure(errors),
            // What forbade it without an approval is what somebody is asked about.
            Ok(approved) if approved.decision() == cedar_policy::Decision::Allow => {
                self.answer(Decision::Ask, &as_it_is)
            }
            Ok(approved) => self.answer(Decision::Deny, &approved),
        }
    }

    fn ask(
        &self,
        actor: &Actor,
        action: PolicyAction,
        tool: &PolicySubject,
        entities: &Entities,
        approved: bool,
        confirmation: bool,
    ) -> Result<Response, Vec<String>> {
        let action = match action {
            PolicyAction::Expose => &self.expose,
            PolicyAction::Call => &self.call,
        };
        let context = self.contexts[usize::from(approved) * 2 + usize::from(confirmation)].clone();
        let request = Request::new(actor.entity.uid(), action.clone(), tool.entity.uid(), context, None)
            .map_err(|e| vec![e.to_string()])?;
        let response = self.authorizer.is_authorized(&request, &self.policies, entities);
        // INVARIANT: an error is a denial. Cedar skips a policy that fails, also a forbid.
        let errors: Vec<String> = response.diagnostics().errors().map(ToString::to_string).collect();
        if errors.is_empty() { Ok(response) } else { Err(errors) }
    }

    fn answer(&self, decision: Decision, response: &Response) -> PolicyAnswer {
        let mut named: Vec<&Named> =
            response.diagnostics().reason().filter_map(|id| self.names.get(id)).collect();
        named.sort_by(|a, b| a.id.cmp(&b.id));
        let mut reasons: Vec<String> = named.iter().map(|n| n.reason.clone()).collect();
        if reasons.is_empty() {
            reasons.push("no policy permits it".to_owned());
        }
        PolicyAnswer {
            decision,
            policy_ids: named.iter().map(|n| n.id.clone()).collect(),
            reasons,
            failed: false,
        }
    }
}

fn failure(errors: Vec<String>) -> PolicyAnswer {
    let reasons = errors.into_iter().map(|e| format!("policy could not be evaluated: {e}")).collect();
    PolicyAnswer { decision: Decision::Deny, policy_ids: Vec::new(), reasons, failed: true }
}

fn context((approved, confirmation): (bool, bool)) -> Context {
    Context::from_pairs([
        ("approved".to_owned(), Expr::new_bool(approved)),
        ("confirmationRequested".to_owned(), Expr::new_bool(confirmation)),
    ])
    .expect("INVARIANT: two distinct keys with boolean literals")
}

fn validate(schema: Schema, policies: &PolicySet) -> Result<(), PolicyLoadError> {
    let result = Validator::new(schema).validate(policies, ValidationMode::Strict);
    let findings: Vec<String> = result
        .validation_errors()
        .map(ToString::to_string)
        .chain(result.validation_warnings().map(ToString::to_string))
        .collect();
    if findings.is_empty() { Ok(()) } else { Err(PolicyLoadError::Invalid(findings.join("; "))) }
}

/// Cedar numbers policies by position; decisions are recorded by the `@id` that people gave.
fn name_policies(policies: &PolicySet) -> Result<HashMap<CedarId, Named>, PolicyLoadError> {
    let mut names = HashMap::new();
    let mut seen = std::collections::BTreeSet::new();
    for policy in policies.policies() {
        let id = policy.annotation("id").ok_or_else(|| {
            PolicyLoadError::Ids(format!("a policy has no `@id`\nhint: add `@id(\"…\")` above `{policy}`"))
        })?;
        if !seen.insert(id.to_owned()) {
            return Err(PolicyLoadError::Ids(format!("two policies have the id `{id}`")));
        }
        let reason = policy.annotation("reason").unwrap_or(id).to_owned();
        names.insert(policy.id().clone(), Named { id: id.into(), reason });
    }
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Principal, ToolDescriptor};
    use serde_json::json;

    fn tool(level_from: serde_json::Value, permissions: serde_json::Value) -> ToolDescriptor {
        let mut tool = crate::model::testing::descriptor("t");
        tool.intent.action_types = serde_json::from_value(level_from).unwrap();
        tool.permissions = serde_json::from_value(permissions).unwrap();
        tool
    }

    fn decide(tool: &ToolDescriptor, scopes: &[&str], confirmation: bool) -> (Decision, Vec<String>) {
        let engine = PolicyEngine::standard().unwrap();
        let scopes = scopes.iter().map(|s| (*s).to_owned()).collect();
        let actor = Actor::new(Principal { id: "user:dev".into(), scopes });
        let subject = PolicySubject::new(tool);
        let answer = engine.decide(&actor, PolicyAction::Call, &subject, confirmation);
        assert!(!answer.reasons.is_empty());
        (answer.decision, answer.policy_ids.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn the_defaults_of_section_12() {
        use Decision::{Allow, Ask, Deny};
        let plain = json!({ "approvalPolicy": "never", "requiredScopes": [] });
        let scoped = json!({ "approvalPolicy": "never", "requiredScopes": ["x:y"] });
        let always = json!({ "approvalPolicy": "always", "requiredScopes": [] });
        let request = json!({ "approvalPolicy": "on_request", "requiredScopes": [] });
        let blocked =
            json!({ "approvalPolicy": "never", "requiredScopes": [], "blockedPrincipals": ["user:dev"] });
        let others =
            json!({ "approvalPolicy": "never", "requiredScopes": [], "allowedPrincipals": ["user:ops"] });
        let rows = [
            (json!(["read"]), &plain, vec![], false, Allow, vec!["L0-pure-read"]),
            (json!(["compute"]), &plain, vec![], false, Allow, vec!["L1-local-compute"]),
            (json!(["write"]), &plain, vec![], false, Deny, vec![]),
            (json!(["write"]), &scoped, vec![], false, Deny, vec!["scopes"]),
            (json!(["write"]), &scoped, vec!["x:y"], false, Allow, vec!["L2-workspace-write"]),
            (json!(["external_send"]), &scoped, vec!["x:y"], false, Ask, vec!["confirm-external-write"]),
            (json!(["external_send"]), &scoped, vec![], false, Deny, vec!["scopes"]),
            (json!(["delete"]), &scoped, vec!["x:y"], false, Ask, vec!["confirm-destructive"]),
            (json!(["read"]), &always, vec![], false, Ask, vec!["approval-always"]),
            (json!(["read"]), &request, vec![], false, Allow, vec!["L0-pure-read"]),
            (json!(["read"]), &request, vec![], true, Ask, vec!["approval-on-request"]),
            (json!(["read"]), &blocked, vec![], false, Deny, vec!["principal-blocked"]),
            (json!(["read"]), &others, vec![], false, Deny, vec!["principal-not-listed"]),
        ];
        for (actions, permissions, scopes, confirmation, decision, ids) in rows {
            let tool = tool(actions.clone(), permissions.clone());
            let got = decide(&tool, &scopes, confirmation);
            let expected = (decision, ids.iter().map(|s| (*s).to_owned()).collect::<Vec<_>>());
            assert_eq!(got, expected, "{actions} {permissions} {scopes:?} {confirmation}");
        }
    }

    #[test]
    fn a_policy_that_cannot_be_evaluated_denies_even_when_it_is_a_forbid() {
        let engine = PolicyEngine::from_cedar(
            r#"@id("all") permit (principal, action, resource);
               @id("overflow") forbid (principal, action, resource)
               when { resource.level + 9223372036854775807 > 0 };"#,
        )
        .unwrap();
        let subject = PolicySubject::new(&tool(
            json!(["write"]),
            json!({ "approvalPolicy": "never", "requiredScopes": ["x:y"] }),
        ));
        let actor = Actor::new(Principal { id: "user:dev".into(), scopes: Default::default() });
        let answer = engine.decide(&actor, PolicyAction::Call, &subject, false);
        assert_eq!((answer.decision, answer.failed), (Decision::Deny, true));
        assert!(answer.reason().contains("could not be evaluated"), "{}", answer.reason());
    }

    #[test]
    fn unusable_policies_are_errors_when_they_are_loaded() {
        let rows = [
            ("", "no policy in the set"),
            ("permit (principal", "cannot be parsed"),
            (r#"@id("a") permit (principal, action, resource) when { resource.levle == 0 };"#, "levle"),
            (r#"@id("a") permit (principal, action, resource) when { resource.level == "0" };"#, "schema"),
            (r#"@id("a") permit (principal, action, resource) when { false };"#, "schema"),
            ("permit (principal, action, resource);", "has no `@id`"),
            (
                r#"@id("a") permit (principal, action, resource);
                   @id("a") forbid (principal, action, resource);"#,
                "two policies have the id `a`",
            ),
        ];
        for (text, part) in rows {
            let error = PolicyEngine::from_cedar(text).unwrap_err().to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
