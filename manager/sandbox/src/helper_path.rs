//! The program that is started to build a sandbox.

use crate::Refused;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

/// First argument of a process that is a helper.
pub(crate) const ROLE: &str = "__proofhouse-sandbox";

/// Second argument of the one that builds a sandbox.
pub(crate) const RUN: &str = "run";
/// Second argument of the one that tries a sandbox.
pub(crate) const TRY: &str = "try";

static HAS_HELPER: AtomicBool = AtomicBool::new(false);

/// The program that is started to build a sandbox: one whose `main` calls
/// [`maybe_run_helper`](crate::maybe_run_helper) first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Helper(PathBuf);

impl Helper {
    /// Takes the running program.
    ///
    /// # Errors
    /// When it has not called [`maybe_run_helper`](crate::maybe_run_helper): started again, it would do its own
    /// work instead of ours.
    pub fn this_program() -> Result<Self, Refused> {
        if HAS_HELPER.load(Ordering::Relaxed) {
            // the very file that runs, even if another has taken its path
            Ok(Self(PathBuf::from("/proc/self/exe")))
        } else {
            Err(Refused::NoHelper)
        }
    }

    /// Takes another program.
    pub fn at(program: impl Into<PathBuf>) -> Self {
        Self(program.into())
    }

    pub(crate) fn path(&self) -> &std::path::Path {
        &self.0
    }
}

pub(crate) fn remember() {
    HAS_HELPER.store(true, Ordering::Relaxed);
}
