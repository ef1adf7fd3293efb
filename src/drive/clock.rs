//! The machine's clock, set forward as the suite says.

use chrono::{DateTime, TimeDelta, Utc};
use proofhouse_manager::{adapters::clock::SystemClock, port::Clock};
use std::sync::atomic::{AtomicI64, Ordering};
use uuid::Uuid;

/// Runs with the machine's clock, so many seconds ahead of it.
#[derive(Debug, Default)]
pub(super) struct Ahead(AtomicI64);

impl Ahead {
    pub(super) fn advance(&self, seconds: u32) {
        self.0.fetch_add(seconds.into(), Ordering::SeqCst);
    }
}

impl Clock for Ahead {
    fn now(&self) -> DateTime<Utc> {
        SystemClock.now() + TimeDelta::seconds(self.0.load(Ordering::SeqCst))
    }

    fn uuid(&self) -> Uuid {
        SystemClock.uuid()
    }
}
