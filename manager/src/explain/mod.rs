//! What a journal proves: the account of one call, answers to questions about it, and decisions made again.
//!
//! ```text
//! events ─▶ CallStory ─▶ trace, call, result
//!                     └▶ questions (Principle 12)
//! events ─▶ Replay     the same policies: is every recorded decision reproducible?
//!        └▶ WhatIf     other policies: which decisions would change?
//! ```
//!
//! Folds over [events](crate::event), one at a time, and nothing else: what the log does not say is said to be
//! missing, with the reason, and never guessed. Nothing here executes, reads a file or asks the manager; the
//! stages are not known here.

mod again;
mod projection;
pub mod question;
mod replay;
mod story;
mod what_if;
mod why;

pub use again::{Inquiry, KnownTools, Missing, MissingCount, PolicySets};
pub use projection::{call, result, trace};
pub use question::{Answer, Question, Said, Statement};
pub use replay::{Difference, Replay, ReplayReport};
pub use story::{CallStory, End, Found, Gather, References};
pub use what_if::{CallChange, ExposureChange, Ruling, WhatIf, WhatIfReport};
pub use why::WhyInView;

#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
