//! pass@k and pass^k: at least one, and all, of k repeats pass.
//!
//! Unbiased estimators from `n` repeats of a case of which `c` passed. pass@k = 1 − C(n−c, k) / C(n, k):
//! M. Chen et al., "Evaluating large language models trained on code", 2021, with its product form.
//! pass^k = C(c, k) / C(n, k): S. Yao et al., "τ-bench", 2024. Both products stay within [0, 1], so no
//! binomial coefficient can overflow.

/// The chance that at least one of `k` repeats passes; none where there are fewer than `k` repeats.
pub fn pass_at_k(n: u64, c: u64, k: u64) -> Option<f64> {
    if k == 0 || n < k || c > n {
        return None;
    }
    if n - c < k {
        return Some(1.0);
    }
    Some(1.0 - (0..k).map(|i| (n - c - i) as f64 / (n - i) as f64).product::<f64>())
}

/// The chance that all of `k` repeats pass; none where there are fewer than `k` repeats.
pub fn pass_hat_k(n: u64, c: u64, k: u64) -> Option<f64> {
    if k == 0 || n < k || c > n {
        return None;
    }
    if c < k {
        return Some(0.0);
    }
    Some((0..k).map(|i| (c - i) as f64 / (n - i) as f64).product())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(n: u64, c: u64, k: u64, at: f64, hat: f64) {
        assert!((pass_at_k(n, c, k).unwrap() - at).abs() < 1e-12, "pass@{k} of {c}/{n}");
        assert!((pass_hat_k(n, c, k).unwrap() - hat).abs() < 1e-12, "pass^{k} of {c}/{n}");
    }

    #[test]
    fn agree_with_the_binomial_coefficients() {
        check(5, 2, 1, 2.0 / 5.0, 2.0 / 5.0);
        check(5, 2, 2, 1.0 - 3.0 / 10.0, 1.0 / 10.0);
        check(10, 3, 5, 1.0 - 21.0 / 252.0, 0.0);
        check(8, 6, 4, 1.0, 15.0 / 70.0);
        check(4, 0, 2, 0.0, 0.0);
        check(4, 4, 4, 1.0, 1.0);
        check(1000, 999, 1000, 1.0, 0.0);
    }

    #[test]
    fn too_few_repeats_say_nothing() {
        assert_eq!(pass_at_k(2, 1, 3), None);
        assert_eq!(pass_hat_k(2, 1, 3), None);
        assert_eq!(pass_at_k(0, 0, 0), None);
    }

    #[test]
    fn averaged_over_all_choices_of_k_repeats_they_are_exact() {
        // 6 repeats as bits; every subset of 3 is looked at.
        for outcome in 0_u32..64 {
            let subsets: Vec<u32> = (0_u32..64).filter(|s| s.count_ones() == 3).collect();
            let any = subsets.iter().filter(|s| *s & outcome != 0).count() as f64 / 20.0;
            let all = subsets.iter().filter(|s| *s & outcome == **s).count() as f64 / 20.0;
            check(6, u64::from(outcome.count_ones()), 3, any, all);
        }
    }
}
