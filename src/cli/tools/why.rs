//! `proofhouse tools why`: why a model sees a tool for some intent, or why it does not.

use super::{
    super::{CliError, Exit, evidence::rejection, exit::say},
    load,
};
use crate::run::Toolbox;
use clap::ValueEnum;
use proofhouse_manager::{
    adapters::{clock::SystemClock, journal::MemoryLog},
    document::did_you_mean,
    event::Scope,
    explain::WhyInView,
    manager::{Manager, Session},
    model::{EffectLevel, Principal, RunId, SessionId, ToolBudget, ToolView},
    policy::{Actor, PolicyEngine},
    port::Clock as _,
    resolve::{Environment, Selection},
    text,
};
use serde_json::json;
use std::{path::PathBuf, sync::Arc};

#[derive(Debug, clap::Args)]
pub(super) struct Why {
    /// The tool's id
    tool: String,
    /// What the user says
    #[arg(long, value_name = "TEXT")]
    intent: String,
    /// A suite, a folder of descriptors, or a tool file
    #[arg(long, value_name = "PATH", default_value = "proofhouse.yaml")]
    from: PathBuf,
    /// Who acts
    #[arg(long, value_name = "KIND:NAME", default_value = "user:dev")]
    principal: String,
    /// A scope that the principal holds (repeatable) [default: all that the tools ask for]
    #[arg(long = "scope", value_name = "SCOPE")]
    scopes: Vec<String>,
    /// At most so many tools are shown
    #[arg(long, value_name = "N", default_value_t = 20)]
    max_tools: usize,
    /// Policies instead of the standard ones: a file alone, or a folder, which extends them
    #[arg(long, value_name = "PATH")]
    policies: Option<PathBuf>,
    /// How to print
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

#[derive(Debug, Clone, Copy, PartialEq, ValueEnum)]
enum Format {
    Text,
    Json,
}

/// 0: the model sees it. 1: it does not.
pub(super) fn run(options: &Why) -> Result<Exit, CliError> {
    let toolbox = load(&options.from)?;
    if toolbox.registry.get(&options.tool).is_none() {
        return not_registered(options, &toolbox);
    }
    let view = view(options, toolbox)?;
    let why = WhyInView::of(&view, &options.tool);
    say(&match options.format {
        Format::Json => format!("{:#}\n", json!({ "format": 1, "toolId": options.tool, "why": why })),
        Format::Text => format!("{}\n", sentence(&options.tool, &why, &view)),
    });
    Ok(if matches!(why, WhyInView::Shown { .. }) { Exit::Holds } else { Exit::Fails })
}

/// A tool that is not even a candidate.
fn not_registered(options: &Why, toolbox: &Toolbox) -> Result<Exit, CliError> {
    let Some(reason) = rejection(toolbox, &options.tool) else {
        let known = toolbox.registry.tools().iter().map(|t| t.id().as_str());
        let hint = did_you_mean(&options.tool, known).map_or_else(
            || "`proofhouse tools list` names them all".to_owned(),
            |near| format!("did you mean `{near}`?"),
        );
        return Err(CliError::usage(format!("there is no tool `{}`\nhint: {hint}", options.tool)));
    };
    let why = json!({ "place": "rejected", "reason": reason });
    say(&match options.format {
        Format::Json => format!("{:#}\n", json!({ "format": 1, "toolId": options.tool, "why": why })),
        Format::Text => {
            format!(
                "{} is not shown: it cannot be used: {}\n",
                text::clean(&options.tool),
                text::clean(reason)
            )
        }
    });
    Ok(Exit::Fails)
}

fn view(options: &Why, toolbox: Toolbox) -> Result<ToolView, CliError> {
    let asked_for = || {
        let tools = toolbox.registry.tools().iter();
        tools.flat_map(|t| t.descriptor().permissions.required_scopes.iter().cloned()).collect()
    };
    let scopes =
        if options.scopes.is_empty() { asked_for() } else { options.scopes.iter().cloned().collect() };
    let policy = match &options.policies {
        Some(path) => super::super::evidence::policies(path, &(&toolbox.registry).into())?,
        None => PolicyEngine::standard().map_err(CliError::usage)?,
    };
    let clock = Arc::new(SystemClock);
    let scope = Scope {
        session_id: SessionId::from_uuid(clock.uuid()),
        run_id: RunId::from_uuid(clock.uuid()),
        call_id: None,
    };
    let session = Session {
        scope,
        actor: Arc::new(Actor::new(Principal { id: options.principal.as_str().into(), scopes })),
        scene: Arc::default(),
        budget: ToolBudget { max_tools_visible: options.max_tools, max_tokens: None },
        selection: Selection::Ranked,
        max_level: EffectLevel::DestructiveOrAdmin,
        environment: Arc::new(Environment::default()),
        tenant: None,
        memory: Default::default(),
    };
    let manager = Manager::new(toolbox.registry, policy, Arc::clone(&clock) as _);
    let mut log = MemoryLog::new(&*clock);
    let turn = manager.open_turn(&session, &options.intent, None, None, &mut log).map_err(CliError::usage)?;
    Ok(turn.view)
}

fn sentence(tool: &str, why: &WhyInView, view: &ToolView) -> String {
    let tool = text::clean(tool);
    match why {
        WhyInView::Shown { rank, of, tool: shown } => format!(
            "{tool} is shown, {rank} of {of}: {}\npolicy answers {} to a call, by {}",
            text::clean(&shown.reason),
            shown.policy_decision,
            shown.policy_ids.iter().map(|id| id.as_str()).collect::<Vec<_>>().join(", ")
        ),
        WhyInView::Dropped { dropped } => format!(
            "{tool} is not shown: dropped by the {} filter: {}\n{} tools are shown, {} left out",
            dropped.filter.as_str(),
            text::clean(&dropped.reason),
            view.tools.len(),
            view.dropped.len()
        ),
        WhyInView::Unknown => format!("{tool} is not shown: the view was compiled without knowing it"),
    }
}
