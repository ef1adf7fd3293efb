//! A source as it is named on the command line, and the tools that it holds.

use crate::{cli::CliError, run::source_at};
use clap::ValueEnum;
use proofhouse_manager::{
    adapters::sources::standard::{self, Standard},
    model::TrustLevel,
    normalize::Note,
    port::{Rejected, ToolSourcePort as _},
    registry::admission::Found,
};
use std::path::Path;

/// How far a source is trusted by whoever names it.
#[derive(Debug, Clone, Copy, PartialEq, ValueEnum)]
pub(super) enum Trust {
    /// What it says of itself lowers nothing, and a person reviews every tool
    Untrusted,
    /// Somebody else's: a person reviews every tool
    ThirdParty,
    /// Your own: what it says is believed, and a person reviews what reaches outside
    Workspace,
}

impl Trust {
    const fn level(self) -> TrustLevel {
        match self {
            Self::Untrusted => TrustLevel::Untrusted,
            Self::ThirdParty => TrustLevel::ThirdParty,
            Self::Workspace => TrustLevel::Workspace,
        }
    }
}

/// What a source holds.
pub(super) struct Held {
    pub(super) tools: Vec<(Found, Vec<Note>)>,
    pub(super) rejected: Vec<Rejected>,
    pub(super) problems: Vec<String>,
}

/// Reads a source: the word `standard`, a folder of descriptors, or a tool file.
pub(super) fn read(source: &str, stated: Option<Trust>) -> Result<Held, CliError> {
    let path = Path::new(source);
    let is_standard = source == Standard::WORD;
    if !is_standard && !path.exists() {
        let hint = "name `standard` for the tools that ship, a folder of descriptors, or a tool file";
        return Err(CliError::usage(format!("`{source}` does not exist\nhint: {hint}")));
    }
    // A folder holds descriptors that somebody wrote; a file may be anybody's list.
    let usual = if path.is_dir() { TrustLevel::Workspace } else { TrustLevel::ThirdParty };
    let trust = stated.map_or(usual, Trust::level);
    let discovery = if is_standard {
        Standard.discover()
    } else {
        source_at(path, trust).map_err(CliError::usage)?.discover()
    };
    let discovery = discovery.map_err(CliError::usage)?;
    let tools = discovery.tools.into_iter().map(|tool| {
        let found = Found {
            trust: standard::trust(&tool.descriptor, trust),
            descriptor: tool.descriptor,
            definition: tool.definition_digest,
            source: source.to_owned(),
        };
        (found, tool.notes)
    });
    Ok(Held {
        tools: tools.collect(),
        rejected: discovery.rejected,
        problems: discovery.problems.iter().map(ToString::to_string).collect(),
    })
}
