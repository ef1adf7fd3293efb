//! Between policy's *ask* and the question: the call is tried where nobody sees it, so that the question can show
//! what it would change.
//!
//! The order is that of a run: the sandbox is in the journal, on the disk, before anything is tried; what came of it is
//! in the journal before anybody is asked. A rehearsal is never a start.

use super::{
    PolicyChecked,
    call::{Caused, Decided, Outcome, Step, Stop, advance},
    check,
    lent::redact_effects,
    prepared::sandbox_prepared,
};
use crate::{
    event::{
        Fact,
        fact::{ToolCallBlocked, ToolCallRehearsed},
    },
    model::{
        ApprovalDiff, ArtifactId, Digest, Domain, EffectLevel, EffectsObserved, EventId, PrincipalId,
        RuntimeTerms, SandboxId, StopCode, StopReason, ToolError,
    },
    port::{Adapter, ArtifactStore, EventSink, Interrupt, JournalError, Rehearsal, Rehearsed, Settled},
    redact::Redactor,
};
use std::sync::Arc;

/// A call about which somebody has to be asked, and is not asked yet.
#[derive(Debug)]
pub struct Unasked {
    pub(super) checked: PolicyChecked,
    pub(super) terms: RuntimeTerms,
    pub(super) tried: Option<Box<Tried>>,
}

/// What a question shows of a rehearsal.
#[derive(Debug)]
pub(super) struct Tried {
    pub(super) changes: Digest,
    pub(super) effects: EffectsObserved,
    pub(super) diff: ApprovalDiff,
}

impl Unasked {
    /// The call, and what policy said about it.
    pub fn checked(&self) -> &PolicyChecked {
        &self.checked
    }
}

impl Caused for Unasked {
    fn caused_by(&mut self, event: EventId) {
        self.checked.caused_by(event);
    }
}

/// With what a call is tried.
pub struct Rehearse<'a> {
    /// What would run it; `None` where nothing here does.
    pub adapter: Option<Arc<dyn Adapter>>,
    /// For whom.
    pub principal: &'a PrincipalId,
    /// Identity of the rehearsal's sandbox.
    pub sandbox_id: SandboxId,
    /// What may stop it.
    pub interrupt: &'a dyn Interrupt,
    /// Where a diff is kept that is too long for a question.
    pub artifacts: &'a dyn ArtifactStore,
    /// Identity of that diff.
    pub artifact_id: ArtifactId,
    /// What keeps secrets out of what it shows.
    pub secrets: &'a Redactor,
}

impl std::fmt::Debug for Rehearse<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Rehearse").field("sandbox_id", &self.sandbox_id).finish_non_exhaustive()
    }
}

/// Tries a call, where it stays within its workspace and what would run it can try: `ToolSandboxPrepared` and
/// `ToolCallRehearsed`, and `ToolCallBlocked` if it fails or does what its contract does not declare. Any other call
/// goes on as it came.
///
/// # Errors
/// [`JournalError`] if the journal cannot be written; the call stops then, and nothing has been tried that the disk
/// does not know of.
pub fn rehearse(
    step: &Rehearse<'_>,
    unasked: Unasked,
    log: &mut dyn EventSink,
) -> Result<Outcome<Unasked>, JournalError> {
    let Some(adapter) = step.adapter.clone().filter(|a| a.rehearsals().is_some() && stays_inside(&unasked))
    else {
        return Ok(Outcome::Next(unasked));
    };
    let arranged = match advance(&Arrange(step, adapter), unasked, log)? {
        Outcome::Next(arranged) => arranged,
        Outcome::Stop(stop) => return Ok(Outcome::Stop(stop)),
    };
    // INVARIANT: its sandbox is on the disk before anything is tried.
    log.commit()?;
    let came = arranged.attempt(step);
    advance(&Tell(step), (arranged, came), log)
}

/// Whether a call can be tried without any effect: it writes at most in its workspace, and needs no secret.
fn stays_inside(unasked: &Unasked) -> bool {
    unasked.checked.valid.tool.level() <= EffectLevel::WorkspaceWrite && unasked.terms.credentials.is_empty()
}

/// A call whose rehearsal has a sandbox.
struct Arranged {
    unasked: Unasked,
    adapter: Arc<dyn Adapter>,
    settled: Settled,
}

impl Arranged {
    fn attempt(&self, step: &Rehearse<'_>) -> Result<Rehearsed, ToolError> {
        let valid = &self.unasked.checked.valid;
        let rehearsal = Rehearsal {
            call: &valid.call,
            run: valid.run_request(step.principal),
            settled: &self.settled,
            interrupt: step.interrupt,
        };
        let rehearsals = self.adapter.rehearsals();
        let rehearsals = rehearsals.expect("INVARIANT: only an adapter that can try is arranged");
        freed(rehearsals.rehearse(&rehearsal), step.secrets)
    }
}

/// What came of a rehearsal, without any secret. The changes stay what they are: they are committed, not shown.
fn freed(came: Result<Rehearsed, ToolError>, secrets: &Redactor) -> Result<Rehearsed, ToolError> {
    match came {
        Ok(mut tried) => {
            tried.diff = secrets.redact_text(&tried.diff);
            redact_effects(&mut tried.effects, secrets);
            Ok(tried)
        }
        Err(error) => Err(ToolError { message: secrets.redact_text(&error.message), ..error }),
    }
}

impl Caused for Arranged {
    fn caused_by(&mut self, event: EventId) {
        self.unasked.caused_by(event);
    }
}

struct Arrange<'a>(&'a Rehearse<'a>, Arc<dyn Adapter>);

impl Step for Arrange<'_> {
    type From = Unasked;
    type To = Arranged;

    fn decide(&self, mut unasked: Unasked) -> Decided<Arranged> {
        let valid = &mut unasked.checked.valid;
        let (scope, cause) = (valid.scope.clone(), valid.cause.take());
        let (facts, outcome) = match self.1.settle(&valid.run_request(self.0.principal)) {
            Ok(mut settled) => {
                settled.sandbox.sandbox_id = self.0.sandbox_id.clone();
                // What is tried and what is asked about are one and the same.
                unasked.terms = settled.terms.clone();
                let fact = sandbox_prepared(&settled).into();
                (vec![fact], Outcome::Next(Arranged { unasked, adapter: Arc::clone(&self.1), settled }))
            }
            Err(reason) => {
                let blocked = ToolCallBlocked { tool_id: valid.tool.id().clone(), reason: reason.clone() };
                (vec![blocked.into()], Outcome::Stop(Stop { reason }))
            }
        };
        Decided { scope, cause, facts, outcome }
    }
}

struct Tell<'a>(&'a Rehearse<'a>);

impl Step for Tell<'_> {
    type From = (Arranged, Result<Rehearsed, ToolError>);
    type To = Unasked;

    fn decide(&self, (arranged, came): Self::From) -> Decided<Unasked> {
        let Arranged { mut unasked, adapter, settled } = arranged;
        let valid = &mut unasked.checked.valid;
        let (scope, cause) = (valid.scope.clone(), valid.cause.take());
        let mut told = fact(settled.sandbox.sandbox_id, came.as_ref());
        let (mut facts, outcome): (Vec<Fact>, _) =
            match came.map_err(|e| failed(&e)).and_then(|r| self.hold(&unasked, r)) {
                Ok(tried) => {
                    told.diff_uri.clone_from(&tried.diff.uri);
                    unasked.tried = Some(Box::new(tried));
                    (Vec::new(), Outcome::Next(unasked))
                }
                Err(reason) => {
                    if let Some(rehearsals) = adapter.rehearsals() {
                        rehearsals.forget(&unasked.checked.valid.call);
                    }
                    let tool_id = unasked.checked.valid.tool.id().clone();
                    let blocked = ToolCallBlocked { tool_id, reason: reason.clone() };
                    (vec![blocked.into()], Outcome::Stop(Stop { reason }))
                }
            };
        facts.insert(0, told.into());
        Decided { scope, cause, facts, outcome }
    }
}

impl Tell<'_> {
    /// Holds a rehearsal against the contract, and makes of it what a question shows.
    fn hold(&self, unasked: &Unasked, rehearsed: Rehearsed) -> Result<Tried, StopReason> {
        let tool = unasked.checked.valid.tool.descriptor();
        check::declared(tool, &rehearsed.effects).map_err(|what| refused(&what))?;
        let changes = rehearsed.changes.digest().map_err(|e| refused(&e.to_string()))?;
        let mut diff = ApprovalDiff::of(&rehearsed.diff, rehearsed.changes.0.len());
        if diff.hidden() > 0 {
            // What nobody can look up is not asked about.
            let kept = self.0.artifacts.keep(&self.0.artifact_id, rehearsed.diff.as_bytes());
            diff.uri = Some(kept.map_err(|e| refused(&format!("its diff cannot be kept: {e}")))?.uri);
        }
        Ok(Tried { changes, effects: rehearsed.effects, diff })
    }
}

/// At most so many changes are told one by one; the digest is of all.
const TOLD: usize = 50;

fn fact(sandbox_id: SandboxId, came: Result<&Rehearsed, &ToolError>) -> ToolCallRehearsed {
    let (tried, error) = (came.ok(), came.err().cloned());
    let changes = tried.map(|t| t.changes.0.as_slice()).unwrap_or_default();
    ToolCallRehearsed {
        sandbox_id,
        changed: changes.len() as u64,
        changes: changes.iter().take(TOLD).cloned().collect(),
        changes_digest: tried.and_then(|t| t.changes.digest().ok()),
        diff_digest: tried.map(|t| Digest::of_bytes(Domain::Plain, t.diff.as_bytes())),
        diff_uri: None,
        latency_ms: tried.map_or(0, |t| t.latency_ms),
        error,
    }
}

fn failed(error: &ToolError) -> StopReason {
    refused(&format!("{} ({})", error.message, error.code))
}

fn refused(what: &str) -> StopReason {
    StopReason::new(StopCode::RehearsalFailed, format!("tried before anybody was asked, it failed: {what}"))
}
