//! BM25 over tool metadata: how well do a prompt's words fit a tool's?
//!
//! The formula is BM25F (Robertson & Zaragoza, *The Probabilistic Relevance Framework: BM25 and Beyond*,
//! Foundations and Trends in Information Retrieval 3(4), 2009, eq. 3.15 and 3.18–3.20): the occurrences of a term are weighted by the field
//! they stand in and discounted by the field's length, added up, saturated once, and multiplied by how
//! telling the term is. Three things are different here:
//!
//! - The length of a field is compared with a fixed pivot instead of the collection's mean. A tool's terms
//!   then depend on nothing but the tool, so they are computed once, whatever is offered beside it.
//! - The idf counts the tools that are offered (a [`Population`]), not all that are known: among ten git
//!   tools, "git" says nothing.
//! - Words inside quotations, paths and addresses count less: they are arguments. Instead, the kind of the
//!   literal counts a little (`path`, `url`, `email`).
//!
//! Tried and rejected: pairs of neighbouring words as terms of their own (no gain), a background idf from
//! all known tools (a loss where few tools are offered).
//!
//! Nothing here knows a particular tool, suite or language model.

mod document;
mod index;
mod query;
mod tokens;

pub use document::{Document, Field, Tuning};
pub use index::{Index, Population, Scores, idf};
pub use query::{Query, QueryTerm};
pub use tokens::{Term, every_word, is_stop_word, words};
