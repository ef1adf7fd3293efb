//! Time and identity.

use chrono::{DateTime, Utc};
use uuid::Uuid;

/// What time it is, and an identifier that nobody else has.
pub trait Clock: Send + Sync {
    /// The time, in UTC.
    fn now(&self) -> DateTime<Utc>;

    /// A fresh UUID; version 7, so that ids sort by time.
    fn uuid(&self) -> Uuid;
}
