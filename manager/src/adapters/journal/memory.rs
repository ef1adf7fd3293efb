//! A log in memory.

use super::fresh;
use crate::{
    event::{Fact, Fresh, Scope},
    model::EventId,
    port::{Clock, EventSink, JournalError},
};

/// Facts kept in memory, in order, until somebody gives them their place in a file.
///
/// Fit for decisions from which nothing is executed, such as those of an evaluation.
pub struct MemoryLog<'a> {
    clock: &'a dyn Clock,
    events: Vec<Fresh>,
}

impl std::fmt::Debug for MemoryLog<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MemoryLog").field("events", &self.events).finish_non_exhaustive()
    }
}

impl<'a> MemoryLog<'a> {
    /// An empty log.
    pub fn new(clock: &'a dyn Clock) -> Self {
        Self { clock, events: Vec::new() }
    }

    /// The events so far.
    pub fn events(&self) -> &[Fresh] {
        &self.events
    }

    /// Hands the events over.
    pub fn into_events(self) -> Vec<Fresh> {
        self.events
    }
}

impl EventSink for MemoryLog<'_> {
    fn append(
        &mut self,
        scope: &Scope,
        parent: Option<&EventId>,
        fact: Fact,
    ) -> Result<EventId, JournalError> {
        let event = fresh(self.clock, scope, parent, fact);
        let id = event.event_id.clone();
        self.events.push(event);
        Ok(id)
    }

    fn commit(&mut self) -> Result<(), JournalError> {
        Err(JournalError("a log in memory survives nothing, so nothing may run on its word".to_owned()))
    }
}
