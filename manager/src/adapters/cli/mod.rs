//! Tools that are programs (§14): a typed template, a sandbox that the kernel enforces, a parser, and what was really
//! written.
//!
//! A program works on a view of the workspace that nobody else sees. What it wrote there is read from the kernel's
//! layer and held against the contract; then exactly that is kept, or nothing. Its own word counts for nothing.
//!
//! Knows no policy of calls and no journal: it gets a ticket when a call may run. A shell is started where a contract
//! says so, with a command line that was read and judged.

mod argv;
mod audit;
mod caller;
mod ended;
mod fault;
mod parse;
mod policy;
mod program;
mod rehearse;
mod run;
mod view;

pub use caller::Caller;

use crate::{
    adapters::{egress::Gate, home::Home, sandbox::Sandbox},
    event::fact::FinishStatus,
    model::{
        ArtifactKind, CommandFaultKind, CommandTemplate, Digest, Domain, EffectsObserved, Egress, StopCode,
        StopReason, ToolDescriptor,
    },
    port::{Adapter, CredentialBroker, Interrupt, Leased, Ran, Rehearsals, RunRequest, Settled},
    stage::{RunMode, Ticket},
};
use fault::{Fault, PARTLY};
use serde_json::Value;
use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::Instant,
};
use view::View;

/// Runs programs for one workspace.
#[derive(Debug)]
pub struct Cli {
    workspace: PathBuf,
    home: Home,
    sandbox: Arc<Sandbox>,
    caller: Caller,
    credentials: Broker,
}

/// With what programs are run.
pub struct CliOptions {
    /// The workspace, with no link left in its path.
    pub workspace: PathBuf,
    /// Where caches and views are kept.
    pub home: Home,
    /// What holds them.
    pub sandbox: Arc<Sandbox>,
    /// Whose surroundings they start in.
    pub caller: Caller,
    /// Who lends them secrets.
    pub credentials: Arc<dyn CredentialBroker>,
}

impl std::fmt::Debug for CliOptions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CliOptions").field("workspace", &self.workspace).finish_non_exhaustive()
    }
}

struct Broker(Arc<dyn CredentialBroker>);

impl std::fmt::Debug for Broker {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Broker")
    }
}

impl Cli {
    /// Runs programs with these.
    pub fn new(options: CliOptions) -> Self {
        let CliOptions { workspace, home, sandbox, caller, credentials } = options;
        Self { workspace, home, sandbox, caller, credentials: Broker(credentials) }
    }
}

/// The template of a tool, which must be sound.
fn template(tool: &ToolDescriptor) -> Result<&CommandTemplate, Fault> {
    let unusable = |why: String| Fault::new("template_unusable", why);
    let command = tool.execution.command.as_ref().ok_or_else(|| {
        unusable(format!(
            "`{}` does not say how its program is started\nhint: `execution.command`",
            tool.tool_id
        ))
    })?;
    let faults = command.faults(&tool.schemas.input_schema);
    match faults.into_iter().find(|fault| fault.kind != CommandFaultKind::Unused) {
        None => Ok(command),
        Some(fault) => {
            Err(unusable(format!("its command cannot be used: `{}`: {}", fault.pointer, fault.message)))
        }
    }
}

impl Adapter for Cli {
    fn word(&self) -> &'static str {
        "cli"
    }

    fn settle(&self, run: &RunRequest<'_>) -> Result<Settled, StopReason> {
        let command = template(run.tool)?;
        // What cannot be handed over is said before anybody is asked about it.
        argv::words(command, run.args)?;
        let commands = audit::told(command, run.args)?;
        if let Some(why) = self.sandbox.refusal(run.tool.sandbox.mode) {
            return Err(StopReason::new(StopCode::SandboxUnavailable, why));
        }
        let mut enforced =
            self.sandbox.enforced().map_err(|why| StopReason::new(StopCode::SandboxUnavailable, why))?;
        let cache = self.cache(run.tool);
        let place = policy::Place {
            workspace: &self.workspace,
            cache: cache.as_deref(),
            home: self.home.root(),
            caller: &self.caller,
            folder: command.working_directory_of.as_deref().and_then(|name| run.args.get(name)?.as_str()),
            timeout_ms: command.timeout_of.as_deref().and_then(|name| run.args.get(name)?.as_u64()),
        };
        let sandbox = policy::policy(run.tool, place)?;
        let program = program::find(&command.program, self.caller.folders(), &self.workspace)?;
        let credentials = self.credentials.0.references(run)?;
        if let Some(by) = policy::way_out(&sandbox) {
            enforced.insert("network".to_owned(), by.to_owned());
        }
        enforced.extend(commands.map(|told| ("commands".to_owned(), told)));
        Settled::new(sandbox, enforced, Some(program.file), credentials)
    }

    fn invoke(&self, ticket: Ticket<'_>) -> Ran {
        let store = self.home.sandboxes().join(ticket.call().as_str());
        let leased = match self.credentials.0.lease(&ticket.run_request()) {
            Ok(leased) => leased,
            Err(reason) => return Tried::failed(Fault::new("credential_unavailable", reason.message)).ran(),
        };
        let (tool, settled, interrupt) = (ticket.tool(), ticket.settled(), ticket.interrupt());
        let reach = Reach::Granted;
        let errand =
            Errand { tool, args: ticket.args(), settled, interrupt, store: &store, leased: &leased, reach };
        let tried = self.try_it(&errand);
        match ticket.mode() {
            RunMode::DryRun => tried.shown(),
            RunMode::Real => tried.kept(&ticket, &self.workspace),
        }
    }

    fn rehearsals(&self) -> Option<&dyn Rehearsals> {
        Some(self)
    }
}

/// A run that somebody wants, and where what it writes goes.
struct Errand<'a> {
    tool: &'a ToolDescriptor,
    args: &'a Value,
    settled: &'a Settled,
    interrupt: &'a dyn Interrupt,
    store: &'a Path,
    leased: &'a [Leased],
    reach: Reach,
}

/// Whether a run gets out to the hosts that it is granted.
#[derive(Debug, Clone, Copy)]
enum Reach {
    Granted,
    Nothing,
}

impl Cli {
    /// The folder that a tool has for this workspace alone; the same whenever it is called.
    fn cache(&self, tool: &ToolDescriptor) -> Option<PathBuf> {
        let command = tool.execution.command.as_ref()?;
        let of = format!("{}\0{}", tool.tool_id, self.workspace.display());
        let name = Digest::of_bytes(Domain::Plain, of.as_bytes());
        let folder = self.home.caches().canonicalize().unwrap_or_else(|_| self.home.caches());
        (!command.environment.cache.is_empty()).then(|| folder.join(name.short()))
    }

    /// The way out that a run has: none where nothing is granted, and none in a rehearsal.
    fn gate(&self, errand: &Errand<'_>) -> Result<Option<Gate>, Fault> {
        let network = &errand.settled.sandbox.network;
        match (errand.reach, network.egress) {
            (Reach::Granted, Egress::Allowlist) => policy::gate(network, errand.tool).map(Some),
            (Reach::Granted, Egress::None) | (Reach::Nothing, _) => Ok(None),
            (Reach::Granted, Egress::Open) => {
                Err(Fault::new("sandbox_unavailable", "an open network is not given to a program"))
            }
        }
    }

    /// Runs a program on a view, and looks at what it did there. Nothing is kept yet.
    fn try_it(&self, errand: &Errand<'_>) -> Tried {
        let begun = Instant::now();
        [self.home.sandboxes(), self.home.rehearsals()].iter().for_each(|folder| view::sweep(folder));
        let mut tried = self.run(errand).unwrap_or_else(Tried::failed);
        tried.latency_ms = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
        tried
    }

    fn run(&self, errand: &Errand<'_>) -> Result<Tried, Fault> {
        let command = template(errand.tool)?;
        let cache = self.cache(errand.tool);
        if let Some(cache) = &cache {
            std::fs::create_dir_all(cache)
                .map_err(|why| Fault::new("system", format!("the tool's cache cannot be used: {why}")))?;
        }
        let job = run::Job {
            template: command,
            args: errand.args,
            settled: errand.settled,
            interrupt: errand.interrupt,
            workspace: &self.workspace,
            caller: &self.caller,
            cache: cache.as_deref(),
            store: errand.store,
            leased: errand.leased,
            gate: self.gate(errand)?,
        };
        let has_view = job.has_view();
        let (outcome, contacts) = job.run(&self.sandbox).inspect_err(|_| view::forget(errand.store))?;
        let mut tried = Tried {
            output: ended::output(&outcome, &contacts),
            external_calls: contacts.reached(),
            ..Tried::default()
        };
        if has_view {
            match View::open(errand.store, &self.workspace, command.workspace) {
                Ok(view) => tried.view = Some(view),
                Err(fault) => return Ok(tried.but(fault)),
            }
        }
        match ended::structure(&outcome, command, errand.interrupt) {
            Ok(structured) => tried.structured = Some(structured),
            Err(fault) => return Ok(tried.but(fault)),
        }
        Ok(match tried.hold(errand.tool) {
            Ok(()) => tried,
            Err(fault) => tried.but(fault),
        })
    }
}

/// A program that has run, and what of it may be kept.
#[derive(Debug, Default)]
struct Tried {
    output: Vec<u8>,
    structured: Option<Value>,
    fault: Option<Fault>,
    view: Option<View>,
    external_calls: Vec<String>,
    latency_ms: u64,
}

impl Tried {
    fn failed(fault: Fault) -> Self {
        Self { fault: Some(fault), ..Self::default() }
    }

    /// Holds what it did against the contract, before anything of it is kept.
    fn hold(&self, tool: &ToolDescriptor) -> Result<(), Fault> {
        if let Some(host) = self.external_calls.first().filter(|_| !tool.effects.external_calls) {
            let message = format!("it calls `{host}`, and no external call is declared; nothing was kept");
            return Err(Fault::new("undeclared_effects", message));
        }
        self.view.as_ref().map_or(Ok(()), |view| view.hold(tool))
    }

    /// The same, failed: there is no result, and nothing of what was written is kept.
    fn but(mut self, fault: Fault) -> Self {
        self.structured = None;
        self.fault = Some(fault);
        self
    }

    /// Shows what would have been written, and forgets it.
    fn shown(mut self) -> Ran {
        let mut effects = EffectsObserved::default();
        let mut diff = String::new();
        if let Some(view) = self.view.take() {
            if self.fault.is_none() {
                match view.diff() {
                    Ok(text) => diff = text,
                    Err(fault) => self = self.but(fault),
                }
                effects = view.effects.clone();
            }
            self = self.forget(view);
        }
        let mut ran = self.ran();
        if !diff.is_empty() {
            (ran.output, ran.kind) = (diff.into_bytes(), ArtifactKind::Diff);
        }
        let external_calls = ran.effects.external_calls;
        Ran { effects: EffectsObserved { external_calls, ..effects }, ..ran }
    }

    /// Keeps exactly what was written, if all went well; nothing otherwise.
    fn kept(mut self, ticket: &Ticket<'_>, workspace: &Path) -> Ran {
        let Some(view) = self.view.take() else { return self.ran() };
        let mut effects = EffectsObserved::default();
        if self.fault.is_none() {
            match keep(&view, ticket, workspace) {
                Ok(()) => effects = view.effects.clone(),
                Err(fault) => {
                    if fault.code == PARTLY {
                        effects = view.effects.clone();
                    }
                    self = self.but(fault);
                }
            }
        }
        let ran = self.forget(view).ran();
        let external_calls = ran.effects.external_calls;
        Ran { effects: EffectsObserved { external_calls, ..effects }, ..ran }
    }

    fn forget(self, view: View) -> Self {
        match view.discard() {
            Ok(()) => self,
            // What was kept is kept; but what should be gone is not, and that must be known.
            Err(fault) => self.but(Fault::new("view_not_forgotten", fault.message)),
        }
    }

    fn ran(self) -> Ran {
        Ran {
            status: self.fault.as_ref().map_or(FinishStatus::Success, Fault::status),
            output: self.output,
            kind: ArtifactKind::ToolOutput,
            structured: self.structured,
            effects: EffectsObserved { external_calls: self.external_calls, ..EffectsObserved::default() },
            error: self.fault.map(Into::into),
            latency_ms: self.latency_ms,
        }
    }
}

/// Keeps what is replaced, then writes.
fn keep(view: &View, ticket: &Ticket<'_>, workspace: &Path) -> Result<(), Fault> {
    if !view.changes.0.is_empty() {
        ticket.keep(workspace, &view.changes, &|change| view.before(change))?;
    }
    view.commit()
}
