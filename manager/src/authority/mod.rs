//! Who may do what, and who has said so: folds over the events of grants and approvals.
//!
//! Everything here follows from events in order; nothing is stored beside them. No files, no clock: the time
//! that matters is handed in.

mod approvals;
mod bindings;
mod grants;
mod memory;
mod preview;

pub use approvals::{Approvals, Asked, Question, Standing};
pub use bindings::{Bindings, NotBound};
pub use grants::{CallFacts, GrantState, Grants, Held, Misfit, grant_mismatch};
pub use memory::SessionMemory;
pub use preview::{escape, preview};

#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;
