//! The sixth stage: the call has run, once, and the journal says how it ended.
//!
//! The one place where something happens. [`execute`] keeps the order: last checks, `ToolCallStarted` on the
//! disk, the run, `ToolCallFinished` on the disk, and only then the result. Each attempt of a call that is tried again
//! keeps it anew, under the same idempotency key.

use super::{
    Prepared,
    call::{Caused, Decided, Outcome, Step, Stop, advance},
    lent::Lent,
    retry::{self, MOST_RETRIES},
};
use crate::{
    event::{
        Fact,
        fact::{ApprovalExpired, ToolCallBlocked, ToolCallFinished, ToolCallStarted},
    },
    model::{
        CallId, Changes, Digest, Domain, EventId, StopCode, StopReason, ToolDescriptor, ToolError, UndoRecord,
    },
    policy::labels_given_by,
    port::{
        Before, Clock, CredentialBroker, EventSink, Interrupt, JournalError, MISMATCH, Ran, RunRequest,
        Settled, UndoError, UndoStore, Wait,
    },
    usage::{Money, Price, Reservation, Spend, Used},
};
use serde_json::Value;
use std::path::Path;

/// Whether what a call does is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunMode {
    /// It is.
    Real,
    /// It is shown and discarded.
    DryRun,
}

/// The right to run one call, once.
///
/// Only [`execute`] makes one, after the journal has the call's start on the disk. It cannot be copied.
pub struct Ticket<'a> {
    prepared: &'a Prepared,
    step: &'a Execute<'a>,
    interrupt: &'a dyn Interrupt,
}

impl std::fmt::Debug for Ticket<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Ticket")
            .field("call", self.call())
            .field("mode", &self.mode())
            .finish_non_exhaustive()
    }
}

impl Ticket<'_> {
    /// The call.
    pub fn call(&self) -> &CallId {
        self.prepared.authorized.valid().call()
    }

    /// The tool's contract.
    pub fn tool(&self) -> &ToolDescriptor {
        self.prepared.authorized.valid().tool().descriptor()
    }

    /// The arguments: exactly those that were decided about and approved.
    pub fn args(&self) -> &Value {
        self.prepared.authorized.valid().args()
    }

    /// The run that it is for.
    pub fn run_request(&self) -> RunRequest<'_> {
        self.prepared.authorized.run_request()
    }

    /// Where and with what it runs.
    pub fn settled(&self) -> &Settled {
        &self.prepared.settled
    }

    /// Whether what it does is kept.
    pub fn mode(&self) -> RunMode {
        self.step.mode
    }

    /// Why it must stop, should it have to.
    pub fn interrupt(&self) -> &dyn Interrupt {
        self.interrupt
    }

    /// Keeps what the call is about to replace beneath a workspace, so that it can be undone. To be called with
    /// everything that will change, before the first byte is written.
    ///
    /// # Errors
    /// [`ToolError`] if it cannot be kept and the tool's contract says that it is reversible, or if a file is not
    /// what the changes say: the call must change nothing then.
    pub fn keep(&self, workspace: &Path, changes: &Changes, before: Before<'_>) -> Result<(), ToolError> {
        let record = UndoRecord {
            format: UndoRecord::FORMAT,
            tool_call_id: self.call().clone(),
            workspace: workspace.display().to_string(),
            at: self.step.clock.now(),
            changes: changes.clone(),
        };
        let error = match self.step.undo.keep(&record, before) {
            Ok(()) => return Ok(()),
            Err(UndoError::Store(_) | UndoError::TooMuch(_)) if !self.tool().effects.reversible => {
                return Ok(());
            }
            Err(error) => error,
        };
        let (code, message) = (error.code().to_owned(), error.to_string());
        Err(ToolError { code, message, retryable: false, safe_to_show_user: true })
    }
}

/// A call that has run, with what came out.
#[derive(Debug)]
pub struct Executed {
    pub(super) prepared: Prepared,
    pub(super) ran: Ran,
    /// The event that says how it ended.
    pub(super) finished: EventId,
    pub(super) mode: RunMode,
}

impl Executed {
    /// The call as it was prepared.
    pub fn prepared(&self) -> &Prepared {
        &self.prepared
    }

    /// What came out.
    pub fn ran(&self) -> &Ran {
        &self.ran
    }

    /// Whether what it did was kept.
    pub fn mode(&self) -> RunMode {
        self.mode
    }
}

/// With what a prepared call is run.
pub struct Execute<'a> {
    /// What may stop it.
    pub interrupt: &'a dyn Interrupt,
    /// The time, for what expires.
    pub clock: &'a dyn Clock,
    /// Whether what it does is kept.
    pub mode: RunMode,
    /// How many times it was started before.
    pub attempt: u32,
    /// What is left to use, and what sessions have read.
    pub used: &'a Used,
    /// Who lends secrets, and knows what must not leave.
    pub credentials: &'a dyn CredentialBroker,
    /// Where what it replaces is kept.
    pub undo: &'a dyn UndoStore,
    /// What lets time pass before another attempt.
    pub wait: &'a dyn Wait,
}

impl std::fmt::Debug for Execute<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Execute").field("mode", &self.mode).finish_non_exhaustive()
    }
}

/// Runs a prepared call, and again where its contract says that a failure such as this one is worth it.
///
/// # Errors
/// [`JournalError`] if its start could not be put on the disk: nothing has run then. Or if its end could not:
/// it has run, nobody is told, and the journal's next reader finds it interrupted.
pub fn execute(
    step: &Execute<'_>,
    prepared: Prepared,
    log: &mut dyn EventSink,
) -> Result<Outcome<Executed>, JournalError> {
    let share = Start(step, step.attempt).share(&prepared);
    let mut ended = once(step, step.attempt, prepared, share, log)?;
    for attempt in 0..MOST_RETRIES {
        let Outcome::Next(executed) = &ended else { break };
        let Some(pause) = retry::pause_before(executed, attempt) else { break };
        if !retry::wait(step, pause) {
            break;
        }
        let again = step.attempt + attempt + 1;
        // What may not start again has ended as it ended: the failure is its result.
        let share @ Ok(_) = Start(step, again).share(&executed.prepared) else { break };
        let Outcome::Next(executed) = ended else { break };
        ended = once(step, again, executed.prepared, share, log)?;
    }
    Ok(ended)
}

/// One attempt, with its start and its end.
fn once<'a>(
    step: &'a Execute<'a>,
    attempt: u32,
    prepared: Prepared,
    share: Share<'a>,
    log: &mut dyn EventSink,
) -> Result<Outcome<Executed>, JournalError> {
    let started = match advance(&Start(step, attempt), (prepared, share), log)? {
        Outcome::Next(started) => started,
        Outcome::Stop(stop) => return Ok(Outcome::Stop(stop)),
    };
    // INVARIANT: the start is on the disk before anything runs.
    log.commit()?;
    let Started { prepared, reservation } = started;
    reservation.started();
    let valid = prepared.authorized.valid();
    step.used.label(&valid.scope.session_id, labels_given_by(valid.tool().descriptor()));
    let lent = Lent { prepared: &prepared, interrupt: step.interrupt, credentials: step.credentials };
    // INVARIANT: nothing else sees what came out before secrets are out of it.
    let ran = lent.freed(perform(step, &prepared, &lent));
    step.used.limits().settle(valid.call(), ran.effects.cost_usd.and_then(Money::from_usd));
    let changes = kept(step, valid.call(), &ran);
    let ended = advance(&Finish { mode: step.mode, changes }, (prepared, ran), log)?;
    // INVARIANT: the end is on the disk before its result is handed out.
    log.commit()?;
    Ok(ended)
}

/// Runs the call, or makes exactly the changes that were approved.
fn perform(step: &Execute<'_>, prepared: &Prepared, interrupt: &dyn Interrupt) -> Ran {
    let ticket = Ticket { prepared, step, interrupt };
    let approved = prepared.authorized.approved_changes().filter(|_| step.mode == RunMode::Real);
    match (approved, prepared.adapter.rehearsals()) {
        (None, _) => prepared.adapter.invoke(ticket),
        (Some(changes), Some(rehearsals)) => rehearsals.commit(ticket, changes),
        (Some(_), None) => Ran::failed(ToolError {
            code: MISMATCH.to_owned(),
            message: format!("`{}` cannot make exactly what was approved", prepared.adapter.word()),
            retryable: false,
            safe_to_show_user: true,
        }),
    }
}

/// Digest of the changes that can be undone; what has changed nothing is not kept.
fn kept(step: &Execute<'_>, call: &CallId, ran: &Ran) -> Option<Digest> {
    if ran.effects.writes.is_empty() && ran.effects.deletes.is_empty() {
        // What cannot be forgotten is found to be no different from what it was.
        step.undo.forget(call).ok();
        return None;
    }
    step.undo.kept(call).ok().flatten().and_then(|record| record.changes.digest().ok())
}

/// A call whose start is in the journal, with its share of the limits.
struct Started<'a> {
    prepared: Prepared,
    reservation: Reservation<'a>,
}

impl Caused for Started<'_> {
    fn caused_by(&mut self, event: EventId) {
        self.prepared.caused_by(event);
    }
}

/// A call's share of the limits, or why it does not start.
type Share<'a> = Result<Reservation<'a>, (Vec<Fact>, StopReason)>;

/// A start, and how many there were before.
struct Start<'a>(&'a Execute<'a>, u32);

impl<'a> Step for Start<'a> {
    type From = (Prepared, Share<'a>);
    type To = Started<'a>;

    fn decide(&self, (mut prepared, share): (Prepared, Share<'a>)) -> Decided<Started<'a>> {
        let (scope, cause) = prepared.authorized.place();
        let (facts, outcome) = match share {
            Ok(reservation) => {
                let fact = self.fact(&prepared).into();
                (vec![fact], Outcome::Next(Started { prepared, reservation }))
            }
            Err((mut facts, reason)) => {
                let tool_id = prepared.authorized.valid().tool().id().clone();
                facts.push(ToolCallBlocked { tool_id, reason: reason.clone() }.into());
                (facts, Outcome::Stop(Stop { reason }))
            }
        };
        Decided { scope, cause, facts, outcome }
    }
}

impl<'a> Start<'a> {
    /// The call's share of the limits, if nothing else stands in its way.
    fn share(&self, prepared: &Prepared) -> Share<'a> {
        if let Some(refusal) = self.refusal(prepared) {
            return Err(refusal);
        }
        let valid = prepared.authorized.valid();
        let spend = Spend {
            call: valid.call(),
            attempt: self.1,
            principal: prepared.authorized.principal(),
            tool: valid.tool().id(),
            session: &valid.scope.session_id,
            price: Price::of(valid.tool().descriptor()),
        };
        let reserved = self.0.used.limits().reserve(&spend, self.0.clock.now());
        reserved.map_err(|reason| (Vec::new(), reason))
    }

    /// What has changed while the call was on its way.
    fn refusal(&self, prepared: &Prepared) -> Option<(Vec<Fact>, StopReason)> {
        if let Some(reason) = self.0.interrupt.reason() {
            return Some((Vec::new(), reason));
        }
        // What a run may come upon is known before it can take it away.
        if let Err(reason) = self.0.credentials.survey() {
            return Some((Vec::new(), reason));
        }
        let authorized = &prepared.authorized;
        let expires_at = authorized.expires_at().filter(|at| *at <= self.0.clock.now())?;
        let expired = authorized.contract().map(|contract| {
            Fact::from(ApprovalExpired { approval_id: contract.approval_id.clone(), expires_at })
        });
        let message = format!("what allows it expired at {}", expires_at.format("%Y-%m-%d %H:%M:%S%.3fZ"));
        Some((expired.into_iter().collect(), StopReason::new(StopCode::ApprovalExpired, message)))
    }

    fn fact(&self, prepared: &Prepared) -> ToolCallStarted {
        let Prepared { authorized, adapter, settled } = prepared;
        let valid = authorized.valid();
        let tool = valid.tool().descriptor();
        ToolCallStarted {
            tool_id: tool.tool_id.clone(),
            tool_version: tool.version.clone(),
            descriptor_digest: valid.tool().digest().clone(),
            args_digest: valid.args_digest().clone(),
            scopes: tool.permissions.required_scopes.clone(),
            risk_level: tool.risk.level,
            level: valid.tool().level(),
            principal: authorized.principal().clone(),
            adapter: adapter.word().to_owned(),
            dry_run: self.0.mode == RunMode::DryRun,
            attempt: self.1,
            policy_ids: authorized.policy_answer().policy_ids.clone(),
            grant_id: authorized.grant().map(|g| g.grant_id.clone()),
            approval_id: authorized.contract().map(|c| c.approval_id.clone()),
            expires_at: authorized.expires_at(),
            sandbox_id: Some(settled.sandbox.sandbox_id.clone()),
            sandbox_digest: Some(settled.terms.sandbox_digest.clone()),
            credentials: settled.terms.credentials.clone(),
            executable: settled.terms.executable.as_ref().map(|e| e.path.clone()),
            labels: labels_given_by(tool).into_iter().collect(),
            reserved_usd: match Price::of(tool) {
                Price::AtMost(Money(0)) | Price::Unknown => None,
                Price::AtMost(most) => Some(most.usd()),
            },
            idempotency_key: tool.effects.idempotent.then(|| valid.call().to_string()),
        }
    }
}

struct Finish {
    mode: RunMode,
    changes: Option<Digest>,
}

impl Step for Finish {
    type From = (Prepared, Ran);
    type To = Executed;

    fn decide(&self, (mut prepared, ran): (Prepared, Ran)) -> Decided<Executed> {
        let (scope, cause) = prepared.authorized.place();
        let fact = ToolCallFinished {
            status: ran.status,
            effects_observed: ran.effects.clone(),
            output_bytes: ran.output.len() as u64,
            output_digest: Some(Digest::of_bytes(Domain::Plain, &ran.output)),
            latency_ms: ran.latency_ms,
            error: ran.error.clone(),
            changes_digest: self.changes.clone(),
        };
        let finished = EventId::new("");
        let executed = Executed { prepared, ran, finished, mode: self.mode };
        Decided { scope, cause, facts: vec![fact.into()], outcome: Outcome::Next(executed) }
    }
}

impl Caused for Executed {
    fn caused_by(&mut self, event: EventId) {
        self.finished = event.clone();
        self.prepared.caused_by(event);
    }
}
