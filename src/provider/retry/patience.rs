//! How long and how often a model is asked, and the waits between.

use crate::run::TrialKey;
use backon::{BackoffBuilder, ExponentialBuilder};
use std::{
    hash::{DefaultHasher, Hash, Hasher},
    time::Duration,
};

/// How long and how often a model is asked.
#[derive(Debug, Clone, PartialEq)]
pub struct Patience {
    /// How long one attempt may take.
    pub timeout: Duration,
    /// How many attempts in all, at least one.
    pub attempts: u32,
    /// The wait after the first failure; it doubles from there.
    pub first_wait: Duration,
    /// No wait is longer, whatever the server asks for.
    pub longest_wait: Duration,
    /// Mixed with the trial's key, it makes the waits' jitter reproducible.
    pub seed: u64,
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            timeout: Duration::from_secs(60),
            attempts: 4,
            first_wait: Duration::from_millis(500),
            longest_wait: Duration::from_secs(60),
            seed: 0,
        }
    }
}

impl Patience {
    /// The waits between attempts, for a server that does not say how long to wait.
    pub(super) fn waits(&self, trial: &TrialKey) -> impl Iterator<Item = Duration> + use<> {
        let mut hasher = DefaultHasher::new();
        (self.seed, trial).hash(&mut hasher);
        let longest = self.longest_wait;
        let waits = ExponentialBuilder::new()
            .with_min_delay(self.first_wait.min(longest))
            .with_max_delay(longest)
            .with_max_times(self.attempts as usize)
            .with_jitter()
            .with_jitter_seed(hasher.finish());
        // The jitter is added on top of the longest delay.
        waits.build().map(move |wait| wait.min(longest))
    }
}
