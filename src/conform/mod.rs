//! The judge: does a tool manager keep the sixteen invariants, as its journal tells?
//!
//! It knows the event format and nothing of our manager, so that any manager, in any language, can be judged
//! by its log. Every line is read as plain JSON; a field that is missing is a field that proves nothing.
//! Each invariant is one file in `invariants` that says what is checked and why, and holds a log that keeps
//! it and logs that break it. Nothing here uses the manager's types.

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
