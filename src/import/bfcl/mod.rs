//! Recorded answers of the Berkeley Function Calling Leaderboard, and their verdicts.
//!
//! [`judge`] turns files of cases and files of answers into verdicts, a line for each answer; [`parity`]
//! compares such verdicts with those that the leaderboard's own checker gave. The rules themselves are in
//! [`matcher::bfcl`](crate::matcher::bfcl).
//!
//! Files are read in blocks of whole lines that are judged on all cores and written in order, so that memory
//! does not grow with the files. Nothing is skipped: a line that cannot be judged ends the work with its place.

mod blocks;
mod cases;
mod classes;
mod compare;
mod documents;
mod error;
mod open;
mod ours;
mod package;
mod parity;
mod reader;
mod replay;
mod row;
mod schema;
mod stream;
mod suite;
mod table;
mod verdicts;

pub use cases::CaseBook;
pub use classes::Class;
pub use compare::{Comparison, Found, compare};
pub use error::ImportError;
pub use parity::{Cell, Disagreement, ModelParity, Parity, parity};
pub use replay::Replayed;
pub use suite::{Imported, Source, write_suite};
pub use verdicts::{Summary, judge};

#[cfg(test)]
mod tests;
