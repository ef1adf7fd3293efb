//! Which journals, tools and policies a subcommand reads: named ones, else those of the home.

use super::{CliError, exit::talk, home::HomeOption};
use crate::run::Toolbox;
use proofhouse_manager::{
    adapters::{home::Home, policies::PolicyFiles},
    explain::{KnownTools, PolicySets},
    model::{CallId, ToolDescriptor, UndoStanding},
    policy::{PolicyEngine, Vocabulary},
    registry::RegisteredTool,
};
use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

/// Where the evidence lies.
#[derive(Debug, clap::Args)]
pub(super) struct Evidence {
    /// A journal, a run folder, or a folder of journals, instead of those of the home (repeatable)
    #[arg(long, value_name = "PATH")]
    journal: Vec<PathBuf>,
    #[command(flatten)]
    home: HomeOption,
}

/// With what recorded decisions are made again.
#[derive(Debug, clap::Args)]
pub(super) struct Again {
    #[command(flatten)]
    evidence: Evidence,
    /// A suite, a folder of descriptors or a tool file to take tools from, beside the home's (repeatable)
    #[arg(long, value_name = "PATH")]
    tools: Vec<PathBuf>,
}

impl Evidence {
    /// The home, unless journals were named.
    fn home(&self) -> Result<Option<Home>, CliError> {
        if self.journal.is_empty() { self.home.open().map(Some) } else { Ok(None) }
    }

    /// The journals of calls, in the order of their names.
    pub(super) fn journals(&self) -> Result<Vec<PathBuf>, CliError> {
        let Some(home) = self.home()? else {
            let mut named = Vec::new();
            for path in &self.journal {
                named.extend(files_at(path)?);
            }
            return Ok(named);
        };
        runs(&home)
    }

    /// Whether a call can be undone, where the home tells; nothing where journals were named instead.
    pub(super) fn undo_standing(&self, call: &CallId) -> Result<Option<UndoStanding>, CliError> {
        self.home()?.map(|home| super::undo::standing(home, call)).transpose()
    }

    /// Journals that calls may refer to: registrations and grants.
    pub(super) fn registers(&self) -> Result<Vec<PathBuf>, CliError> {
        Ok(self.home()?.map(|home| home.registry()).into_iter().collect())
    }
}

impl Again {
    /// The journals of calls.
    pub(super) fn journals(&self) -> Result<Vec<PathBuf>, CliError> {
        self.evidence.journals()
    }

    /// The tools of the home, and those that were named.
    pub(super) fn tools(&self) -> Result<KnownTools, CliError> {
        let mut known = KnownTools::default();
        if let Some(home) = self.evidence.home()? {
            for path in files_in(&home.descriptors(), "json")? {
                known.insert(descriptor(&path)?);
            }
        }
        for path in &self.tools {
            let toolbox = super::tools::load(path)?;
            for rejected in &toolbox.rejected {
                talk(&format!("not used: `{}`: {}", rejected.name, rejected.reason));
            }
            toolbox.registry.tools().iter().for_each(|tool| known.insert(Arc::clone(tool)));
        }
        Ok(known)
    }

    /// The standard policies, those of the home, and each of these: every set that a journal may name.
    pub(super) fn policy_sets(&self, named: &[PathBuf], tools: &KnownTools) -> Result<PolicySets, CliError> {
        let mut sets = PolicySets::default();
        sets.insert(PolicyEngine::standard().map_err(CliError::usage)?);
        let home = self.evidence.home()?.map(|home| home.policies());
        for path in home.iter().chain(named) {
            sets.insert(policies(path, tools)?);
        }
        Ok(sets)
    }
}

/// The journals of calls of a home, in the order of their names.
pub(super) fn runs(home: &Home) -> Result<Vec<PathBuf>, CliError> {
    files_in(&home.runs(), "jsonl")
}

/// A contract of the home, under the digest that its file is named by.
fn descriptor(path: &Path) -> Result<Arc<RegisteredTool>, CliError> {
    let wrong = |what: String| {
        CliError::usage(format!(
            "`{}` is no descriptor of this home: {what}\nhint: register the tool again",
            path.display()
        ))
    };
    let bytes = std::fs::read(path).map_err(CliError::surroundings)?;
    let descriptor: ToolDescriptor = serde_json::from_slice(&bytes).map_err(|e| wrong(e.to_string()))?;
    let tool = RegisteredTool::new(descriptor).map_err(|e| wrong(e.to_string()))?;
    if path.file_stem().and_then(|stem| stem.to_str()) != Some(tool.digest().as_str()) {
        return Err(wrong(format!("its digest is {}", tool.digest())));
    }
    Ok(Arc::new(tool))
}

/// A policy set: a file alone, or a folder as a home's policies are read.
pub(super) fn policies(path: &Path, tools: &KnownTools) -> Result<PolicyEngine, CliError> {
    let files = if path.is_dir() {
        PolicyFiles::Folder(path.to_owned())
    } else {
        PolicyFiles::Files(vec![path.to_owned()])
    };
    files.load(&Vocabulary::new(tools.all().map(|tool| tool.descriptor()))).map_err(CliError::usage)
}

/// The file itself; of a run folder its journal; of another folder every journal.
fn files_at(path: &Path) -> Result<Vec<PathBuf>, CliError> {
    if path.is_file() {
        return Ok(vec![path.to_owned()]);
    }
    let events = path.join("events.jsonl");
    if events.is_file() {
        return Ok(vec![events]);
    }
    let files = files_in(path, "jsonl")?;
    if files.is_empty() {
        return Err(CliError::usage(format!(
            "`{}` holds no `.jsonl` file\nhint: name the journal itself",
            path.display()
        )));
    }
    Ok(files)
}

fn files_in(folder: &Path, extension: &str) -> Result<Vec<PathBuf>, CliError> {
    let unreadable = |e: std::io::Error| CliError::usage(format!("cannot read `{}`: {e}", folder.display()));
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        if path.is_file() && path.extension().is_some_and(|e| e == extension) {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// Why a tool of these sources cannot be used.
pub(super) fn rejection<'a>(toolbox: &'a Toolbox, tool: &str) -> Option<&'a str> {
    toolbox.rejected.iter().find(|r| r.name == tool).map(|r| r.reason.as_str())
}
