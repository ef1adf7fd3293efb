//! Skills, as far as the suite needs them: instructions that are loaded, and scripts that are registered as tools.
//!
//! A script is pinned to what it was when it was registered: its digest stands in its tool's contract, and is
//! looked at again before each run.

use super::Failure;
use proofhouse_manager::{
    event::fact::SkillLoaded,
    model::{Digest, Domain, StopCode, StopReason, ToolDescriptor},
    port::{Adapter, Ran, Rehearsals, RunRequest, Settled},
    stage::Ticket,
};
use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

/// The word of scripts in descriptors.
pub(super) const WORD: &str = "skill-script";

/// Loads a skill's instructions: what is recorded, and no right follows.
///
/// # Errors
/// If its files cannot be read.
pub(super) fn load(folder: &Path) -> Result<SkillLoaded, Failure> {
    let instructions = fs::read(folder.join("SKILL.md"))?;
    let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut files = Vec::new();
    list(folder, &mut files)?;
    files.sort();
    let mut tree = Vec::new();
    for file in files {
        let digest = Digest::of_bytes(Domain::Plain, &fs::read(&file)?);
        let beneath = file.strip_prefix(folder)?.display().to_string();
        tree.extend(format!("{beneath}\0{digest}\n").into_bytes());
    }
    Ok(SkillLoaded {
        skill: name,
        source: folder.display().to_string(),
        tree_digest: Digest::of_bytes(Domain::Plain, &tree),
        bytes: instructions.len() as u64,
    })
}

fn list(folder: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let kind = entry.file_type()?;
        if kind.is_dir() {
            list(&entry.path(), files)?;
        } else if kind.is_file() {
            files.push(entry.path());
        }
    }
    Ok(())
}

/// The address of a script in its tool's contract, with the digest that it is pinned to.
///
/// # Errors
/// If the script does not lie in the skill's folder, or cannot be read.
pub(super) fn pin(workspace: &Path, skill: &str, script: &str) -> Result<String, String> {
    let real = |path: &str| workspace.join(path).canonicalize().map_err(|e| format!("`{path}`: {e}"));
    let (folder, file) = (real(skill)?, real(script)?);
    if !file.starts_with(&folder) || Path::new(script).components().any(|part| part.as_os_str() == "..") {
        return Err(format!("the script `{script}` does not lie in the skill's folder `{skill}`"));
    }
    let bytes = fs::read(&file).map_err(|e| format!("`{script}`: {e}"))?;
    Ok(format!("{script}#{}", Digest::of_bytes(Domain::Plain, &bytes)))
}

/// Runs scripts as programs are run, once they are what was registered.
pub(super) struct Scripts {
    pub(super) workspace: PathBuf,
    pub(super) programs: Arc<dyn Adapter>,
}

impl Scripts {
    fn hold(&self, tool: &ToolDescriptor) -> Result<(), StopReason> {
        let no = |why: String| StopReason::new(StopCode::NotCallable, why);
        let pinned = tool.source.uri.as_deref().and_then(|uri| uri.split_once('#'));
        let (script, digest) = pinned.ok_or_else(|| no("its script is pinned to nothing".to_owned()))?;
        let bytes = fs::read(self.workspace.join(script)).map_err(|e| no(format!("`{script}`: {e}")))?;
        if Digest::of_bytes(Domain::Plain, &bytes).as_str() == digest {
            return Ok(());
        }
        Err(no(format!("the script `{script}` is not the one that was reviewed")))
    }
}

impl Adapter for Scripts {
    fn word(&self) -> &'static str {
        WORD
    }

    fn settle(&self, run: &RunRequest<'_>) -> Result<Settled, StopReason> {
        self.hold(run.tool)?;
        self.programs.settle(run)
    }

    fn invoke(&self, ticket: Ticket<'_>) -> Ran {
        // The sandbox starts the file only with the digest that was settled.
        self.programs.invoke(ticket)
    }

    fn rehearsals(&self) -> Option<&dyn Rehearsals> {
        self.programs.rehearsals()
    }
}
