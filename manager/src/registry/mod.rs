//! The registry: which tool versions exist, what is proven of them, and which of them may be called.
//!
//! A version enters only with a sound input schema; one that has none is refused with a reason and the
//! others stay. [`ledger`] folds the journal of registrations into what is proven. The registry knows no
//! model, no provider and no policy decision.

pub mod admission;
mod arguments;
pub mod diff;
mod guard;
pub mod ledger;
mod tool;
mod tools;

pub use arguments::{ArgumentFault, Arguments};
pub use guard::SchemaFault;
pub use tool::RegisteredTool;
pub use tools::{RegistrationError, Registry};
