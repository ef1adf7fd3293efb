//! Exact quantiles by nearest rank.
//!
//! The `q`-quantile is the smallest value that at least the share `q` of all values does not exceed: the
//! value of rank ⌈q·n⌉ (definition 1 of R. J. Hyndman, Y. Fan, "Sample quantiles in statistical packages",
//! 1996). It is always a value that was really seen, and needs no floats: `q` comes in thousandths.

/// The quantile of sorted values, `permille` thousandths of the way; none where there are no values.
pub fn nearest_rank(sorted: &[u32], permille: u32) -> Option<u32> {
    debug_assert!(sorted.is_sorted(), "INVARIANT: the caller has sorted");
    let rank = (sorted.len() as u64 * u64::from(permille.min(1000))).div_ceil(1000).max(1);
    sorted.get(rank as usize - 1).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_the_nearest_above() {
        let hundred: Vec<u32> = (1..=100).collect();
        let rows: [(&[u32], u32, Option<u32>); 9] = [
            (&[], 500, None),
            (&[7], 500, Some(7)),
            (&[7], 0, Some(7)),
            (&[15, 20, 35, 40, 50], 50, Some(15)),
            (&[15, 20, 35, 40, 50], 300, Some(20)),
            (&[15, 20, 35, 40, 50], 400, Some(20)),
            (&[15, 20, 35, 40, 50], 500, Some(35)),
            (&[15, 20, 35, 40, 50], 1000, Some(50)),
            (&hundred, 990, Some(99)),
        ];
        for (sorted, permille, expected) in rows {
            assert_eq!(nearest_rank(sorted, permille), expected, "{sorted:?} at {permille}");
        }
    }
}
