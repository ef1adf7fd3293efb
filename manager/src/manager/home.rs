//! A manager over one home: the registry, policies, grants and approvals of a folder, wired together for one
//! session.

use super::{
    Approving, Ended, Manager, RegisterOptions, Resolved, RunOptions, Session, StatedIntent, ToolManager,
    Turn, TurnError, Verdict,
    workshop::{Workshop, policy, used},
};
use crate::{
    adapters::{
        approvers::{ListedApprovers, SpentMarkers, own_principal},
        calls::{self, CallError},
        clock::SystemClock,
        grants::{GrantBook, RecordError, Watch},
        guarded::Guarded,
        health::Presence,
        home::Home,
        hooks::{HomeHooks, HookFileError},
        journal::{JournalOptions, JournalWriter, OpenError},
        lints::ContractLints,
        registrations::{CallableTools, Registrations, RegistrationsError},
        sandbox::Sandbox,
    },
    authority::SessionMemory,
    event::{Fact, Scope, fact::UserPromptSubmitted},
    explain,
    model::{
        CallId, Digest, EffectLevel, EnablementScope, EventId, GrantId, PermissionGrant, Principal,
        ProposedCall, RunId, SessionId, Surroundings, ToolBudget, ToolDescriptor, ToolId, ToolIntent,
        ToolRegistration, ToolTrace, ToolView,
    },
    policy::{Actor, PolicyLoadError, Scene},
    port::{
        Adapter, Approver, Clock, CredentialBroker, Discovered, Evaluator, EventSink, GrantStoreError, Hooks,
        JournalError, NoApprover, NoCredentials, SourceError, ToolSourcePort,
    },
    registry::{
        RegisteredTool, Registry,
        admission::{Admission, AdmissionError, Found, Ports, Review, Standing},
        ledger::Asker,
    },
    resolve::{Environment, Selection},
    stage::{Authorized, Executed, GrantLifetimes, Outcome, Pending, Prepared, RunMode, Validated},
};
use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::Arc,
};

/// Who acts, where, and who is asked.
pub struct HomeOptions {
    /// Who acts; the user of this process where nobody is named.
    pub principal: Option<Principal>,
    /// The folder that tools work in.
    pub workspace: PathBuf,
    /// What runs tools; nothing runs without.
    pub adapters: Vec<Arc<dyn Adapter>>,
    /// Who is asked where policy says ask; nobody, so that the answer is no, where none is named.
    pub approver: Arc<dyn Approver>,
    /// How long an approval may be given and used; ten minutes where nobody says.
    pub approval_ttl: Option<chrono::TimeDelta>,
    /// Whether what calls do is kept.
    pub mode: RunMode,
    /// The time, and where identifiers come from.
    pub clock: Arc<dyn Clock>,
    /// Who lends secrets, the same broker that the adapters ask; nobody, where none is named.
    pub credentials: Arc<dyn CredentialBroker>,
}

impl std::fmt::Debug for HomeOptions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HomeOptions").field("workspace", &self.workspace).finish_non_exhaustive()
    }
}

impl HomeOptions {
    /// The user of this process in this workspace, with nobody to ask and nothing to run programs.
    pub fn new(workspace: impl Into<PathBuf>) -> Self {
        Self {
            principal: None,
            workspace: workspace.into(),
            adapters: Vec::new(),
            approver: Arc::new(NoApprover),
            approval_ttl: None,
            mode: RunMode::Real,
            clock: Arc::new(SystemClock),
            credentials: Arc::new(NoCredentials),
        }
    }
}

/// Why something could not be done, or known. A refusal is none of these.
#[derive(Debug, thiserror::Error)]
pub enum HomeManagerError {
    /// The registry cannot be used.
    #[error(transparent)]
    Registrations(#[from] RegistrationsError),
    /// A journal cannot be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// A journal cannot be written.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// Grants cannot be looked up.
    #[error(transparent)]
    Grants(#[from] GrantStoreError),
    /// A grant cannot be taken back.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// A turn cannot be opened.
    #[error(transparent)]
    Turn(#[from] TurnError),
    /// A source cannot be read.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// A step of admission cannot be made.
    #[error(transparent)]
    Admission(#[from] AdmissionError),
    /// The limits cannot be used: a limit that nobody can read holds nobody back.
    #[error(transparent)]
    Limits(PolicyLoadError),
    /// The home's hooks cannot be used: a hook that cannot be read would ask nobody.
    #[error(transparent)]
    Hooks(#[from] HookFileError),
    /// A call cannot be told of.
    #[error(transparent)]
    Call(#[from] CallError),
    /// An earlier journal cannot be read, so that nobody knows what was used up.
    #[error("what was used before cannot be known: {0}\nhint: `proofhouse journal verify` looks at the file")]
    Earlier(String),
    /// No view was compiled yet.
    #[error(
        "no view was compiled, and a call can only be proposed from one\nhint: resolve an intent and compile its view first"
    )]
    NoView,
    /// Only the manager itself states such a fact.
    #[error(
        "`{0}` is not for outsiders to state\nhint: what users say, models answer and skills teach can be observed"
    )]
    NotObservable(String),
}

/// A manager over one home, for one session. Its journal is the session's run.
pub struct HomeManager {
    home: Home,
    manager: Manager,
    session: Session,
    registrations: Registrations,
    grants: Arc<GrantBook>,
    approver: Arc<dyn Approver>,
    journal: Guarded<JournalWriter>,
    clock: Arc<dyn Clock>,
    tools: CallableTools,
    workshop: Workshop,
    acting: Acting,
    mode: RunMode,
    offered: Option<Vec<ToolId>>,
    turn: Option<Turn>,
    /// Digests of discovered definitions, by the digest of the contract that was made of each.
    definitions: HashMap<Digest, Digest>,
}

impl std::fmt::Debug for HomeManager {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HomeManager").field("home", &self.home).finish_non_exhaustive()
    }
}

impl HomeManager {
    /// Opens a home for one session. Its policies, registry, grants and limits are those of this moment.
    ///
    /// # Errors
    /// [`HomeManagerError`] if a part of the home cannot be used. Policies that cannot be loaded are none: they
    /// deny everything, and say why.
    pub fn open(home: Home, options: HomeOptions) -> Result<Self, HomeManagerError> {
        let clock = options.clock;
        let scope = Scope {
            session_id: SessionId::from_uuid(clock.uuid()),
            run_id: RunId::from_uuid(clock.uuid()),
            call_id: None,
        };
        let registrations = Registrations::of(home.clone());
        let grants = Arc::new(GrantBook::open(&home, Arc::clone(&clock))?);
        let who = options.principal.as_ref().map_or_else(own_principal, |p| p.id.clone());
        let asker = Asker { principal: &who, session: &scope.session_id, now: clock.now() };
        let tools = registrations.callable(&registrations.ledger()?, asker);
        let acting = if options.principal.is_some() { Acting::Named } else { Acting::Own };
        let principal = options.principal.unwrap_or_else(|| own(&tools.registry));
        let writer = concat!("proofhouse ", env!("CARGO_PKG_VERSION"));
        let used = used(&home)?;
        let journal = JournalOptions::of_home(&home, &scope.run_id, writer, Arc::clone(&clock))?
            .open(&home.run(&scope.run_id))?;
        let journal = Guarded::new(journal, Arc::clone(&options.credentials));
        let sandbox = Arc::new(Sandbox::new(home.sandboxes()));
        let hooks: Arc<dyn Hooks> = Arc::new(HomeHooks::open(&home, Arc::clone(&sandbox))?);
        // What is bound is kept out of the first event already; a run is stopped where nobody can say what is.
        options.credentials.survey().ok();
        let session = session(scope, principal, &options.workspace);
        let workshop = Workshop {
            adapters: options.adapters,
            used,
            approval_ttl: options.approval_ttl,
            credentials: options.credentials,
            hooks,
            sandbox,
        };
        let manager = workshop.manager(&home, &tools.registry, &grants, &clock);
        let (approver, mode) = (options.approver, options.mode);
        Ok(Self {
            home,
            manager,
            session,
            registrations,
            grants,
            approver,
            journal,
            clock,
            tools,
            workshop,
            acting,
            mode,
            offered: None,
            turn: None,
            definitions: HashMap::new(),
        })
    }

    /// The tools that may be called here and now, and why the others may not.
    pub fn tools(&self) -> &CallableTools {
        &self.tools
    }

    /// The manager behind it.
    pub fn manager(&self) -> &Manager {
        &self.manager
    }

    /// The open turn.
    pub fn turn(&self) -> Option<&Turn> {
        self.turn.as_ref()
    }

    /// What a prompt is taken to mean; it is recorded when it is resolved.
    pub fn intent(&self, prompt: &str) -> ToolIntent {
        self.manager.intent(&self.session, prompt, None)
    }

    /// What a prompt means by somebody's own word.
    pub fn stated_intent(&self, prompt: &str, stated: &StatedIntent) -> ToolIntent {
        self.manager.intent(&self.session, prompt, Some(stated))
    }

    /// Narrows what the session is shown to some tools.
    pub fn offer(&mut self, tools: &[ToolId]) {
        self.offered = Some(tools.to_vec());
    }

    /// Records that the session's principal has looked at a tool's latest contract and accepts it, and walks on.
    ///
    /// # Errors
    /// [`HomeManagerError`] if nobody waits for a review, the principal is no person, or it cannot be written.
    pub fn accept(
        &mut self,
        tool: &ToolId,
        reason: &str,
        evaluator: Option<&dyn Evaluator>,
    ) -> Result<ToolRegistration, HomeManagerError> {
        let standing = self.admit(evaluator, |admission| {
            let record = admission.ledger().get(tool).and_then(|record| record.latest());
            let digest = record.ok_or_else(|| AdmissionError::Unknown(tool.clone()))?.digest().clone();
            admission.review(tool, &digest, Review::Accept, reason)
        })?;
        Ok(registration(standing))
    }

    /// Ends the session's journal in good order.
    ///
    /// # Errors
    /// [`HomeManagerError`] if it cannot be written.
    pub fn close(self) -> Result<(), HomeManagerError> {
        Ok(self.journal.into_inner().close()?)
    }

    /// What must not follow from a skill.
    #[cfg(feature = "mutants")]
    fn grant_what_a_skill_teaches(&mut self, loaded: &EventId) -> Result<(), HomeManagerError> {
        let principal = self.session.actor.principal().id.clone();
        for tool in self.tools.registry.tools() {
            let fact = crate::event::fact::ToolGranted {
                tool_id: tool.id().clone(),
                tool_version: tool.version().clone(),
                descriptor_digest: tool.digest().clone(),
                grant_id: GrantId::from_uuid(self.clock.uuid()),
                principal: principal.clone(),
            };
            self.journal.append(&self.session.scope, Some(loaded), fact.into())?;
        }
        Ok(())
    }

    /// What stops a call of a tool from here on: its grant is ended, or its tool blocked.
    fn watch(
        &self,
        tool: &RegisteredTool,
        grant: Option<&PermissionGrant>,
    ) -> Result<Watch, HomeManagerError> {
        Ok(self.grants.watch((tool.id(), tool.version()), grant)?)
    }

    /// Takes into account what admission has changed.
    fn refresh(&mut self) -> Result<(), HomeManagerError> {
        let Session { actor, scope, .. } = &self.session;
        let asker =
            Asker { principal: &actor.principal().id, session: &scope.session_id, now: self.clock.now() };
        self.tools = self.registrations.callable(&self.registrations.ledger()?, asker);
        if self.acting == Acting::Own {
            self.session.actor = Arc::new(Actor::new(own(&self.tools.registry)));
        }
        self.manager = self.workshop.manager(&self.home, &self.tools.registry, &self.grants, &self.clock);
        self.turn = None;
        Ok(())
    }

    /// Changes the registry; nobody else does meanwhile.
    fn admit<T>(
        &mut self,
        evaluator: Option<&dyn Evaluator>,
        act: impl FnOnce(&mut Admission<'_>) -> Result<T, AdmissionError>,
    ) -> Result<T, HomeManagerError> {
        let (ledger, mut log) = self.registrations.change(Arc::clone(&self.clock))?;
        let adapters = self.workshop.adapters.iter().map(|a| a.word().to_owned()).collect();
        let sandbox = Arc::clone(&self.workshop.sandbox);
        let health = Presence { programs: Vec::new(), adapters, sandbox };
        let ports = Ports {
            store: &self.registrations,
            linter: &ContractLints,
            health: &health,
            evaluator,
            clock: &*self.clock,
        };
        let by = self.session.actor.principal().id.clone();
        let done = act(&mut Admission::new(ledger, &mut log, ports, by))?;
        log.checkpoint()?;
        self.refresh()?;
        Ok(done)
    }
}

impl ToolManager for HomeManager {
    type Error = HomeManagerError;

    fn discover(&mut self, source: &dyn ToolSourcePort) -> Result<Vec<ToolDescriptor>, HomeManagerError> {
        let found = source.discover()?.tools;
        let definition = |d: &Discovered| (d.descriptor.digest(), d.definition_digest.clone());
        self.definitions.extend(found.iter().map(definition));
        Ok(found.into_iter().map(|d| d.descriptor).collect())
    }

    fn register(
        &mut self,
        descriptor: ToolDescriptor,
        options: &RegisterOptions<'_>,
    ) -> Result<ToolRegistration, HomeManagerError> {
        let digest = descriptor.digest();
        let definition = self.definitions.get(&digest).cloned().unwrap_or(digest);
        let found = Found { descriptor, definition, source: options.source.to_owned(), trust: options.trust };
        let standing = self.admit(options.evaluator, |admission| admission.register(&found))?;
        Ok(registration(standing))
    }

    fn enable(&mut self, tool: &ToolId, scope: EnablementScope) -> Result<(), HomeManagerError> {
        self.admit(None, |admission| {
            let record = admission.ledger().get(tool).and_then(|record| record.latest());
            let digest = record.ok_or_else(|| AdmissionError::Unknown(tool.clone()))?.digest().clone();
            admission.enable(tool, &digest, scope).map(drop)
        })
    }

    fn resolve(&mut self, intent: ToolIntent) -> Result<Resolved, HomeManagerError> {
        let said = UserPromptSubmitted { prompt: intent.user_goal.clone() };
        let cause = self.journal.append(&self.session.scope, None, said.into())?;
        let intended = self.manager.intended(&self.session, intent, Some(&cause), &mut self.journal)?;
        let offered = self.offered.as_ref();
        let population = offered.map(|ids| self.manager.index().population(|id| ids.contains(id)));
        Ok(self.manager.resolve(&self.session, intended, population.as_ref(), &mut self.journal)?)
    }

    fn compile_view(&mut self, resolved: Resolved) -> Result<ToolView, HomeManagerError> {
        let turn = self.manager.compile_view(&self.session, resolved, &mut self.journal)?;
        Ok(self.turn.insert(turn).view.clone())
    }

    fn validate_args(
        &mut self,
        draft: ProposedCall,
    ) -> Result<(CallId, Outcome<Validated>), HomeManagerError> {
        let turn = self.turn.as_ref().ok_or(HomeManagerError::NoView)?;
        Ok(self.manager.validate(&self.session, turn, draft, &mut self.journal)?)
    }

    fn authorize(&mut self, call: Validated) -> Result<Verdict, HomeManagerError> {
        let turn = self.turn.as_ref().ok_or(HomeManagerError::NoView)?;
        let watch = self.watch(call.tool(), None)?;
        Ok(self.manager.authorize_unless(&self.session, turn, call, &watch, &mut self.journal)?)
    }

    fn approve(&mut self, call: Pending) -> Result<Verdict, HomeManagerError> {
        let watch = self.watch(call.checked().valid().tool(), None)?;
        let (rights, uses) = (ListedApprovers::of(&self.home), SpentMarkers::of(&self.home));
        let with = Approving {
            approver: &*self.approver,
            rights: &rights,
            uses: &uses,
            interrupt: &watch,
            lifetimes: GrantLifetimes::default(),
        };
        // INVARIANT: the question is on the disk before anybody sees it.
        self.journal.commit()?;
        let request = call.request();
        let reply = self.approver.ask(request, request.expires_at, &watch);
        // The policies that hold when the answer comes decide whether it counts.
        self.manager.replace_policy(policy(&self.home, &self.tools.registry));
        Ok(self.manager.answered(&self.session, call, reply, &with, &mut self.journal)?)
    }

    fn prepare_runtime(&mut self, call: Authorized) -> Result<Outcome<Prepared>, HomeManagerError> {
        Ok(self.manager.prepare(call, &mut self.journal)?)
    }

    fn execute(&mut self, call: Prepared) -> Result<Outcome<Executed>, HomeManagerError> {
        let authorized = call.authorized();
        let watch = self.watch(authorized.valid().tool(), authorized.grant())?;
        let options = RunOptions { mode: self.mode, interrupt: &watch, attempt: 0 };
        Ok(self.manager.start(call, &options, &mut self.journal)?)
    }

    fn verify(&mut self, call: Executed) -> Result<Ended, HomeManagerError> {
        Ok(self.manager.record(call, &mut self.journal)?)
    }

    fn observe(&mut self, fact: Fact) -> Result<EventId, HomeManagerError> {
        match fact {
            #[cfg(feature = "mutants")]
            Fact::SkillLoaded(_) if mutant!(SkillGrants) => {
                let loaded = self.journal.append(&self.session.scope, None, fact)?;
                self.grant_what_a_skill_teaches(&loaded)?;
                Ok(loaded)
            }
            Fact::UserPromptSubmitted(_) | Fact::ModelOutputReceived(_) | Fact::SkillLoaded(_) => {
                Ok(self.journal.append(&self.session.scope, None, fact)?)
            }
            other => Err(HomeManagerError::NotObservable(other.kind().to_owned())),
        }
    }

    fn explain(&mut self, call: &CallId) -> Result<ToolTrace, HomeManagerError> {
        let journals = [self.journal.inner().path()];
        Ok(explain::trace(&calls::story(&journals, &[self.home.registry()], call)?))
    }

    fn revoke(&mut self, grant: &GrantId) -> Result<(), HomeManagerError> {
        let by = self.session.actor.principal().id.clone();
        Ok(self.grants.revoke(grant.clone(), by, "taken back".to_owned())?)
    }
}

fn registration(standing: Standing) -> ToolRegistration {
    ToolRegistration {
        tool_id: standing.tool_id,
        tool_version: standing.tool_version,
        descriptor_digest: standing.descriptor_digest,
        state: standing.state,
        reason: standing.reason,
    }
}

/// Whose scopes a session has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Acting {
    /// Those that were named.
    Named,
    /// All that the tools here ask for.
    Own,
}

/// The user of this process, with the scopes that the tools here ask for: at their own terminal, people act
/// with all that they have.
fn own(registry: &Registry) -> Principal {
    let required = registry.tools().iter().flat_map(|t| &t.descriptor().permissions.required_scopes);
    Principal { id: own_principal(), scopes: required.cloned().collect() }
}

fn session(scope: Scope, principal: Principal, workspace: &Path) -> Session {
    let workspace = workspace.display().to_string();
    Session {
        scope,
        actor: Arc::new(Actor::new(principal)),
        tenant: Some(format!("workspace:{workspace}").into()),
        scene: Arc::new(Scene::new(Surroundings { workspace: Some(workspace), ..Surroundings::default() })),
        budget: ToolBudget { max_tools_visible: MAX_TOOLS, max_tokens: None },
        selection: Selection::Ranked,
        max_level: EffectLevel::DestructiveOrAdmin,
        environment: Arc::new(Environment::default()),
        memory: SessionMemory::default(),
    }
}

/// So many tools a turn shows at most.
const MAX_TOOLS: usize = 20;
