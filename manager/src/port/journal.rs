//! Where facts go before anything follows from them.

use crate::{
    event::{Fact, Scope},
    model::EventId,
};

/// The journal could not be written; nothing may follow from the fact.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "the journal cannot be written: {0}\nhint: no log, no run; free space or fix permissions, then try again"
)]
pub struct JournalError(pub String);

/// An append-only log of facts.
pub trait EventSink {
    /// Appends a fact. When this returns, the fact is as durable as the sink promises.
    ///
    /// # Errors
    /// [`JournalError`] if it could not be written; the caller must stop.
    fn append(
        &mut self,
        scope: &Scope,
        parent: Option<&EventId>,
        fact: Fact,
    ) -> Result<EventId, JournalError>;

    /// Puts everything appended so far on the disk. Called before a call runs and before its result is
    /// handed out.
    ///
    /// # Errors
    /// [`JournalError`] if that cannot be promised; nothing may run then.
    fn commit(&mut self) -> Result<(), JournalError>;
}
