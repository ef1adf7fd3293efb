//! However conforming sessions come between each other, they conform; and a fault in one of them is found among
//! all the others, by its invariant.

use crate::golden::{CANARY, SCENES, options, session};
use proofhouse::conform::{
    Event, Judge, Level, Report,
    mutate::{self, Mutation},
    read_events,
};
use proptest::prelude::*;
use serde_json::{Map, Value};
use std::{collections::BTreeSet, sync::LazyLock};

type Log = Vec<Map<String, Value>>;

/// The golden sessions, each as one log.
static LOGS: LazyLock<Vec<Log>> =
    LazyLock::new(|| SCENES.iter().map(|scene| read_events(&session(scene.name)).unwrap()).collect());

/// Fields that hold somebody's identity.
const IDS: [&str; 12] = [
    "toolCallId",
    "eventId",
    "parentEventId",
    "sourceEventId",
    "approvalId",
    "grantId",
    "sandboxId",
    "artifactId",
    "sessionId",
    "runId",
    "toolId",
    "viewId",
];

/// The same log with identities of its own.
fn as_copy(log: &Log, copy: usize) -> Log {
    let mut ids = BTreeSet::new();
    for event in log {
        collect(&Value::Object(event.clone()), &mut ids);
    }
    let renamed = |event: &Map<String, Value>| {
        let mut event = Value::Object(event.clone());
        rename(&mut event, &ids, copy);
        event.as_object().cloned().unwrap()
    };
    log.iter().map(renamed).collect()
}

fn collect(value: &Value, ids: &mut BTreeSet<String>) {
    match value {
        Value::Object(fields) => fields.iter().for_each(|(name, field)| match field {
            Value::String(id) if IDS.contains(&name.as_str()) && !id.is_empty() => {
                ids.insert(id.clone());
            }
            other => collect(other, ids),
        }),
        Value::Array(items) => items.iter().for_each(|item| collect(item, ids)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn rename(value: &mut Value, ids: &BTreeSet<String>, copy: usize) {
    match value {
        Value::String(text) if ids.contains(text) => *text = format!("{text}~{copy}"),
        Value::Object(fields) => fields.values_mut().for_each(|field| rename(field, ids, copy)),
        Value::Array(items) => items.iter_mut().for_each(|item| rename(item, ids, copy)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Judges sessions as one log; `turns` says who of those that are not over goes on.
fn judged(sessions: Vec<Log>, turns: &[usize]) -> Report {
    let mut judge = Judge::new(&options());
    let mut open: Vec<_> = sessions.into_iter().map(|log| log.into_iter().peekable()).collect();
    let (mut turns, mut line) = (turns.iter().cycle(), 0);
    while !open.is_empty() {
        let who = turns.next().map_or(0, |turn| turn % open.len());
        line += 1;
        match open[who].next() {
            Some(event) => judge.see(&Event::new(0, line, event)),
            None => drop(open.remove(who)),
        }
    }
    judge.rule(&["all.jsonl".to_owned()])
}

fn copies(which: &[usize]) -> Vec<Log> {
    which.iter().enumerate().map(|(copy, at)| as_copy(&LOGS[at % LOGS.len()], copy)).collect()
}

/// The first golden session with that fault.
fn faulty(mutation: &Mutation) -> Log {
    let sealed = LOGS.iter().find_map(|log| mutation.apply(log, Some(CANARY))).unwrap();
    let lines = std::str::from_utf8(&sealed).unwrap().lines();
    lines.map(|line| serde_json::from_str(line).unwrap()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_interleaving_of_conforming_sessions_conforms(
        which in prop::collection::vec(0..100_usize, 2..5),
        turns in prop::collection::vec(0..100_usize, 1..80),
    ) {
        let report = judged(copies(&which), &turns);
        prop_assert_eq!(report.violated(), Vec::<u8>::new());
        prop_assert!(report.rulings.iter().all(|r| r.advice.is_empty()));
    }

    #[test]
    fn a_fault_is_found_among_other_sessions_by_its_invariant(
        fault in 0..mutate::ALL.len(),
        which in prop::collection::vec(0..100_usize, 1..4),
        turns in prop::collection::vec(0..100_usize, 1..80),
    ) {
        let mutation = &mutate::ALL[fault];
        let mut sessions = copies(&which);
        sessions.push(as_copy(&faulty(mutation), sessions.len()));
        let report = judged(sessions, &turns);
        let level = mutation.requires().map(|r| r.level);
        let (violated, advised): (Vec<u8>, bool) = match level {
            Some(Level::Should) => (Vec::new(), true),
            _ => (vec![mutation.invariant()], false),
        };
        prop_assert_eq!(report.violated(), violated, "{}", mutation.file_name());
        let own = &report.rulings[usize::from(mutation.invariant()) - 1];
        let told = if advised { &own.advice } else { &own.findings };
        prop_assert!(told.iter().any(|f| f.requirement == mutation.requirement), "{}", mutation.file_name());
    }
}
