//! From an authorized call to its record.

use super::Manager;
use crate::{
    model::{ArtifactId, SandboxId, StopReason, ToolResult},
    port::{EventSink, Interrupt, JournalError},
    stage::{
        Authorized, Execute, Executed, Outcome, Prepare, Prepared, Record, Recorded, RunMode, Verify,
        advance, execute,
    },
};

/// How an authorized call ended.
#[derive(Debug)]
pub enum Ended {
    /// It ran; its result and evidence are recorded.
    Ran(Box<Recorded>),
    /// It did not run.
    Stopped(StopReason),
}

impl Ended {
    /// What came out, where it ran.
    pub fn result(&self) -> Option<&ToolResult> {
        match self {
            Self::Ran(recorded) => Some(recorded.result()),
            Self::Stopped(_) => None,
        }
    }
}

/// How one run is made.
pub struct RunOptions<'a> {
    /// Whether what it does is kept.
    pub mode: RunMode,
    /// What may stop it.
    pub interrupt: &'a dyn Interrupt,
    /// How many times the call was started before.
    pub attempt: u32,
}

impl std::fmt::Debug for RunOptions<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RunOptions").field("mode", &self.mode).finish_non_exhaustive()
    }
}

impl Manager {
    /// Takes an authorized call through the rest of its road: prepared, executed, verified, recorded.
    ///
    /// # Errors
    /// [`JournalError`] if the journal cannot be written; what was not recorded as started has not run.
    pub fn run(
        &self,
        authorized: Authorized,
        options: &RunOptions<'_>,
        log: &mut dyn EventSink,
    ) -> Result<Ended, JournalError> {
        let prepared = match self.prepare(authorized, log)? {
            Outcome::Next(prepared) => prepared,
            Outcome::Stop(stop) => return Ok(Ended::Stopped(stop.reason)),
        };
        let executed = match self.start(prepared, options, log)? {
            Outcome::Next(executed) => executed,
            Outcome::Stop(stop) => return Ok(Ended::Stopped(stop.reason)),
        };
        self.record(executed, log)
    }

    /// Holds a result against its contract and keeps the evidence.
    ///
    /// # Errors
    /// [`JournalError`] if the journal cannot be written.
    pub fn record(&self, executed: Executed, log: &mut dyn EventSink) -> Result<Ended, JournalError> {
        let verified = match advance(&Verify { hooks: &*self.executors.hooks }, executed, log)? {
            Outcome::Next(verified) => verified,
            Outcome::Stop(stop) => return Ok(Ended::Stopped(stop.reason)),
        };
        let artifact_id = ArtifactId::from_uuid(self.clock.uuid());
        let record = Record { artifacts: &*self.executors.artifacts, artifact_id };
        Ok(match advance(&record, verified, log)? {
            Outcome::Next(recorded) => Ended::Ran(Box::new(recorded)),
            Outcome::Stop(stop) => Ended::Stopped(stop.reason),
        })
    }

    /// Settles where and with what a call runs.
    ///
    /// # Errors
    /// [`JournalError`] if the journal cannot be written.
    pub fn prepare(
        &self,
        authorized: Authorized,
        log: &mut dyn EventSink,
    ) -> Result<Outcome<Prepared>, JournalError> {
        let adapter = self.executors.of(authorized.valid().tool().descriptor());
        let sandbox_id = SandboxId::from_uuid(self.clock.uuid());
        let tool = self.registry.get(authorized.valid().tool().id()).cloned();
        let policy = self.policy();
        let step = Prepare {
            adapter,
            sandbox_id,
            policy_set: policy.digest(),
            hooks: &*self.executors.hooks,
            tool: tool.as_deref(),
            now: self.clock.now(),
        };
        let valid = authorized.valid();
        let (of, call) = (valid.shared_tool(), valid.call().clone());
        let prepared = advance(&step, authorized, log)?;
        if let Outcome::Stop(_) = prepared {
            self.executors.forget(of.descriptor(), &call);
        }
        Ok(prepared)
    }

    /// Runs a prepared call.
    ///
    /// # Errors
    /// [`JournalError`] if the journal cannot be written; see [`execute`].
    pub fn start(
        &self,
        prepared: Prepared,
        options: &RunOptions<'_>,
        log: &mut dyn EventSink,
    ) -> Result<Outcome<Executed>, JournalError> {
        let RunOptions { mode, interrupt, attempt } = *options;
        let (used, undo) = (&*self.used, &*self.executors.undo);
        let (clock, wait, credentials) = (&*self.clock, &*self.wait, &*self.executors.credentials);
        execute(&Execute { interrupt, clock, mode, attempt, used, undo, wait, credentials }, prepared, log)
    }
}
