//! Approvers: who is asked when policy says ask.
//!
//! An approver shows the request's preview and brings an answer back; whether that answer counts is decided
//! where it is used ([`Approve`](crate::stage::Approve)). One file and one line in [`ALL`] for each that can be
//! chosen by a word; a callback is handed over by the program that embeds the manager.

mod callback;
mod identity;
mod queue;
mod rights;
mod terminal;

pub use callback::Callback;
pub use identity::{own_principal, principal_of};
pub use queue::{FileQueue, QueueError, Queued, SpentMarkers};
pub use rights::ListedApprovers;
pub use terminal::Terminal;

use crate::{
    adapters::home::Home,
    port::{Approver, Clock, NoApprover, Wait},
};
use std::sync::Arc;

/// What an approver may need.
#[derive(Clone)]
pub struct Setting {
    /// Where requests can be left for another process.
    pub home: Home,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// How time passes.
    pub wait: Arc<dyn Wait>,
}

impl std::fmt::Debug for Setting {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Setting").field("home", &self.home).finish_non_exhaustive()
    }
}

/// A kind of approver.
#[derive(Debug, Clone, Copy)]
pub struct Kind {
    /// The word by which it is chosen.
    pub word: &'static str,
    /// Who is asked, for people.
    pub about: &'static str,
    open: fn(&Setting) -> Arc<dyn Approver>,
}

impl Kind {
    /// The kind of that word.
    pub fn named(word: &str) -> Option<&'static Self> {
        ALL.iter().copied().find(|kind| kind.word == word)
    }

    /// The approver itself.
    pub fn open(&self, setting: &Setting) -> Arc<dyn Approver> {
        (self.open)(setting)
    }
}

const NONE: Kind = Kind { word: "none", about: "nobody: the answer is no", open: |_| Arc::new(NoApprover) };

/// Every kind.
pub const ALL: &[&Kind] = &[&NONE, &terminal::KIND, &queue::KIND];

#[cfg(test)]
mod tests {
    #[test]
    fn every_approver_that_has_a_word_is_in_the_table() {
        let words: Vec<&str> = super::ALL.iter().map(|kind| kind.word).collect();
        assert_eq!(words, ["none", "terminal", "queue"]);
        assert_eq!(super::Kind::named("model").map(|kind| kind.word), None);
    }
}
