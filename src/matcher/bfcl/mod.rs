//! The profile `bfcl`: recorded calls judged by the rules of the Berkeley Function Calling Leaderboard.
//!
//! A [`Case`] is a task with its function docs and its ground truth, compiled once and asked often; [`Judge`]
//! holds an [`Answer`] against it and says what that leaderboard's own checker says: valid, or the name of the
//! first rule that is broken. The rules are those of August 2024 or those of today, see [`Rules`].
//!
//! They are not our rules. Our own expectations compare what was meant, these compare what was written:
//! punctuation and case of text never count, the first allowed value decides which kinds are taken, and the
//! tool's schema is hardly looked at. They are kept apart here, so that neither bends the other.
//!
//! Answers come as JSON text and are read into a [`Tape`], which borrows from the text: judging an answer
//! allocates nothing. A case of a suite takes these rules by its [`Profile`], which reads the tools' schemas as
//! function docs and the expected `args` as ground truth, and asks the same judge. It does no IO and knows nothing
//! of suites, trials or files.

mod call;
mod case;
mod cursor;
mod datum;
mod dict;
mod index;
mod judge;
mod kind;
mod norm;
mod profile;
mod tape;
mod value;
mod verdict;

pub use case::{Asks, Case, CaseError, WRITTEN_TYPE};
pub use cursor::{Cursor, SyntaxError};
pub use index::Index;
pub use judge::{Answer, Decode, Judge, Literals, Names};
pub(super) use profile::witness;
pub use profile::{Fault, Profile, Proposed, Wanted};
pub use tape::{Tape, View};
pub use verdict::{ErrorType, Rules, Verdict};

#[cfg(test)]
mod tests;
