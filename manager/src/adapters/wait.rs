//! Waiting for real.

use crate::port::Wait;
use std::time::Duration;

/// Lets the thread sleep.
#[derive(Debug, Clone, Copy, Default)]
pub struct ThreadWait;

impl Wait for ThreadWait {
    fn pause(&self, time: Duration) {
        std::thread::sleep(time);
    }
}
