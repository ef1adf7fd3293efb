//! Policy: may this principal see this tool, and may this call happen?
//!
//! Cedar behind one small face: default deny, forbid wins, and an evaluation error is a denial too. Nothing
//! outside this folder knows Cedar. What an approval can unlock is said by the policies themselves: the
//! engine asks once as things are and once as if approved (see `standard/levels.cedar`).
//!
//! A set is checked before it is used, with a schema that is generated from the tools
//! it speaks of: their arguments are typed, and a policy that can never match is a mistake with a
//! place and a hint. How to write policies is told in `docs/policies.md`.

mod arguments;
mod check;
mod engine;
mod labels;
mod question;
mod scene;
mod shape;
#[cfg(test)]
mod tests;
mod text;
mod uses;
mod vocabulary;
mod words;

pub use engine::{PolicyEngine, PolicyLoadError};
pub use labels::{READ_PRIVATE, READ_UNTRUSTED, given_by as labels_given_by};
pub use question::{Actor, Asks, PolicyAnswer, PolicySubject, Question};
pub(crate) use scene::Place;
pub use scene::Scene;
pub use text::PolicyText;
pub use vocabulary::Vocabulary;
