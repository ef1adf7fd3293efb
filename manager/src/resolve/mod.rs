//! §11: from an intent to a view: which of the known tools one turn may see, and why.
//!
//! ```text
//! population ─▶ capability ─▶ policy ─▶ context ─▶ rank ─▶ candidates ─▶ token budget ─▶ view
//! ```
//!
//! Everything that is asked for is a value: the registry with its [`ResolveIndex`], the actor, the policies,
//! the budget ([`TurnState`]). No clock, no environment, no randomness: the same question has the same
//! answer. What a view exposes has a reason and a decision; what it leaves out names the filter that
//! dropped it, so that exposed and dropped together are the population, exactly.
//!
//! The words of an intent only *order* tools. Whether a tool may be seen is decided by policy and context
//! from the tool and the actor alone, so no text can pull a tool into a view.

pub mod bm25;
mod chain;
mod environment;
mod exposure;
mod filter;
mod index;
#[cfg(test)]
mod measured;
pub mod payload;
mod rank;
mod reason;
#[cfg(test)]
pub(crate) mod tests;
mod turn;
mod view;

pub use chain::{Resolution, ViewTooLarge, resolve};
pub use environment::{Available, Environment};
pub use index::{ResolveIndex, document};
pub use turn::{Selection, TurnState};
pub use view::{CompiledView, compile_view};
