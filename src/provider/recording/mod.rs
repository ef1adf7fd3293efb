//! Recordings: what a model answered, kept so that nobody has to ask it again.
//!
//! One format and one code serve both the recordings that are committed beside a suite and the response
//! cache. A model has two files in its folder:
//!
//! - `MODEL.jsonl` — a [`Recording`] a line: the request's key, what it was made of, and the provider's raw
//!   answer without keys and headers. Lines are only ever appended, and a later line with the same key wins.
//! - `MODEL.tools.jsonl` — every tool payload that was ever shown, once, so that a request that is not
//!   recorded can be compared with the nearest one that is.
//!
//! The key is a digest of everything that the model saw (`seen`); nothing stale can be found by accident.

mod line;
mod nearest;
mod recorder;
pub(super) mod seen;
mod store;
mod tidy;

pub use line::Recording;
pub(super) use nearest::explain_miss;
pub use recorder::recording_of;
pub(super) use recorder::{Recorder, reply as recorded_reply};
pub use store::StoreError;
pub(super) use store::{Store, files_in};
pub use tidy::tidy;

#[cfg(test)]
mod tests;
