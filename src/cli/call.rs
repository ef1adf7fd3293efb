//! `proofhouse call`: one call of a registered tool, through the whole pipeline.

use super::{
    CliError, Command, Exit,
    exit::{say, talk},
    home::HomeOption,
};
use clap::{ArgMatches, FromArgMatches as _, ValueEnum};
use proofhouse_manager::{
    adapters::{
        approvers::{self, ListedApprovers, Setting, SpentMarkers, own_principal},
        artifacts::ArtifactFolder,
        clock::SystemClock,
        grants::GrantBook,
        home::Home,
        journal::{JournalOptions, JournalWriter},
        policies::PolicyFiles,
        registrations::{CallableTools, Registrations},
        wait::ThreadWait,
    },
    authority::preview,
    document::did_you_mean,
    event::Scope,
    manager::{Approving, Ended, Executors, Manager, RunOptions, Session, StatedIntent, Verdict},
    model::{
        CallId, EffectLevel, Principal, ProposedArgs, ProposedBy, ProposedCall, ResultStatus, RunId,
        SessionId, StopReason, Surroundings, ToolBudget, ToolResult,
    },
    policy::{Actor, Scene, Vocabulary},
    port::{Adapter, Approver, Clock as _, Interrupt},
    registry::{RegisteredTool, Registry, ledger::Asker},
    resolve::{Environment, Selection},
    stage::{Authorized, GrantLifetimes, Pending, RunMode},
    text,
};
use serde_json::{Value, json};
use std::{path::PathBuf, sync::Arc};

/// The subcommand.
#[derive(Debug)]
pub(super) struct Call;

#[derive(Debug, clap::Parser)]
struct Arguments {
    /// The tool's id
    tool: String,
    /// Its arguments, as a JSON object
    #[arg(default_value = "{}", value_name = "ARGS")]
    args: String,
    /// Why, in a few words; recorded, and shown to whoever is asked
    #[arg(long, value_name = "TEXT", default_value = "called from the command line")]
    intent: String,
    /// The folder that the tool works in
    #[arg(long, value_name = "DIR", default_value = ".")]
    workspace: PathBuf,
    /// Show what would happen; keep nothing, ask nobody
    #[arg(long)]
    dry_run: bool,
    /// Who is asked where policy says ask
    #[arg(long, value_name = "WORD", default_value = "terminal", value_parser = ["terminal", "queue", "none"])]
    approver: String,
    /// A scope that you hold (repeatable) [default: those that the tool asks for]
    #[arg(long = "scope", value_name = "SCOPE")]
    scopes: Vec<String>,
    #[command(flatten)]
    home: HomeOption,
    /// How to print
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

#[derive(Debug, Clone, Copy, PartialEq, ValueEnum)]
enum Format {
    Text,
    Json,
}

impl Command for Call {
    fn clap(&self) -> clap::Command {
        <Arguments as clap::CommandFactory>::command()
            .name("call")
            .about("Call a registered tool, through the whole pipeline")
            .after_help("Exit codes: 0 it did what it should · 1 it was refused or failed · 2 usage · 3 the surroundings failed")
    }

    fn run(&self, matches: &ArgMatches) -> Result<Exit, CliError> {
        let arguments = Arguments::from_arg_matches(matches).map_err(CliError::usage)?;
        // Strict: a key that stands twice is refused, for which of the two would be approved?
        let args = ProposedArgs::from_text(&arguments.args);
        let bench = Bench::open(&arguments)?;
        let (call, end) = bench.call(&arguments, args)?;
        say(&match arguments.format {
            Format::Text => end.text(&call),
            Format::Json => format!("{:#}\n", end.json(&call)),
        });
        Ok(end.exit())
    }
}

/// Everything that one call needs.
struct Bench {
    home: Home,
    manager: Manager,
    session: Session,
    grants: Arc<GrantBook>,
    approver: Arc<dyn Approver>,
    tool: Arc<RegisteredTool>,
    journal: JournalWriter,
}

/// How a call ended.
enum End {
    Ran(Box<ToolResult>),
    /// It was refused, with the reason.
    Refused(StopReason),
    /// It would be asked about: what the approver would be shown.
    WouldAsk(String),
}

impl Bench {
    fn open(arguments: &Arguments) -> Result<Self, CliError> {
        let home = arguments.home.open()?;
        let clock = Arc::new(SystemClock);
        let (session_id, run_id) = (SessionId::from_uuid(clock.uuid()), RunId::from_uuid(clock.uuid()));
        let registrations = Registrations::of(home.clone());
        let ledger = registrations.ledger().map_err(CliError::usage)?;
        let who = own_principal();
        let asker = Asker { principal: &who, session: &session_id, now: clock.now() };
        let tools = registrations.callable(&ledger, asker);
        let tool = find(&tools, &arguments.tool)?;

        let required = &tool.descriptor().permissions.required_scopes;
        let scopes = if arguments.scopes.is_empty() { required } else { &arguments.scopes };
        let principal = Principal { id: who, scopes: scopes.iter().cloned().collect() };
        let workspace = arguments.workspace.canonicalize().map_err(|e| {
            CliError::usage(format!("the workspace `{}` cannot be used: {e}", arguments.workspace.display()))
        })?;
        let tenant = format!("workspace:{}", workspace.display());
        let policy = PolicyFiles::Folder(home.policies()).open(&vocabulary(&tools.registry));
        let grants = Arc::new(GrantBook::open(&home, clock.clone()).map_err(CliError::surroundings)?);
        let executors =
            Executors::new(adapters(&workspace)?, Arc::new(ArtifactFolder::new(home.artifacts())));
        let manager = Manager::new(tools.registry, policy, clock.clone())
            .with_grants(grants.clone())
            .with_executors(executors);
        let session = Session {
            scope: Scope { session_id, run_id: run_id.clone(), call_id: None },
            actor: Arc::new(Actor::new(principal)),
            scene: Arc::new(Scene::new(Surroundings {
                workspace: Some(workspace.display().to_string()),
                ..Surroundings::default()
            })),
            budget: ToolBudget { max_tools_visible: 1, max_tokens: None },
            selection: Selection::All,
            max_level: EffectLevel::DestructiveOrAdmin,
            environment: Arc::new(Environment::default()),
            tenant: Some(tenant.into()),
            memory: Default::default(),
        };
        let kind = approvers::Kind::named(&arguments.approver);
        let kind = kind.expect("INVARIANT: clap knows no approver beside those of the table");
        let setting = Setting { home: home.clone(), clock: clock.clone(), wait: Arc::new(ThreadWait) };
        let writer = concat!("proofhouse ", env!("CARGO_PKG_VERSION"));
        let journal = JournalOptions::of_home(&home, &run_id, writer, clock)
            .and_then(|options| options.open(&home.run(&run_id)))
            .map_err(CliError::surroundings)?;
        Ok(Self { approver: kind.open(&setting), home, manager, session, grants, tool, journal })
    }

    fn call(mut self, arguments: &Arguments, args: ProposedArgs) -> Result<(CallId, End), CliError> {
        let intent =
            StatedIntent { action_types: self.tool.descriptor().intent.action_types.clone(), target: None };
        let wanted = self.tool.id().clone();
        let offered = self.manager.index().population(|id| *id == wanted);
        let turn = self
            .manager
            .open_turn(&self.session, &arguments.intent, Some(&intent), Some(&offered), &mut self.journal)
            .map_err(CliError::surroundings)?;
        // A tool that policy hides cannot be proposed; why it does is what people want to know.
        if let Some(dropped) = turn.view.dropped.first() {
            talk(&format!(
                "`{}` is not offered: {} ({})",
                dropped.tool_id,
                dropped.reason,
                dropped.filter.as_str()
            ));
        }
        let proposed = ProposedCall { tool: wanted, args, proposed_by: ProposedBy::User };
        let (call, verdict) = self
            .manager
            .decide(&self.session, &turn, proposed, &mut self.journal)
            .map_err(CliError::surroundings)?;
        let end = self.end(verdict, if arguments.dry_run { RunMode::DryRun } else { RunMode::Real })?;
        self.journal.close().map_err(CliError::surroundings)?;
        Ok((call, end))
    }

    fn end(&mut self, verdict: Verdict, mode: RunMode) -> Result<End, CliError> {
        match (verdict, mode) {
            (Verdict::Stopped(reason), _) => Ok(End::Refused(reason)),
            (Verdict::Allowed(authorized), mode) => self.run(authorized, mode),
            (Verdict::Asked(pending), RunMode::DryRun) => Ok(End::WouldAsk(preview(pending.request()))),
            (Verdict::Asked(pending), RunMode::Real) => match self.ask(pending)? {
                Verdict::Allowed(authorized) => self.run(authorized, RunMode::Real),
                Verdict::Stopped(reason) => Ok(End::Refused(reason)),
                // An answer is a yes or a no.
                Verdict::Asked(_) => Err(CliError::surroundings("the approver has answered with a question")),
            },
        }
    }

    /// Asks somebody. The policies that hold when the answer comes decide whether it counts.
    fn ask(&mut self, pending: Pending) -> Result<Verdict, CliError> {
        let watch = self.watch(None)?;
        let (rights, uses) = (ListedApprovers::of(&self.home), SpentMarkers::of(&self.home));
        let with = Approving {
            approver: &*self.approver,
            rights: &rights,
            uses: &uses,
            interrupt: &watch,
            lifetimes: GrantLifetimes::default(),
        };
        // INVARIANT: the question is on the disk before anybody sees it.
        self.journal.commit().map_err(CliError::surroundings)?;
        let request = pending.request();
        let reply = self.approver.ask(request, request.expires_at, &watch);
        let policy = PolicyFiles::Folder(self.home.policies()).open(&vocabulary(self.manager.registry()));
        self.manager.replace_policy(policy);
        self.manager
            .answered(&self.session, pending, reply, &with, &mut self.journal)
            .map_err(CliError::surroundings)
    }

    fn run(&mut self, authorized: Authorized, mode: RunMode) -> Result<End, CliError> {
        let watch = self.watch(authorized.grant())?;
        let options = RunOptions { mode, interrupt: &watch, attempt: 0 };
        let ended =
            self.manager.run(authorized, &options, &mut self.journal).map_err(CliError::surroundings)?;
        Ok(match ended {
            Ended::Ran(recorded) => End::Ran(Box::new(recorded.result().clone())),
            Ended::Stopped(reason) => End::Refused(reason),
        })
    }

    fn watch(
        &self,
        grant: Option<&proofhouse_manager::model::PermissionGrant>,
    ) -> Result<impl Interrupt + use<>, CliError> {
        let tool = (self.tool.id(), self.tool.version());
        self.grants.watch(tool, grant).map_err(CliError::surroundings)
    }
}

/// What policies here can speak of.
fn vocabulary(registry: &Registry) -> Vocabulary<'_> {
    Vocabulary::new(registry.tools().iter().map(|tool| tool.descriptor()))
}

/// What runs tools on this machine.
fn adapters(workspace: &std::path::Path) -> Result<Vec<Arc<dyn Adapter>>, CliError> {
    #[cfg(target_os = "linux")]
    {
        use proofhouse_manager::adapters::builtin::{Builtin, Workspace};
        let workspace = Workspace::open(workspace).map_err(CliError::usage)?;
        Ok(vec![Arc::new(Builtin::new(workspace))])
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = workspace;
        Ok(Vec::new())
    }
}

fn find(tools: &CallableTools, id: &str) -> Result<Arc<RegisteredTool>, CliError> {
    if let Some(tool) = tools.registry.get(id) {
        return Ok(Arc::clone(tool));
    }
    if let Some(no) = tools.refused.iter().find(|no| *no.tool == *id) {
        return Err(CliError::fails(no));
    }
    if let Some(first) = tools.unusable.first() {
        talk(&format!("warning: {first}"));
    }
    let known = tools.registry.tools().iter().map(|t| t.id().as_str());
    let refused = tools.refused.iter().map(|no| no.tool.as_str());
    let hint = did_you_mean(id, known.chain(refused)).map_or_else(
        || "`proofhouse tools list` names them all; `proofhouse tools register` adds some".to_owned(),
        |near| format!("did you mean `{near}`?"),
    );
    Err(CliError::usage(format!("there is no registered tool `{id}`\nhint: {hint}")))
}

impl End {
    fn exit(&self) -> Exit {
        match self {
            Self::Ran(result) if result.status == ResultStatus::Success => Exit::Holds,
            Self::WouldAsk(_) => Exit::Holds,
            Self::Ran(_) | Self::Refused(_) => Exit::Fails,
        }
    }

    fn text(&self, call: &CallId) -> String {
        let more = format!("\n{call}: `proofhouse tool-call {call}` tells all about it\n");
        match self {
            Self::Refused(reason) => format!("refused, {}{more}", text::clean(&reason.to_string())),
            Self::WouldAsk(preview) => format!("{preview}\nwould be asked about; nothing was done{more}"),
            Self::Ran(result) => {
                let lines = result.output_preview.as_deref().unwrap_or_default().lines();
                let shown: String = lines.map(|line| format!("{}\n", text::clean(line))).collect();
                let error = result.error.as_ref().map_or_else(String::new, |e| {
                    format!("failed, {}: {}\n", text::clean(&e.code), text::clean(&e.message))
                });
                let kept: String = result
                    .artifacts
                    .iter()
                    .map(|a| format!("kept as {} {}\n", a.artifact_id, a.uri))
                    .collect();
                format!("{}\n{error}{kept}{}", shown.trim_end(), more.trim_start())
            }
        }
    }

    fn json(&self, call: &CallId) -> Value {
        match self {
            Self::Refused(reason) => json!({ "toolCallId": call, "refused": reason }),
            Self::WouldAsk(preview) => json!({ "toolCallId": call, "wouldAsk": preview }),
            Self::Ran(result) => json!({ "toolCallId": call, "result": result }),
        }
    }
}
