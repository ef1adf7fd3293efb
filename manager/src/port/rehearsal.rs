//! Trying a call before anybody is asked about it, and making exactly what was shown.

use super::{Interrupt, Ran, RunRequest, Settled};
use crate::{
    model::{CallId, Changes, Digest, EffectsObserved, StopReason, ToolError},
    stage::Ticket,
};

/// A call that is to be tried.
#[derive(Clone, Copy)]
pub struct Rehearsal<'a> {
    /// The call: what is kept of its rehearsal is found again by this, perhaps by another process.
    pub call: &'a CallId,
    /// What would run.
    pub run: RunRequest<'a>,
    /// Where and with what.
    pub settled: &'a Settled,
    /// Why it must stop, should it have to.
    pub interrupt: &'a dyn Interrupt,
}

impl std::fmt::Debug for Rehearsal<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Rehearsal").field("call", self.call).field("run", &self.run).finish_non_exhaustive()
    }
}

/// What an adapter can do that tries calls: only those that stay within their workspace are given to it.
///
/// A rehearsal works on a view that nobody else sees. It reaches no network, gets no secret, and leaves the
/// workspace as it was.
pub trait Rehearsals: Send + Sync {
    /// Tries a call, and tells everything that it would change.
    ///
    /// # Errors
    /// [`ToolError`] if the call fails, or does what it may not: nobody is asked about it then.
    fn rehearse(&self, rehearsal: &Rehearsal<'_>) -> Result<Rehearsed, ToolError>;

    /// Digest of what [`commit`](Self::commit) would change now, in the workspace as it is.
    ///
    /// # Errors
    /// [`StopReason`] if nothing can be committed any more, such as a rehearsal that was not kept.
    fn present(&self, rehearsal: &Rehearsal<'_>) -> Result<Digest, StopReason>;

    /// Makes exactly the changes that have this digest, or none: with other ones, or with a file that is not what
    /// it was, it ends with the error [`MISMATCH`] and has written nothing.
    fn commit(&self, ticket: Ticket<'_>, approved: &Digest) -> Ran;

    /// Forgets what is kept of a rehearsal that will not be committed.
    fn forget(&self, call: &CallId);
}

/// Code of the error with which a commit ends that would write other bytes than those that were approved.
pub const MISMATCH: &str = "approval_mismatch";

/// What came of trying a call.
#[derive(Debug, Clone, PartialEq)]
pub struct Rehearsed {
    /// All that it would change.
    pub changes: Changes,
    /// The same for people: a unified diff, whole.
    pub diff: String,
    /// What it did to its view of the world; held against the contract before anybody is asked.
    pub effects: EffectsObserved,
    /// How long it took, in milliseconds.
    pub latency_ms: u64,
}
