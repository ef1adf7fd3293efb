//! The harness.
pub mod matcher;
pub mod metric;
pub mod provider;
pub mod report;
pub mod run;
pub mod stats;
pub mod suite;
