//! SplitMix64: a small seeded generator whose streams are cheap to open.
//!
//! Source: G. L. Steele, D. Lea, C. H. Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014;
//! constants of S. Vigna's `splitmix64.c` (public domain). Ours, because results must stay the same across
//! versions of any crate. Not for secrets.

const GOLDEN_GAMMA: u64 = 0x9E37_79B9_7F4A_7C15;

/// A seeded stream of 64-bit numbers.
#[derive(Debug, Clone)]
pub struct SplitMix64 {
    state: u64,
}

impl SplitMix64 {
    /// The stream of that seed.
    pub const fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// The `index`-th of the streams that one seed opens, whichever thread asks for it.
    ///
    /// It starts where the `index`-th number of `new(seed)` says, so that streams do not run side by side.
    pub const fn stream(seed: u64, index: u64) -> Self {
        let mut opener = Self::new(seed.wrapping_add(index.wrapping_mul(GOLDEN_GAMMA)));
        Self::new(opener.next_u64())
    }

    /// The next number.
    pub const fn next_u64(&mut self) -> u64 {
        self.state = self.state.wrapping_add(GOLDEN_GAMMA);
        let z = self.state;
        let z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gives_the_published_numbers() {
        let mut random = SplitMix64::new(1_234_567);
        let first: Vec<u64> = (0..5).map(|_| random.next_u64()).collect();
        assert_eq!(
            first,
            [
                6_457_827_717_110_365_317,
                3_203_168_211_198_807_973,
                9_817_491_932_198_370_423,
                4_593_380_528_125_082_431,
                16_408_922_859_458_223_821
            ]
        );
    }

    #[test]
    fn streams_of_one_seed_differ() {
        let firsts: std::collections::BTreeSet<u64> =
            (0..1000).map(|index| SplitMix64::stream(7, index).next_u64()).collect();
        assert_eq!(firsts.len(), 1000);
    }
}
