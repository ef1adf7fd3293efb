//! Where the world is touched: clock, files, sources.

pub mod approvers;
pub mod artifacts;
#[cfg(target_os = "linux")]
pub mod builtin;
pub mod calls;
pub mod clock;
pub mod credentials;
pub mod grants;
pub mod guarded;
pub mod health;
pub mod home;
pub mod journal;
pub mod lints;
pub mod policies;
mod process;
pub mod registrations;
pub mod remember;
pub mod sources;
pub mod wait;
