//! A journal that no secret gets into, whichever field of whichever event it stands in.
//!
//! Defence in depth: what a run hands out is free of secrets before it becomes a fact. This is for the rest, such
//! as what a user typed or a model said.

use crate::{
    event::{Fact, Scope},
    model::EventId,
    port::{CredentialBroker, EventSink, JournalError},
};
use std::sync::Arc;

/// Appends to a journal what is left of each fact without the secrets that are known.
pub struct Guarded<L> {
    log: L,
    credentials: Arc<dyn CredentialBroker>,
}

impl<L: std::fmt::Debug> std::fmt::Debug for Guarded<L> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Guarded").field("log", &self.log).finish_non_exhaustive()
    }
}

impl<L: EventSink> Guarded<L> {
    /// Keeps the secrets that this broker knows out of a journal.
    pub fn new(log: L, credentials: Arc<dyn CredentialBroker>) -> Self {
        Self { log, credentials }
    }

    /// The journal.
    pub fn inner(&self) -> &L {
        &self.log
    }

    /// The journal, unguarded.
    pub fn into_inner(self) -> L {
        self.log
    }

    fn free(&self, fact: Fact) -> Result<Fact, JournalError> {
        let secrets = self.credentials.redactor();
        if secrets.is_empty() {
            return Ok(fact);
        }
        let lost = |name: &str| {
            JournalError(format!("an event holds the secret of `{name}`, and is none without it"))
        };
        let mut value =
            serde_json::to_value(&fact).map_err(|e| JournalError(format!("an event is no JSON: {e}")))?;
        let Some(name) = secrets.finds_in(&value) else { return Ok(fact) };
        secrets.redact_value(&mut value);
        match serde_json::from_value::<Fact>(value) {
            // What does not fit its kind any more would be read as a kind that nobody knows.
            Ok(freed) if std::mem::discriminant(&freed) == std::mem::discriminant(&fact) => Ok(freed),
            Ok(_) | Err(_) => Err(lost(name)),
        }
    }
}

impl<L: EventSink> EventSink for Guarded<L> {
    fn append(
        &mut self,
        scope: &Scope,
        parent: Option<&EventId>,
        fact: Fact,
    ) -> Result<EventId, JournalError> {
        let fact = self.free(fact)?;
        self.log.append(scope, parent, fact)
    }

    fn commit(&mut self) -> Result<(), JournalError> {
        self.log.commit()
    }
}
