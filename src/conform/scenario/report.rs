//! What the suite says: a standing a scenario, and one an invariant.

use super::{Kind, Scenario, play::Played, play::Stopped};
use crate::conform::{
    self as judge, Event, Finding, Judge, Level, Options, Report, SUITE, Standing as Judged, Witness,
    invariants,
};
use serde::Serialize;
use std::collections::BTreeMap;

/// What became of a scenario or an invariant. The order is the order of weight.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// It was put to the test and holds.
    Holds,
    /// It did not come to the point. Never a pass.
    NotExercised,
    /// The manager lacks a method that would show it. Never a pass.
    CannotTest,
    /// It was broken.
    Violated,
}

/// A violation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Violation {
    /// The scenario in which it happened.
    pub scenario: String,
    /// The requirement that was not met, where the journal shows it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requirement: Option<&'static str>,
    /// What happened that must not, in a sentence.
    pub sentence: String,
    /// The events that prove it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<Witness>,
}

/// Why a scenario shows nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Remark {
    /// The scenario.
    pub scenario: String,
    /// The method that is missing, if that is why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub method: Option<String>,
    /// Why.
    pub why: String,
}

/// What became of one scenario.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Outcome {
    /// The scenario.
    pub scenario: String,
    /// Its invariant.
    pub invariant: u8,
    /// What happens in it.
    pub says: String,
    /// Ordinary or hostile.
    pub kind: Kind,
    /// How binding it is.
    pub level: Level,
    /// The place in the specification that it stands on.
    pub spec: String,
    /// Rows of the list of known faults that it is drawn from.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub faults: Vec<String>,
    /// What became of it.
    pub standing: Standing,
    /// How its own invariant was violated.
    pub findings: Vec<Violation>,
    /// Why it shows nothing, where it does not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remark: Option<Remark>,
    /// Violations of other invariants that its journal shows.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub beside: Vec<(u8, Violation)>,
}

/// What became of one invariant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Ruling {
    /// Its number.
    pub invariant: u8,
    /// What it demands.
    pub title: &'static str,
    /// Why it matters.
    pub why: &'static str,
    /// Whether it holds.
    pub standing: Standing,
    /// How many scenarios hold.
    pub held: usize,
    /// How many scenarios there are.
    pub scenarios: usize,
    /// The violations, those of its own scenarios first.
    pub findings: Vec<Violation>,
    /// Scenarios that show nothing, and why.
    pub remarks: Vec<Remark>,
    /// Violations of what should be, and need not.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Violation>,
}

/// What the suite says about a manager.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SuiteReport {
    /// The version of the suite.
    pub suite: &'static str,
    /// The manager's name.
    pub manager: String,
    /// The manager's version.
    pub version: String,
    /// One ruling an invariant that was looked at.
    pub rulings: Vec<Ruling>,
    /// One outcome a scenario.
    pub scenarios: Vec<Outcome>,
}

impl SuiteReport {
    /// Whether everything that was looked at was exercised and holds.
    pub fn conforms(&self) -> bool {
        !self.rulings.is_empty() && self.rulings.iter().all(|r| r.standing == Standing::Holds)
    }

    /// The invariants of a standing.
    pub fn of(&self, standing: Standing) -> Vec<u8> {
        self.rulings.iter().filter(|r| r.standing == standing).map(|r| r.invariant).collect()
    }

    /// The same as a report about a journal, for the formats that such reports are told in.
    pub fn judged(&self) -> Report {
        let finding = |v: &Violation| Finding {
            requirement: v.requirement.unwrap_or("scenario"),
            sentence: format!("{} ({})", v.sentence, v.scenario),
            events: v.events.clone(),
        };
        let rulings = self.rulings.iter().map(|ruling| judge::Ruling {
            invariant: ruling.invariant,
            title: ruling.title,
            standing: match ruling.standing {
                Standing::Holds => Judged::Holds,
                Standing::Violated => Judged::Violated,
                Standing::NotExercised | Standing::CannotTest => Judged::NotExercised,
            },
            exercised: ruling.held as u64,
            violations: ruling.findings.len() as u64,
            broken: broken(&ruling.findings),
            findings: ruling.findings.iter().map(finding).collect(),
            advice: ruling.warnings.iter().map(finding).collect(),
            missing: (ruling.standing > Standing::Holds && ruling.findings.is_empty())
                .then(|| invariants::ALL[usize::from(ruling.invariant) - 1].needs()),
        });
        Report { suite: SUITE, rulings: rulings.collect(), events: 0, evidence: Vec::new() }
    }

    /// Folds what became of scenarios.
    pub(super) fn new(manager: String, version: String, scenarios: Vec<Outcome>) -> Self {
        let looked_at = |number: &u8| scenarios.iter().any(|outcome| outcome.invariant == *number);
        let numbers = (1..=16).filter(looked_at);
        let rulings = numbers.map(|number| ruling(number, &scenarios)).collect();
        Self { suite: SUITE, manager, version, rulings, scenarios }
    }
}

/// How often each requirement was not met.
fn broken(findings: &[Violation]) -> BTreeMap<&'static str, u64> {
    let mut broken = BTreeMap::new();
    for requirement in findings.iter().filter_map(|violation| violation.requirement) {
        *broken.entry(requirement).or_default() += 1;
    }
    broken
}

fn ruling(number: u8, scenarios: &[Outcome]) -> Ruling {
    let invariant = invariants::ALL[usize::from(number) - 1];
    let own: Vec<&Outcome> = scenarios.iter().filter(|o| o.invariant == number).collect();
    let of_level = |level: Level| {
        let own = own.iter().filter(move |o| o.level == level);
        own.flat_map(|o| o.findings.clone()).collect::<Vec<_>>()
    };
    let mut findings = of_level(Level::Must);
    for outcome in scenarios {
        let beside = outcome.beside.iter().filter(|(other, _)| *other == number);
        findings.extend(beside.map(|(_, violation)| violation.clone()));
    }
    let binding = own.iter().filter(|o| o.level == Level::Must);
    let worst = binding.map(|o| o.standing).max().unwrap_or(Standing::NotExercised);
    Ruling {
        invariant: number,
        title: invariant.title(),
        why: invariant.why(),
        standing: if findings.is_empty() { worst } else { Standing::Violated },
        held: own.iter().filter(|o| o.standing == Standing::Holds).count(),
        scenarios: own.len(),
        findings,
        remarks: own.iter().filter_map(|o| o.remark.clone()).collect(),
        warnings: of_level(Level::Should),
    }
}

/// The invariant that is broken wherever an answer shows a secret.
const EXPOSURE: u8 = 7;

/// Judges what came of a scenario.
pub(super) fn outcome(scenario: &Scenario, played: &Played) -> Outcome {
    let report = judged(scenario, played);
    let own = &report.rulings[usize::from(scenario.invariant) - 1];
    let exposed = |yes: bool| played.exposed.iter().filter(move |_| yes);
    let answered = played.faults.iter().chain(&played.shown.faults);
    let answered = answered.chain(exposed(scenario.invariant == EXPOSURE));
    let mut findings: Vec<Violation> = answered.map(|sentence| plain(scenario, sentence)).collect();
    findings.dedup();
    findings.extend(own.findings.iter().map(|finding| judged_in(scenario, finding)));
    let exercised = played.shown.exercised || (no_evidence(scenario) && own.standing == Judged::Holds);
    let (standing, remark) = match (&played.stopped, exercised) {
        _ if !findings.is_empty() => (Standing::Violated, None),
        (Some(Stopped::NoMethod(method)), _) => (
            Standing::CannotTest,
            Some((Some(method.clone()), format!("the manager has no method `{method}`"))),
        ),
        (Some(Stopped::Before(why)), _) => (Standing::NotExercised, Some((None, why.clone()))),
        (None, false) => {
            let missing = played.shown.missing.first().cloned();
            let why = missing.unwrap_or_else(|| format!("missing in the journal: {}", needs(scenario)));
            (Standing::NotExercised, Some((None, why)))
        }
        (None, true) => (Standing::Holds, None),
    };
    let others = report.rulings.iter().filter(|r| r.invariant != scenario.invariant);
    let beside = others.flat_map(|r| r.findings.iter().map(|f| (r.invariant, judged_in(scenario, f))));
    let shown = exposed(scenario.invariant != EXPOSURE).map(|s| (EXPOSURE, plain(scenario, s)));
    let beside = shown.chain(beside).collect();
    Outcome {
        scenario: scenario.id.clone(),
        invariant: scenario.invariant,
        says: scenario.says.clone(),
        kind: scenario.kind(),
        level: scenario.level,
        spec: scenario.spec(),
        faults: scenario.faults.clone(),
        standing,
        findings,
        remark: remark.map(|(method, why)| Remark { scenario: scenario.id.clone(), method, why }),
        beside,
    }
}

fn no_evidence(scenario: &Scenario) -> bool {
    scenario.journal.iter().all(|demand| demand.has.is_none())
}

fn needs(scenario: &Scenario) -> &'static str {
    invariants::ALL[usize::from(scenario.invariant) - 1].needs()
}

fn plain(scenario: &Scenario, sentence: &str) -> Violation {
    Violation {
        scenario: scenario.id.clone(),
        requirement: None,
        sentence: sentence.to_owned(),
        events: Vec::new(),
    }
}

fn judged_in(scenario: &Scenario, finding: &Finding) -> Violation {
    Violation {
        scenario: scenario.id.clone(),
        requirement: Some(finding.requirement),
        sentence: finding.sentence.clone(),
        events: finding.events.clone(),
    }
}

/// What the judge says about the journal.
fn judged(scenario: &Scenario, played: &Played) -> Report {
    let artifacts = played.journal.as_ref().and_then(|j| j.artifacts.clone()).map(Into::into);
    let options = Options { canaries: played.secrets.clone(), artifacts, ..Options::default() };
    let mut judge = Judge::new(&options);
    let events = played.journal.iter().flat_map(|journal| &journal.events);
    for (line, fields) in (1..).zip(events) {
        judge.see(&Event::new(0, line, fields.clone()));
    }
    judge.rule(&[format!("journal of {}", scenario.id)])
}
