//! The harness.
pub mod matcher;
pub mod provider;
pub mod run;
pub mod suite;
