//! Where the world is touched: clock, files, sources.

pub mod artifacts;
#[cfg(target_os = "linux")]
pub mod builtin;
pub mod clock;
pub mod health;
pub mod home;
pub mod journal;
pub mod lints;
pub mod registrations;
pub mod remember;
pub mod sources;
