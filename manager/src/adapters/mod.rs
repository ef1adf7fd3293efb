//! Where the world is touched: clock, files, sources.

pub mod clock;
pub mod journal;
pub mod sources;
