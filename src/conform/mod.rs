//! The judge: does a tool manager keep the sixteen invariants, as its journal tells?
//!
//! It knows the event format and nothing of our manager, so that any manager, in any language, can be judged
//! by its log. Every line is read as plain JSON; a field that is missing is a field that proves nothing.
//! Each invariant is one file in `invariants` that says what is checked and why, and holds a log that keeps
//! it and logs that break it. Nothing here uses the manager's types.
//!
//! `read` hands out the events of all files in the order of time, and `chain` says what each file is worth as
//! evidence; [`Judge`] shows them to every invariant and makes a [`Report`], which [`mod@format`] tells. What is
//! checked is listed in [`Requirement`]s, frozen with each version. [`foreign`] reads other managers' logs, and
//! [`mutate`] makes logs that a judge has to find fault with.

mod chain;
pub mod driver;
mod event;
mod expected;
pub mod foreign;
pub mod format;
pub(crate) mod invariants;
mod judge;
mod known;
pub mod mutate;
pub mod protocol;
mod read;
mod requirement;
pub mod scenario;
mod verdict;

pub use chain::{Chain, seal};
pub use event::Event;
pub use expected::{Disagreement, Expected, ExpectedError};
pub use judge::{Judge, Options};
pub use read::{ReadError, judge_files, read_events};
pub use requirement::{Level, Requirement, SUITE, page};
pub use verdict::{Evidence, Finding, Report, Ruling, Standing, Verdict, Witness};
