//! The driver protocol: what a tool manager must answer so that the scenarios can be played on it.
//!
//! JSON-RPC 2.0, a message a line, over standard input and output, with the methods of §17 and a few that
//! scenarios need. [`METHODS`] is the table; `proofhouse conform --describe-driver` prints it, with the schemas of
//! the types in here and an example of each. A refusal is an answer ([`Answer::Refused`]) and no error: an error of
//! JSON-RPC says that the driver could not do its work, and then nothing is decided.

mod call;
mod describe;
mod registration;
mod session;
mod table;
mod turn;

pub use call::{
    ApprovalOffered, Approve, Approved, ArtifactKept, Authorize, Authorized, Decision, Execute, Executed,
    Explain, Explained, Prepare, Prepared, Reach, Reply, Revoke, ValidateArgs, Validated, Verified, Verify,
};
pub use describe::describe;
pub use registration::{
    Discover, Discovered, Enable, Evaluation, Fixture, FixtureEffects, Register, Registered, Rejected, Risk,
    Source, SourceKind, ToolRef, WhenAsked,
};
pub use session::{
    AdvanceClock, Done, Initialize, Initialized, Journal, Journalled, LoadSkill, Loaded, Observe, SeedSecret,
};
pub use table::{METHODS, Method};
pub use turn::{CompileView, Dropped, Resolve, Resolved, Shown, View};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The version of the protocol; a driver that speaks another is not asked further.
pub const VERSION: &str = "1";

/// The error code by which JSON-RPC says that a method does not exist.
pub const METHOD_NOT_FOUND: i64 = -32601;

/// The first method that is called; no driver can be without.
pub const INITIALIZE: &str = "initialize";

/// The method that gives the journal; without it nothing can be judged.
pub const JOURNAL: &str = "journal";

/// What came of a request: done, or refused for a reason.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "status", rename_all = "snake_case")]
pub enum Answer<T> {
    /// It was done.
    Ok(T),
    /// The manager does not do it.
    Refused(Refusal),
}

/// Why a manager does not do something.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Refusal {
    /// A stable code, such as `unknown_tool`.
    pub code: String,
    /// The reason, for people.
    #[serde(default)]
    pub message: String,
}

impl<T> Answer<T> {
    /// A refusal from its parts.
    pub fn refused(code: impl Into<String>, message: impl Into<String>) -> Self {
        Self::Refused(Refusal { code: code.into(), message: message.into() })
    }
}
