//! `proofhouse call`: one call of a registered tool, through the whole pipeline.

use super::{
    CliError, Command, Exit,
    exit::{say, talk},
    home::HomeOption,
};
use clap::{ArgMatches, FromArgMatches as _, ValueEnum};
use proofhouse_manager::{
    adapters::{
        approvers::{self, Setting, own_principal},
        clock::SystemClock,
        egress::SystemResolver,
        home::Home,
        http::Http,
        registrations::CallableTools,
        wait::ThreadWait,
    },
    document::did_you_mean,
    manager::{Ended, HomeManager, HomeManagerError, HomeOptions, StatedIntent, ToolManager as _, Verdict},
    model::{
        CallId, Principal, ProposedArgs, ProposedBy, ProposedCall, ResultStatus, StopReason, ToolResult,
    },
    port::{Adapter, CredentialBroker},
    registry::RegisteredTool,
    stage::{Authorized, Outcome, RunMode},
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
    /// How long the answer may be given and used
    #[arg(long, value_name = "SECONDS", default_value_t = 600, value_parser = clap::value_parser!(u32).range(1..=86_400))]
    approval_ttl: u32,
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
        let mut manager = open(&arguments)?;
        let (call, end) = call(&mut manager, &arguments, args)?;
        manager.close().map_err(CliError::surroundings)?;
        say(&match arguments.format {
            Format::Text => end.text(&call),
            Format::Json => format!("{:#}\n", end.json(&call)),
        });
        Ok(end.exit())
    }
}

/// How a call ended.
enum End {
    Ran(Box<ToolResult>),
    /// It was refused, with the reason.
    Refused(StopReason),
    /// It would be asked about: what the approver would be shown.
    WouldAsk(String),
}

/// Opens the home for one call.
fn open(arguments: &Arguments) -> Result<HomeManager, CliError> {
    let home = arguments.home.open()?;
    let workspace = arguments.workspace.canonicalize().map_err(|e| {
        CliError::usage(format!("the workspace `{}` cannot be used: {e}", arguments.workspace.display()))
    })?;
    let kind = approvers::Kind::named(&arguments.approver);
    let kind = kind.expect("INVARIANT: clap knows no approver beside those of the table");
    let setting = Setting { home: home.clone(), clock: Arc::new(SystemClock), wait: Arc::new(ThreadWait) };
    let scopes = arguments.scopes.iter().cloned().collect();
    let credentials: Arc<dyn CredentialBroker> = Arc::new(super::credentials::broker(&home)?);
    let options = HomeOptions {
        principal: (!arguments.scopes.is_empty()).then(|| Principal { id: own_principal(), scopes }),
        adapters: adapters(&home, &workspace, &credentials)?,
        credentials,
        approver: kind.open(&setting),
        approval_ttl: Some(chrono::TimeDelta::seconds(arguments.approval_ttl.into())),
        mode: if arguments.dry_run { RunMode::DryRun } else { RunMode::Real },
        ..HomeOptions::new(workspace)
    };
    HomeManager::open(home, options).map_err(CliError::usage)
}

/// Takes one call through the pipeline.
fn call(
    manager: &mut HomeManager,
    arguments: &Arguments,
    args: ProposedArgs,
) -> Result<(CallId, End), CliError> {
    let tool = find(manager.tools(), &arguments.tool)?;
    let failed = |error: HomeManagerError| CliError::surroundings(error);
    manager.offer(std::slice::from_ref(tool.id()));
    let stated = StatedIntent { action_types: tool.descriptor().intent.action_types.clone(), target: None };
    let mut intent = manager.stated_intent(&arguments.intent, &stated);
    intent.rationale_summary.clone_from(&arguments.intent);
    let resolved = manager.resolve(intent).map_err(failed)?;
    let view = manager.compile_view(resolved).map_err(failed)?;
    // A tool that is hidden cannot be proposed; why it is hidden is what people want to know.
    for dropped in &view.dropped {
        talk(&format!(
            "`{}` is not offered: {} ({})",
            dropped.tool_id,
            dropped.reason,
            dropped.filter.as_str()
        ));
    }
    let draft = ProposedCall { tool: tool.id().clone(), args, proposed_by: ProposedBy::User };
    let (call, outcome) = manager.validate_args(draft).map_err(failed)?;
    let verdict = match outcome {
        Outcome::Next(valid) => manager.authorize(valid).map_err(failed)?,
        Outcome::Stop(stop) => Verdict::Stopped(stop.reason),
    };
    let verdict = match verdict {
        Verdict::Asked(pending) if arguments.dry_run => {
            let preview = pending.request().preview.clone();
            manager.manager().withdraw(&pending);
            return Ok((call, End::WouldAsk(preview)));
        }
        Verdict::Asked(pending) => manager.approve(pending).map_err(failed)?,
        decided => decided,
    };
    let end = match verdict {
        Verdict::Allowed(authorized) => run(manager, authorized)?,
        Verdict::Stopped(reason) => End::Refused(reason),
        // An answer is a yes or a no.
        Verdict::Asked(_) => return Err(CliError::surroundings("the approver has answered with a question")),
    };
    Ok((call, end))
}

fn run(manager: &mut HomeManager, authorized: Authorized) -> Result<End, CliError> {
    let failed = |error: HomeManagerError| CliError::surroundings(error);
    let prepared = match manager.prepare_runtime(authorized).map_err(failed)? {
        Outcome::Next(prepared) => prepared,
        Outcome::Stop(stop) => return Ok(End::Refused(stop.reason)),
    };
    let executed = match manager.execute(prepared).map_err(failed)? {
        Outcome::Next(executed) => executed,
        Outcome::Stop(stop) => return Ok(End::Refused(stop.reason)),
    };
    Ok(match manager.verify(executed).map_err(failed)? {
        Ended::Ran(recorded) => End::Ran(Box::new(recorded.result().clone())),
        Ended::Stopped(reason) => End::Refused(reason),
    })
}

/// What runs tools on this machine.
fn adapters(
    home: &Home,
    workspace: &std::path::Path,
    credentials: &Arc<dyn CredentialBroker>,
) -> Result<Vec<Arc<dyn Adapter>>, CliError> {
    let requests: Arc<dyn Adapter> = Arc::new(Http::new(Arc::new(SystemResolver), Arc::clone(credentials)));
    #[cfg(target_os = "linux")]
    {
        use proofhouse_manager::adapters::{
            builtin::{Builtin, Workspace},
            cli::{Caller, Cli, CliOptions},
            sandbox::Sandbox,
        };
        let environment = super::environment();
        let programs = Cli::new(CliOptions {
            workspace: workspace.to_owned(),
            home: home.clone(),
            sandbox: Arc::new(Sandbox::new(home.sandboxes())),
            caller: Caller::new(move |name| environment(name)),
            credentials: Arc::clone(credentials),
        });
        let workspace = Workspace::open(workspace).map_err(CliError::usage)?;
        Ok(vec![Arc::new(Builtin::new(workspace)), Arc::new(programs), requests])
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = (home, workspace);
        Ok(vec![requests])
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

/// Lines of somebody else's words, with nothing in them that a terminal obeys.
fn lines(words: &str) -> String {
    words.lines().map(|line| format!("{}\n", text::clean(line))).collect()
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
            Self::Refused(reason) => format!("refused, {}{more}", lines(&reason.to_string()).trim_end()),
            Self::WouldAsk(preview) => format!("{preview}\nwould be asked about; nothing was done{more}"),
            Self::Ran(result) => {
                let shown = lines(result.output_preview.as_deref().unwrap_or_default());
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
