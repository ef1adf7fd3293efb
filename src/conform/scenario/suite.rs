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
const FILES: &[(&str, &str)] = files![
    "01", "02", "03", "04", "05", "06", "07", "08", "09", "10", "11", "12", "13", "14", "15", "16"
];

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
    let (name, version) = managers.into_iter().next().map_or_else(Default::default, |m| (m.manager, m.version));
    Ok(SuiteReport::new(name, version, outcomes))
}
