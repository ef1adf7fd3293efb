//! Risk ranking: the best fitting first, and among equals the one that can do less.
//!
//! Relevance comes first, or a harmless tool that fits nothing would push out the one that is needed. Two
//! tools fit *equally* well when their relevance falls into the same step of 1/50 of the best one's; the
//! lower effect level then goes first, after it the exact relevance, and at last the id, so that the order
//! never depends on anything but the question.

use super::{ResolveIndex, bm25::Scores};
use std::cmp::Ordering;

/// A tool that passed the filters.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ranked {
    pub(super) at: u32,
    pub(super) relevance: f32,
    step: u8,
}

const STEPS: f32 = 50.0;

/// Ranks tools and keeps the first `limit`; what is beyond comes back as the second list, in any order.
pub(super) fn rank(
    passed: &[u32],
    scores: &Scores<'_>,
    index: &ResolveIndex,
    limit: usize,
) -> (Vec<Ranked>, Vec<u32>) {
    let best = passed.iter().map(|at| scores.of(*at)).fold(0.0, f32::max);
    let mut ranked: Vec<Ranked> = passed.iter().map(|at| Ranked::new(*at, scores.of(*at), best)).collect();
    let order = |a: &Ranked, b: &Ranked| a.compare(b, index);
    let mut beyond = Vec::new();
    if limit < ranked.len() {
        if limit > 0 {
            ranked.select_nth_unstable_by(limit - 1, order);
        }
        beyond = ranked.drain(limit..).map(|r| r.at).collect();
    }
    ranked.sort_unstable_by(order);
    (ranked, beyond)
}

impl Ranked {
    fn new(at: u32, relevance: f32, best: f32) -> Self {
        let share = if best > 0.0 { relevance / best } else { 0.0 };
        Self { at, relevance, step: (share * STEPS).round() as u8 }
    }

    fn compare(&self, other: &Self, index: &ResolveIndex) -> Ordering {
        let (a, b) = (index.tool(self.at), index.tool(other.at));
        (other.step.cmp(&self.step))
            .then_with(|| a.level().cmp(&b.level()))
            .then_with(|| other.relevance.total_cmp(&self.relevance))
            .then_with(|| a.id().cmp(b.id()))
    }
}
