//! `proofhouse tools enable`: let verified tools be used.

use super::{
    Format,
    desk::{Place, contract, failed, line},
};
use crate::cli::{CliError, Exit, exit::say};
use proofhouse_manager::{
    model::{EffectLevel, EnablementScope, ToolId, TrustLevel},
    registry::ledger::{Ledger, Step},
};
use serde_json::json;

/// Let verified tools be used
///
/// Naming a principal grants the use to that principal; what a single call needs, such as an approval, is for
/// policy to say. Without one the tool is enabled for everybody, and whoever holds a grant may use it; tools that
/// ship and only read or compute here (L0, L1) need none.
#[derive(Debug, clap::Args)]
pub(super) struct Enable {
    /// The tools' ids
    #[arg(required_unless_present = "all")]
    tools: Vec<String>,
    /// Every tool that is verified and not enabled
    #[arg(long, conflicts_with = "tools")]
    all: bool,
    /// For this principal
    #[arg(long = "for", value_name = "KIND:NAME", conflicts_with = "session")]
    principal: Option<String>,
    /// For this session alone
    #[arg(long, value_name = "SESSION")]
    session: Option<String>,
    /// The version that is meant [default: the one that came last]
    #[arg(long = "tool-version", value_name = "VERSION", conflicts_with = "all")]
    version: Option<String>,
    #[command(flatten)]
    place: Place,
}

pub(super) fn run(options: &Enable) -> Result<Exit, CliError> {
    let scope = match (&options.principal, &options.session) {
        (Some(principal), _) if !principal.contains(':') => {
            return Err(CliError::usage(format!(
                "`{principal}` is nobody\nhint: write KIND:NAME, such as `user:ann`"
            )));
        }
        (Some(principal), _) => EnablementScope::Principal { principal: principal.as_str().into() },
        (None, Some(session)) => EnablementScope::Session { session_id: session.as_str().into() },
        (None, None) => EnablementScope::Everyone,
    };
    let version = options.version.as_deref().map(Into::into);
    let mut standings = Vec::new();
    let mut ungranted: Vec<ToolId> = Vec::new();
    options.place.change(None, |admission| {
        let tools = if options.all { verified(admission.ledger()) } else { options.tools.clone() };
        for tool in tools {
            let track = contract(admission.ledger(), &tool, version.as_ref())?;
            let (tool, digest) = (track.tool().clone(), track.digest().clone());
            let free = track.contract().trust == TrustLevel::FirstParty
                && track.contract().level <= EffectLevel::LocalCompute;
            if options.principal.is_none() && !free && track.permits().is_empty() {
                ungranted.push(tool.clone());
            }
            standings.push(admission.enable(&tool, &digest, scope.clone()).map_err(failed)?);
        }
        Ok(())
    })?;
    say(&match options.place.format {
        Format::Table => {
            let lines: String = standings.iter().map(line).collect();
            let hint = ungranted.first().map(|tool| {
                let n = ungranted.len();
                format!("{n} of them may be used only by whom they are granted to\nnext: proofhouse tools enable {tool} --for PRINCIPAL\n")
            });
            lines + &hint.unwrap_or_default()
        }
        Format::Json => format!("{:#}\n", json!({ "format": 1, "tools": standings, "ungranted": ungranted })),
    });
    Ok(Exit::Holds)
}

fn verified(ledger: &Ledger) -> Vec<String> {
    let ready =
        ledger.tools().filter(|(_, record)| record.latest().is_some_and(|t| t.next() == Step::Enabled));
    ready.map(|(id, _)| id.to_string()).collect()
}
