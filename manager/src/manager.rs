//! The tool manager: registry, resolution, policy and the road of a call, wired together.
//!
//! One turn is opened with what the user said ([`Manager::open_turn`]); it resolves and compiles a view, and
//! that view is all a model may propose from. Each proposal is decided ([`Manager::decide`]) as far as its
//! authorization. Every step appends to the caller's journal before anything follows from it.

mod approve;
mod executors;
mod home;
mod interface;
mod run;
mod turn;
mod workshop;

pub use approve::Approving;
pub use executors::Executors;
pub use home::{HomeManager, HomeManagerError, HomeOptions};
pub use interface::{RegisterOptions, ToolManager};
pub use run::{Ended, RunOptions};
pub use turn::{Intended, ModelAnswer, Resolved, StatedIntent, Turn, TurnError};

use crate::{
    adapters::{remember::Remembering, wait::ThreadWait},
    authority::SessionMemory,
    event::Scope,
    model::{
        ApprovalId, ArtifactId, CallId, Decision, Digest, EffectLevel, ProposedCall, SandboxId, StopReason,
        ToolBudget,
    },
    policy::{Actor, PolicyEngine, Scene},
    port::{
        Clock, DeclaredRuntime, EventSink, GrantStore, Interrupt, JournalError, NoGrants, RuntimeResolver,
        Uninterrupted, Wait,
    },
    redact::Redactor,
    registry::Registry,
    resolve::{Environment, ResolveIndex, Selection},
    stage::{
        Ask, AskHooks, Authorization, Authorize, Authorized, CheckPolicy, Outcome, Pending, Propose,
        Rehearse, Unasked, Validate, Validated, advance, rehearse,
    },
    usage::{Price, Spend, Used},
};
use std::sync::{Arc, PoisonError, RwLock};

/// How long an approval may be given and used after it was asked for, where nobody says otherwise.
const APPROVAL_TTL: chrono::TimeDelta = chrono::TimeDelta::minutes(10);

/// The tool manager.
pub struct Manager {
    registry: Registry,
    index: ResolveIndex,
    policy: RwLock<Arc<PolicyEngine>>,
    runtime: Arc<dyn RuntimeResolver>,
    executors: Arc<Executors>,
    grants: Arc<dyn GrantStore>,
    used: Arc<Used>,
    clock: Arc<dyn Clock>,
    wait: Arc<dyn Wait>,
    approval_ttl: chrono::TimeDelta,
}

impl std::fmt::Debug for Manager {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Manager").field("tools", &self.registry.tools().len()).finish_non_exhaustive()
    }
}

/// A conversation: who acts, and how much a turn may show.
#[derive(Debug, Clone)]
pub struct Session {
    /// Session and run of every event.
    pub scope: Scope,
    /// Who acts.
    pub actor: Arc<Actor>,
    /// In which surroundings.
    pub scene: Arc<Scene>,
    /// How much a view may show.
    pub budget: ToolBudget,
    /// How much of what is allowed is shown.
    pub selection: Selection,
    /// No tool above this level is shown.
    pub max_level: EffectLevel,
    /// What can be used here.
    pub environment: Arc<Environment>,
    /// The tenant that no grant given here reaches beyond, such as `workspace:/srv/shop`.
    pub tenant: Option<Arc<str>>,
    /// What was asked in it before.
    pub memory: SessionMemory,
}

/// What the manager answered to a proposed call.
#[derive(Debug)]
pub enum Verdict {
    /// It may happen.
    Allowed(Authorized),
    /// Somebody must say so first.
    Asked(Pending),
    /// It does not happen.
    Stopped(StopReason),
}

impl Verdict {
    /// The decision in one word.
    pub fn decision(&self) -> Decision {
        match self {
            Self::Allowed(_) => Decision::Allow,
            Self::Asked(_) => Decision::Ask,
            Self::Stopped(_) => Decision::Deny,
        }
    }
}

impl Manager {
    /// Wires a registry and a policy set together; prepares what resolution needs.
    pub fn new(registry: Registry, policy: PolicyEngine, clock: Arc<dyn Clock>) -> Self {
        let index = ResolveIndex::new(&registry);
        Self {
            index,
            registry,
            policy: RwLock::new(Arc::new(policy)),
            runtime: Arc::new(DeclaredRuntime),
            executors: Arc::new(Executors::default()),
            grants: Arc::new(NoGrants),
            approval_ttl: APPROVAL_TTL,
            used: Arc::default(),
            wait: Arc::new(ThreadWait),
            clock,
        }
    }

    /// Settles where calls would run by this resolver, instead of by what contracts declare.
    #[must_use]
    pub fn with_runtime(self, runtime: Arc<dyn RuntimeResolver>) -> Self {
        Self { runtime, ..self }
    }

    /// Holds calls to these limits, and goes on from what was used and read before.
    #[must_use]
    pub fn with_used(self, used: Arc<Used>) -> Self {
        Self { used, ..self }
    }

    /// Waits like this before a call is tried again, instead of by sleeping.
    #[must_use]
    pub fn with_wait(self, wait: Arc<dyn Wait>) -> Self {
        Self { wait, ..self }
    }

    /// Lets an approval be given and used for so long after it was asked for.
    #[must_use]
    pub fn with_approval_ttl(self, approval_ttl: chrono::TimeDelta) -> Self {
        Self { approval_ttl, ..self }
    }

    /// Looks here for what was granted before; without, nobody has been granted anything.
    #[must_use]
    pub fn with_grants(self, grants: Arc<dyn GrantStore>) -> Self {
        Self { grants, ..self }
    }

    /// Lets authorized calls run, through these executors. Without, a call ends with its authorization.
    #[must_use]
    pub fn with_executors(self, executors: Executors) -> Self {
        let executors = Arc::new(executors);
        Self { runtime: Arc::clone(&executors) as Arc<dyn RuntimeResolver>, executors, ..self }
    }

    /// The registered tools.
    pub fn registry(&self) -> &Registry {
        &self.registry
    }

    /// What resolution has prepared: ranked look-ups over the registered tools.
    pub fn index(&self) -> &ResolveIndex {
        &self.index
    }

    /// The policies that decide now. Who decides a call holds on to these until it is decided.
    pub fn policy(&self) -> Arc<PolicyEngine> {
        // Nothing that holds the lock can panic.
        Arc::clone(&self.policy.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Decides by other policies from now on. What is being decided is decided by those it began with, and
    /// each decision is recorded with the digest of the set that made it.
    pub fn replace_policy(&self, policy: PolicyEngine) {
        *self.policy.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(policy);
    }

    /// Digest of the policy set that decides.
    pub fn policy_set(&self) -> Digest {
        self.policy().digest().clone()
    }

    /// Takes a proposed call as far as its authorization: requested, validated, policy-checked, authorized.
    ///
    /// # Errors
    /// [`JournalError`] if the journal cannot be written; the call then stops where it stood.
    pub fn decide(
        &self,
        session: &Session,
        turn: &Turn,
        proposed: ProposedCall,
        log: &mut dyn EventSink,
    ) -> Result<(CallId, Verdict), JournalError> {
        let (call, outcome) = self.validate(session, turn, proposed, log)?;
        let verdict = match outcome {
            Outcome::Next(valid) => self.authorize(session, turn, valid, log)?,
            Outcome::Stop(stop) => Verdict::Stopped(stop.reason),
        };
        Ok((call, verdict))
    }

    /// Takes a proposed call in, and holds its arguments against the tool's schema.
    ///
    /// # Errors
    /// [`JournalError`] if the journal cannot be written; the call then stops where it stood.
    pub fn validate(
        &self,
        session: &Session,
        turn: &Turn,
        proposed: ProposedCall,
        log: &mut dyn EventSink,
    ) -> Result<(CallId, Outcome<Validated>), JournalError> {
        let call = CallId::from_uuid(self.clock.uuid());
        let propose = Propose {
            scope: &session.scope,
            cause: Some(&turn.cause),
            view: &turn.view,
            tools: &turn.tools,
            call: call.clone(),
        };
        let outcome = match advance(&propose, proposed, log)? {
            Outcome::Next(draft) => advance(&Validate { secrets: &self.secrets() }, draft, log)?,
            Outcome::Stop(stop) => Outcome::Stop(stop),
        };
        Ok((call, outcome))
    }

    /// Asks policy about a valid call, and authorizes it where policy allows it or a grant covers it.
    ///
    /// # Errors
    /// [`JournalError`] if the journal cannot be written; the call then stops where it stood.
    pub fn authorize(
        &self,
        session: &Session,
        turn: &Turn,
        valid: Validated,
        log: &mut dyn EventSink,
    ) -> Result<Verdict, JournalError> {
        self.authorize_unless(session, turn, valid, &Uninterrupted, log)
    }

    /// The same, unless the call is called off while it is tried.
    pub(crate) fn authorize_unless(
        &self,
        session: &Session,
        turn: &Turn,
        valid: Validated,
        interrupt: &dyn Interrupt,
        log: &mut dyn EventSink,
    ) -> Result<Verdict, JournalError> {
        let mut log = Remembering::new(log, &session.memory, &*self.clock);
        let log: &mut dyn EventSink = &mut log;
        let policy = self.policy();
        let scene = self.scene(session, &valid);
        let check =
            CheckPolicy { engine: &policy, actor: &session.actor, scene: &scene, intent: &turn.intent };
        let checked = match advance(&check, valid, log)? {
            Outcome::Next(checked) => checked,
            Outcome::Stop(stop) => return Ok(Verdict::Stopped(stop.reason)),
        };
        let checked = match checked.answer().decision {
            Decision::Ask => {
                let principal = &session.actor.principal().id;
                match advance(&AskHooks { hooks: &*self.executors.hooks, principal }, checked, log)? {
                    Outcome::Next(checked) => checked,
                    Outcome::Stop(stop) => return Ok(Verdict::Stopped(stop.reason)),
                }
            }
            Decision::Allow | Decision::Deny => checked,
        };
        let authorize = Authorize {
            principal: session.actor.principal(),
            intent: &turn.intent,
            runtime: &*self.runtime,
            tenant: session.tenant.as_deref(),
            grants: &*self.grants,
            approvals: &session.memory.approvals(),
            now: self.clock.now(),
        };
        Ok(match advance(&authorize, checked, log)? {
            Outcome::Next(Authorization::Granted(authorized)) => Verdict::Allowed(authorized),
            Outcome::Next(Authorization::Unasked(unasked)) => {
                self.ask((session, turn), unasked, policy.digest(), interrupt, log)?
            }
            Outcome::Stop(stop) => Verdict::Stopped(stop.reason),
        })
    }

    /// What finds the secrets that are bound now; where nobody can say what is bound, those that were known: a
    /// run that follows is stopped then.
    fn secrets(&self) -> Arc<Redactor> {
        let credentials = &self.executors.credentials;
        credentials.survey().unwrap_or_else(|_| credentials.redactor())
    }

    /// Tries a call where that can be done, and puts the question.
    fn ask(
        &self,
        (session, turn): (&Session, &Turn),
        unasked: Unasked,
        policy_set: &Digest,
        interrupt: &dyn Interrupt,
        log: &mut dyn EventSink,
    ) -> Result<Verdict, JournalError> {
        let tool = unasked.checked().valid().shared_tool();
        let call = unasked.checked().valid().call().clone();
        let principal = &session.actor.principal().id;
        let secrets = self.executors.credentials.redactor();
        let step = Rehearse {
            adapter: self.executors.of(tool.descriptor()).ok(),
            principal,
            sandbox_id: SandboxId::from_uuid(self.clock.uuid()),
            interrupt,
            artifacts: &*self.executors.artifacts,
            artifact_id: ArtifactId::from_uuid(self.clock.uuid()),
            secrets: &secrets,
        };
        let unasked = match rehearse(&step, unasked, log)? {
            Outcome::Next(unasked) => unasked,
            Outcome::Stop(stop) => return Ok(Verdict::Stopped(stop.reason)),
        };
        let now = self.clock.now();
        let ask = Ask {
            principal,
            intent: &turn.intent,
            approval_id: ApprovalId::from_uuid(self.clock.uuid()),
            expires_at: now + self.approval_ttl,
            policy_set,
            approvals: &session.memory.approvals(),
            now,
            secrets: &secrets,
        };
        Ok(match advance(&ask, unasked, log)? {
            Outcome::Next(pending) => Verdict::Asked(pending),
            Outcome::Stop(stop) => {
                self.executors.forget(tool.descriptor(), &call);
                Verdict::Stopped(stop.reason)
            }
        })
    }

    /// Lets go of a question that nobody will be asked, and of what was tried for it.
    pub fn withdraw(&self, pending: &Pending) {
        let valid = pending.checked().valid();
        self.executors.forget(valid.tool().descriptor(), valid.call());
    }

    /// The session's scene, with what was used and read since it began.
    fn scene(&self, session: &Session, valid: &Validated) -> Arc<Scene> {
        let spend = Spend {
            call: valid.call(),
            attempt: 0,
            principal: &session.actor.principal().id,
            tool: valid.tool().id(),
            session: &session.scope.session_id,
            price: Price::Unknown,
        };
        let now = self.used.surroundings(session.scene.surroundings(), &spend, self.clock.now());
        now.map_or_else(|| Arc::clone(&session.scene), |surroundings| Arc::new(Scene::new(surroundings)))
    }
}
