//! The tool manager.
pub mod model;
