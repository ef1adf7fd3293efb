//! `hooks.yaml`: names, and the programs that answer to them.

use super::told::{answer, told};
use crate::{
    adapters::{process::Program, sandbox::Sandbox},
    document::{self, Diagnostics, Field, Format},
    port::HookCall,
};
use serde::Deserialize;
use std::{
    io::ErrorKind,
    path::{Path, PathBuf},
    time::Duration,
};

/// No answer is longer.
const MOST_ANSWER: u64 = 64 << 10;
/// How long a hook may take, where nobody says.
const TIMEOUT_MS: u64 = 10_000;
/// How long one may be allowed to take.
const LONGEST_MS: u64 = 600_000;

/// A program that answers to a name.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct OwnHook {
    /// The name, as contracts write it.
    pub name: String,
    /// The program by its whole path, and its arguments.
    pub command: Vec<String>,
    /// How long it may take, in milliseconds.
    #[serde(default = "timeout_ms")]
    pub timeout_ms: u64,
    /// What holds it.
    #[serde(default)]
    pub sandbox: Confinement,
}

fn timeout_ms() -> u64 {
    TIMEOUT_MS
}

/// What holds a hook's program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Confinement {
    /// A sandbox in which it can read the workspace, write nothing and reach nobody; without one it says no.
    #[default]
    ReadOnly,
    /// Nothing: it is trusted as its owner is.
    None,
}

/// Hooks that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum HookFileError {
    /// The file cannot be read.
    #[error(
        "`{path}` cannot be read: {source}\nhint: nothing runs until it can be; remove it to have no hooks of your own"
    )]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// Something is wrong in it.
    #[error("{0}")]
    Problems(#[from] Diagnostics),
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct HookFile {
    hooks: Vec<OwnHook>,
}

/// The hooks of a file; none, where there is no file.
pub(super) fn read(path: &Path) -> Result<Vec<OwnHook>, HookFileError> {
    match std::fs::read(path) {
        Ok(bytes) => Ok(parse(&path.display().to_string(), &bytes)?),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(Vec::new()),
        Err(source) => Err(HookFileError::Io { path: path.to_owned(), source }),
    }
}

pub(super) fn parse(file: &str, bytes: &[u8]) -> Result<Vec<OwnHook>, Diagnostics> {
    let node = document::parse(file, bytes, Format::Yaml)?;
    let HookFile { hooks } = node.decode()?;
    let mut problems = Diagnostics::new();
    for (at, hook) in hooks.iter().enumerate() {
        let mut wrong = |field: &str, what: String| {
            let pointer = format!("/hooks/{at}/{field}");
            let place = node.nearest(&pointer).place.clone();
            problems.push(document::DocumentError::new(place, &Field::of_pointer(&pointer), what));
        };
        if hooks[..at].iter().any(|other| other.name == hook.name) {
            wrong("name", format!("another hook has the name `{}`", hook.name));
        }
        if super::builtin::find(&hook.name).is_some() {
            wrong("name", format!("`{}` is built in", hook.name));
        }
        if !hook.command.first().is_some_and(|program| Path::new(program).is_absolute()) {
            wrong("command", "the program must be named by its whole path".to_owned());
        }
        if !(1..=LONGEST_MS).contains(&hook.timeout_ms) {
            wrong("timeoutMs", format!("a hook may take 1 to {LONGEST_MS} milliseconds"));
        }
    }
    problems.into_result(hooks)
}

impl OwnHook {
    /// Asks the program.
    pub(super) fn ask(&self, call: &HookCall<'_>, sandbox: &Sandbox) -> Result<(), String> {
        let told = told(call)?;
        let said = match self.sandbox {
            Confinement::None => {
                let timeout = Duration::from_millis(self.timeout_ms);
                Program { argv: &self.command, stdin: told, timeout, most: MOST_ANSWER }.run()?
            }
            Confinement::ReadOnly => self.run_confined(told, call.workspace, sandbox)?,
        };
        answer(&said)
    }

    #[cfg(target_os = "linux")]
    fn run_confined(
        &self,
        told: Vec<u8>,
        workspace: Option<&str>,
        sandbox: &Sandbox,
    ) -> Result<Vec<u8>, String> {
        use proofhouse_sandbox::{Cancel, Digest, Executable, Spec, Status, Stdin};
        let [program, arguments @ ..] = &*self.command else { return Err("no program is named".to_owned()) };
        let path =
            Path::new(program).canonicalize().map_err(|e| format!("there is no program `{program}`: {e}"))?;
        let digest = Digest::of_file(&path).map_err(|e| format!("`{program}` cannot be read: {e}"))?;
        // Without a workspace it sees the folder of its own program.
        let folder = path.parent().unwrap_or(Path::new("/"));
        let cwd = workspace.map_or(folder, Path::new).to_owned();
        let own = folder.to_owned();
        let mut spec = Spec::new(Executable { path, digest }, cwd);
        spec.read_roots.push(own);
        spec.args = arguments.iter().map(Into::into).collect();
        spec.stdin = Stdin::Bytes(told);
        spec.limits.timeout = Duration::from_millis(self.timeout_ms);
        spec.limits.output = MOST_ANSWER;
        let refused = |why: &dyn std::fmt::Display| format!("it cannot be held in a sandbox: {why}");
        let helper = sandbox.helper().map_err(|e| refused(&e))?;
        let cancel = Cancel::new().map_err(|e| refused(&e))?;
        let outcome =
            spec.prepare_with(helper).and_then(|ready| ready.run(&cancel)).map_err(|e| refused(&e))?;
        match outcome.status {
            Status::Exited(0) => outcome.stdout.whole().ok_or_else(|| "its answer is too long".to_owned()),
            Status::TimedOut => Err(format!("it took longer than {} ms", self.timeout_ms)),
            other => Err(format!("it ended badly: {other:?}")),
        }
    }

    #[cfg(not(target_os = "linux"))]
    fn run_confined(&self, _: Vec<u8>, _: Option<&str>, _: &Sandbox) -> Result<Vec<u8>, String> {
        Err("there is no sandbox on this system\nhint: write `sandbox: none` if you trust it as yourself"
            .to_owned())
    }
}
