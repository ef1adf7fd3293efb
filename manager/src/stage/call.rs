//! `advance`: the one way from a stage to the next.

use crate::{
    event::{Fact, Scope},
    model::{EventId, StopReason},
    port::{EventSink, JournalError},
};

/// One step of the road.
///
/// A step decides; it cannot hand anything out. That is [`advance`]'s work, after the facts are in the
/// journal. Only this module's stages implement it: `Decided` cannot be made elsewhere.
pub trait Step {
    /// The stage it starts from.
    type From;
    /// The stage it leads to.
    type To;

    /// Decides what follows from a stage, and which facts say so.
    fn decide(&self, from: Self::From) -> Decided<Self::To>;
}

/// What a step has decided, not yet recorded.
#[derive(Debug)]
pub struct Decided<T> {
    pub(super) scope: Scope,
    pub(super) cause: Option<EventId>,
    pub(super) facts: Vec<Fact>,
    pub(super) outcome: Outcome<T>,
}

/// What follows from a step.
#[derive(Debug)]
pub enum Outcome<T> {
    /// The call goes on.
    Next(T),
    /// The call ends here.
    Stop(Stop),
}

/// A call that ended before it ran.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stop {
    /// Why.
    pub reason: StopReason,
}

/// A stage that remembers the event which led to it.
pub(super) trait Caused {
    fn caused_by(&mut self, event: EventId);
}

/// Decides a step, appends its facts, and only then hands out what follows.
///
/// # Errors
/// [`JournalError`] if a fact could not be appended. The stage is consumed all the same: what could not be
/// recorded does not go on.
#[expect(private_bounds, reason = "stages of other modules would be forged proofs")]
pub fn advance<S>(step: &S, from: S::From, log: &mut dyn EventSink) -> Result<Outcome<S::To>, JournalError>
where
    S: Step,
    S::To: Caused,
{
    let Decided { scope, mut cause, facts, outcome } = step.decide(from);
    for fact in facts {
        cause = Some(log.append(&scope, cause.as_ref(), fact)?);
    }
    Ok(match outcome {
        Outcome::Next(mut to) => {
            if let Some(event) = cause {
                to.caused_by(event);
            }
            Outcome::Next(to)
        }
        Outcome::Stop(stop) => Outcome::Stop(stop),
    })
}
