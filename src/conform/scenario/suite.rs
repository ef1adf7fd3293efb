//! The scenarios that ship, and the run of all of them.

use super::{
    Scenario, expand,
    play::{self, PlayError},
    report::{self, SuiteReport},
    text::ScenarioText,
};
use crate::conform::driver::Drivers;
use rayon::prelude::*;

macro_rules! files {
    ($($number:literal),*) => {
        &[$(($number, include_str!(concat!("suite/", $number, ".yaml")))),*]
    };
}

/// Every file, by the number of its invariant.
const FILES: &[(&str, &str)] =
    files!["01", "02", "03", "04", "05", "06", "07", "08", "09", "10", "11", "12", "13", "14", "15", "16"];

/// Why the suite has no verdict.
#[derive(Debug, thiserror::Error)]
#[error("scenario `{scenario}`: {source}")]
pub struct SuiteError {
    /// The scenario that could not be played.
    pub scenario: String,
    /// Why.
    pub source: PlayError,
}

/// Every scenario, in the order of invariants.
pub fn all() -> Vec<Scenario> {
    let scenarios = FILES.iter().map(|(number, text)| read(number, text));
    let scenarios: Result<Vec<_>, String> = scenarios.collect();
    scenarios
        .expect("INVARIANT: the suite ships in this program and is read in its tests")
        .into_iter()
        .flatten()
        .collect()
}

fn read(number: &str, text: &str) -> Result<Vec<Scenario>, String> {
    let texts: Vec<ScenarioText> = serde_saphyr::from_str(text).map_err(|e| format!("{number}.yaml: {e}"))?;
    texts.into_iter().map(|text| scenario(number, text)).collect()
}

fn scenario(number: &str, text: ScenarioText) -> Result<Scenario, String> {
    let at = |why: String| format!("`{}`: {why}", text.id);
    let invariant = number.parse().map_err(|_| at("its file has no number".to_owned()))?;
    if !text.id.starts_with(&format!("{number}-")) {
        return Err(at(format!("it stands in {number}.yaml")));
    }
    let steps: Result<Vec<_>, _> = text.steps.iter().cloned().map(expand::expand).collect();
    let steps = steps.map_err(at)?.into_iter().flatten().collect();
    let ScenarioText { id, says, level, faults, scopes, files, journal, world, .. } = text;
    Ok(Scenario { id, invariant, says, level, faults, scopes, files, steps, journal, world })
}

/// Plays scenarios, each on a driver of its own, and judges what came of them.
///
/// # Errors
/// [`SuiteError`] if one cannot be played; then there is no verdict at all.
pub fn run(scenarios: &[Scenario], drivers: &dyn Drivers) -> Result<SuiteReport, SuiteError> {
    let played: Result<Vec<_>, SuiteError> = scenarios
        .par_iter()
        .map(|scenario| {
            let failed = |source| SuiteError { scenario: scenario.id.clone(), source };
            let workspace = tempfile::tempdir().map_err(|e| failed(e.into()))?;
            let mut driver = drivers.start().map_err(|e| failed(e.into()))?;
            let folder = workspace.path().canonicalize().map_err(|e| failed(e.into()))?;
            let played = play::play(scenario, &mut *driver, &folder).map_err(failed)?;
            Ok((report::outcome(scenario, &played), played.manager))
        })
        .collect();
    let (outcomes, managers): (Vec<_>, Vec<_>) = played?.into_iter().unzip();
    let (name, version) =
        managers.into_iter().next().map_or_else(Default::default, |m| (m.manager, m.version));
    Ok(SuiteReport::new(name, version, outcomes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conform::{
        driver::{Driver, DriverError},
        protocol::METHODS,
        scenario::{Kind, Standing},
    };
    use serde_json::{Value, json};
    use std::collections::BTreeSet;

    #[test]
    fn each_invariant_has_an_ordinary_scenario_and_three_hostile_ones() {
        let scenarios = all();
        let ids: BTreeSet<&str> = scenarios.iter().map(|s| s.id.as_str()).collect();
        assert_eq!(ids.len(), scenarios.len(), "an id stands twice");
        for number in 1..=16 {
            let own: Vec<_> = scenarios.iter().filter(|s| s.invariant == number).collect();
            let hostile = own.iter().filter(|s| s.kind() == Kind::Hostile);
            assert!(hostile.clone().count() >= 3, "{number}");
            assert_eq!(own.len() - hostile.clone().count(), 1, "{number}");
            assert!(
                hostile.clone().all(|s| !s.faults.is_empty()),
                "{number}: a fault is drawn from somewhere"
            );
        }
    }

    #[test]
    fn every_pattern_and_every_parameter_is_one() {
        for scenario in all() {
            scenario.check().unwrap_or_else(|why| panic!("{}: {why}", scenario.id));
        }
    }

    #[test]
    fn every_file_of_the_folder_is_in_the_table_and_every_method_is_called() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/conform/scenario/suite");
        // Beside the scenarios, the kit.
        assert_eq!(std::fs::read_dir(folder).unwrap().count(), FILES.len() + 1);
        let scenarios = all();
        let called: BTreeSet<&str> = scenarios.iter().flat_map(|s| s.methods()).collect();
        let uncalled: Vec<&str> = METHODS.iter().map(|m| m.name).filter(|m| !called.contains(m)).collect();
        assert_eq!(uncalled, ["initialize", "journal"]);
    }

    #[test]
    fn the_list_of_this_version_is_frozen() {
        let now: String = all().iter().map(|s| format!("{} {}\n", s.id, s.level.word())).collect();
        assert_eq!(
            now,
            include_str!("frozen-1.0.txt"),
            "version 1.0 is frozen: other scenarios are another version; this is the list"
        );
    }

    /// Answers everything with ok, has no journal worth the name, or lacks a method.
    struct Yes(&'static [&'static str]);

    impl Drivers for Yes {
        fn start(&self) -> Result<Box<dyn Driver>, DriverError> {
            Ok(Box::new(Self(self.0)))
        }
    }

    impl Driver for Yes {
        fn call(&mut self, method: &str, _: Value) -> Result<Value, DriverError> {
            let example = METHODS.iter().find(|m| m.name == method).unwrap().answer;
            match method {
                "initialize" => {
                    Ok(json!({ "protocolVersion": "1", "manager": "yes", "capabilities": self.0 }))
                }
                "journal" => Ok(json!({ "events": [] })),
                _ => Ok(serde_json::from_str(example).unwrap()),
            }
        }
    }

    fn standing(driver: &Yes, id: &str) -> (Standing, String) {
        let scenarios: Vec<_> = all().into_iter().filter(|s| s.id == id).collect();
        let report = run(&scenarios, driver).unwrap();
        assert!(!report.conforms(), "{id}");
        let outcome = &report.scenarios[0];
        let remark = outcome.remark.as_ref().map(|remark| remark.why.clone());
        (outcome.standing, remark.or(outcome.findings.first().map(|f| f.sentence.clone())).unwrap())
    }

    #[test]
    fn saying_yes_to_everything_is_no_pass() {
        const ALL: &[&str] = &[
            "discover",
            "register",
            "enable",
            "resolve",
            "compileView",
            "validateArgs",
            "authorize",
            "approve",
            "prepareRuntime",
            "execute",
            "verify",
            "journal",
        ];
        let yes = Yes(ALL);
        let (found, why) = standing(&yes, "01-unknown-tool");
        assert!(found == Standing::Violated && why.contains("nobody has registered"), "{found:?} {why}");
        let (found, why) = standing(&yes, "01-ordinary");
        assert!(found == Standing::NotExercised && why.contains("missing in the journal"), "{found:?} {why}");
        let (found, why) = standing(&yes, "06-expired");
        assert!(found == Standing::CannotTest && why.contains("`advanceClock`"), "{found:?} {why}");
        let (found, why) = standing(&Yes(&ALL[..11]), "01-ordinary");
        assert!(found == Standing::CannotTest && why.contains("`journal`"), "{found:?} {why}");
    }
}
