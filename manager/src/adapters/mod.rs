//! Where the world is touched: clock, files, sources.

pub mod approvers;
pub mod artifacts;
#[cfg(target_os = "linux")]
pub mod builtin;
pub mod calls;
#[cfg(target_os = "linux")]
pub mod changes;
#[cfg(target_os = "linux")]
pub mod cli;
pub mod clock;
pub mod credentials;
pub mod egress;
pub mod grants;
pub mod guarded;
pub mod health;
pub mod home;
pub mod hooks;
pub mod http;
pub mod journal;
pub mod lints;
pub mod policies;
mod process;
pub mod registrations;
pub mod remember;
pub mod sandbox;
pub mod sources;
#[cfg(target_os = "linux")]
pub mod undo;
pub mod wait;
