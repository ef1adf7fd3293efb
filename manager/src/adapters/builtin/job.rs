//! One run of a builtin tool: its arguments, its places, its limits.

use super::{Fault, places::Places};
use crate::{
    model::{ArtifactKind, EffectsObserved, ResourceRef},
    stage::{RunMode, Ticket},
};
use serde_json::Value;
use std::time::{Duration, Instant};

/// What a tool works with.
pub(super) struct Job<'a> {
    ticket: &'a Ticket<'a>,
    pub(super) places: Places<'a>,
    begun: Instant,
}

/// What a tool has done.
pub(super) struct Done {
    pub(super) output: Vec<u8>,
    pub(super) kind: ArtifactKind,
    pub(super) structured: Value,
    pub(super) effects: EffectsObserved,
}

impl<'a> Job<'a> {
    pub(super) fn new(ticket: &'a Ticket<'a>, places: Places<'a>, begun: Instant) -> Self {
        Self { ticket, places, begun }
    }

    /// A text argument that the schema requires; empty where it is optional and absent.
    pub(super) fn text(&self, name: &str) -> &str {
        self.ticket.args()[name].as_str().unwrap_or_default()
    }

    /// A number, where it was given.
    pub(super) fn number(&self, name: &str) -> Option<usize> {
        self.ticket.args()[name].as_u64().and_then(|n| usize::try_from(n).ok())
    }

    /// A switch, or what it is when nobody says.
    pub(super) fn switch(&self, name: &str, unsaid: bool) -> bool {
        self.ticket.args()[name].as_bool().unwrap_or(unsaid)
    }

    /// Whether changes are to be shown and not made.
    pub(super) fn dry(&self) -> bool {
        self.ticket.mode() == RunMode::DryRun
    }

    /// A name that no other call uses, for files on their way.
    pub(super) fn scratch_name(&self) -> String {
        format!(".{}.part", self.ticket.call())
    }

    /// Bytes that may be read or given back.
    pub(super) fn max_bytes(&self) -> u64 {
        self.ticket.settled().sandbox.process.max_stdout_bytes
    }

    /// Stops the tool where its time is over or somebody called it off.
    pub(super) fn go_on(&self) -> Result<(), Fault> {
        if let Some(reason) = self.ticket.interrupt().reason() {
            return Err(Fault::new("cancelled", reason.to_string()));
        }
        let timeout = Duration::from_millis(self.ticket.settled().sandbox.process.timeout_ms);
        if self.begun.elapsed() > timeout {
            return Err(Fault::new("timeout", format!("it took longer than {} ms", timeout.as_millis())));
        }
        Ok(())
    }
}

/// A file as a resource.
pub(super) fn file(path: &str) -> ResourceRef {
    ResourceRef(format!("file:{path}"))
}
