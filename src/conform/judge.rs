//! Events go in one by one; rulings come out at the end. Memory grows with open calls and tools, not with events.

use super::{
    Event, Evidence, Finding, Report, Ruling, Standing, Witness,
    foreign::{Foreign, Shows},
    invariants::{self, Watch},
    known::Known,
    requirement::{Level, Requirement, SUITE},
};
use std::{collections::BTreeMap, path::PathBuf};

/// What the judge is told beside the log.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Secrets that were planted, to be found nowhere.
    pub canaries: Vec<String>,
    /// Where the manager keeps its artifacts; without it, their bytes are not looked at.
    pub artifacts: Option<PathBuf>,
    /// The format of the logs; without, a format that is not ours is recognized by how a file begins.
    pub from: Option<Foreign>,
}

/// At most this many violations of an invariant are told in full.
const MAX_FINDINGS: usize = 20;

/// What an invariant notes while it watches.
#[derive(Debug, Default)]
pub(crate) struct Notes {
    exercised: u64,
    /// How often each requirement was not met, of those that must be.
    broken: BTreeMap<&'static str, u64>,
    findings: Vec<Noted>,
    advice: Vec<Noted>,
}

#[derive(Debug)]
struct Noted {
    requirement: &'static Requirement,
    sentence: String,
    events: Vec<(u32, Witness)>,
}

impl Notes {
    /// The invariant was put to the test.
    pub(super) fn exercise(&mut self) {
        self.exercised += 1;
    }

    /// A requirement was not met: a sentence, and the events that prove it.
    pub(super) fn violate(
        &mut self,
        requirement: &'static Requirement,
        sentence: impl Into<String>,
        events: &[&Proof],
    ) {
        let told = match requirement.level {
            Level::Must => {
                *self.broken.entry(requirement.id).or_default() += 1;
                &mut self.findings
            }
            Level::Should => &mut self.advice,
        };
        if told.len() < MAX_FINDINGS {
            let events = events.iter().map(|p| (p.0, p.1.clone())).collect();
            told.push(Noted { requirement, sentence: sentence.into(), events });
        }
    }
}

/// An event kept as a proof, without its fields.
#[derive(Debug, Clone)]
pub(crate) struct Proof(u32, Witness);

impl From<&Event> for Proof {
    fn from(event: &Event) -> Self {
        let witness = Witness {
            file: String::new(),
            line: event.line,
            kind: event.kind().to_owned(),
            event_id: event.text("eventId").to_owned(),
        };
        Self(event.file, witness)
    }
}

/// Watches a log.
pub struct Judge {
    known: Known,
    watches: Vec<(Box<dyn Watch>, Notes)>,
    events: u64,
    evidence: Vec<Evidence>,
}

impl std::fmt::Debug for Judge {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Judge").field("events", &self.events).finish_non_exhaustive()
    }
}

impl Judge {
    /// A judge who has seen nothing.
    pub fn new(options: &Options) -> Self {
        let watches = invariants::ALL.iter().map(|i| (i.watch(options), Notes::default())).collect();
        Self { known: Known::default(), watches, events: 0, evidence: Vec::new() }
    }

    /// Looks at the next event. What is said of a tool comes before the calls that refer to it.
    pub fn see(&mut self, event: &Event) {
        self.see_what_shows(event, Shows::Everything);
    }

    /// Looks at an event of a log that can prove some invariants only.
    pub fn see_what_shows(&mut self, event: &Event, shows: Shows) {
        self.events += 1;
        for (number, (watch, notes)) in (1_u8..).zip(&mut self.watches) {
            if shows.covers(number) {
                watch.see(event, &self.known, notes);
            }
        }
        self.known.see(event);
    }

    /// Takes down what a file is worth as evidence.
    pub fn weigh(&mut self, evidence: Evidence) {
        self.evidence.push(evidence);
    }

    /// Says what is the case. The names of the files are in the order of their numbers.
    pub fn rule(self, files: &[String]) -> Report {
        let name = |file: u32| files.get(file as usize).cloned().unwrap_or_default();
        let rulings = invariants::ALL.iter().zip(self.watches).map(|(invariant, (_, notes))| {
            let violations = notes.broken.values().sum();
            let standing = match (violations, notes.exercised) {
                (0, 0) => Standing::NotExercised,
                (0, _) => Standing::Holds,
                _ => Standing::Violated,
            };
            let finding = |noted: Noted| Finding {
                requirement: noted.requirement.id,
                sentence: noted.sentence,
                events: noted.events.into_iter().map(|(file, w)| Witness { file: name(file), ..w }).collect(),
            };
            Ruling {
                invariant: invariant.number(),
                title: invariant.title(),
                standing,
                exercised: notes.exercised,
                violations,
                broken: notes.broken,
                findings: notes.findings.into_iter().map(finding).collect(),
                advice: notes.advice.into_iter().map(finding).collect(),
                missing: (standing == Standing::NotExercised).then(|| invariant.needs()),
            }
        });
        Report { suite: SUITE, rulings: rulings.collect(), events: self.events, evidence: self.evidence }
    }
}
