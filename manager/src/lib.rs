//! The tool manager.

pub mod model;
pub mod policy;
pub mod registry;
pub mod resolve;
