//! A rate as it is printed: numerator, denominator, estimate, interval, and how the interval came about.

use super::{Resampling, ratio_interval, wilson, wilson_share};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// How an interval was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Method {
    /// The Wilson score interval.
    Wilson,
    /// The case-clustered percentile bootstrap.
    Bootstrap,
}

/// A share of something, with its uncertainty. Nothing out of nothing is `null`, never 0 or 1.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Rate {
    /// How many.
    pub numerator: u64,
    /// Out of how many.
    pub denominator: u64,
    /// Their ratio.
    pub estimate: Option<f64>,
    /// Its low and high end.
    pub interval: Option<(f64, f64)>,
    /// How the interval was made.
    pub method: Method,
}

impl Rate {
    /// The rate of independent trials, with Wilson's interval.
    pub fn independent(numerator: u64, denominator: u64, plan: &Resampling) -> Self {
        Self {
            numerator,
            denominator,
            estimate: ratio(numerator, denominator),
            interval: wilson(numerator, denominator, plan.confidence),
            method: Method::Wilson,
        }
    }

    /// The rate of trials that come in clusters, with the bootstrap's interval.
    ///
    /// Where all clusters agree, resampling has nothing to vary and would claim certainty. The interval is
    /// then Wilson's with every cluster as one unit, which says how little a handful of cases proves.
    pub fn clustered(clusters: &Clusters, plan: &Resampling) -> Self {
        let (numerator, denominator) = clusters.total();
        let Some(estimate) = ratio(numerator, denominator) else {
            return Self::independent(numerator, denominator, plan);
        };
        let drawn = if clusters.agree() { None } else { ratio_interval(clusters, plan) };
        let (interval, method) = match drawn.filter(|(low, high)| low < high) {
            Some(interval) => (interval, Method::Bootstrap),
            None => (wilson_share(estimate, clusters.len(), plan.confidence), Method::Wilson),
        };
        Self { numerator, denominator, estimate: Some(estimate), interval: Some(interval), method }
    }
}

fn ratio(numerator: u64, denominator: u64) -> Option<f64> {
    (denominator > 0).then(|| numerator as f64 / denominator as f64)
}

/// Clusters (cases) by what each adds to a rate; the order in which they came leaves no mark.
///
/// A cluster that adds nothing is not kept: it says nothing about the rate.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Clusters(BTreeMap<(u64, u64), u64>);

impl Clusters {
    /// Adds `weight` clusters that each add `numerator` of `denominator`.
    pub fn add(&mut self, numerator: u64, denominator: u64, weight: u64) {
        if denominator > 0 {
            *self.0.entry((numerator, denominator)).or_default() += weight;
        }
    }

    /// How many clusters there are.
    pub fn len(&self) -> u64 {
        self.0.values().sum()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Numerator and denominator of all clusters together.
    pub fn total(&self) -> (u64, u64) {
        self.0.iter().fold((0, 0), |sum, (part, weight)| (sum.0 + part.0 * weight, sum.1 + part.1 * weight))
    }

    /// What clusters of equal content add, and how many of them there are, in a fixed order.
    pub fn groups(&self) -> impl Iterator<Item = ((u64, u64), u64)> {
        self.0.iter().map(|(&part, &weight)| (part, weight))
    }

    /// Whether every cluster has the same ratio.
    fn agree(&self) -> bool {
        let mut parts = self.0.keys();
        let Some(first) = parts.next() else { return true };
        parts.all(|part| u128::from(part.0) * u128::from(first.1) == u128::from(first.0) * u128::from(part.1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rate(parts: &[(u64, u64)]) -> Rate {
        let mut clusters = Clusters::default();
        parts.iter().for_each(|part| clusters.add(part.0, part.1, 1));
        Rate::clustered(&clusters, &Resampling::default())
    }

    #[test]
    fn nothing_out_of_nothing_is_null_in_json() {
        assert_eq!(
            serde_json::to_value(rate(&[(0, 0)])).unwrap(),
            serde_json::json!({"numerator": 0, "denominator": 0, "estimate": null, "interval": null, "method": "wilson"})
        );
    }

    #[test]
    fn clusters_that_agree_are_units_of_a_wilson_interval() {
        let five = rate(&[(4, 4); 5]);
        assert_eq!((five.numerator, five.denominator, five.estimate), (20, 20, Some(1.0)));
        assert_eq!(five.interval, wilson(5, 5, 0.95));
        assert_eq!(five.method, Method::Wilson);
        let halves = rate(&[(1, 2), (2, 4)]);
        assert_eq!(halves.interval, wilson(1, 2, 0.95));
    }

    #[test]
    fn clusters_that_differ_are_resampled() {
        let mixed = rate(&[(3, 3), (0, 3), (2, 3), (3, 3), (1, 3)]);
        assert_eq!(mixed.method, Method::Bootstrap);
        let (low, high) = mixed.interval.unwrap();
        assert!(low < 0.6 && 0.6 < high && low >= 0.0 && high <= 1.0);
    }
}
