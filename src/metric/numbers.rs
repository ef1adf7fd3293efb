//! From a population to the numbers of the document.

use super::{
    ModelMetrics, confusion,
    document::{Answers, DistractorNumbers, KindNumbers, Numbers, TagNumbers},
    kind, macro_average,
    population::{Population, RateKey},
    repeats,
    shape::Shape,
    tools, worst,
};
use crate::{
    run::CaseKind,
    stats::{Clusters, Rate, Resampling},
};
use std::collections::BTreeMap;

/// The numbers of a population.
pub(super) fn of(population: &Population<'_>, plan: &Resampling) -> Numbers {
    let repeated = population.is_repeated();
    let costs = population.costs();
    Numbers {
        trials: population.ends(),
        answers: answers(population),
        repeated,
        rates: pooled_rates(&population.clusters, repeated, plan),
        macro_averages: macro_average::all(population, plan),
        repeats: repeats::of(population, plan),
        tokens: costs.tokens(),
        latency: costs.latency(),
    }
}

/// Everything about one model, with the numbers that are already there.
pub(super) fn model(
    model: String,
    population: &Population<'_>,
    overall: Numbers,
    distractors: Vec<DistractorNumbers>,
    plan: &Resampling,
) -> ModelMetrics {
    let tools = tools::all(population, overall.repeated, plan);
    let confusion = confusion::matrix(&cells(population), &population.names.tools);
    ModelMetrics {
        model,
        kinds: kinds(population, overall.repeated, plan),
        tags: tags(population, overall.repeated, plan),
        steals: confusion::steals(&confusion, plan),
        worst: worst::of(&tools, population),
        confusion,
        tools,
        overall,
        distractors,
    }
}

/// A rate from its clusters; absent clusters are nothing out of nothing.
pub(super) fn rate(clusters: Option<&Clusters>, metric: usize, repeated: bool, plan: &Resampling) -> Rate {
    let empty = Clusters::default();
    let clusters = clusters.unwrap_or(&empty);
    if repeated || kind::ALL[metric].always_clustered() {
        Rate::clustered(clusters, plan)
    } else {
        let (numerator, denominator) = clusters.total();
        Rate::independent(numerator, denominator, plan)
    }
}

fn pooled_rates(
    clusters: &BTreeMap<RateKey, Clusters>,
    repeated: bool,
    plan: &Resampling,
) -> BTreeMap<String, Rate> {
    let of = |(place, metric): (usize, &&dyn kind::MetricKind)| {
        (metric.name().to_owned(), rate(clusters.get(&(place as u8, None)), place, repeated, plan))
    };
    kind::ALL.iter().enumerate().map(of).collect()
}

fn answers(population: &Population<'_>) -> Answers {
    let mut sums = [0; 5];
    for (shape, count) in population.shapes() {
        for (sum, turns) in sums.iter_mut().zip(shape.answers) {
            *sum += u64::from(turns) * count;
        }
    }
    let [called, abstained, refused, unparsable, truncated] = sums;
    Answers { called, abstained, refused, unparsable, truncated }
}

fn cells(population: &Population<'_>) -> BTreeMap<confusion::Cell, u64> {
    let mut cells = BTreeMap::new();
    for (shape, count) in population.shapes() {
        for cell in &shape.cells {
            *cells.entry(*cell).or_default() += count;
        }
    }
    cells
}

fn kinds(population: &Population<'_>, repeated: bool, plan: &Resampling) -> Vec<KindNumbers> {
    strict_success(population, repeated, plan, |shape| vec![shape.kind])
        .into_iter()
        .map(|(kind, strict_success): (CaseKind, Rate)| KindNumbers { kind, strict_success })
        .collect()
}

fn tags(population: &Population<'_>, repeated: bool, plan: &Resampling) -> Vec<TagNumbers> {
    let mut tags: Vec<TagNumbers> = strict_success(population, repeated, plan, |shape| shape.tags.clone())
        .into_iter()
        .map(|(tag, strict_success)| TagNumbers {
            tag: population.names.tags.name(tag).to_string(),
            strict_success,
        })
        .collect();
    tags.sort_unstable_by(|a, b| a.tag.cmp(&b.tag));
    tags
}

/// Strict success by whatever a trial is in; it may be in several.
fn strict_success<K: Ord + Copy>(
    population: &Population<'_>,
    repeated: bool,
    plan: &Resampling,
    groups_of: impl Fn(&Shape) -> Vec<K>,
) -> BTreeMap<K, Rate> {
    let metric = kind::position("strictSuccess").expect("INVARIANT: strict success is a metric");
    let mut clusters: BTreeMap<K, Clusters> = BTreeMap::new();
    for (case, weight) in population.bundles() {
        let mut sums: BTreeMap<K, (u64, u64)> = BTreeMap::new();
        for (_, shape, count) in case {
            for entry in shape.entries.iter().filter(|entry| usize::from(entry.metric) == metric) {
                for group in groups_of(shape) {
                    let sum = sums.entry(group).or_default();
                    sum.0 += u64::from(entry.numerator) * count;
                    sum.1 += u64::from(entry.denominator) * count;
                }
            }
        }
        for (group, sum) in sums {
            clusters.entry(group).or_default().add(sum.0, sum.1, weight);
        }
    }
    clusters.into_iter().map(|(group, c)| (group, rate(Some(&c), metric, repeated, plan))).collect()
}
