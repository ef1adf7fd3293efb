//! Letting time pass.

use std::time::Duration;

/// Lets time pass, so that a wait needs no busy loop and a test needs no waiting.
pub trait Wait: Send + Sync {
    /// Returns after about so long.
    fn pause(&self, time: Duration);
}
