//! Policy: may this principal see this tool, and may this call happen?
//!
//! Cedar behind one small face: default deny, forbid wins, and an evaluation error is a denial too. Nothing
//! outside this folder knows Cedar. What an approval can unlock is said by the policies themselves: the
//! engine asks once as things are and once as if approved (see `standard/levels.cedar`).

mod engine;
mod question;

pub use engine::{PolicyEngine, PolicyLoadError};
pub use question::{Actor, PolicyAction, PolicyAnswer, PolicySubject};
