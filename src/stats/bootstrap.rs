//! The case-clustered percentile bootstrap.
//!
//! Source: B. Efron, R. J. Tibshirani, "An Introduction to the Bootstrap", 1993, §13.3 (percentile interval);
//! A. C. Davison, D. V. Hinkley, "Bootstrap Methods and their Application", 1997, §3.8 (whole clusters are
//! drawn, because what happens within one is not independent).
//!
//! Clusters of equal content are one group with a weight, and a resample is one multinomial draw over the
//! groups: the same distribution as drawing cluster by cluster, at a fraction of the cost. Resample `i`
//! has its own stream, so the digits do not depend on how many threads there are.

use super::{Clusters, SplitMix64, multinomial};
use rayon::prelude::*;

/// How intervals are drawn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Resampling {
    /// How sure an interval is, such as 0.95.
    pub confidence: f64,
    /// How many resamples a bootstrap draws.
    pub resamples: u32,
    /// Where its random numbers start.
    pub seed: u64,
}

impl Default for Resampling {
    fn default() -> Self {
        Self { confidence: 0.95, resamples: 2000, seed: 0 }
    }
}

/// Draws as many clusters as there are, again and again, and gives the statistic of each resample.
///
/// `weights[i]` says how many clusters are in group `i`; the statistic is told how often each group came.
pub fn resample<S: Send>(
    weights: &[u64],
    plan: &Resampling,
    statistic: impl Fn(&[u64]) -> S + Sync,
) -> Vec<S> {
    let ends: Vec<u64> = weights
        .iter()
        .scan(0, |sum, weight| {
            *sum += weight;
            Some(*sum)
        })
        .collect();
    let n = ends.last().copied().unwrap_or(0);
    (0..plan.resamples)
        .into_par_iter()
        .with_min_len(128)
        .map_init(
            || vec![0; weights.len()],
            |counts, index| {
                multinomial(&mut SplitMix64::stream(plan.seed, u64::from(index)), n, &ends, counts);
                statistic(counts)
            },
        )
        .collect()
}

/// The interval that holds the middle `confidence` of the values; as many are cut off below as above.
pub fn percentile_interval(mut values: Vec<f64>, confidence: f64) -> Option<(f64, f64)> {
    values.sort_unstable_by(f64::total_cmp);
    let rank = ((1.0 - confidence) / 2.0 * values.len() as f64).round().max(1.0) as usize;
    Some((*values.get(rank - 1)?, *values.get(values.len() - rank)?))
}

/// The interval of Σ numerator ÷ Σ denominator over clusters; none where there is nothing to divide by.
pub fn ratio_interval(clusters: &Clusters, plan: &Resampling) -> Option<(f64, f64)> {
    let parts: Vec<(u64, u64)> = clusters.groups().map(|(part, _)| part).collect();
    let weights: Vec<u64> = clusters.groups().map(|(_, weight)| weight).collect();
    let ratios = resample(&weights, plan, |counts| {
        let (mut numerator, mut denominator) = (0, 0);
        for (count, part) in counts.iter().zip(&parts) {
            numerator += count * part.0;
            denominator += count * part.1;
        }
        (denominator > 0).then(|| numerator as f64 / denominator as f64)
    });
    percentile_interval(ratios.into_iter().flatten().collect(), plan.confidence)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::wilson;

    fn clusters(parts: &[(u64, u64, u64)]) -> Clusters {
        let mut clusters = Clusters::default();
        for &(numerator, denominator, weight) in parts {
            clusters.add(numerator, denominator, weight);
        }
        clusters
    }

    #[test]
    fn percentiles_cut_both_ends_alike() {
        let values = || (1..=1000).rev().map(f64::from).collect::<Vec<_>>();
        assert_eq!(percentile_interval(values(), 0.95), Some((25.0, 976.0)));
        assert_eq!(percentile_interval(vec![3.0], 0.95), Some((3.0, 3.0)));
        assert_eq!(percentile_interval(Vec::new(), 0.95), None);
    }

    #[test]
    fn clusters_of_one_trial_give_nearly_the_wilson_interval() {
        let drawn = ratio_interval(&clusters(&[(1, 1, 300), (0, 1, 100)]), &Resampling::default()).unwrap();
        let formula = wilson(300, 400, 0.95).unwrap();
        assert!((drawn.0 - formula.0).abs() < 0.01 && (drawn.1 - formula.1).abs() < 0.01, "{drawn:?}");
    }

    #[test]
    fn repeats_that_agree_count_as_one() {
        let once = ratio_interval(&clusters(&[(1, 1, 30), (0, 1, 10)]), &Resampling::default());
        let ten = ratio_interval(&clusters(&[(10, 10, 30), (0, 10, 10)]), &Resampling::default());
        let order_kept = |i: Option<(f64, f64)>| i.map(|(low, high)| high - low).unwrap();
        assert!((order_kept(once) - order_kept(ten)).abs() < 0.06);
    }

    #[test]
    fn one_thread_and_many_give_the_same_digits() {
        let sample = clusters(&[(1, 3, 20), (2, 3, 11), (3, 3, 40), (0, 1, 3)]);
        let on = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| ratio_interval(&sample, &Resampling::default()))
        };
        assert_eq!(on(1), on(4));
    }

    #[test]
    fn the_seed_decides() {
        let sample = clusters(&[(1, 3, 7), (2, 3, 11), (3, 3, 13), (0, 2, 5)]);
        let draw =
            |seed| resample(&[7, 11, 13], &Resampling { seed, ..Resampling::default() }, <[u64]>::to_vec);
        assert_eq!(draw(1), draw(1));
        assert_ne!(draw(1), draw(2));
        assert!(ratio_interval(&sample, &Resampling::default()).is_some());
    }
}
