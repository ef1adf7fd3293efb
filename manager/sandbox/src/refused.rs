//! Why nothing ran.

use crate::{Digest, Property};
use serde::{Deserialize, Serialize};
use std::io;
use std::path::{Path, PathBuf};

/// Why nothing ran: the specification cannot be kept, by anyone or on this machine.
#[derive(Debug, thiserror::Error)]
pub enum Refused {
    /// The sandbox has no way to start its helper.
    #[error(
        "the sandbox has no helper\nhint: call `proofhouse_sandbox::maybe_run_helper` first thing in `main`, or name a program that does"
    )]
    NoHelper,
    /// A path cannot be used.
    #[error("the {role} `{}` cannot be used: {why}", path.display())]
    Path {
        /// What the path is for.
        role: &'static str,
        /// The path as it was given.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// The executable is not the one that was pinned.
    #[error("the executable `{}` has changed: its digest is {found}, and {expected} is pinned\nhint: pin it again if the change is wanted", path.display())]
    DigestMismatch {
        /// Path of the executable.
        path: PathBuf,
        /// The pinned digest.
        expected: Digest,
        /// The digest of the file as it is.
        found: Digest,
    },
    /// An argument, a variable or a limit cannot be used.
    #[error("the {role} cannot be used: {why}")]
    Value {
        /// What the value is for.
        role: String,
        /// What is wrong with it.
        why: String,
    },
    /// This machine does not keep a property that is demanded.
    #[error("this machine does not keep `{property}`: {why}")]
    Property {
        /// The property.
        property: Property,
        /// What is missing.
        why: String,
    },
    /// A step of building the sandbox failed.
    #[error("the sandbox cannot {}: {}", .0.step, .0.why)]
    Setup(Fault),
    /// The helper ended before the program started.
    #[error("the sandbox's helper ended before the program started ({0})")]
    HelperEnded(String),
    /// The caller ended the run before the program started.
    #[error("the run was cancelled before the program started")]
    Cancelled,
    /// The operating system refused something to the caller's own process.
    #[error("the sandbox cannot {step}: {source}")]
    Io {
        /// What was tried.
        step: &'static str,
        /// What the system said.
        source: io::Error,
    },
}

impl Refused {
    #[expect(clippy::needless_pass_by_value, reason = "errors are handed over whole")]
    pub(crate) fn path(role: &'static str, path: &Path, why: impl ToString) -> Self {
        Self::Path { role, path: path.to_owned(), why: why.to_string() }
    }

    pub(crate) fn value(role: impl Into<String>, why: impl Into<String>) -> Self {
        Self::Value { role: role.into(), why: why.into() }
    }

    pub(crate) fn io(step: &'static str) -> impl Fn(io::Error) -> Self {
        move |source| Self::Io { step, source }
    }
}

/// A step of building the sandbox that failed, in words that complete "cannot …".
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    /// What was tried.
    pub step: String,
    /// What the kernel said.
    pub why: String,
}

impl Fault {
    /// Tells of a failed step.
    #[expect(clippy::needless_pass_by_value, reason = "errors are handed over whole")]
    pub(crate) fn new(step: impl Into<String>, why: impl ToString) -> Self {
        Self { step: step.into(), why: why.to_string() }
    }

    /// Makes errors of one step.
    pub(crate) fn at<E: ToString>(step: impl Into<String>) -> impl FnOnce(E) -> Self {
        let step = step.into();
        move |error| Self::new(step, error)
    }
}
