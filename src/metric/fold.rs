//! The fold: trial records in, one at a time and in any order; metrics out.

use super::{
    ModelMetrics,
    cost::Costs,
    document::{DistractorNumbers, FORMAT, Metrics, TrialCounts},
    hash::FastMap,
    names::{CaseNames, Names},
    numbers,
    population::Population,
    shape::Shapes,
};
use crate::{
    run::{TrialEnd, TrialRecord},
    stats::Resampling,
};
use std::collections::BTreeMap;

/// Counts trials until somebody asks what they come to.
///
/// `finish` changes nothing, so a live display may ask again and again.
#[derive(Debug, Default)]
pub struct MetricFold {
    plan: Resampling,
    pub(super) names: AllNames,
    groups: BTreeMap<(u32, u32), Group>,
}

/// Everything that has a number.
#[derive(Debug, Default)]
pub(super) struct AllNames {
    pub(super) models: Names,
    pub(super) cases: CaseNames,
    pub(super) tools: Names,
    pub(super) tags: Names,
    pub(super) shapes: Shapes,
}

/// The trials of one model at one number of distractors.
#[derive(Debug, Default)]
pub(super) struct Group {
    pub(super) ends: TrialCounts,
    /// How many trials of a case had a shape.
    pub(super) counts: FastMap<(u32, u32), u32>,
    pub(super) costs: Costs,
}

impl MetricFold {
    /// An empty fold that draws its intervals by `plan`.
    pub fn new(plan: Resampling) -> Self {
        Self { plan, ..Self::default() }
    }

    /// Adds a trial.
    pub fn add(&mut self, trial: &TrialRecord) {
        let names = &mut self.names;
        let key = (names.models.number(&trial.key.model), trial.key.distractors);
        let group = self.groups.entry(key).or_default();
        count_end(&mut group.ends, trial);
        match trial.end {
            TrialEnd::Pass | TrialEnd::Fail => {
                let case = names.cases.number(&trial.key.suite, &trial.key.case);
                let shape = names.shapes.number(trial, &mut names.tools, &mut names.tags);
                *group.counts.entry((case, shape)).or_default() += 1;
                group.costs.add(trial);
            }
            TrialEnd::Error | TrialEnd::Stale => {}
        }
    }

    /// What the trials so far come to.
    pub fn finish(&self) -> Metrics {
        let mut models: Vec<ModelMetrics> =
            self.groups_by_model().iter().map(|(&model, groups)| self.model(model, groups)).collect();
        models.sort_unstable_by(|a, b| a.model.cmp(&b.model));
        Metrics {
            format: FORMAT,
            confidence: self.plan.confidence,
            resamples: self.plan.resamples,
            seed: self.plan.seed,
            models,
        }
    }

    fn groups_by_model(&self) -> BTreeMap<u32, Vec<(u32, &Group)>> {
        let mut models: BTreeMap<u32, Vec<(u32, &Group)>> = BTreeMap::new();
        for (&(model, distractors), group) in &self.groups {
            models.entry(model).or_default().push((distractors, group));
        }
        models
    }

    fn model(&self, model: u32, groups: &[(u32, &Group)]) -> ModelMetrics {
        let all = Population::of(groups, &self.names);
        let overall = numbers::of(&all, &self.plan);
        let distractors = match groups {
            [(distractors, _)] => {
                vec![DistractorNumbers { distractors: *distractors, numbers: overall.clone() }]
            }
            _ => groups.iter().map(|group| self.at_distractors(*group)).collect(),
        };
        let name = self.names.models.name(model).to_string();
        numbers::model(name, &all, overall, distractors, &self.plan)
    }

    fn at_distractors(&self, group: (u32, &Group)) -> DistractorNumbers {
        let population = Population::of(&[group], &self.names);
        DistractorNumbers { distractors: group.0, numbers: numbers::of(&population, &self.plan) }
    }
}

fn count_end(ends: &mut TrialCounts, trial: &TrialRecord) {
    match trial.end {
        TrialEnd::Pass => ends.pass += 1,
        TrialEnd::Fail => ends.fail += 1,
        TrialEnd::Error => ends.error += 1,
        TrialEnd::Stale => ends.stale += 1,
    }
    if matches!(trial.end, TrialEnd::Error | TrialEnd::Stale) {
        let code = trial.error.as_ref().map_or("unknown", |error| &error.code);
        match ends.codes.get_mut(code) {
            Some(count) => *count += 1,
            None => drop(ends.codes.insert(code.to_owned(), 1)),
        }
    }
}
