//! What has been used so far, and what may still be: rate limits, budgets, and the labels of a session.
//!
//! All of it is a fold over the journal, so that a restart forgets nothing; between two events, a
//! [reservation](Reservation) stands for a call that is about to start. It reads no clock and no file: the
//! time comes in with every question.

mod file;
mod labels;
mod limit;
mod limits;
mod price;
#[cfg(test)]
mod tests;
mod used;

pub use file::parse_limits;
pub use labels::SessionLabels;
pub use limit::{Limit, Most, Per};
pub use limits::{Limits, Reservation, Spend};
pub use price::{Money, Price};
pub use used::Used;
