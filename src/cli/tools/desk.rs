//! What the subcommands share: where the registry is, who acts, and how a standing is told.

use super::{
    super::{CliError, environment, home::HomeOption},
    Format,
};
use proofhouse_manager::{
    adapters::{
        approvers::own_principal, clock::SystemClock, health::Presence, lints::ContractLints,
        registrations::Registrations, sandbox::Sandbox,
    },
    document::did_you_mean,
    model::{PrincipalId, ToolVersion},
    port::Evaluator,
    registry::{
        admission::{Admission, AdmissionError, Ports, Standing},
        ledger::{Ledger, Step, Track},
    },
};
use std::sync::Arc;

/// Where the registry is, who acts, and how to print.
#[derive(Debug, clap::Args)]
pub(super) struct Place {
    #[command(flatten)]
    home: HomeOption,
    /// Who acts, where it is not yourself but a service or an agent
    #[arg(long = "as", value_name = "KIND:NAME")]
    who: Option<String>,
    /// How to print
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub(super) format: Format,
}

impl Place {
    /// The registry of the home.
    pub(super) fn registry(&self) -> Result<Registrations, CliError> {
        Ok(Registrations::of(self.home.open()?))
    }

    /// The option that names the same home in a hint, as it was given.
    pub(super) fn home_option(&self) -> &'static str {
        if self.home.is_stated() { " --home DIR" } else { "" }
    }

    /// Who acts.
    pub(super) fn who(&self) -> Result<PrincipalId, CliError> {
        let own = own_principal();
        let Some(who) = &self.who else { return Ok(own) };
        match who.split_once(':') {
            // Who a person is the system says, and not the person.
            Some(("user", _)) if *who != *own => {
                let hint = "leave `--as` out to act as yourself";
                Err(CliError::usage(format!("you are `{own}`, and cannot act as `{who}`\nhint: {hint}")))
            }
            Some((kind, name)) if !kind.is_empty() && !name.is_empty() => Ok(who.as_str().into()),
            _ => Err(CliError::usage(format!(
                "`{who}` is nobody\nhint: write KIND:NAME, such as `agent:builder`"
            ))),
        }
    }

    /// Changes the registry; nobody else does meanwhile.
    pub(super) fn change<T>(
        &self,
        evaluator: Option<&dyn Evaluator>,
        act: impl FnOnce(&mut Admission<'_>) -> Result<T, CliError>,
    ) -> Result<T, CliError> {
        let (registry, who) = (self.registry()?, self.who()?);
        let health = presence(&registry);
        let ports = Ports {
            store: &registry,
            linter: &ContractLints,
            health: &health,
            evaluator,
            clock: &SystemClock,
        };
        let (ledger, mut log) = registry.change(Arc::new(SystemClock)).map_err(CliError::usage)?;
        let done = act(&mut Admission::new(ledger, &mut log, ports, who))?;
        log.checkpoint().map_err(CliError::surroundings)?;
        Ok(done)
    }
}

/// What can be looked for on this machine.
fn presence(registry: &Registrations) -> Presence {
    let adapters = ["builtin", "cli", "http", "mcp", "skill", "subagent"];
    Presence {
        programs: programs(),
        adapters: adapters.map(str::to_owned).to_vec(),
        sandbox: Arc::new(Sandbox::new(registry.home().sandboxes())),
    }
}

/// Where programs are looked for.
fn programs() -> Vec<std::path::PathBuf> {
    let path = environment()("PATH").unwrap_or_default();
    std::env::split_paths(&path).filter(|folder| folder.is_absolute()).collect()
}

/// An error of an admission with the exit code that fits.
pub(super) fn failed(error: AdmissionError) -> CliError {
    match error {
        AdmissionError::Journal(_) | AdmissionError::Evaluator(_) => CliError::surroundings(error),
        AdmissionError::Descriptor(_)
        | AdmissionError::Schema { .. }
        | AdmissionError::Taken { .. }
        | AdmissionError::Unknown(_)
        | AdmissionError::NotThere { .. }
        | AdmissionError::NotAPerson(_) => CliError::usage(error),
    }
}

/// The contract that is meant by a tool's id: of a version, or the one that came last.
pub(super) fn contract<'l>(
    ledger: &'l Ledger,
    tool: &str,
    version: Option<&ToolVersion>,
) -> Result<&'l Track, CliError> {
    let Some(record) = ledger.get(tool) else {
        let near = did_you_mean(tool, ledger.tools().map(|(id, _)| id.as_str()));
        let hint = near.map_or_else(
            || "`proofhouse tools list` names them all".to_owned(),
            |near| format!("did you mean `{near}`?"),
        );
        return Err(CliError::usage(format!("there is no registered tool `{tool}`\nhint: {hint}")));
    };
    let found = match version {
        Some(version) => record.version(version),
        None => record.latest(),
    };
    found.ok_or_else(|| {
        let what = version.map_or_else(
            || "it was seen, and never registered".to_owned(),
            |v| format!("it has no version {v}"),
        );
        CliError::usage(format!(
            "`{tool}` has no such contract: {what}\nhint: see `proofhouse tools versions {tool}`"
        ))
    })
}

/// How many of something.
pub(super) fn count(n: usize, word: &str) -> String {
    if n == 1 { format!("1 {word}") } else { format!("{n} {word}s") }
}

/// A line for people that says where a contract stands and what to do next.
pub(super) fn line(standing: &Standing) -> String {
    let Standing { tool_id, tool_version, state, next, reason, advice, drift, .. } = standing;
    let mut text = format!("{tool_id} {tool_version}: {state}\n");
    for stopped in drift {
        text.push_str(&format!("  version {} was stopped: its definition has changed\n", stopped.stopped));
        stopped.changes.iter().for_each(|change| text.push_str(&format!("    {change}\n")));
    }
    // What waits only for the next command needs no reason.
    let waits = matches!(next, Some(Step::Eval | Step::Enabled)) && reason.as_deref().is_some_and(is_plain);
    if let Some(reason) = reason.as_ref().filter(|_| !waits) {
        text.push_str(&format!("  {reason}\n"));
    }
    if let Some(advice) = advice {
        text.push_str(&format!("  next: {advice}\n"));
    }
    text
}

fn is_plain(reason: &str) -> bool {
    reason.starts_with("no event proves")
}
