//! Statistics: one file a method, each with its source and checked values.
//!
//! Knows numbers only: no trial, no metric, no file. Everything is deterministic: what is random is seeded,
//! and gives the same digits on one thread and on many.
//!
//! What comes here later (paired permutation tests, McNemar, Holm, power) takes the same shape: a function
//! over plain numbers, beside [`resample`] and [`SplitMix64`] that it can draw from.

mod binomial;
mod bootstrap;
mod flake;
mod pass_k;
mod quantile;
mod random;
mod rate;
mod wilson;

pub use binomial::{binomial, multinomial};
pub use bootstrap::{Resampling, percentile_interval, ratio_interval, resample};
pub use flake::is_flaky;
pub use pass_k::{pass_at_k, pass_hat_k};
pub use quantile::nearest_rank;
pub use random::SplitMix64;
pub use rate::{Clusters, Method, Rate};
pub use wilson::{normal_quantile, wilson, wilson_share};
