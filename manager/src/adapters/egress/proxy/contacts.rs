//! Whom a program has reached through the proxy, and whom not.

use serde::Serialize;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A program may ask for anything: so many different things are listed, and the rest only counted.
const MOST: usize = 256;

/// All that was asked of a proxy, in the order in which it was asked for first.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Contacts {
    listed: Vec<Contact>,
    unlisted: u64,
}

/// A host that was asked for, as often as it ended in the same way.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Contact {
    /// The host, in its canonical form; empty where none could be read.
    pub host: String,
    /// The port.
    pub port: u16,
    /// How many times.
    pub times: u64,
    /// Bytes that have left.
    pub sent: u64,
    /// Bytes that have come.
    pub received: u64,
    /// Why it was not reached, or not further; `None` where it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refused: Option<String>,
}

impl Contacts {
    /// Those that were connected to, as `host:port`, each once.
    pub fn reached(&self) -> Vec<String> {
        let reached = self.listed.iter().filter(|contact| contact.refused.is_none());
        reached.map(|contact| format!("{}:{}", contact.host, contact.port)).collect()
    }

    /// Those that were refused.
    pub fn refused(&self) -> impl Iterator<Item = &Contact> {
        self.listed.iter().filter(|contact| contact.refused.is_some())
    }

    /// All of them.
    pub fn listed(&self) -> &[Contact] {
        &self.listed
    }

    /// How many more there were, for which there was no room.
    pub fn unlisted(&self) -> u64 {
        self.unlisted
    }

    fn note(&mut self, host: &str, port: u16, refused: Option<String>) -> Option<usize> {
        let same = |c: &Contact| c.host == host && c.port == port && c.refused == refused;
        let at = match self.listed.iter().position(same) {
            Some(at) => at,
            None if self.listed.len() < MOST => {
                let host = host.to_owned();
                self.listed.push(Contact { host, port, times: 0, sent: 0, received: 0, refused });
                self.listed.len() - 1
            }
            None => {
                self.unlisted += 1;
                return None;
            }
        };
        self.listed[at].times += 1;
        Some(at)
    }
}

/// Where connections write down what they do.
#[derive(Debug, Clone, Default)]
pub(super) struct Ledger(Arc<Mutex<Contacts>>);

impl Ledger {
    pub(super) fn refused(&self, host: &str, port: u16, why: &str) {
        self.contacts().note(host, port, Some(why.to_owned()));
    }

    pub(super) fn reached(&self, host: &str, port: u16) -> Meter {
        let at = self.contacts().note(host, port, None);
        Meter { ledger: self.clone(), at }
    }

    /// What stands in it, which is taken out.
    pub(super) fn take(&self) -> Contacts {
        std::mem::take(&mut *self.contacts())
    }

    fn contacts(&self) -> MutexGuard<'_, Contacts> {
        // numbers and texts: there is no half-done change that a panic could leave
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Counts the bytes of one connection.
#[derive(Debug)]
pub(super) struct Meter {
    ledger: Ledger,
    at: Option<usize>,
}

impl Meter {
    pub(super) fn sent(&self, bytes: u64) {
        self.add(|contact| contact.sent += bytes);
    }

    pub(super) fn received(&self, bytes: u64) {
        self.add(|contact| contact.received += bytes);
    }

    fn add(&self, add: impl FnOnce(&mut Contact)) {
        let mut contacts = self.ledger.contacts();
        if let Some(contact) = self.at.and_then(|at| contacts.listed.get_mut(at)) {
            add(contact);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_is_listed_once_and_too_much_is_counted() {
        let ledger = Ledger::default();
        ledger.reached("a", 443).sent(3);
        ledger.reached("a", 443).received(4);
        ledger.refused("a", 443, "no");
        for n in 0..MOST {
            ledger.refused(&format!("h{n}"), 1, "no");
        }
        let contacts = ledger.take();
        assert_eq!(contacts.reached(), ["a:443"]);
        assert_eq!((contacts.listed().len(), contacts.unlisted()), (MOST, 2));
        let first = &contacts.listed()[0];
        assert_eq!((first.times, first.sent, first.received), (2, 3, 4));
        assert_eq!(contacts.refused().count(), MOST - 1);
        assert_eq!(ledger.take(), Contacts::default());
    }
}
