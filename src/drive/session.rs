//! One session: a home in a temporary folder, and everything of it that is no call.

use super::{
    Failure, Said, answers::Answers, calls::Held, clock::Ahead, fixture, journal, measured::Measured,
    outbox::Outbox, skill, unserved::Unserved,
};
use crate::conform::protocol::{
    AdvanceClock, Answer, Discover, Discovered, Done, Dropped, Enable, Initialize, Journal, Journalled,
    LoadSkill, Loaded, Observe, Register, Registered, Rejected, Resolve, Resolved, Revoke, SeedSecret, Shown,
    Source, SourceKind, ToolRef, View,
};
use proofhouse_manager::{
    adapters::{
        credentials::{Broker, source::Sources},
        grants::GrantBook,
        home::Home,
        sources::{McpCapture, standard::Standard},
    },
    event::Fact,
    manager::{self, HomeManager, HomeManagerError, HomeOptions, RegisterOptions, ToolManager},
    model::{
        CallId, CredentialBinding, CredentialBindingId, Decision, EnablementScope, Principal, PrincipalId,
        RegistrationState, ToolDescriptor, ToolId, TrustLevel,
    },
    port::{Adapter, Clock, CredentialBroker, Discovery, Evaluator, SourceError, ToolSourcePort},
};
use serde_json::{Value, json};
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError},
};

/// A session of our manager.
pub(super) struct Session {
    pub(super) manager: Option<HomeManager>,
    pub(super) calls: BTreeMap<CallId, Held>,
    pub(super) answers: Arc<Answers>,
    home: Home,
    workspace: PathBuf,
    principal: PrincipalId,
    clock: Arc<Ahead>,
    secrets: Secrets,
    book: Arc<GrantBook>,
    found: BTreeMap<ToolId, Found>,
    resolved: Option<manager::Resolved>,
    /// The home is gone with it.
    _folder: tempfile::TempDir,
}

impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Session").field("home", &self.home).finish_non_exhaustive()
    }
}

/// A tool as it was discovered last.
#[derive(Clone)]
struct Found {
    descriptor: ToolDescriptor,
    source: String,
    trust: TrustLevel,
}

impl Session {
    /// Opens an empty home.
    pub(super) fn open(begin: Initialize) -> Result<Self, Failure> {
        let Initialize { workspace, principal, scopes, approvers, .. } = begin;
        let folder = tempfile::tempdir()?;
        let home = Home::open(folder.path().canonicalize()?.join("agent"))?;
        std::fs::write(
            home.approvals().join("approvers.json"),
            json!({ "mayApprove": approvers }).to_string(),
        )?;
        let workspace = PathBuf::from(workspace);
        let clock = Arc::<Ahead>::default();
        let answers = Arc::new(Answers::new(Arc::clone(&clock) as Arc<dyn Clock>));
        let scopes = scopes.unwrap_or_else(|| EVERY_SCOPE.map(str::to_owned).to_vec());
        let principal = PrincipalId::from(principal);
        let secrets = Secrets::default();
        let book = Arc::new(GrantBook::open(&home, Arc::clone(&clock) as Arc<dyn Clock>)?);
        let kept = Arc::clone(&secrets);
        let sources = Sources::new(Arc::new(move |name| locked(&kept).get(name).cloned()));
        let broker: Arc<dyn CredentialBroker> =
            Arc::new(Broker::new(Arc::clone(&book), Arc::clone(&clock) as Arc<dyn Clock>, sources));
        let options = HomeOptions {
            principal: Some(Principal { id: principal.clone(), scopes: scopes.into_iter().collect() }),
            adapters: adapters(&home, &workspace, &broker)?,
            credentials: broker,
            approver: Arc::clone(&answers) as _,
            clock: Arc::clone(&clock) as Arc<dyn Clock>,
            ..HomeOptions::new(workspace.clone())
        };
        let manager = HomeManager::open(home.clone(), options)?;
        Ok(Self {
            manager: Some(manager),
            calls: BTreeMap::new(),
            answers,
            home,
            workspace,
            principal,
            clock,
            secrets,
            book,
            found: BTreeMap::new(),
            resolved: None,
            _folder: folder,
        })
    }

    pub(super) fn manager(&mut self) -> Result<&mut HomeManager, Failure> {
        self.manager.as_mut().ok_or_else(|| "the session is over".into())
    }

    pub(super) fn discover(&mut self, asked: Discover) -> Said<Discovered> {
        let Discover { source, tools } = asked;
        let mut rejected = Vec::new();
        let mut found = Vec::new();
        match source.kind {
            SourceKind::Builtin => {
                found = self.look(&Shipped, Standard::WORD, TrustLevel::FirstParty)?;
                found.retain(|found| tools.iter().any(|tool| tool.tool_id == *found.descriptor.tool_id));
            }
            SourceKind::Mcp => {
                let path = self.beneath(&source);
                let shown = path.display().to_string();
                let capture = McpCapture { path, trust: TrustLevel::Untrusted };
                found = self.look(&capture, &shown, TrustLevel::Untrusted)?;
            }
            SourceKind::Cli | SourceKind::Http | SourceKind::Skill => {
                for tool in &tools {
                    match fixture::descriptor(&self.workspace, &source, tool) {
                        Ok(descriptor) => found.push(Found {
                            descriptor,
                            source: source.id.clone(),
                            trust: TrustLevel::Workspace,
                        }),
                        Err(reason) => rejected.push(Rejected { name: tool.tool_id.clone(), reason }),
                    }
                }
            }
        }
        let tools = found.iter().map(|found| ToolRef {
            tool_id: found.descriptor.tool_id.to_string(),
            tool_version: Some(found.descriptor.version.to_string()),
        });
        let tools = tools.collect();
        self.found.extend(found.into_iter().map(|found| (found.descriptor.tool_id.clone(), found)));
        Ok(Answer::Ok(Discovered { tools, rejected }))
    }

    fn beneath(&self, source: &Source) -> PathBuf {
        self.workspace.join(source.path.as_deref().unwrap_or_default())
    }

    fn look(
        &mut self,
        source: &dyn ToolSourcePort,
        word: &str,
        trust: TrustLevel,
    ) -> Result<Vec<Found>, Failure> {
        let found = self.manager()?.discover(source)?;
        Ok(found.into_iter().map(|descriptor| Found { descriptor, source: word.to_owned(), trust }).collect())
    }

    pub(super) fn register(&mut self, asked: Register) -> Said<Registered> {
        let Register { tool_id, reviewed_by, evaluation } = asked;
        let Some(Found { descriptor, source, trust }) = self.found.get(tool_id.as_str()).cloned() else {
            return Ok(Answer::refused("unknown_tool", format!("`{tool_id}` was not discovered")));
        };
        let measured = evaluation.map(Measured);
        let evaluator = measured.as_ref().map(|measured| measured as &dyn Evaluator);
        let tool = descriptor.tool_id.clone();
        let options = RegisterOptions { source: &source, trust, evaluator };
        let by_person = reviewed_by.as_deref() == Some(self.principal.as_str());
        let manager = self.manager()?;
        let mut standing = match manager.register(descriptor, &options) {
            Ok(standing) => standing,
            Err(error) => return refused(error),
        };
        if by_person && standing.state == RegistrationState::SecurityReviewRequired {
            match manager.accept(&tool, "the suite's person has looked at it", evaluator) {
                Ok(reviewed) => standing = reviewed,
                Err(error) => return refused(error),
            }
        }
        Ok(Answer::Ok(Registered { state: standing.state.to_string(), reason: standing.reason }))
    }

    pub(super) fn enable(&mut self, asked: Enable) -> Said<Done> {
        let scope = EnablementScope::Principal { principal: self.principal.clone() };
        match self.manager()?.enable(&asked.tool_id.into(), scope) {
            Ok(()) => Ok(Answer::Ok(Done {})),
            Err(error) => refused(error),
        }
    }

    pub(super) fn resolve(&mut self, asked: &Resolve) -> Said<Resolved> {
        let manager = self.manager()?;
        let intent = manager.intent(&asked.prompt);
        let resolved = match manager.resolve(intent) {
            Ok(resolved) => resolved,
            Err(error) => return refused(error),
        };
        let view = resolved.resolution.candidates.iter();
        let candidates = view.map(|candidate| candidate.tool_id.to_string()).collect();
        self.resolved = Some(resolved);
        Ok(Answer::Ok(Resolved { candidates }))
    }

    pub(super) fn compile_view(&mut self) -> Said<View> {
        let Some(resolved) = self.resolved.take() else {
            return Ok(Answer::refused("out_of_order", "nothing was resolved"));
        };
        let manager = self.manager()?;
        let view = match manager.compile_view(resolved) {
            Ok(view) => view,
            Err(error) => return refused(error),
        };
        let registry = &manager.tools().registry;
        let tools = view.tools.into_iter().map(|tool| Shown {
            description: registry
                .get(tool.tool_id.as_str())
                .map_or_else(String::new, |t| t.model_description().to_owned()),
            tool_id: tool.tool_id.to_string(),
            reason: tool.reason,
            policy_decision: Some(decision(tool.policy_decision)),
        });
        let dropped = view.dropped.into_iter().map(|dropped| Dropped {
            tool_id: dropped.tool_id.to_string(),
            filter: dropped.filter.as_str().to_owned(),
        });
        Ok(Answer::Ok(View { tools: tools.collect(), dropped: dropped.collect() }))
    }

    pub(super) fn observe(&mut self, asked: Observe) -> Said<Done> {
        let fact: Fact = match serde_json::from_value(Value::Object(asked.event)) {
            Ok(fact) => fact,
            Err(error) => return Ok(Answer::refused("no_event", error.to_string())),
        };
        match self.manager()?.observe(fact) {
            Ok(_) => Ok(Answer::Ok(Done {})),
            Err(error) => refused(error),
        }
    }

    pub(super) fn revoke(&mut self, asked: Revoke) -> Said<Done> {
        match self.manager()?.revoke(&asked.grant_id.into()) {
            Ok(()) => Ok(Answer::Ok(Done {})),
            Err(error) => refused(error),
        }
    }

    /// Keeps a secret where the manager looks for what is bound, and binds it.
    pub(super) fn seed_secret(&mut self, asked: SeedSecret) -> Said<Done> {
        let SeedSecret { name, value } = asked;
        let secret_ref = format!("env:{name}");
        locked(&self.secrets).insert(name.clone(), value);
        self.book.bind(CredentialBinding {
            credential_binding_id: CredentialBindingId::from_uuid(self.clock.uuid()),
            principal: self.principal.clone(),
            name,
            secret_ref,
            tools: Vec::new(),
            scopes: Vec::new(),
            audience: None,
            injection: None,
            expires_at: None,
        })?;
        Ok(Answer::Ok(Done {}))
    }

    pub(super) fn load_skill(&mut self, asked: &LoadSkill) -> Said<Loaded> {
        let loaded = match skill::load(&self.workspace.join(&asked.path)) {
            Ok(loaded) => loaded,
            Err(error) => return Ok(Answer::refused("skill_unreadable", error.to_string())),
        };
        let skill = loaded.skill.clone();
        self.manager()?.observe(loaded.into())?;
        Ok(Answer::Ok(Loaded { skill }))
    }

    pub(super) fn advance_clock(&mut self, asked: &AdvanceClock) -> Said<Done> {
        self.clock.advance(asked.seconds);
        Ok(Answer::Ok(Done {}))
    }

    pub(super) fn journal(&mut self, asked: &Journal) -> Result<Journalled, Failure> {
        if asked.is_final
            && let Some(manager) = self.manager.take()
        {
            self.calls.clear();
            manager.close()?;
        }
        let artifacts = Some(self.home.artifacts().display().to_string());
        Ok(Journalled { events: journal::events(&self.home)?, artifacts })
    }
}

/// The tools that ship, read once for all sessions: there are many, and sessions are short.
struct Shipped;

impl ToolSourcePort for Shipped {
    fn discover(&self) -> Result<Discovery, SourceError> {
        static READ: LazyLock<Result<Discovery, SourceError>> = LazyLock::new(|| Standard.discover());
        READ.clone()
    }
}

/// Secrets by name: the environment that the broker reads.
type Secrets = Arc<Mutex<BTreeMap<String, String>>>;

fn locked(secrets: &Mutex<BTreeMap<String, String>>) -> MutexGuard<'_, BTreeMap<String, String>> {
    secrets.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The scopes of the suite's tools, for who holds them all.
const EVERY_SCOPE: [&str; 7] = [
    "workspace:read",
    "workspace:write",
    "workspace:delete",
    "suite:send",
    "suite:greet",
    "weather:use",
    "cleaner:use",
];

pub(super) fn decision(decision: Decision) -> crate::conform::protocol::Decision {
    match decision {
        Decision::Allow => crate::conform::protocol::Decision::Allow,
        Decision::Ask => crate::conform::protocol::Decision::Ask,
        Decision::Deny => crate::conform::protocol::Decision::Deny,
    }
}

/// What the manager does not do is a refusal; what it could not do is a failure.
pub(super) fn refused<T>(error: HomeManagerError) -> Said<T> {
    use proofhouse_manager::registry::admission::AdmissionError as A;
    let code = match &error {
        HomeManagerError::NoView => "no_view",
        HomeManagerError::NotObservable(_) => "not_observable",
        HomeManagerError::Turn(_) => "no_turn",
        HomeManagerError::Admission(
            A::Schema { .. } | A::Taken { .. } | A::Unknown(_) | A::NotThere { .. } | A::NotAPerson(_),
        ) => "not_admitted",
        _ => return Err(error.into()),
    };
    Ok(Answer::refused(code, error.to_string()))
}

#[cfg(target_os = "linux")]
fn adapters(
    home: &Home,
    workspace: &Path,
    broker: &Arc<dyn CredentialBroker>,
) -> Result<Vec<Arc<dyn Adapter>>, Failure> {
    use proofhouse_manager::adapters::{
        builtin::{Builtin, Workspace},
        cli::{Caller, Cli, CliOptions},
        sandbox::Sandbox,
    };
    let programs: Arc<dyn Adapter> = Arc::new(Cli::new(CliOptions {
        workspace: workspace.to_owned(),
        home: home.clone(),
        sandbox: Arc::new(Sandbox::new(home.sandboxes())),
        caller: Caller::new(|_| None),
        credentials: Arc::clone(broker),
    }));
    let scripts = skill::Scripts { workspace: workspace.to_owned(), programs: Arc::clone(&programs) };
    Ok(vec![
        Arc::new(Builtin::new(Workspace::open(workspace)?)),
        programs,
        Arc::new(scripts),
        Arc::new(Outbox(workspace.join("outbox"))),
        Arc::new(Unserved),
    ])
}

#[cfg(not(target_os = "linux"))]
fn adapters(
    _: &Home,
    workspace: &Path,
    _: &Arc<dyn CredentialBroker>,
) -> Result<Vec<Arc<dyn Adapter>>, Failure> {
    Ok(vec![Arc::new(Outbox(workspace.join("outbox"))), Arc::new(Unserved)])
}
