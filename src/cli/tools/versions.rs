//! `proofhouse tools versions`: every contract of a tool, and what each one changes.

use super::{
    Format,
    desk::{self, Place},
};
use crate::cli::{CliError, Exit, exit::say};
use proofhouse_manager::{
    model::ToolDescriptor,
    port::DescriptorStore as _,
    registry::{
        diff::{Change, diff, summary},
        ledger::Track,
    },
};
use serde_json::{Value, json};

#[derive(Debug, clap::Args)]
pub(super) struct Versions {
    /// The tool's id
    tool: String,
    #[command(flatten)]
    place: Place,
}

pub(super) fn run(options: &Versions) -> Result<Exit, CliError> {
    let registry = options.place.registry()?;
    let ledger = registry.ledger().map_err(CliError::usage)?;
    desk::contract(&ledger, &options.tool, None)?;
    let tracks = ledger.get(&options.tool).map(|record| record.tracks()).unwrap_or_default();
    let mut before: Option<ToolDescriptor> = None;
    let (mut rows, mut text) = (Vec::new(), String::new());
    for track in tracks {
        let contract = registry.get(track.digest()).map_err(CliError::usage)?;
        let changes = before.as_ref().map(|before| diff(before, &contract));
        rows.push(row(track, changes.as_deref()));
        text.push_str(&page(track, changes.as_deref()));
        before = Some(contract);
    }
    say(&match options.place.format {
        Format::Table => text,
        Format::Json => format!("{:#}\n", json!({ "format": 1, "toolId": options.tool, "versions": rows })),
    });
    Ok(Exit::Holds)
}

fn row(track: &Track, changes: Option<&[Change]>) -> Value {
    json!({
        "toolVersion": track.version(),
        "descriptorDigest": track.digest(),
        "state": track.state(),
        "reason": (!track.is_enabled()).then(|| track.why()),
        "owner": track.owner(),
        "registeredAt": track.proofs().last().map(|_| track.proofs()[0].at),
        "changes": changes,
    })
}

fn page(track: &Track, changes: Option<&[Change]>) -> String {
    let owner = track.owner().map_or_else(String::new, |owner| format!(", by {owner}"));
    let mut text = format!("{} ({}): {}{owner}\n", track.version(), track.digest().short(), track.state());
    if let Some(halt) = track.halt() {
        text.push_str(&format!("  {}\n", halt.reason));
    }
    if let Some(changes) = changes {
        text.push_str(&format!("  against the one before: {}\n", summary(changes)));
        changes.iter().for_each(|change| text.push_str(&format!("    {change}\n")));
    }
    text
}
