//! The machine's clock.

use crate::port::Clock;
use chrono::{DateTime, Utc};
use uuid::Uuid;

/// The machine's own time and random numbers.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> DateTime<Utc> {
        Utc::now()
    }

    fn uuid(&self) -> Uuid {
        Uuid::now_v7()
    }
}
