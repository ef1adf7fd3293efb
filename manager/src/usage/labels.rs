//! What a session has read: the labels that flow rules speak about.

use crate::{
    event::{Fact, Fresh},
    model::SessionId,
};
use std::collections::{BTreeSet, HashMap};

/// The labels of every session: a fold over the calls that were started.
///
/// A call labels its session when it starts, whatever becomes of it: what it read may have been seen before
/// it failed.
#[derive(Debug, Clone, Default)]
pub struct SessionLabels(HashMap<SessionId, BTreeSet<String>>);

impl SessionLabels {
    /// Takes in an event of a journal.
    pub fn fold(&mut self, event: &Fresh) {
        if let Fact::ToolCallStarted(started) = &event.fact {
            self.0.entry(event.scope.session_id.clone()).or_default().extend(started.labels.iter().cloned());
        }
    }

    /// The labels of a session.
    pub fn of(&self, session: &SessionId) -> BTreeSet<String> {
        self.0.get(session).cloned().unwrap_or_default()
    }
}
