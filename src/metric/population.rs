//! A population: the counted trials of some groups, case by case.
//!
//! Cases that did the same are one *bundle* with a weight, so that finishing costs what differs, not what
//! there is. Bundles are in the order of what they hold by number, which depends on the order of arrival:
//! nothing that is shown may depend on it.

use super::{
    book::Whose,
    cost::Costs,
    document::TrialCounts,
    fold::{AllNames, Group},
    hash::FastMap,
    shape::Shape,
};
use crate::stats::Clusters;
use std::collections::BTreeMap;

/// The trials of one case: distractors, shape, how many.
type Bundle = Vec<(u32, u32, u32)>;

/// A rate's key: the metric by its place, and whose rate; `None` pools everybody's.
pub(super) type RateKey = (u8, Option<Whose>);

/// The counted trials of some groups.
pub(super) struct Population<'a> {
    pub(super) names: &'a AllNames,
    groups: Vec<(u32, &'a Group)>,
    bundles: BTreeMap<Bundle, u64>,
    /// What every case adds to every rate.
    pub(super) clusters: BTreeMap<RateKey, Clusters>,
}

impl<'a> Population<'a> {
    /// The trials of these groups, which are of one model and have a number of distractors each.
    pub(super) fn of(groups: &[(u32, &'a Group)], names: &'a AllNames) -> Self {
        let mut trials: Vec<(u32, (u32, u32, u32))> = groups
            .iter()
            .flat_map(|(distractors, group)| {
                group.counts.iter().map(|(&(case, shape), &count)| (case, (*distractors, shape, count)))
            })
            .collect();
        trials.sort_unstable();
        let mut bundles: FastMap<Bundle, u64> = FastMap::default();
        for case in trials.chunk_by(|a, b| a.0 == b.0) {
            *bundles.entry(case.iter().map(|(_, trial)| *trial).collect()).or_default() += 1;
        }
        let bundles = bundles.into_iter().collect();
        let mut population = Self { names, groups: groups.to_vec(), bundles, clusters: BTreeMap::new() };
        population.clusters = population.count_clusters();
        population
    }

    /// Every bundle with its weight: the shapes of a case, with distractors and how many trials.
    pub(super) fn bundles(&self) -> impl Iterator<Item = (impl Iterator<Item = (u32, &'a Shape, u64)>, u64)> {
        let shapes = &self.names.shapes;
        self.bundles.iter().map(move |(bundle, &weight)| {
            (bundle.iter().map(move |&(d, shape, count)| (d, shapes.get(shape), u64::from(count))), weight)
        })
    }

    /// Every shape with the number of trials that had it; a shape may come more than once.
    pub(super) fn shapes(&self) -> impl Iterator<Item = (&'a Shape, u64)> {
        self.bundles().flat_map(|(case, weight)| case.map(move |(_, shape, count)| (shape, count * weight)))
    }

    /// Every case by number, with its shapes and how many trials had them; a case may come more than once.
    pub(super) fn cases(&self) -> impl Iterator<Item = (u32, &'a Shape, u64)> {
        let shapes = &self.names.shapes;
        self.groups.iter().flat_map(move |(_, group)| {
            group
                .counts
                .iter()
                .map(move |(&(case, shape), &count)| (case, shapes.get(shape), u64::from(count)))
        })
    }

    /// Whether a case was counted more than once.
    pub(super) fn is_repeated(&self) -> bool {
        self.bundles().any(|(case, _)| case.map(|(_, _, count)| count).sum::<u64>() > 1)
    }

    fn count_clusters(&self) -> BTreeMap<RateKey, Clusters> {
        let mut clusters: BTreeMap<RateKey, Clusters> = BTreeMap::new();
        for (case, weight) in self.bundles() {
            for (key, (numerator, denominator)) in sums(case.map(|(_, shape, count)| (shape, count))) {
                clusters.entry(key).or_default().add(numerator, denominator, weight);
            }
        }
        clusters
    }

    /// How all trials of the groups ended.
    pub(super) fn ends(&self) -> TrialCounts {
        let mut sum = TrialCounts::default();
        for (_, group) in &self.groups {
            sum.pass += group.ends.pass;
            sum.fail += group.ends.fail;
            sum.error += group.ends.error;
            sum.stale += group.ends.stale;
            for (code, count) in &group.ends.codes {
                *sum.codes.entry(code.clone()).or_default() += count;
            }
        }
        sum
    }

    /// Tokens and times of all groups.
    pub(super) fn costs(&self) -> Costs {
        let mut sum = Costs::default();
        self.groups.iter().for_each(|(_, group)| sum.join(&group.costs));
        sum
    }
}

/// What the trials of one case add to each rate.
fn sums<'a>(trials: impl Iterator<Item = (&'a Shape, u64)>) -> BTreeMap<RateKey, (u64, u64)> {
    let mut sums: BTreeMap<RateKey, (u64, u64)> = BTreeMap::new();
    for (shape, count) in trials {
        for entry in &shape.entries {
            for whose in [None, Some(entry.whose)] {
                let sum = sums.entry((entry.metric, whose)).or_default();
                sum.0 += u64::from(entry.numerator) * count;
                sum.1 += u64::from(entry.denominator) * count;
            }
        }
    }
    sums
}
