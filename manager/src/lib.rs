//! The tool manager.

pub mod adapters;
pub mod document;
pub mod event;
pub mod model;
pub mod normalize;
pub mod plan;
pub mod policy;
pub mod port;
pub mod registry;
pub mod resolve;
pub mod stage;
