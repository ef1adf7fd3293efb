//! §10: a tool's way from seen to enabled, as far as it gets.
//!
//! ```text
//! discover ▶ parse ▶ validate and normalize ▶ lints ▶ review ▶ health check ▶ eval ▶ verify   ║ enable, grant
//! ```
//!
//! [`Admission::register`] walks the steps of `steps` one by one. Each leaves its event with what it found,
//! and the [`Ledger`] alone says whether it counts and what comes next; so a walk that was broken off goes on
//! where the journal ends, and one that is done leaves nothing more. What follows the verification is somebody's
//! decision: [`enable`](Admission::enable), [`review`](Admission::review), [`block`](Admission::block),
//! [`deprecate`](Admission::deprecate).
//!
//! A definition that differs from the one that is enabled stops that one before anything else is said.
//!
//! It knows no files, no models and no lints: what it needs of them comes in through ports.

mod decisions;
mod drift;
mod steps;

#[cfg(test)]
mod tests;

pub use decisions::Review;
pub use drift::Drift;

use super::{
    RegisteredTool, SchemaFault,
    ledger::{Halt, Ledger, Step, Track},
};
use crate::{
    event::{Fact, Scope, fact::ToolRegistrationFailed},
    model::{
        Digest, EventId, PrincipalId, RegistrationState, ToolDescriptor, ToolId, ToolVersion, TrustLevel,
    },
    port::{
        Clock, DescriptorError, DescriptorStore, Evaluator, EvaluatorError, EventSink, HealthCheck,
        JournalError, Linter,
    },
};
use serde::Serialize;
use steps::{Done, STEPS, Walk};

/// What an admission takes from the world.
#[derive(Clone, Copy)]
pub struct Ports<'a> {
    /// Where contracts are kept.
    pub store: &'a dyn DescriptorStore,
    /// What is wrong with one.
    pub linter: &'a dyn Linter,
    /// Whether it could be run.
    pub health: &'a dyn HealthCheck,
    /// How well it is selected; without one, contracts wait for their evaluation.
    pub evaluator: Option<&'a dyn Evaluator>,
    /// The time.
    pub clock: &'a dyn Clock,
}

/// A tool that a source holds, with the trust that whoever registers it puts in the source.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// Its contract.
    pub descriptor: ToolDescriptor,
    /// What it looked like where it was found.
    pub definition: Digest,
    /// Where that is.
    pub source: String,
    /// How far that is trusted, whatever the descriptor claims of itself.
    pub trust: TrustLevel,
}

/// Where a contract stands after something was done about it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Standing {
    /// The tool.
    pub tool_id: ToolId,
    /// Its version.
    pub tool_version: ToolVersion,
    /// The contract's digest.
    pub descriptor_digest: Digest,
    /// The state.
    pub state: RegistrationState,
    /// The next step; nothing once it is enabled for somebody.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<Step>,
    /// Why it does not go on by itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub advice: Option<String>,
    /// What was stopped because this one came.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub drift: Vec<Drift>,
}

/// What stops an admission.
#[derive(Debug, thiserror::Error)]
pub enum AdmissionError {
    /// The journal cannot be written: no log, no step.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// A contract cannot be kept or found.
    #[error(transparent)]
    Descriptor(#[from] DescriptorError),
    /// Nothing could be measured.
    #[error(transparent)]
    Evaluator(#[from] EvaluatorError),
    /// Its input schema cannot be used.
    #[error("`{tool}` cannot be registered: {fault}")]
    Schema {
        /// The tool.
        tool: ToolId,
        /// What is wrong.
        fault: SchemaFault,
    },
    /// The id belongs to a tool of another source.
    #[error(
        "`{tool}` cannot be registered: the id belongs to a tool of `{owner}`, and this one comes from `{source_id}`\nhint: give it another id, or block the other tool first"
    )]
    Taken {
        /// The tool.
        tool: ToolId,
        /// Source of the tool that has the id.
        owner: String,
        /// Source of this one.
        source_id: String,
    },
    /// Nothing is known of it.
    #[error("there is no registered tool `{0}`\nhint: `proofhouse tools list` names them all")]
    Unknown(ToolId),
    /// It is not so far.
    #[error("`{tool}` cannot be {what}: the next step is {missing}: {reason}\nhint: {}", .missing.advice(.tool))]
    NotThere {
        /// The tool.
        tool: ToolId,
        /// What was wanted.
        what: &'static str,
        /// The step that is next.
        missing: Step,
        /// Why it stands there.
        reason: String,
    },
    /// Only a person decides.
    #[error("{0} cannot decide this: only a person can, `user:NAME`\nhint: a person runs it without `--as`")]
    NotAPerson(PrincipalId),
}

/// Who a step that nobody decided is ascribed to.
pub(super) fn manager() -> PrincipalId {
    PrincipalId::new("service:proofhouse")
}

/// A registry that can be changed: its ledger, and the journal that the next event goes to.
pub struct Admission<'a> {
    ledger: Ledger,
    log: &'a mut dyn EventSink,
    ports: Ports<'a>,
    scope: Scope,
    by: PrincipalId,
}

impl std::fmt::Debug for Admission<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Admission").field("by", &self.by).finish_non_exhaustive()
    }
}

impl<'a> Admission<'a> {
    /// Goes on from a ledger; `log` must append to the journal that the ledger was read from.
    pub fn new(ledger: Ledger, log: &'a mut dyn EventSink, ports: Ports<'a>, by: PrincipalId) -> Self {
        let scope = Scope { session_id: "registry".into(), run_id: "registry".into(), call_id: None };
        Self { ledger, log, ports, scope, by }
    }

    /// What is proven so far.
    pub fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// Takes note that a source holds a tool, and stops an enabled one that it no longer is.
    ///
    /// # Errors
    /// [`AdmissionError`] if the journal cannot be written, or the id belongs to another source.
    pub fn discover(&mut self, found: &Found) -> Result<Vec<Drift>, AdmissionError> {
        self.hold_against_owner(found)?;
        let record = self.ledger.get(&found.descriptor.tool_id);
        if record.and_then(|record| record.definition()) != Some(&found.definition) {
            self.append(&steps::discover::fact(found).into())?;
        }
        let drift = self.quarantine(found)?;
        self.log.commit()?;
        Ok(drift)
    }

    /// Registers a tool and walks it as far as it gets. What is there already is left as it is.
    ///
    /// # Errors
    /// [`AdmissionError`] if a step could not be taken at all; what was done is kept. A step that says no is
    /// no error: the standing says so.
    pub fn register(&mut self, found: &Found) -> Result<Standing, AdmissionError> {
        let (id, digest) = (&found.descriptor.tool_id, found.descriptor.digest());
        if self.ledger.track(id, &digest).is_some() {
            // The kept contract may be gone or changed; the source has it.
            self.ports.store.put(&digest, &found.descriptor)?;
        }
        let drift = self.discover(found)?;
        let tool = match RegisteredTool::new(found.descriptor.clone()) {
            Ok(tool) => tool,
            Err(fault) => return Err(self.unsound(id, &found.definition, fault)?),
        };
        self.walk(&tool, Some(found))?;
        Ok(Standing { drift, ..self.standing(id, tool.digest())? })
    }

    /// Walks a contract that is known on from where it stands.
    ///
    /// # Errors
    /// [`AdmissionError`] if it is unknown, its contract is gone, or a step could not be taken at all.
    pub fn resume(&mut self, tool: &ToolId, digest: &Digest) -> Result<Standing, AdmissionError> {
        let prepared = self.prepared(tool, digest)?;
        self.walk(&prepared, None)?;
        self.standing(tool, digest)
    }

    fn prepared(&self, tool: &ToolId, digest: &Digest) -> Result<RegisteredTool, AdmissionError> {
        let descriptor = self.ports.store.get(digest)?;
        RegisteredTool::new(descriptor).map_err(|fault| AdmissionError::Schema { tool: tool.clone(), fault })
    }

    /// Takes one step again, wherever the contract stands.
    fn take_step(&mut self, tool: &RegisteredTool, step: Step) -> Result<(), AdmissionError> {
        let (track, by) = (self.track(tool.id(), tool.digest())?, self.by.clone());
        let definition = track.contract().definition_digest.clone();
        let walk = Walk { tool, found: None, definition: &definition, by: &by, track: Some(track) };
        let Some(run) = STEPS.iter().find(|run| run.step == step) else { return Ok(()) };
        match (run.run)(self, &walk)? {
            Done::Fact(fact) => self.append_news(tool, step, &fact),
            Done::Waits(_) | Done::Idle => Ok(()),
        }
    }

    /// Where a contract stands.
    ///
    /// # Errors
    /// [`AdmissionError::Unknown`] if nothing is known of it.
    pub fn standing(&self, tool: &ToolId, digest: &Digest) -> Result<Standing, AdmissionError> {
        Ok(Standing::of(self.track(tool, digest)?))
    }

    fn track(&self, tool: &ToolId, digest: &Digest) -> Result<&Track, AdmissionError> {
        self.ledger.track(tool, digest).ok_or_else(|| AdmissionError::Unknown(tool.clone()))
    }

    /// The next step of a contract; discovery is behind every one that is walked.
    fn next(&self, tool: &RegisteredTool, definition: &Digest) -> Step {
        match self.ledger.track(tool.id(), tool.digest()) {
            Some(track) if track.next() > Step::Normalized => track.next(),
            _ => match self.ledger.get(tool.id()) {
                Some(record) if record.has_parsed(definition) => Step::Normalized,
                Some(record) if record.knows_definition(definition) => Step::Parsed,
                _ => Step::Discovered,
            },
        }
    }

    fn walk(&mut self, tool: &RegisteredTool, found: Option<&Found>) -> Result<(), AdmissionError> {
        let known = self.ledger.track(tool.id(), tool.digest());
        let definition = match (found, known) {
            (Some(found), _) => found.definition.clone(),
            (None, Some(track)) => track.contract().definition_digest.clone(),
            (None, None) => return Err(AdmissionError::Unknown(tool.id().clone())),
        };
        let by = self.by.clone();
        loop {
            let step = self.next(tool, &definition);
            let Some(run) = STEPS.iter().find(|run| run.step == step) else { break };
            let track = self.ledger.track(tool.id(), tool.digest());
            let walk = Walk { tool, found, definition: &definition, by: &by, track };
            match (run.run)(self, &walk)? {
                Done::Fact(fact) => self.append_news(tool, step, &fact)?,
                Done::Waits(halt) => self.wait(tool, &halt)?,
                Done::Idle => break,
            }
            if self.next(tool, &definition) <= step {
                break;
            }
        }
        self.log.commit()?;
        Ok(())
    }

    /// Appends what a step found, and the failure that it means, unless the journal says the same already.
    fn append_news(&mut self, tool: &RegisteredTool, step: Step, fact: &Fact) -> Result<(), AdmissionError> {
        let before = self.ledger.track(tool.id(), tool.digest()).and_then(|track| track.halt().cloned());
        if step != Step::Eval && before.is_some() {
            let mut tried = self.ledger.clone_of(tool.id());
            tried.take(&EventId::new("ev_tried"), self.ports.clock.now(), fact);
            let after = tried.track(tool.id(), tool.digest());
            if after.is_some_and(|track| track.next() <= step && track.halt() == before.as_ref()) {
                return Ok(());
            }
        }
        self.append(fact)?;
        let halt =
            self.ledger.track(tool.id(), tool.digest()).and_then(|track| track.failed_at(step)).cloned();
        match halt {
            Some(halt) => self.append(&failed(tool, &halt)),
            None => Ok(()),
        }
    }

    fn wait(&mut self, tool: &RegisteredTool, halt: &Halt) -> Result<(), AdmissionError> {
        let told = self.ledger.track(tool.id(), tool.digest()).and_then(Track::halt);
        // A block says more than that somebody must look.
        if told.is_some() { Ok(()) } else { self.append(&failed(tool, halt)) }
    }

    /// Leaves the reason why a definition has no contract; gives the error.
    fn unsound(
        &mut self,
        tool: &ToolId,
        definition: &Digest,
        fault: SchemaFault,
    ) -> Result<AdmissionError, AdmissionError> {
        let reason = fault.to_string();
        let record = self.ledger.get(tool);
        let told = record.and_then(|r| r.failure()).is_some_and(|halt| halt.reason == reason);
        if !told {
            let parsed = crate::event::fact::ToolParsed {
                tool_id: tool.clone(),
                definition_digest: definition.clone(),
            };
            self.append(&parsed.into())?;
            let failed = ToolRegistrationFailed {
                tool_id: tool.clone(),
                tool_version: None,
                descriptor_digest: None,
                state: RegistrationState::InvalidSchema,
                reason,
            };
            self.append(&failed.into())?;
            self.log.commit()?;
        }
        Ok(AdmissionError::Schema { tool: tool.clone(), fault })
    }

    /// INVARIANT: the ledger takes in exactly what the journal took, after the journal did.
    fn append(&mut self, fact: &Fact) -> Result<(), AdmissionError> {
        let event = self.log.append(&self.scope, None, fact.clone())?;
        self.ledger.take(&event, self.ports.clock.now(), fact);
        Ok(())
    }
}

fn failed(tool: &RegisteredTool, halt: &Halt) -> Fact {
    ToolRegistrationFailed {
        tool_id: tool.id().clone(),
        tool_version: Some(tool.version().clone()),
        descriptor_digest: Some(tool.digest().clone()),
        state: halt.state,
        reason: halt.reason.clone(),
    }
    .into()
}

impl Standing {
    /// Where a contract stands.
    pub fn of(track: &Track) -> Self {
        let enabled = track.is_enabled();
        let next = (!enabled).then(|| track.next());
        Self {
            tool_id: track.tool().clone(),
            tool_version: track.version().clone(),
            descriptor_digest: track.digest().clone(),
            state: track.state(),
            next,
            reason: next.map(|_| track.why()),
            advice: next.map(|step| step.advice(track.tool())),
            drift: Vec::new(),
        }
    }
}
