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
            self.add(&event.scope.session_id, started.labels.iter().cloned());
        }
    }

    /// Adds to the labels of a session.
    pub fn add(&mut self, session: &SessionId, labels: impl IntoIterator<Item = String>) {
        let mut labels = labels.into_iter().peekable();
        if labels.peek().is_some() {
            self.0.entry(session.clone()).or_default().extend(labels);
        }
    }

    /// The labels of a session.
    pub fn of(&self, session: &SessionId) -> BTreeSet<String> {
        self.0.get(session).cloned().unwrap_or_default()
    }
}
