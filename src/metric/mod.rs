//! Metrics: every number of a report, as a fold over trial records.
//!
//! ```text
//! TrialRecord ─▶ Reading ─▶ every kind::ALL books ─▶ Shape (interned) ─▶ count of (case, shape)
//!                                                                              │ finish
//!                      Metrics ◀─ rates, confusion, repeats, worst ◀─ Population ◀┘
//! ```
//!
//! [`MetricFold`] takes one record at a time and keeps none. Trials that count alike share one *shape*, so
//! memory grows with cases and with ways to answer, not with repeats or with the size of a record. All sums
//! are integers and everything is sorted by name before it is shown: the order in which trials ended leaves
//! no mark. Only trials that ended `pass` or `fail` count; `error` and `stale` are counted apart.
//!
//! Nothing here reads a file, a clock or a suite, or knows how a report looks. Comparing two runs comes in
//! beside [`judge`], over the same fold.

mod book;
mod confusion;
mod cost;
mod document;
mod fold;
mod hash;
mod judge;
mod kind;
mod macro_average;
mod names;
mod numbers;
mod population;
mod reading;
mod repeats;
mod shape;
mod tools;
mod worst;

#[cfg(test)]
mod oracle;
#[cfg(test)]
mod sample;
#[cfg(test)]
mod tests;

pub use book::Book;
pub use confusion::{Confusion, ConfusionCell, Label, Steal};
pub use cost::{Latency, Tokens};
pub use document::{
    Answers, DistractorNumbers, FORMAT, KindNumbers, Metrics, ModelMetrics, Numbers, TagNumbers, TrialCounts,
};
pub use fold::MetricFold;
pub use judge::{BoundUsed, DEFAULT_LOST_LIMIT, Judgement, LostTrials, judge, lost_trials};
pub use kind::{ALL, Better, MetricKind, Scope, find};
pub use macro_average::MacroAverage;
pub use reading::{Reading, Role, TurnReading};
pub use repeats::{PassAt, Repeats};
pub use tools::ToolMetrics;
pub use worst::{Worst, WorstCase};
