//! The edge: one trait a file for everything the decisions need from the world.
//!
//! A trait is asked for a decision or a thing, never for a way to do it oneself. `adapters/` implements.

mod clock;
mod journal;
mod source;

pub use clock::Clock;
pub use journal::{EventSink, JournalError};
pub use source::{Discovered, Discovery, Rejected, SourceError, Spot, ToolSourcePort};
