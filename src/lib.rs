//! The harness: golden and negative prompts put to models through the tool manager, and what came out in
//! numbers.
//!
//! [`suite`] reads what is asked and what must come back, [`run`] asks, [`score`] compares, [`metric`] counts
//! and [`report`] shows; [`evaluate`] says what that means for registering a tool; [`import`] brings in what others recorded; [`cli`] is the command line over them.

pub mod cli;
pub mod conform;
pub mod drive;
pub mod evaluate;
pub mod import;
pub mod matcher;
pub mod metric;
pub mod provider;
pub mod report;
pub mod run;
pub mod score;
pub mod stats;
pub mod suite;
