//! Models: whoever answers a prompt with proposed calls.
//!
//! A provider turns one [`Request`] into one [`Reply`]. It knows nothing of suites, scoring or the
//! decision path, and it neither retries nor waits for rate limits: that is the work of the caller around
//! it, the same for every provider.

mod api;
mod lexical;

pub use api::{Attempt, Fault, Message, Provider, Reply, Request, RequestTool};
pub use lexical::Lexical;
