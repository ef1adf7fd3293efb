//! The pattern language of expectations: what arguments must look like.
//!
//! A bare value means equality. A *matcher* is an object with one key that starts with `$`, such as
//! `{ $oneOf: [build, ./build] }`; an unknown `$…` is an error, so that no typo can turn an expectation into
//! something that always holds. Objects match recursively, and lists item by item.
//!
//! [`ArgsPattern`] is a whole `args:` block, compiled once and asked often: a match allocates nothing, a
//! mismatch says the path, what was expected, and what came. [`kinds::ALL`] is the table of matchers, one file
//! each. [`bfcl`] is another scorer's idea of a match, kept whole beside ours to be compared with it.
//!
//! It does no IO and knows nothing of suites, trials or scoring.

mod args;
pub mod bfcl;
mod equality;
mod error;
mod keywords;
pub mod kinds;
mod mode;
mod normalize;
mod pattern;
mod report;
mod sample;
mod schema_view;
mod scope;
mod words;

pub use args::ArgsPattern;
pub use error::PatternError;
pub use kinds::{Matcher, MatcherKind, Witness};
pub use mode::ArgsMode;
pub use normalize::{Fold, Folds, Normalize};
pub use pattern::Pattern;
pub use report::Report;
pub use schema_view::SchemaView;
pub use scope::Scope;

#[cfg(test)]
mod tests;
