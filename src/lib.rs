//! The harness.
pub mod provider;
pub mod run;
