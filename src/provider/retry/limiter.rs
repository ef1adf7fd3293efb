//! How much one model is asked at a time.

use governor::{
    DefaultDirectRateLimiter, Quota,
    clock::{Clock as _, DefaultClock},
};
use std::{
    num::{NonZeroU32, NonZeroUsize},
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};
use tokio::sync::{Semaphore, SemaphorePermit};

/// How much one model may be asked at a time; shared by all trials of that model.
pub struct Limiter {
    slots: Option<Semaphore>,
    rate: Option<DefaultDirectRateLimiter>,
    /// A server that asks one trial to wait means all of them.
    closed_until: Mutex<Option<Instant>>,
}

impl Limiter {
    /// At most so many requests in flight, and so many a minute, evenly spread.
    pub fn new(in_flight: Option<NonZeroUsize>, per_minute: Option<NonZeroU32>) -> Self {
        let quota = |per_minute: NonZeroU32| {
            let a_second = NonZeroU32::new(per_minute.get() / 60).unwrap_or(NonZeroU32::MIN);
            Quota::per_minute(per_minute).allow_burst(a_second)
        };
        Self {
            slots: in_flight.map(|slots| Semaphore::new(slots.get())),
            rate: per_minute.map(|rate| DefaultDirectRateLimiter::direct(quota(rate))),
            closed_until: Mutex::new(None),
        }
    }

    /// No limit, for a model that is embedded.
    pub fn unlimited() -> Self {
        Self::new(None, None)
    }

    /// Waits for a turn; the slot is taken until the permit is dropped.
    pub(super) async fn admit(&self) -> Option<SemaphorePermit<'_>> {
        let permit = match &self.slots {
            Some(slots) => slots.acquire().await.ok(),
            None => None,
        };
        while let Some(wait) = self.closed_for() {
            tokio::time::sleep(wait).await;
        }
        if let Some(rate) = &self.rate {
            while let Err(not_until) = rate.check() {
                tokio::time::sleep(not_until.wait_time_from(DefaultClock::default().now())).await;
            }
        }
        permit
    }

    pub(super) fn closed_for(&self) -> Option<Duration> {
        let until = (*self.closed_until.lock().unwrap_or_else(PoisonError::into_inner))?;
        until.checked_duration_since(Instant::now()).filter(|wait| !wait.is_zero())
    }

    pub(super) fn close_for(&self, wait: Duration) {
        let mut closed = self.closed_until.lock().unwrap_or_else(PoisonError::into_inner);
        *closed = (*closed).max(Instant::now().checked_add(wait));
    }
}
