//! §14: how the program of a command-line tool is started: a typed template, never a line for a shell.
//!
//! The template is a part of the contract, and so of its digest: it is reviewed and pinned like everything else.
//! Values become words of their own and are never parsed again. What is wrong with a template as such is in
//! [`fault`]; how a call's arguments become words is the adapter's work.

mod fault;

pub use fault::{CommandFault, CommandFaultKind};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// How a program is started, and what is made of what it says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CommandTemplate {
    /// The program: a name that is looked for on the caller's path, but never in the workspace; an absolute path; or
    /// a path that begins with `./`, which says that the program is a file of the workspace.
    pub program: String,
    /// What it is told, word by word.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub args: Vec<CommandPart>,
    /// The argument whose value it reads on its standard input; nothing is there otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stdin: Option<String>,
    /// Its environment, whole.
    #[serde(default, skip_serializing_if = "CommandEnvironment::is_empty")]
    pub environment: CommandEnvironment,
    /// The folder beneath the workspace that it starts in; the workspace itself where none is named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub working_directory: Option<String>,
    /// What becomes of what it writes in the workspace.
    #[serde(default, skip_serializing_if = "is_declared")]
    pub workspace: WorkspaceWrites,
    /// What its output is.
    #[serde(default)]
    pub output: OutputFormat,
    /// The exit codes that mean that it did what it should.
    #[serde(default = "zero", skip_serializing_if = "is_zero")]
    pub success_codes: Vec<i32>,
}

/// A part of what a program is told. A part whose argument is absent or null is left out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum CommandPart {
    /// This word, as it stands here.
    Literal(String),
    /// The value of an argument, as a word of its own.
    Value {
        /// The argument.
        of: String,
        /// The word that stands there where the argument is absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        absent: Option<String>,
    },
    /// An option with the value of an argument.
    Flag {
        /// The option. One that ends in `=` is followed by the value in the same word, else the value is the next.
        name: String,
        /// The argument.
        value: String,
        /// The word that stands there where the argument is absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        absent: Option<String>,
    },
    /// An option that is there when an argument is true.
    Switch {
        /// The option.
        name: String,
        /// The argument.
        when: String,
    },
    /// Each element of a list.
    Each {
        /// The argument.
        of: String,
        /// An option before each, as in `flag`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        flag: Option<String>,
    },
    /// `--`, after which the program itself takes nothing for an option.
    EndOfOptions,
}

impl CommandPart {
    /// The argument that it speaks of.
    pub fn argument(&self) -> Option<&str> {
        match self {
            Self::Literal(_) | Self::EndOfOptions => None,
            Self::Value { of, .. } | Self::Each { of, .. } => Some(of),
            Self::Flag { value, .. } => Some(value),
            Self::Switch { when, .. } => Some(when),
        }
    }
}

/// The variables of a program beside `PATH`, `HOME`, `TMPDIR` and `LANG`, which every program gets.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CommandEnvironment {
    /// Variables with these values.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub set: BTreeMap<String, String>,
    /// Variables that are the caller's own, where the caller has them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inherit: Vec<String>,
    /// Variables that name a folder of the tool's cache for this workspace, which it may write and finds again.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub cache: BTreeMap<String, String>,
    /// Variables that name a folder of the caller's home, where it is there: it must be a read root to be seen.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub home: BTreeMap<String, String>,
}

impl CommandEnvironment {
    /// Whether nothing is declared.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Every name, with the field that it stands in.
    pub fn names(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let maps = [("set", &self.set), ("cache", &self.cache), ("home", &self.home)];
        let mapped = maps.into_iter().flat_map(|(field, map)| map.keys().map(move |n| (field, n.as_str())));
        mapped.chain(self.inherit.iter().map(|name| ("inherit", name.as_str())))
    }
}

/// What becomes of what a program writes in the workspace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum WorkspaceWrites {
    /// It is kept where the contract declares it; one write beside that, and nothing is kept and the call fails.
    #[default]
    Declared,
    /// It may write anywhere in a view of its own, and nothing of that is ever kept: what it leaves there is `temp:`.
    Scratch,
}

/// What a program's output is; each has its parser.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum OutputFormat {
    /// Text: `{exitCode, stdout, stderr}`.
    #[default]
    Text,
    /// One JSON value, which is the result.
    Json,
    /// JSON values, one a line: `{items}`.
    JsonLines,
    /// Nothing but the exit code: `{exitCode}`.
    ExitStatus,
    /// A report in JUnit's XML.
    JunitXml,
    /// What `cargo test` says.
    CargoTest,
    /// What JavaScript test runners say: TAP, or the summary of the common ones.
    JsTest,
    /// What `pytest` says.
    Pytest,
    /// What `git status --porcelain=v2 --branch -z` says.
    GitStatus,
    /// Commits, a line each, of hash, author, date and subject between unit separators (`%x1f`).
    GitLog,
    /// A unified diff.
    UnifiedDiff,
}

impl OutputFormat {
    /// Every format.
    pub const ALL: &[Self] = &[
        Self::Text,
        Self::Json,
        Self::JsonLines,
        Self::ExitStatus,
        Self::JunitXml,
        Self::CargoTest,
        Self::JsTest,
        Self::Pytest,
        Self::GitStatus,
        Self::GitLog,
        Self::UnifiedDiff,
    ];
}

fn zero() -> Vec<i32> {
    vec![0]
}

fn is_zero(codes: &[i32]) -> bool {
    codes == zero()
}

fn is_declared(writes: &WorkspaceWrites) -> bool {
    *writes == WorkspaceWrites::Declared
}
