//! The registry: which tool versions exist, with everything about them that does not depend on a call.
//!
//! A version enters only with a sound input schema; one that has none is refused with a reason and the
//! others stay. The registry knows no model, no provider and no policy decision.

mod arguments;
mod guard;
mod tool;
mod tools;

pub use arguments::{ArgumentFault, Arguments};
pub use guard::SchemaFault;
pub use tool::RegisteredTool;
pub use tools::{RegistrationError, Registry};
