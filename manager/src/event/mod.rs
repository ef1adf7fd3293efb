//! The journal's language: envelope, facts, chain, codec.
//!
//! An event is a claim in plain public data, because a broken log must be readable to be judged. What the
//! format promises stands in the design of the journal: one JSON object a line, a gapless `seq`, and a hash
//! over the RFC 8785 form of the event that includes the hash before it. Nothing here does IO: files are the
//! business of [`adapters`](crate::adapters), and the judge of a log reads the format, not these types.

mod chain;
mod codec;
mod envelope;
pub mod fact;
mod fault;
mod line;

pub use chain::{Chain, verify};
pub use codec::{DecodeError, decode, decode_strictly};
pub use envelope::{Event, Fresh, Scope};
pub use fact::{ArgsStatus, Fact, GrantReach, ProposedOutcome};
pub use fault::{ChainFault, Fault, diagnose};
pub use line::{Checked, LineMemory, check};
