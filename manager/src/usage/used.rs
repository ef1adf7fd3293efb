//! Limits and labels together: what the manager keeps between two calls.

use super::{Limits, SessionLabels, Spend};
use crate::{
    event::Fresh,
    model::{BudgetLeft, SessionId, Surroundings},
};
use chrono::{DateTime, Utc};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What has been used and read so far.
#[derive(Debug, Default)]
pub struct Used {
    limits: Limits,
    labels: Mutex<SessionLabels>,
}

impl Used {
    /// Nothing yet, under these limits.
    pub fn new(limits: Limits) -> Self {
        Self { limits, labels: Mutex::default() }
    }

    /// The limits.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Takes in an event of a journal that was written before.
    pub fn fold(&self, event: &Fresh) {
        self.limits.fold(event);
        self.labels().fold(event);
    }

    /// A call has started that adds these labels to its session.
    pub fn label(&self, session: &SessionId, labels: impl IntoIterator<Item = String>) {
        self.labels().add(session, labels);
    }

    /// The surroundings of a call, where they are others than those that its session began with.
    pub fn surroundings(
        &self,
        began: &Surroundings,
        spend: &Spend<'_>,
        now: DateTime<Utc>,
    ) -> Option<Surroundings> {
        let left = self.limits.left(spend, now);
        let labels = self.labels().of(spend.session);
        if left.is_unlimited() && labels.is_subset(&began.labels) {
            return None;
        }
        let mut surroundings = began.clone();
        surroundings.labels.extend(labels);
        surroundings.budget = BudgetLeft {
            calls: least(began.budget.calls, left.calls, u64::min),
            cost_usd: least(began.budget.cost_usd, left.cost_usd, f64::min),
        };
        Some(surroundings)
    }

    fn labels(&self) -> MutexGuard<'_, SessionLabels> {
        // Labels are only ever added, so whatever a panic left is no more than there should be.
        self.labels.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn least<T>(a: Option<T>, b: Option<T>, min: impl Fn(T, T) -> T) -> Option<T> {
    match (a, b) {
        (Some(a), Some(b)) => Some(min(a, b)),
        (a, b) => a.or(b),
    }
}
