//! What is to run and what it may touch, as a caller says it.
//!
//! Knows no kernel: [`Spec::prepare`](crate::Spec::prepare) turns it into an order, or refuses.

use crate::{Digest, Property};
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

/// One program to run, and everything that it may see, use and leave.
///
/// What is not named here does not exist inside: no path, no variable, no descriptor, no host.
#[derive(Debug, Clone)]
pub struct Spec {
    /// The program's file, and the digest that it must have.
    pub executable: Executable,
    /// Its arguments, without its own name.
    pub args: Vec<OsString>,
    /// Its environment, whole.
    pub env: Vec<Variable>,
    /// Where it starts; must lie in a root.
    pub cwd: PathBuf,
    /// Files and folders that it may read and execute.
    pub read_roots: Vec<PathBuf>,
    /// Folders that it may also change. For a caller who is root: what in them belongs to the folder's owner.
    pub write_roots: Vec<PathBuf>,
    /// What becomes of what it writes there.
    pub writes: Writes,
    /// Folders that it may change for real whatever becomes of its other writes: caches, which nobody undoes.
    pub through_roots: Vec<PathBuf>,
    /// What is hidden inside the roots: a pattern without `/` matches a name at any depth, one with `/` the path
    /// from a root, an absolute one the whole path. Letter case does not matter.
    pub blocked: Vec<String>,
    /// Whether it sees the system's programs and libraries.
    pub system: System,
    /// What it may reach.
    pub network: Network,
    /// What it reads on its standard input.
    pub stdin: Stdin,
    /// How much of everything it may use.
    pub limits: Limits,
    /// Properties of which a degraded form is accepted; none by default.
    pub accept_degraded: Vec<Property>,
}

impl Spec {
    /// Describes a run of `executable` in `cwd`, which it may read; every other right is missing.
    pub fn new(executable: Executable, cwd: impl Into<PathBuf>) -> Self {
        let cwd = cwd.into();
        Self {
            executable,
            args: Vec::new(),
            env: Vec::new(),
            read_roots: vec![cwd.clone()],
            cwd,
            write_roots: Vec::new(),
            writes: Writes::Through,
            through_roots: Vec::new(),
            blocked: Vec::new(),
            system: System::Standard,
            network: Network::None,
            stdin: Stdin::Null,
            limits: Limits::default(),
            accept_degraded: Vec::new(),
        }
    }
}

/// A program's file, pinned to its content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Executable {
    /// Absolute path of the file.
    pub path: PathBuf,
    /// SHA-256 of its content.
    pub digest: Digest,
}

/// A variable of the environment; its value is never printed.
#[derive(Clone, PartialEq, Eq)]
pub struct Variable {
    /// Its name.
    pub name: OsString,
    /// Its value, which may be a secret.
    pub value: OsString,
}

impl Variable {
    /// Makes a variable.
    pub fn new(name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        Self { name: name.into(), value: value.into() }
    }
}

impl fmt::Debug for Variable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}=…", self.name.to_string_lossy())
    }
}

/// Whether the system's programs and libraries are there to read and execute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum System {
    /// Only the roots are there: for a program that needs no library.
    None,
    /// `/usr`, the libraries, and what of `/etc` programs need to find them.
    Standard,
}

/// What becomes of what a program writes in its write roots.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Writes {
    /// It is written.
    Through,
    /// It is kept in this folder, which is made, and the roots stay as they are; see [`Aside`](crate::Aside).
    Aside(PathBuf),
}

/// What the program may reach.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Network {
    /// Nothing: not even a socket can be made, except a pair of connected ones.
    None,
    /// Its own loopback device, which nobody else is on.
    Loopback,
    /// The same, with the caller's proxy listening on this port: the only way out, see
    /// [`Prepared::run_with_proxy`](crate::Prepared::run_with_proxy).
    Proxy(u16),
}

/// What the program reads on its standard input.
#[derive(Clone, PartialEq, Eq)]
pub enum Stdin {
    /// Nothing.
    Null,
    /// These bytes, then the end.
    Bytes(Vec<u8>),
}

impl fmt::Debug for Stdin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("Null"),
            Self::Bytes(bytes) => write!(f, "Bytes({})", bytes.len()),
        }
    }
}

/// How much of everything a run may use.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Limits {
    /// Wall time, by a clock that cannot be set; each process also gets no more processor time than this.
    pub timeout: Duration,
    /// Bytes of memory, all processes together.
    pub memory: u64,
    /// Processes and threads at one time.
    pub processes: u32,
    /// Open files of one process.
    pub open_files: u32,
    /// Bytes of one file that it writes.
    pub file_size: u64,
    /// Bytes in the private `/tmp`.
    pub temp: u64,
    /// Files in the private `/tmp`.
    pub temp_files: u32,
    /// Bytes that must stay free on the disk of each write root.
    pub free_disk: u64,
    /// Bytes of output, both streams together; more ends the run.
    pub output: u64,
    /// Bytes kept of the beginning of each stream.
    pub head: usize,
    /// Bytes kept of the end of each stream.
    pub tail: usize,
}

const MIB: u64 = 1 << 20;

impl Default for Limits {
    fn default() -> Self {
        Self {
            timeout: Duration::from_secs(60),
            memory: 1024 * MIB,
            processes: 128,
            open_files: 1024,
            file_size: 256 * MIB,
            temp: 256 * MIB,
            temp_files: 65_536,
            free_disk: 64 * MIB,
            output: 16 * MIB,
            head: 512 << 10,
            tail: 512 << 10,
        }
    }
}
