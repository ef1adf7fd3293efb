//! Exact binomial and multinomial draws, 64 coins at a time.
//!
//! Each of `n` trials compares a random number in [0, 1) with the chance `p`, bit by bit, and is decided at
//! the first bit that differs (D. E. Knuth, A. C. Yao, "The complexity of nonuniform random number
//! generation", 1976). The trials share the bits of `p`, so one pass over the undecided ones is a fair
//! binomial: a population count of random words. Half of them are decided a pass, so all of it costs about
//! `n / 32` words. `p` is cut to 64 binary digits.

use super::SplitMix64;

/// How many of `n` trials hit, when each hits with chance `part / whole`.
pub fn binomial(random: &mut SplitMix64, n: u64, part: u64, whole: u64) -> u64 {
    if part >= whole {
        return n;
    }
    // INVARIANT: part < whole, so the fraction's 64 digits fit.
    let mut digits = ((u128::from(part) << 64) / u128::from(whole)) as u64;
    let (mut undecided, mut hits) = (n, 0);
    // Once only zeros are left of `p`, no undecided number can be below it.
    while undecided > 0 && digits != 0 {
        let ones = heads(random, undecided);
        if digits >> 63 == 1 {
            hits += undecided - ones;
            undecided = ones;
        } else {
            undecided -= ones;
        }
        digits <<= 1;
    }
    hits
}

/// How many of `n` fair coins show heads.
fn heads(random: &mut SplitMix64, n: u64) -> u64 {
    let whole: u64 = (0..n / 64).map(|_| u64::from(random.next_u64().count_ones())).sum();
    match n % 64 {
        0 => whole,
        rest => whole + u64::from((random.next_u64() >> (64 - rest)).count_ones()),
    }
}

/// Draws `n` times with replacement from groups, and says how often each group came.
///
/// `ends[i]` is the weight of the groups up to and with `i`. The groups are halved again and again, which
/// keeps the cost at `n · log₂(groups) / 32` words: linear in `n`, however many groups there are.
pub fn multinomial(random: &mut SplitMix64, n: u64, ends: &[u64], counts: &mut [u64]) {
    split(random, n, 0, ends, counts);
}

fn split(random: &mut SplitMix64, n: u64, start: u64, ends: &[u64], counts: &mut [u64]) {
    if n == 0 || counts.is_empty() {
        counts.fill(0);
        return;
    }
    if let [count] = counts {
        *count = n;
        return;
    }
    let middle = counts.len() / 2;
    let border = ends[middle - 1];
    let (left, right) = counts.split_at_mut(middle);
    let first = binomial(random, n, border - start, ends[ends.len() - 1] - start);
    split(random, first, start, &ends[..middle], left);
    split(random, n - first, border, &ends[middle..], right);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Mean and variance over many draws lie within 5 standard errors of n·p and n·p·(1−p).
    fn check(n: u64, part: u64, whole: u64) {
        let mut random = SplitMix64::new(n ^ part ^ whole);
        let rounds = 4000.0;
        let draws: Vec<f64> = (0..4000).map(|_| binomial(&mut random, n, part, whole) as f64).collect();
        let mean = draws.iter().sum::<f64>() / rounds;
        let variance = draws.iter().map(|d| (d - mean).powi(2)).sum::<f64>() / (rounds - 1.0);
        let p = part as f64 / whole as f64;
        let expected = n as f64 * p * (1.0 - p);
        assert!(
            (mean - n as f64 * p).abs() <= 5.0 * (expected / rounds).sqrt(),
            "{n} {part}/{whole}: {mean}"
        );
        assert!((variance - expected).abs() <= 0.2 * expected, "{n} {part}/{whole}: {variance}");
    }

    #[test]
    fn draws_have_the_mean_and_the_variance_of_a_binomial() {
        for (n, part, whole) in
            [(1, 1, 2), (10, 1, 3), (64, 1, 2), (100, 1, 4), (1000, 999, 1000), (129, 2, 7), (5000, 1, 5000)]
        {
            check(n, part, whole);
        }
    }

    #[test]
    fn certain_and_impossible_trials_need_no_luck() {
        let mut random = SplitMix64::new(1);
        assert_eq!(binomial(&mut random, 10, 0, 3), 0);
        assert_eq!(binomial(&mut random, 10, 3, 3), 10);
        assert_eq!(binomial(&mut random, 0, 1, 3), 0);
    }

    #[test]
    fn a_multinomial_hands_out_every_draw_by_weight() {
        let weights = [1_u64, 0, 2, 5, 2];
        let ends: Vec<u64> = weights
            .iter()
            .scan(0, |sum, w| {
                *sum += w;
                Some(*sum)
            })
            .collect();
        let mut sums = [0_u64; 5];
        let mut counts = [0; 5];
        for index in 0..2000 {
            multinomial(&mut SplitMix64::stream(3, index), 10, &ends, &mut counts);
            assert_eq!(counts.iter().sum::<u64>(), 10);
            for (sum, count) in sums.iter_mut().zip(counts) {
                *sum += count;
            }
        }
        for (sum, weight) in sums.iter().zip(weights) {
            assert!(sum.abs_diff(weight * 2000) <= 5 * 71, "{sum} for weight {weight}");
        }
    }
}
