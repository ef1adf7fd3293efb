//! Where the world is touched: clock, files, sources.

pub mod approvers;
pub mod artifacts;
pub mod clock;
pub mod grants;
pub mod home;
pub mod journal;
pub mod remember;
pub mod sources;
pub mod wait;
