//! Which journals, tools and policies a subcommand reads: named ones, else those of the home.

use super::{CliError, exit::talk, home::HomeOption};
use crate::run::Toolbox;
use proofhouse_manager::{
    adapters::home::Home,
    explain::{KnownTools, PolicySets},
    model::ToolDescriptor,
    policy::{PolicyEngine, PolicyText, Vocabulary},
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
                named.extend(files_at(path, "jsonl")?);
            }
            return Ok(named);
        };
        files_in(&home.runs(), "jsonl")
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
        let of_home = home.filter(|folder| files_in(folder, "cedar").is_ok_and(|files| !files.is_empty()));
        for path in of_home.iter().chain(named) {
            sets.insert(policies(path, tools)?);
        }
        Ok(sets)
    }
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

/// A policy set: a file, or every `.cedar` of a folder in the order of their names.
pub(super) fn policies(path: &Path, tools: &KnownTools) -> Result<PolicyEngine, CliError> {
    let mut texts = Vec::new();
    for file in files_at(path, "cedar")? {
        let text = std::fs::read_to_string(&file)
            .map_err(|e| CliError::usage(format!("cannot read `{}`: {e}", file.display())))?;
        texts.push(PolicyText::new(file.display().to_string(), text));
    }
    let vocabulary = Vocabulary::new(tools.all().map(|tool| tool.descriptor()));
    PolicyEngine::load(&texts, &vocabulary).map_err(CliError::usage)
}

/// The file itself; of a run folder its journal; of another folder every file with that extension.
fn files_at(path: &Path, extension: &str) -> Result<Vec<PathBuf>, CliError> {
    if path.is_file() {
        return Ok(vec![path.to_owned()]);
    }
    let events = path.join("events.jsonl");
    if extension == "jsonl" && events.is_file() {
        return Ok(vec![events]);
    }
    let files = files_in(path, extension)?;
    if files.is_empty() {
        return Err(CliError::usage(format!(
            "`{}` holds no `.{extension}` file\nhint: name the file itself",
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

/// Which tools somebody may use where a toolbox stands for a registry: those it rejected have a reason.
pub(super) fn rejection<'a>(toolbox: &'a Toolbox, tool: &str) -> Option<&'a str> {
    toolbox.rejected.iter().find(|r| r.name == tool).map(|r| r.reason.as_str())
}
