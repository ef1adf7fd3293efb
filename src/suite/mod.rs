//! Suites: which tools are offered, which models are asked, which cases are put, what must come back.
//!
//! [`Suite::load`] reads a suite and its case files and gives either a [`Suite`] in which everything is checked
//! and compiled, or every mistake of every file, each with its place. What can only be known with the tools at
//! hand (is the expected tool offered? do the arguments fit its schema?) is asked by [`Suite::check_tools`].
//!
//! The road: bytes → located nodes (`read`, `csv`) → plain structs as files have them (`format`) → checked
//! cases (`build`) → the suite (`load`). All four formats of cases meet as nodes, so they cannot differ in
//! meaning.
//!
//! It knows nothing of models, runs or scoring.

mod build;
mod case;
mod check;
mod csv;
mod detect;
mod format;
mod glob;
mod literal;
mod load;
mod read;
mod schema;
mod selector;

pub use case::{
    CallsMode, Case, Distractors, ExpectedCall, IntentSpec, Pick, PrincipalSpec, Select, Selector, Suite,
    Thresholds, ToolSpec, Turn, ViewSpec,
};
pub use detect::is_suite;
pub use schema::{case_schema, suite_schema};

#[cfg(test)]
mod tests;
