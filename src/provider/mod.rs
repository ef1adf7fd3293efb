//! Models: whoever answers a prompt with proposed calls.
//!
//! A provider turns one [`Request`] into one [`Reply`]. It knows nothing of suites, scoring or the
//! decision path, and it neither retries nor waits for rate limits: that is the work of the caller around
//! it ([`ask_patiently`]), the same for every provider.
//!
//! - A model's name leads through [`open`] to a provider. A kind of provider is one file or folder, and one
//!   line in [`ALL`].
//! - A provider that goes out (network, program) has a [`Wire`]: how a tool looks to it and how its
//!   raw answer is read. Recordings, the response cache and `replay:` need no more than that.
//! - Keys come from the environment through [`ProviderSettings::env`], and every text that comes back is freed
//!   of them before anybody else sees it.

mod address;
mod answer;
mod anthropic;
mod api;
mod bfcl;
mod command;
mod conversation;
mod http;
mod lexical;
mod open;
mod openai;
pub mod recording;
mod redact;
mod replay;
mod retry;
mod script;
mod settings;
mod wire;

pub use api::{Attempt, Fault, Message, Provider, Reply, Request, RequestTool};
pub use bfcl::{Offered, read_answer, tool_id, written_name};
pub use lexical::Lexical;
pub use open::{Kind, ModelError, Opened, dialect_of, open, reaches_out};
pub use retry::{Asked, Limiter, Patience, ask_patiently};
pub use settings::{Clock, Environment, Params, PerfectAnswers, ProviderSettings, RecordMode, RecordTo};
pub use wire::{Identity, Payload, Recordable, Wire};

/// Every kind of provider.
pub static ALL: &[Kind] = &[
    lexical::KIND,
    script::KIND,
    replay::KIND,
    openai::chat::KIND,
    openai::responses::KIND,
    anthropic::KIND,
    command::KIND,
    bfcl::KIND,
];

#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
