//! What a session remembers of its questions, so that the next one can say so.

use super::Approvals;
use crate::event::Fact;
use chrono::{DateTime, Utc};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The approvals of one session, shared by whatever works in it.
#[derive(Debug, Clone, Default)]
pub struct SessionMemory(Arc<Mutex<Arc<Approvals>>>);

impl SessionMemory {
    /// The approvals so far, as they stand now.
    pub fn approvals(&self) -> Arc<Approvals> {
        Arc::clone(&self.lock())
    }

    /// Takes the next event in.
    pub fn apply(&self, at: DateTime<Utc>, fact: &Fact) {
        Arc::make_mut(&mut self.lock()).apply(at, fact);
    }

    /// An apply that panicked has left some question unsettled, which only makes the next one more careful.
    fn lock(&self) -> MutexGuard<'_, Arc<Approvals>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
