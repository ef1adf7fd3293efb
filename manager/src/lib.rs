//! The tool manager: which actions an agent may take, decided, recorded and provable.
//!
//! An agent does not own tools. In each turn it gets a compiled view of what it may do, for this intent,
//! principal, budget and risk; each call it proposes is validated, policy-checked, authorized and recorded, in
//! that order and no other. [`manager::Manager`] is the way in; [`stage`] is the kernel.

pub mod adapters;
pub mod authority;
pub mod document;
pub mod event;
pub mod explain;
pub mod lint;
pub mod manager;
pub mod model;
pub mod normalize;
pub mod plan;
pub mod policy;
pub mod port;
pub mod redact;
pub mod registry;
pub mod resolve;
pub mod stage;
pub mod text;
pub mod usage;
