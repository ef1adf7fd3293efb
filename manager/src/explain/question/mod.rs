//! The questions of Principle 12, a file each, answered from the story of a call.
//!
//! An answer is made of statements. Each either names the event that proves it, or says that the journal does
//! not say it, and why. There is no third kind.

mod approved;
mod effect;
mod filtered;
mod identity;
mod output;
mod parameters;
mod resources;
mod sandbox;
mod seen;
mod verified;
mod why;

use super::story::CallStory;
use crate::{event::Event, model::EventId};
use chrono::{DateTime, Utc};
use serde::Serialize;
use std::{borrow::Cow, fmt::Display};

/// One question about a call.
pub trait Question: Sync {
    /// Its word, in JSON.
    fn name(&self) -> &'static str;

    /// The question, in the specification's words.
    fn text(&self) -> &'static str;

    /// The answer that the journal gives.
    fn answer(&self, story: &CallStory) -> Answer;
}

/// Every question, in the order of Principle 12.
pub const ALL: [&dyn Question; 11] = [
    &why::Why,
    &seen::Seen,
    &filtered::Filtered,
    &parameters::Parameters,
    &approved::Approved,
    &identity::Identity,
    &sandbox::Sandbox,
    &resources::Resources,
    &output::Output,
    &verified::Verified,
    &effect::Effect,
];

/// What the journal says to a question.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[serde(transparent)]
pub struct Answer {
    statements: Vec<Statement>,
}

/// One part of an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Statement {
    /// What it is about.
    pub about: Cow<'static, str>,
    /// What is said about it.
    #[serde(flatten)]
    pub said: Said,
}

/// What is said, and what proves it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "known", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Said {
    /// An event says so.
    Yes {
        /// What it says.
        value: String,
        /// The event's number in its journal.
        seq: u64,
        /// The event.
        event_id: EventId,
    },
    /// The journal does not say.
    No {
        /// Why not.
        reason: String,
    },
}

impl Answer {
    /// Its parts.
    pub fn statements(&self) -> &[Statement] {
        &self.statements
    }

    fn says(&mut self, about: impl Into<Cow<'static, str>>, event: &Event, value: impl Display) {
        let (seq, event_id) = (event.seq, event.fresh.event_id.clone());
        let said = Said::Yes { value: value.to_string(), seq, event_id };
        self.statements.push(Statement { about: about.into(), said });
    }

    fn silent(&mut self, about: impl Into<Cow<'static, str>>, reason: impl Into<String>) {
        self.statements.push(Statement { about: about.into(), said: Said::No { reason: reason.into() } });
    }
}

/// At most so many entries of a list are told; the event that is named holds them all.
const MAX_TOLD: usize = 20;

/// A list in one line; `none` where it is empty, and a count of what is left out.
fn list<T: Display>(items: impl IntoIterator<Item = T>) -> String {
    let all: Vec<String> = items.into_iter().map(|i| i.to_string()).collect();
    let mut told = all.iter().take(MAX_TOLD).cloned().collect::<Vec<_>>().join(", ");
    match all.len().saturating_sub(MAX_TOLD) {
        0 if all.is_empty() => "none".to_owned(),
        0 => told,
        more => {
            told.push_str(&format!(" and {more} more"));
            told
        }
    }
}

/// The word that a value has in JSON.
fn word(value: &impl Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(word)) => word,
        Ok(other) => other.to_string(),
        Err(error) => error.to_string(),
    }
}

fn time(ts: DateTime<Utc>) -> impl Display {
    ts.format("%Y-%m-%d %H:%M:%SZ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_of_this_folder_is_in_the_table() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/explain/question");
        let mut files: Vec<String> = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().path().file_stem().unwrap().to_string_lossy().into_owned())
            .filter(|stem| stem != "mod")
            .collect();
        files.sort();
        let mut table: Vec<&str> = ALL.iter().map(|q| q.name()).collect();
        table.sort_unstable();
        assert_eq!(files, table);
    }

    #[test]
    fn a_long_list_says_how_much_it_leaves_out() {
        assert_eq!(list::<u8>([]), "none");
        assert_eq!(list([1, 2]), "1, 2");
        assert!(list(0..25).ends_with("18, 19 and 5 more"));
    }
}
