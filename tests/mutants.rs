//! The kill matrix: every fault that our manager can be given is found by the judge, by its invariant.
//!
//! Runs with the feature `mutants` alone: `cargo test -p proofhouse --features mutants --test mutants`. The
//! sessions are those of the golden journals, played without a fault, and with each until one shows it.

mod rig;

use proofhouse::conform::{Options, judge_files};
use proofhouse_manager::mutant::{ALL, switch};
use rig::{CANARY, SCENES, Scene};
use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
    panic::{AssertUnwindSafe, catch_unwind},
    path::Path,
};

/// The invariants that a session violates; a manager that breaks down over its own fault shows nothing.
fn violated(scene: &Scene) -> BTreeMap<u8, BTreeSet<String>> {
    let Ok(played) = catch_unwind(AssertUnwindSafe(|| scene.play())) else { return BTreeMap::new() };
    let options = Options {
        canaries: vec![CANARY.to_owned()],
        artifacts: Some(played.artifacts.clone()),
        ..Options::default()
    };
    let report = judge_files(&played.journals, &options).unwrap();
    let broken = report.rulings.iter().filter(|r| !r.broken.is_empty());
    broken.map(|r| (r.invariant, r.broken.keys().map(|id| (*id).to_owned()).collect())).collect()
}

#[test]
fn every_mutant_is_killed_by_its_invariant() {
    for scene in SCENES {
        let violated = violated(scene);
        assert!(violated.is_empty(), "{} violates {violated:?} without a fault", scene.name);
    }
    // Sessions that a fault breaks off say so at length; what counts is in the matrix.
    std::panic::set_hook(Box::new(|_| {}));
    let mut rows = Vec::new();
    for (mutant, invariant, about) in ALL {
        switch(Some(*mutant));
        let mut killed: BTreeMap<u8, BTreeSet<String>> = BTreeMap::new();
        for scene in SCENES {
            for (invariant, ids) in violated(scene) {
                killed.entry(invariant).or_default().extend(ids);
            }
            if killed.contains_key(invariant) {
                break;
            }
        }
        switch(None);
        rows.push((format!("{mutant:?}"), *invariant, *about, killed));
    }
    drop(std::panic::take_hook());
    let page = page(&rows);
    let survivors: Vec<_> =
        rows.iter().filter(|(_, invariant, _, killed)| !killed.contains_key(invariant)).collect();
    assert!(survivors.is_empty(), "{survivors:#?}\n{page}");
    for invariant in 1..=16 {
        assert!(rows.iter().filter(|row| row.1 == invariant).count() >= 2, "{invariant}");
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("reports/kill-matrix.md");
    if std::fs::read_to_string(&path).unwrap_or_default() != page {
        let fresh = path.with_extension("md.new");
        std::fs::write(&fresh, &page).unwrap();
        panic!(
            "another matrix than before is in `{}`; read it, then let it take the other's place",
            fresh.display()
        );
    }
}

type Row = (String, u8, &'static str, BTreeMap<u8, BTreeSet<String>>);

fn page(rows: &[Row]) -> String {
    let killed = rows.iter().filter(|(_, invariant, _, killed)| killed.contains_key(invariant)).count();
    let mut out = format!(
        "# Kill matrix\n\nEach row is a fault that our own manager is given on purpose; each column an invariant of the judge. `●` is the\ninvariant that has to find it and does, `○` is one that finds it too in the sessions that were played until then,\n`✗` would be a fault that nobody finds. {killed} of {} are found. `cargo test -p proofhouse --features mutants --test mutants` makes this page.\n\n| fault |",
        rows.len()
    );
    (1..=16).for_each(|n| write!(out, " {n} |").unwrap());
    out += " found by | what is done wrong |\n| --- |";
    out += &" :-: |".repeat(16);
    out += " --- | --- |\n";
    for (name, invariant, about, killed) in rows {
        write!(out, "| {name} |").unwrap();
        for n in 1..=16 {
            let mark = match (n == *invariant, killed.contains_key(&n)) {
                (true, true) => "●",
                (true, false) => "✗",
                (false, true) => "○",
                (false, false) => "",
            };
            write!(out, " {mark} |").unwrap();
        }
        let ids: Vec<&str> = killed.get(invariant).into_iter().flatten().map(String::as_str).collect();
        writeln!(out, " {} | {about} |", ids.join(", ")).unwrap();
    }
    out
}
