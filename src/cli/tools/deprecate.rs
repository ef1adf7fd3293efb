//! `proofhouse tools deprecate`: a version that is to be replaced and goes on working.

use super::{
    Format,
    desk::{Place, contract, failed},
};
use crate::cli::{CliError, Exit, exit::say};
use serde_json::json;

#[derive(Debug, clap::Args)]
pub(super) struct Deprecate {
    /// The tool's id
    tool: String,
    /// Why
    #[arg(long, value_name = "WHY")]
    reason: String,
    /// The tool to use instead
    #[arg(long, value_name = "TOOL")]
    replacement: Option<String>,
    /// The version that is meant [default: the one that came last]
    #[arg(long = "tool-version", value_name = "VERSION")]
    version: Option<String>,
    #[command(flatten)]
    place: Place,
}

pub(super) fn run(options: &Deprecate) -> Result<Exit, CliError> {
    let version = options.version.as_deref().map(Into::into);
    let replacement = options.replacement.as_deref().map(Into::into);
    let (tool, version) = options.place.change(None, |admission| {
        let track = contract(admission.ledger(), &options.tool, version.as_ref())?;
        let (tool, version) = (track.tool().clone(), track.version().clone());
        admission.deprecate(&tool, &version, &options.reason, replacement).map_err(failed)?;
        Ok((tool, version))
    })?;
    say(&match options.place.format {
        Format::Table => format!("{tool} {version}: deprecated\n"),
        Format::Json => format!("{:#}\n", json!({ "format": 1, "toolId": tool, "toolVersion": version })),
    });
    Ok(Exit::Holds)
}
