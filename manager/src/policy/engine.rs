//! The engine: policies loaded, checked and asked.

use super::{
    arguments,
    check::{self, Checked},
    question::{Asks, EXPOSE, PolicyAnswer, Question},
    scene::Facet,
    text::{self, PolicyText},
    uses::Wanted,
    vocabulary::{TypedTools, Vocabulary},
};
use crate::{
    document::Diagnostics,
    model::{Decision, Digest, Domain, PolicyId, ToolIntent, digest_of},
};
use cedar_policy::{
    Authorizer, Context, Effect, Entities, PolicyId as CedarId, PolicySet, Request,
    RestrictedExpression as Expr,
};
use std::collections::HashMap;

/// Cedar's checks recurse, and an overflow would end the process: this holds for the deepest policy that the
/// bounds on its text let in. The evaluator minds the stack itself, and its error is a denial.
const CHECK_STACK: usize = 64 << 20;
const STANDARD: &str = include_str!("standard/levels.cedar");

/// A policy set that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PolicyLoadError {
    /// Nobody has written a policy.
    #[error(
        "there is no policy in the set\nhint: an empty set denies everything; load the standard policies"
    )]
    Empty,
    /// They cannot be read.
    #[error("{0}")]
    Unreadable(String),
    /// Something is wrong in them.
    #[error("{0}")]
    Problems(Diagnostics),
}

/// A checked policy set, ready to answer.
pub struct PolicyEngine {
    authorizer: Authorizer,
    /// Policies that answer the same whether or not somebody has approved.
    independent: PolicySet,
    /// Policies whose answer can depend on an approval.
    dependent: PolicySet,
    /// Whether an approval can bring a permission, and not only lift a prohibition.
    permits_approved: bool,
    names: HashMap<CedarId, Named>,
    digest: Digest,
    needs: Needs,
    /// Why everything is denied, where there is no set to ask.
    closed: Option<String>,
}

struct Named {
    id: PolicyId,
    reason: String,
}

/// What the policies need to be told of a call.
#[derive(Debug, Default)]
struct Needs {
    intent: bool,
    arguments: Wanted,
    typed: TypedTools,
    /// Whether a policy speaks of arguments without naming the tools.
    open: bool,
}

/// What a group of policies says.
#[derive(Default)]
struct Said {
    permits: Vec<CedarId>,
    forbids: Vec<CedarId>,
}

impl std::fmt::Debug for PolicyEngine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PolicyEngine")
            .field("digest", &self.digest)
            .field("closed", &self.closed)
            .finish_non_exhaustive()
    }
}

impl PolicyEngine {
    /// The default policies of §12.
    ///
    /// # Errors
    /// Never for the policies as shipped; a test keeps it so.
    pub fn standard() -> Result<Self, PolicyLoadError> {
        Self::load(&[Self::standard_text()], &Vocabulary::default())
    }

    /// The default policies as text, for a set that extends them.
    pub fn standard_text() -> PolicyText {
        PolicyText::new("standard.cedar", STANDARD)
    }

    /// Loads and checks policies, all or none.
    ///
    /// # Errors
    /// [`PolicyLoadError`] for an empty set, and for everything that is wrong in one: no Cedar, an unknown
    /// tool, attribute, argument or word, a policy that can never match, one without an `@id` of its own.
    pub fn load(texts: &[PolicyText], vocabulary: &Vocabulary<'_>) -> Result<Self, PolicyLoadError> {
        std::thread::scope(|scope| {
            let thread = std::thread::Builder::new().name("policies".to_owned()).stack_size(CHECK_STACK);
            let checked = thread.spawn_scoped(scope, || Self::check(texts, vocabulary)).map(|t| t.join());
            match checked {
                Ok(Ok(loaded)) => loaded,
                Ok(Err(_)) => Err(PolicyLoadError::Unreadable("the policies cannot be checked".to_owned())),
                Err(error) => {
                    Err(PolicyLoadError::Unreadable(format!("no thread to check policies: {error}")))
                }
            }
        })
    }

    fn check(texts: &[PolicyText], vocabulary: &Vocabulary<'_>) -> Result<Self, PolicyLoadError> {
        if texts.is_empty() {
            return Err(PolicyLoadError::Empty);
        }
        let problems = |found: Vec<_>| {
            let mut problems = Diagnostics::new();
            problems.extend(found);
            PolicyLoadError::Problems(problems)
        };
        text::check_size(texts).map_err(|e| problems(vec![e]))?;
        let (mut stated, mut wrong) = (Vec::new(), Vec::new());
        for (source, text) in texts.iter().enumerate() {
            match text.parse(source) {
                Ok(policies) => stated.extend(policies),
                Err(found) => wrong.extend(found),
            }
        }
        if !wrong.is_empty() {
            return Err(problems(wrong));
        }
        let checked = check::check(stated, texts, vocabulary).map_err(problems)?;
        let texts: Vec<&str> = texts.iter().map(|t| t.text.as_str()).collect();
        let digest = digest_of(Domain::PolicySet, &texts)
            .map_err(|e| PolicyLoadError::Unreadable(format!("the policies have no digest: {e}")))?;
        Ok(Self::of(checked, digest))
    }

    /// An engine that denies everything, for want of a policy set.
    pub fn closed(why: impl Into<String>) -> Self {
        let why = why.into();
        let digest = Digest::of_bytes(Domain::PolicySet, why.as_bytes());
        let nothing = Checked { policies: Vec::new(), typed: TypedTools::new(), open: false };
        Self { closed: Some(why), ..Self::of(nothing, digest) }
    }

    fn of(checked: Checked, digest: Digest) -> Self {
        let Checked { policies, typed, open } = checked;
        let (mut independent, mut dependent) = (PolicySet::new(), PolicySet::new());
        let mut needs = Needs { typed, open, ..Needs::default() };
        let (mut names, mut permits_approved) = (HashMap::new(), false);
        for read in policies {
            let policy = read.stated.policy;
            let id = policy.id().to_string();
            let reason = policy.annotation("reason").unwrap_or(&id).to_owned();
            names.insert(policy.id().clone(), Named { id: id.into(), reason });
            needs.intent |= read.uses.intent;
            needs.arguments.add(&read.uses.args.unwrap_or_default());
            permits_approved |= read.uses.approved && policy.effect() == Effect::Permit;
            let group = if read.uses.approved { &mut dependent } else { &mut independent };
            group.add(policy).expect("INVARIANT: ids are distinct, and none is a template");
        }
        Self {
            authorizer: Authorizer::new(),
            independent,
            dependent,
            permits_approved,
            names,
            digest,
            needs,
            closed: None,
        }
    }

    /// Digest of the policy set; every decision is recorded with it.
    pub fn digest(&self) -> &Digest {
        &self.digest
    }

    /// Why everything is denied, where there is no set to ask.
    pub fn why_closed(&self) -> Option<&str> {
        self.closed.as_deref()
    }

    /// Decides: allow as it is, ask because an approval would allow it, or deny.
    pub fn decide(&self, question: &Question<'_>) -> PolicyAnswer {
        self.weigh(question).unwrap_or_else(|errors| PolicyAnswer {
            decision: Decision::Deny,
            policy_ids: Vec::new(),
            policy_set: self.digest.clone(),
            reasons: errors.iter().map(|e| format!("policy could not be evaluated: {e}")).collect(),
            failed: true,
        })
    }

    fn weigh(&self, question: &Question<'_>) -> Result<PolicyAnswer, Vec<String>> {
        if let Some(why) = &self.closed {
            return Err(vec![why.clone()]);
        }
        let call = self.prepare(question).map_err(|e| vec![e])?;
        let fixed = call.ask(&self.independent, false)?;
        if !fixed.forbids.is_empty() {
            return Ok(self.answer(Decision::Deny, &fixed.forbids));
        }
        if fixed.permits.is_empty() && !self.permits_approved {
            return Ok(self.answer(Decision::Deny, &[]));
        }
        let as_it_is = call.ask(&self.dependent, false)?;
        let permitted = |said: &Said| !fixed.permits.is_empty() || !said.permits.is_empty();
        if as_it_is.forbids.is_empty() && permitted(&as_it_is) {
            return Ok(self.answer(Decision::Allow, &[fixed.permits, as_it_is.permits].concat()));
        }
        let approved = call.ask(&self.dependent, true)?;
        if !approved.forbids.is_empty() || !permitted(&approved) {
            return Ok(self.answer(Decision::Deny, &approved.forbids));
        }
        // What forbade it without an approval is what somebody is asked about; or what an approval permits.
        let why = if as_it_is.forbids.is_empty() { approved.permits } else { as_it_is.forbids };
        Ok(self.answer(Decision::Ask, &why))
    }

    fn prepare<'q>(&'q self, question: &'q Question<'q>) -> Result<Prepared<'q>, String> {
        let Question { actor, tool, asks, .. } = question;
        let entities = tool.entities.clone().add_entities([actor.entity.clone()], None);
        let mut extra = Vec::new();
        if let Asks::Call { intent, args } = asks {
            if self.needs.intent {
                extra.push(("intent".to_owned(), of_intent(intent)));
            }
            if let Some(typed) = self.needs.typed.get(&tool.id) {
                if !typed.versions.contains(&tool.version) {
                    return Err(format!(
                        "the policies were checked with another version of `{}` than {}; load them again",
                        tool.id, tool.version
                    ));
                }
                let args = arguments::to_cedar(&typed.arguments, args, &self.needs.arguments)
                    .map_err(|why| format!("args{why}"))?;
                extra.push(("args".to_owned(), args));
            } else if self.needs.open {
                return Err(format!(
                    "`{}` was registered after the policies were loaded; load them again",
                    tool.id
                ));
            }
        }
        Ok(Prepared { engine: self, question, entities: entities.map_err(|e| e.to_string())?, extra })
    }

    fn answer(&self, decision: Decision, policies: &[CedarId]) -> PolicyAnswer {
        let mut named: Vec<&Named> = policies.iter().filter_map(|id| self.names.get(id)).collect();
        named.sort_by(|a, b| a.id.cmp(&b.id));
        let mut reasons: Vec<String> = named.iter().map(|n| n.reason.clone()).collect();
        if reasons.is_empty() {
            reasons.push("no policy permits it".to_owned());
        }
        PolicyAnswer {
            decision,
            policy_ids: named.iter().map(|n| n.id.clone()).collect(),
            policy_set: self.digest.clone(),
            reasons,
            failed: false,
        }
    }
}

/// A question in Cedar's words.
struct Prepared<'q> {
    engine: &'q PolicyEngine,
    question: &'q Question<'q>,
    entities: Entities,
    extra: Vec<(String, Expr)>,
}

impl Prepared<'_> {
    fn ask(&self, policies: &PolicySet, approved: bool) -> Result<Said, Vec<String>> {
        if policies.is_empty() {
            return Ok(Said::default());
        }
        let Question { actor, tool, asks, .. } = self.question;
        let action = match asks {
            Asks::Expose { .. } => EXPOSE.clone(),
            Asks::Call { .. } => tool.call.clone(),
        };
        let context = self.context(approved).map_err(|e| vec![e])?;
        let request = Request::new(actor.entity.uid(), action, tool.uid.clone(), context, None)
            .map_err(|e| vec![e.to_string()])?;
        let response = self.engine.authorizer.is_authorized(&request, policies, &self.entities);
        // INVARIANT: an error is a denial. Cedar skips a policy that fails, also a forbid.
        let errors: Vec<String> = response.diagnostics().errors().map(ToString::to_string).collect();
        if !errors.is_empty() {
            return Err(errors);
        }
        let reasons = response.diagnostics().reason().cloned().collect();
        Ok(match response.decision() {
            cedar_policy::Decision::Allow => Said { permits: reasons, forbids: Vec::new() },
            cedar_policy::Decision::Deny => Said { permits: Vec::new(), forbids: reasons },
        })
    }

    fn context(&self, approved: bool) -> Result<Context, String> {
        let Question { scene, asks, .. } = self.question;
        let call = matches!(asks, Asks::Call { .. });
        let context = scene.context(Facet { call, approved, confirmation: asks.confirmation() }).clone();
        if self.extra.is_empty() {
            return Ok(context);
        }
        context.merge(self.extra.iter().cloned()).map_err(|e| e.to_string())
    }
}

fn of_intent(intent: &ToolIntent) -> Expr {
    let text = |t: &str| Expr::new_string(t.to_owned());
    let actions = intent.action_types.iter().map(|a| text(a.as_str()));
    let mut fields = vec![("actionTypes".to_owned(), Expr::new_set(actions))];
    if let Some(target) = &intent.target {
        let parts = [("kind", target.kind.as_str()), ("ref", target.reference.as_str())];
        let record = Expr::new_record(parts.map(|(name, value)| (name.to_owned(), text(value))));
        fields.push(("target".to_owned(), record.expect("INVARIANT: two distinct keys")));
    }
    Expr::new_record(fields).expect("INVARIANT: two distinct keys")
}
