//! The scenarios: scripted attempts on a tool manager, played through the driver protocol.
//!
//! For each invariant an ordinary one, which a manager must be able to do, and hostile ones, which attempt what it
//! must refuse. They are data ([`suite`](self), a file an invariant); `play` plays one, the judge reads the journal
//! that came of it, and [`run`] folds all into a [`SuiteReport`]. Ids and levels are frozen per version of the suite.
//!
//! Nothing here knows a manager; what one answers is held against the protocol, what it did against its journal.

mod evidence;
mod expand;
mod kit;
mod play;
mod report;
mod secret;
mod suite;
mod text;
mod variables;
mod world;

pub use play::PlayError;
pub use report::{Outcome, Remark, Ruling, Standing, SuiteReport, Violation};
pub use suite::{SuiteError, all, run};

use crate::conform::Level;
use serde::Serialize;
use std::collections::BTreeMap;

/// What a scenario is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// What a manager is for.
    Ordinary,
    /// What a manager must not let happen.
    Hostile,
}

/// One scenario, ready to be played.
#[derive(Debug, Clone)]
pub struct Scenario {
    /// Two digits of its invariant and a few words.
    pub id: String,
    /// The invariant that it exercises.
    pub invariant: u8,
    /// What happens in it, in a sentence.
    pub says: String,
    /// How binding it is.
    pub level: Level,
    /// Rows of the list of known faults that it is drawn from.
    pub faults: Vec<String>,
    scopes: Option<Vec<String>>,
    files: BTreeMap<String, text::Content>,
    steps: Vec<expand::Step>,
    journal: Vec<text::Evidence>,
    world: Vec<text::World>,
}

impl Scenario {
    /// Ordinary or hostile.
    pub fn kind(&self) -> Kind {
        if self.id.ends_with("-ordinary") { Kind::Ordinary } else { Kind::Hostile }
    }

    /// The place in the specification that it stands on.
    pub fn spec(&self) -> String {
        format!("§18, invariant {}", self.invariant)
    }

    /// The methods that it calls.
    pub fn methods(&self) -> Vec<&str> {
        let mut methods: Vec<&str> = self.steps.iter().filter_map(expand::Step::method).collect();
        methods.sort_unstable();
        methods.dedup();
        methods
    }

    /// Whether every request has the form that the protocol promises drivers, and every pattern is one.
    #[cfg(test)]
    fn check(&self) -> Result<(), String> {
        use expand::{Purpose, Step};
        for step in &self.steps {
            let Step::Ask(ask) = step else { continue };
            if let Purpose::Attempt { expect, fault } = &ask.purpose {
                evidence::pattern(expect)?;
                assert!(fault.len() > 10, "`{fault}` says little");
            }
        }
        for demand in &self.journal {
            let patterns = [&demand.has, &demand.never, &demand.once];
            for pattern in patterns.into_iter().flatten() {
                evidence::pattern(&serde_json::Value::Object(pattern.clone()))?;
            }
            if demand.has.is_none() && demand.fault.is_none() {
                return Err("what must not be in the journal needs a sentence".to_owned());
            }
        }
        Ok(())
    }
}
