//! The Wilson score interval of a share.
//!
//! Source: E. B. Wilson, "Probable inference, the law of succession, and statistical inference", JASA 22,
//! 1927. Chosen over the normal approximation because it stays within [0, 1] and is honest at 0 and n.

use statrs::distribution::{ContinuousCDF, Normal};

/// The number of standard errors that a two-sided interval of this confidence spans: 1.96 for 0.95.
pub fn normal_quantile(confidence: f64) -> f64 {
    Normal::standard().inverse_cdf(0.5 + confidence / 2.0)
}

/// The interval of `hits` out of `n` independent trials; none for 0 out of 0.
pub fn wilson(hits: u64, n: u64, confidence: f64) -> Option<(f64, f64)> {
    (n > 0).then(|| wilson_share(hits as f64 / n as f64, n, confidence))
}

/// The interval of a share `p` that `n` independent units gave, where a unit may count in part.
///
/// `n` must not be 0.
pub fn wilson_share(p: f64, n: u64, confidence: f64) -> (f64, f64) {
    let n = n as f64;
    let z = normal_quantile(confidence);
    let shrink = 1.0 + z * z / n;
    let centre = (p + z * z / (2.0 * n)) / shrink;
    let half = z / shrink * (p * (1.0 - p) / n + z * z / (4.0 * n * n)).sqrt();
    // At the ends the formula gives 0 and 1 exactly; floats would miss them by an ulp.
    let low = if p <= 0.0 { 0.0 } else { (centre - half).max(0.0) };
    let high = if p >= 1.0 { 1.0 } else { (centre + half).min(1.0) };
    (low, high)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Expected values from statsmodels 0.14, `proportion_confint(method="wilson")`.
    fn check(hits: u64, n: u64, confidence: f64, low: f64, high: f64) {
        let interval = wilson(hits, n, confidence).unwrap();
        assert!(
            (interval.0 - low).abs() < 1e-9 && (interval.1 - high).abs() < 1e-9,
            "{hits}/{n}: {interval:?}"
        );
    }

    #[test]
    fn agrees_with_statsmodels() {
        check(8, 10, 0.95, 0.490_162_471_5, 0.943_317_848_5);
        check(0, 10, 0.95, 0.0, 0.277_532_799_9);
        check(10, 10, 0.95, 0.722_467_200_1, 1.0);
        check(1, 1, 0.95, 0.206_549_314_4, 1.0);
        check(0, 1, 0.95, 0.0, 0.793_450_685_6);
        check(50, 100, 0.95, 0.403_831_530_4, 0.596_168_469_6);
        check(1, 1000, 0.95, 0.000_176_546_4, 0.005_642_558_6);
        check(999_999, 1_000_000, 0.95, 0.999_994_335_1, 0.999_999_823_5);
        check(3, 7, 0.95, 0.158_219_855_3, 0.749_541_635_5);
        check(8, 10, 0.90, 0.540_792_805_688, 0.931_442_012_262);
        check(8, 10, 0.99, 0.400_818_696_522, 0.959_868_847_495);
    }

    #[test]
    fn nothing_out_of_nothing_has_no_interval() {
        assert_eq!(wilson(0, 0, 0.95), None);
    }

    #[test]
    fn the_ends_are_exact() {
        for n in 1..200 {
            assert_eq!(wilson(0, n, 0.95).unwrap().0, 0.0);
            assert_eq!(wilson(n, n, 0.95).unwrap().1, 1.0);
        }
    }
}
