//! `proofhouse tools why`: why a model sees a tool for some intent, or why it does not.

use super::{
    super::{
        CliError, Exit,
        evidence::{self, rejection},
        exit::say,
        home::HomeOption,
    },
    load,
};
use clap::ValueEnum;
use proofhouse_manager::{
    adapters::{
        approvers::own_principal, clock::SystemClock, home::Home, journal::MemoryLog, policies::PolicyFiles,
        registrations::Registrations,
    },
    document::did_you_mean,
    event::Scope,
    explain::WhyInView,
    manager::{Manager, Session},
    model::{EffectLevel, Principal, PrincipalId, RunId, SessionId, ToolBudget, ToolView},
    policy::{Actor, PolicyEngine, Vocabulary},
    port::Clock as _,
    registry::{Registry, ledger::Asker},
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
    /// A suite, a folder of descriptors, or a tool file, instead of what the home lets be called
    #[arg(long, value_name = "PATH")]
    from: Option<PathBuf>,
    #[command(flatten)]
    home: HomeOption,
    /// Who acts [default: yourself]
    #[arg(long, value_name = "KIND:NAME")]
    principal: Option<String>,
    /// A scope that the principal holds (repeatable) [default: all that the tools ask for]
    #[arg(long = "scope", value_name = "SCOPE")]
    scopes: Vec<String>,
    /// At most so many tools are shown
    #[arg(long, value_name = "N", default_value_t = 20)]
    max_tools: usize,
    /// Policies instead of the home's, or the standard ones: a file alone, or a folder, which extends those
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

/// Among which tools one is looked for, and what keeps others from being candidates.
struct Candidates {
    registry: Registry,
    /// By tool.
    refused: Vec<(String, String)>,
    /// The home that they are of, where they are not a file's.
    home: Option<Home>,
}

/// 0: the model sees it. 1: it does not.
pub(super) fn run(options: &Why) -> Result<Exit, CliError> {
    let principal = options.principal.as_deref().map_or_else(own_principal, Into::into);
    let clock = SystemClock;
    let scope = Scope {
        session_id: SessionId::from_uuid(clock.uuid()),
        run_id: RunId::from_uuid(clock.uuid()),
        call_id: None,
    };
    let asker = Asker { principal: &principal, session: &scope.session_id, now: clock.now() };
    let candidates = candidates(options, asker)?;
    if candidates.registry.get(&options.tool).is_none() {
        return not_a_candidate(options, &candidates);
    }
    let view = view(options, candidates, principal, scope)?;
    let why = WhyInView::of(&view, &options.tool);
    say(&match options.format {
        Format::Json => format!("{:#}\n", json!({ "format": 1, "toolId": options.tool, "why": why })),
        Format::Text => format!("{}\n", sentence(&options.tool, &why, &view)),
    });
    Ok(if matches!(why, WhyInView::Shown { .. }) { Exit::Holds } else { Exit::Fails })
}

fn candidates(options: &Why, asker: Asker<'_>) -> Result<Candidates, CliError> {
    if let Some(from) = &options.from {
        let toolbox = load(from)?;
        let refused =
            rejection(&toolbox, &options.tool).map(|reason| (options.tool.clone(), reason.to_owned()));
        return Ok(Candidates {
            refused: refused.into_iter().collect(),
            registry: toolbox.registry,
            home: None,
        });
    }
    let home = options.home.open()?;
    let registrations = Registrations::of(home.clone());
    let tools = registrations.callable(&registrations.ledger().map_err(CliError::usage)?, asker);
    let refused = tools.refused.into_iter().map(|no| (no.tool.to_string(), no.to_string()));
    Ok(Candidates { registry: tools.registry, refused: refused.collect(), home: Some(home) })
}

/// A tool that is not even a candidate.
fn not_a_candidate(options: &Why, among: &Candidates) -> Result<Exit, CliError> {
    let Some((_, reason)) = among.refused.iter().find(|(tool, _)| *tool == options.tool) else {
        let known = among.registry.tools().iter().map(|t| t.id().as_str());
        let known = known.chain(among.refused.iter().map(|(tool, _)| tool.as_str()));
        let hint = did_you_mean(&options.tool, known).map_or_else(
            || "`proofhouse tools list` names them all; `--from PATH` looks into a file".to_owned(),
            |near| format!("did you mean `{near}`?"),
        );
        return Err(CliError::usage(format!("there is no tool `{}`\nhint: {hint}", options.tool)));
    };
    let why = json!({ "place": "rejected", "reason": reason });
    say(&match options.format {
        Format::Json => format!("{:#}\n", json!({ "format": 1, "toolId": options.tool, "why": why })),
        Format::Text => format!(
            "{} is not shown: it cannot be used: {}\n",
            text::clean(&options.tool),
            text::clean(reason)
        ),
    });
    Ok(Exit::Fails)
}

fn view(
    options: &Why,
    candidates: Candidates,
    principal: PrincipalId,
    scope: Scope,
) -> Result<ToolView, CliError> {
    let Candidates { registry, home, .. } = candidates;
    let asked_for = || {
        let tools = registry.tools().iter();
        tools.flat_map(|t| t.descriptor().permissions.required_scopes.iter().cloned()).collect()
    };
    let scopes =
        if options.scopes.is_empty() { asked_for() } else { options.scopes.iter().cloned().collect() };
    let policy = match (&options.policies, home) {
        (Some(path), _) => evidence::policies(path, &(&registry).into())?,
        (None, Some(home)) => {
            let vocabulary = Vocabulary::new(registry.tools().iter().map(|tool| tool.descriptor()));
            PolicyFiles::Folder(home.policies()).open(&vocabulary)
        }
        (None, None) => PolicyEngine::standard().map_err(CliError::usage)?,
    };
    let session = Session {
        scope,
        actor: Arc::new(Actor::new(Principal { id: principal, scopes })),
        scene: Arc::default(),
        budget: ToolBudget { max_tools_visible: options.max_tools, max_tokens: None },
        selection: Selection::Ranked,
        max_level: EffectLevel::DestructiveOrAdmin,
        environment: Arc::new(Environment::default()),
        tenant: None,
        memory: Default::default(),
    };
    let clock = Arc::new(SystemClock);
    let manager = Manager::new(registry, policy, Arc::clone(&clock) as _);
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
