//! What a run came to.

use crate::{Attestation, Captured};
use std::path::PathBuf;
use std::time::Duration;

/// What a run came to: how it ended, and what it wrote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// How it ended.
    pub status: Status,
    /// What it wrote on standard output.
    pub stdout: Captured,
    /// What it wrote on standard error.
    pub stderr: Captured,
    /// How long it took, from the order to the death of the last process.
    pub duration: Duration,
    /// Which properties held.
    pub attestation: Attestation,
    /// Blocked paths in write roots that exist now, or would if they were not kept aside, and did not before: their
    /// making cannot be prevented there, so it is told.
    pub strayed: Vec<PathBuf>,
    /// Whether the tree is gone.
    pub tree: Tree,
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Status {
    /// The program ended by itself, with this code.
    Exited(i32),
    /// A signal that the sandbox did not send ended it; a closed entry of the kernel does so with `SIGSYS`.
    Signalled(i32),
    /// Its time was over.
    TimedOut,
    /// It held more memory than it may.
    OutOfMemory,
    /// It left less of a disk than must stay free.
    DiskFull,
    /// It wrote more than it may.
    OutputLimit,
    /// The caller ended it.
    Cancelled,
    /// The sandbox itself ended after the program had started; what the program did is unknown.
    HelperFailed(String),
}

/// What is left of a run's processes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tree {
    /// None is alive.
    Gone,
    /// All were killed, and the kernel has not yet buried every one.
    Dying,
}
