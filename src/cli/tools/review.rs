//! `proofhouse tools review`: a person's decision about exactly one contract.

use super::{
    Format,
    desk::{Place, contract, failed, line},
};
use crate::cli::{CliError, Exit, exit::say};
use proofhouse_manager::registry::admission::Review as Decision;
use serde_json::json;

#[derive(Debug, clap::Args)]
#[command(group = clap::ArgGroup::new("decision").required(true))]
pub(super) struct Review {
    /// The tool's id
    tool: String,
    /// Accept the contract as it is now
    #[arg(long, group = "decision")]
    accept: bool,
    /// Reject it
    #[arg(long, group = "decision")]
    reject: bool,
    /// Why
    #[arg(long, value_name = "WHY")]
    reason: String,
    /// The version that is meant [default: the one that came last]
    #[arg(long = "tool-version", value_name = "VERSION")]
    version: Option<String>,
    #[command(flatten)]
    place: Place,
}

pub(super) fn run(options: &Review) -> Result<Exit, CliError> {
    let decision = if options.accept { Decision::Accept } else { Decision::Reject };
    let version = options.version.as_deref().map(Into::into);
    let standing = options.place.change(None, |admission| {
        let track = contract(admission.ledger(), &options.tool, version.as_ref())?;
        let (tool, digest) = (track.tool().clone(), track.digest().clone());
        admission.review(&tool, &digest, decision, &options.reason).map_err(failed)
    })?;
    say(&match options.place.format {
        Format::Table => line(&standing),
        Format::Json => format!("{:#}\n", json!({ "format": 1, "tools": [standing] })),
    });
    Ok(Exit::Holds)
}
