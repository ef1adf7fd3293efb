//! Where the world is touched: clock, files, sources.

pub mod artifacts;
pub mod calls;
pub mod clock;
pub mod home;
pub mod journal;
pub mod sources;
