//! One run of a builtin tool: its arguments, its places, its limits.

use super::{Fault, places::Places, plan::Plan};
use crate::{
    model::{ArtifactKind, EffectsObserved, ResourceRef},
    port::Rehearsal,
    stage::RunMode,
};
use serde_json::Value;
use std::time::{Duration, Instant};

/// What a tool works with.
pub(super) struct Job<'a> {
    /// The call, and where and with what it runs.
    what: Rehearsal<'a>,
    mode: RunMode,
    pub(super) places: Places<'a>,
    begun: Instant,
}

/// What a tool has found out or would do.
pub(super) struct Done {
    pub(super) output: Vec<u8>,
    pub(super) kind: ArtifactKind,
    pub(super) structured: Value,
    /// What it does to the world, once its plan is made.
    pub(super) effects: EffectsObserved,
    /// What it would change; nothing was changed yet.
    pub(super) plan: Plan,
}

impl<'a> Job<'a> {
    pub(super) fn new(what: Rehearsal<'a>, mode: RunMode, places: Places<'a>, begun: Instant) -> Self {
        Self { what, mode, places, begun }
    }

    /// A text argument that the schema requires; empty where it is optional and absent.
    pub(super) fn text(&self, name: &str) -> &str {
        self.what.run.args[name].as_str().unwrap_or_default()
    }

    /// A number, where it was given.
    pub(super) fn number(&self, name: &str) -> Option<usize> {
        self.what.run.args[name].as_u64().and_then(|n| usize::try_from(n).ok())
    }

    /// A switch, or what it is when nobody says.
    pub(super) fn switch(&self, name: &str, unsaid: bool) -> bool {
        self.what.run.args[name].as_bool().unwrap_or(unsaid)
    }

    /// Whether changes are to be shown and not made.
    pub(super) fn dry(&self) -> bool {
        self.mode == RunMode::DryRun
    }

    /// A name that no other call uses, for files on their way.
    pub(super) fn tag(&self) -> String {
        self.what.call.to_string()
    }

    /// The rights that new files do not get here; none are taken from a file that is there.
    pub(super) fn umask_of_new(&self, there: Option<u32>) -> u32 {
        if there.is_some() { 0 } else { umask() }
    }

    /// Bytes that may be read or given back.
    pub(super) fn max_bytes(&self) -> u64 {
        self.what.settled.sandbox.process.max_stdout_bytes
    }

    /// Stops the tool where its time is over or somebody called it off.
    pub(super) fn go_on(&self) -> Result<(), Fault> {
        if let Some(reason) = self.what.interrupt.reason() {
            return Err(Fault::new("cancelled", reason.to_string()));
        }
        let timeout = Duration::from_millis(self.what.settled.sandbox.process.timeout_ms);
        if self.begun.elapsed() > timeout {
            return Err(Fault::new("timeout", format!("it took longer than {} ms", timeout.as_millis())));
        }
        Ok(())
    }
}

/// The rights that this process gives to no new file, as the kernel tells; asking for them in any other way would
/// change them for every thread.
fn umask() -> u32 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let told = status.lines().find_map(|line| line.strip_prefix("Umask:"));
    told.and_then(|mask| u32::from_str_radix(mask.trim(), 8).ok()).unwrap_or(0o077)
}

/// A file as a resource.
pub(super) fn file(path: &str) -> ResourceRef {
    ResourceRef(format!("file:{path}"))
}
