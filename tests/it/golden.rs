//! The golden journals: sessions of our own manager, which conform, and each of them with one fault, which the
//! judge must find, by the requirement that is then not met, and nothing else.
//!
//! A fresh set that differs is left beside the old one as `golden/journals.new`: read it, then let it take the
//! other's place.

#[path = "../rig/mod.rs"]
mod rig;

use proofhouse::conform::{
    Chain, Level, Options, Report, Standing, judge_files,
    mutate::{self, Mutation},
    read_events,
};
pub(crate) use rig::{CANARY, SCENES};
use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

type Files = BTreeMap<PathBuf, Vec<u8>>;

fn golden() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("golden/journals")
}

pub(crate) fn options() -> Options {
    Options { canaries: vec![CANARY.to_owned()], artifacts: Some(golden().join("artifacts")), from: None }
}

/// The journals of a conforming session.
pub(crate) fn session(name: &str) -> Vec<PathBuf> {
    ["registry.jsonl", "run.jsonl"].map(|file| golden().join("conforming").join(name).join(file)).into()
}

fn sentences(report: &Report) -> Vec<String> {
    report
        .rulings
        .iter()
        .flat_map(|r| &r.findings)
        .map(|f| format!("{} {}", f.requirement, f.sentence))
        .collect()
}

#[test]
fn sessions_of_our_manager_conform_and_exercise_everything() {
    let mut exercised: BTreeMap<u8, u64> = BTreeMap::new();
    for scene in SCENES {
        let report = judge_files(&session(scene.name), &options()).unwrap();
        assert_eq!(report.violated(), Vec::<u8>::new(), "{}: {:#?}", scene.name, sentences(&report));
        assert!(report.evidence.iter().all(|e| e.chain == Chain::Sound), "{:?}", report.evidence);
        assert!(report.rulings.iter().all(|r| r.advice.is_empty()), "{}", scene.name);
        for ruling in &report.rulings {
            *exercised.entry(ruling.invariant).or_default() += ruling.exercised;
        }
    }
    assert!(exercised.values().all(|times| *times > 0), "{exercised:?}");
}

#[test]
fn the_judge_finds_every_fault_and_nothing_else() {
    let folder = golden().join("violating");
    let mut survivors = Vec::new();
    for mutation in mutate::ALL {
        let path = folder.join(mutation.file_name());
        let report = judge_files(&[path], &options()).unwrap();
        if let Some(why) = wrong(mutation, &report) {
            survivors.push(format!("{}: {why}: {:#?}", mutation.file_name(), sentences(&report)));
        }
        assert_eq!(report.evidence[0].chain, Chain::Sound, "{}", mutation.file_name());
    }
    assert!(survivors.is_empty(), "{survivors:#?}");
}

/// What is wrong with a verdict on a log with that fault.
fn wrong(mutation: &Mutation, report: &Report) -> Option<String> {
    let told = |advice: bool| -> Vec<&str> {
        let of = |r: &'_ proofhouse::conform::Ruling| {
            if advice { r.advice.clone() } else { r.findings.clone() }
        };
        report.rulings.iter().flat_map(of).map(|f| f.requirement).collect()
    };
    let (violated, advised) = (told(false), told(true));
    match mutation.requires()?.level {
        Level::Must if !violated.contains(&mutation.requirement) => Some("it is not found".to_owned()),
        Level::Must if report.violated() != [mutation.invariant()] => Some("more is found".to_owned()),
        Level::Should if !violated.is_empty() => Some("advice became a violation".to_owned()),
        Level::Should if !advised.contains(&mutation.requirement) => Some("no advice".to_owned()),
        Level::Must | Level::Should => None,
    }
}

#[test]
fn the_same_sessions_leave_the_same_journals() {
    let (fresh, missing) = fresh();
    let stored = stored();
    if fresh == stored && missing.is_empty() {
        return;
    }
    let beside = golden().with_extension("new");
    for (path, bytes) in &fresh {
        let path = beside.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
    let differ: Vec<_> =
        fresh.iter().filter(|(path, bytes)| stored.get(*path) != Some(bytes)).map(|(p, _)| p).collect();
    let gone: Vec<_> = stored.keys().filter(|path| !fresh.contains_key(*path)).collect();
    panic!(
        "other journals than before are in `{}`: changed {differ:?}, gone {gone:?}, no material for {missing:?}",
        beside.display()
    );
}

/// What the sessions leave now, and their mutants; and the mutations for which no session has material.
fn fresh() -> (Files, Vec<String>) {
    let (mut files, mut logs, mut missing) = (Files::new(), Vec::new(), Vec::new());
    for scene in SCENES {
        let played = scene.play();
        assert_eq!(played.journals.len(), 2, "{}", scene.name);
        for (journal, name) in played.journals.iter().zip(["registry.jsonl", "run.jsonl"]) {
            files.insert(Path::new("conforming").join(scene.name).join(name), fs::read(journal).unwrap());
        }
        for kept in fs::read_dir(&played.artifacts).unwrap().map(|e| e.unwrap().path()) {
            files.insert(Path::new("artifacts").join(kept.file_name().unwrap()), fs::read(&kept).unwrap());
        }
        logs.push(read_events(&played.journals).unwrap());
    }
    for mutation in mutate::ALL {
        let mutant = logs.iter().find_map(|log| mutation.apply(log, Some(CANARY)));
        match mutant {
            Some(mutant) => drop(files.insert(Path::new("violating").join(mutation.file_name()), mutant)),
            None => missing.push(mutation.file_name()),
        }
    }
    (files, missing)
}

fn stored() -> Files {
    let mut files = Files::new();
    let mut open = vec![golden()];
    while let Some(folder) = open.pop() {
        for path in fs::read_dir(folder).into_iter().flatten().map(|e| e.unwrap().path()) {
            match path.is_dir() {
                true => open.push(path),
                false => {
                    let name = path.strip_prefix(golden()).unwrap().to_owned();
                    files.insert(name, fs::read(&path).unwrap());
                }
            }
        }
    }
    files
}

#[test]
fn every_standing_has_its_word() {
    // A session that exercises little says so.
    let report = judge_files(&session("hidden-secret"), &options()).unwrap();
    assert!(report.standing(Standing::NotExercised).count() > 0 && !report.conforms());
}
