//! Flakiness: some repeats of a case pass and some fail.
//!
//! Definition: J. Bell et al., "DeFlaker", ICSE 2018: different outcomes of the same thing under the same
//! conditions. The flake rate is the share of flaky cases among the cases that could show it.

/// Whether `c` passes out of `n` repeats are mixed; none for fewer than two repeats, which cannot tell.
pub fn is_flaky(n: u64, c: u64) -> Option<bool> {
    (n >= 2).then_some(c > 0 && c < n)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_mixed_repeats_are_flaky() {
        let rows = [
            (0, 0, None),
            (1, 0, None),
            (1, 1, None),
            (2, 0, Some(false)),
            (2, 1, Some(true)),
            (2, 2, Some(false)),
        ];
        for (n, c, expected) in rows {
            assert_eq!(is_flaky(n, c), expected, "{c}/{n}");
        }
    }
}
