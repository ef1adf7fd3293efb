//! The tool manager.

pub mod adapters;
pub mod document;
pub mod event;
pub mod model;
pub mod policy;
pub mod port;
pub mod registry;
pub mod stage;
