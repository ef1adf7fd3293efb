//! The machine's clock.

use crate::port::Clock;
use chrono::{DateTime, Utc};
use uuid::Uuid;

/// The machine's own time and random numbers.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "this is the port's adapter")]
    fn now(&self) -> DateTime<Utc> {
        Utc::now()
    }

    #[expect(clippy::disallowed_methods, reason = "this is the port's adapter")]
    fn uuid(&self) -> Uuid {
        Uuid::now_v7()
    }
}
