//! A journal that lets a session remember what it asked.

use crate::{
    authority::SessionMemory,
    event::{Fact, Scope},
    model::EventId,
    port::{Clock, EventSink, JournalError},
};

/// Appends to a journal, and lets the session remember what could be appended.
pub struct Remembering<'a> {
    log: &'a mut dyn EventSink,
    memory: &'a SessionMemory,
    clock: &'a dyn Clock,
}

impl std::fmt::Debug for Remembering<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Remembering").field("memory", &self.memory).finish_non_exhaustive()
    }
}

impl<'a> Remembering<'a> {
    /// Appends to this journal, and remembers there.
    pub fn new(log: &'a mut dyn EventSink, memory: &'a SessionMemory, clock: &'a dyn Clock) -> Self {
        Self { log, memory, clock }
    }
}

impl EventSink for Remembering<'_> {
    fn append(
        &mut self,
        scope: &Scope,
        parent: Option<&EventId>,
        fact: Fact,
    ) -> Result<EventId, JournalError> {
        let remembered = is_remembered(&fact).then(|| fact.clone());
        let event = self.log.append(scope, parent, fact)?;
        if let Some(fact) = remembered {
            self.memory.apply(self.clock.now(), &fact);
        }
        Ok(event)
    }

    fn commit(&mut self) -> Result<(), JournalError> {
        self.log.commit()
    }
}

/// Most events of a call are of no interest to the next question.
fn is_remembered(fact: &Fact) -> bool {
    matches!(
        fact,
        Fact::ApprovalRequested(_)
            | Fact::ApprovalGranted(_)
            | Fact::ApprovalDenied(_)
            | Fact::ApprovalExpired(_)
            | Fact::ApprovalInvalidated(_)
            | Fact::ToolBlocked(_)
    )
}
