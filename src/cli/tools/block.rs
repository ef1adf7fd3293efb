//! `proofhouse tools block`: a tool that must not be called until a person has reviewed it again.

use super::{
    Format,
    desk::{Place, contract, failed},
};
use crate::cli::{CliError, Exit, exit::say};
use serde_json::json;

#[derive(Debug, clap::Args)]
pub(super) struct Block {
    /// The tool's id
    tool: String,
    /// Why
    #[arg(long, value_name = "WHY")]
    reason: String,
    /// Only this version [default: every version, also those to come]
    #[arg(long = "tool-version", value_name = "VERSION")]
    version: Option<String>,
    #[command(flatten)]
    place: Place,
}

pub(super) fn run(options: &Block) -> Result<Exit, CliError> {
    let version = options.version.as_deref().map(Into::into);
    let tool = options.place.change(None, |admission| {
        let tool = contract(admission.ledger(), &options.tool, version.as_ref())?.tool().clone();
        admission.block(&tool, version.as_ref(), &options.reason).map_err(failed)?;
        Ok(tool)
    })?;
    say(&match options.place.format {
        Format::Table => {
            format!(
                "{tool}: blocked; its grants and pending approvals end with it\nto lift it: proofhouse tools review {tool} --accept --reason WHY\n"
            )
        }
        Format::Json => format!("{:#}\n", json!({ "format": 1, "toolId": tool, "toolVersion": version })),
    });
    Ok(Exit::Holds)
}
