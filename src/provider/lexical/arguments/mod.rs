//! Arguments by rules, from what the prompt names and what the schema asks for.
//!
//! Each rule is one pass over the parameters that are still open, the surest first: what is said outright
//! (`limit=5`, "branch called fix/a"), literals whose form fits a parameter, quotations, choices and switches,
//! numbers, names, and at last the words of a search. A piece of the prompt is used once. What no rule finds is
//! left out: nothing is ever invented.

mod fill;
mod parameter;
mod words;

pub(super) use parameter::Parameters;
