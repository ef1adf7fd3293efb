//! When a call that failed is tried again, and after how long.
//!
//! Only what its contract calls idempotent, only after the errors that it names, and only so often: what failed may
//! have happened all the same.

use super::{Execute, Executed};
use crate::event::fact::FinishStatus;
use std::time::Duration;

/// No contract gets more attempts than this beside the first.
pub(super) const MOST_RETRIES: u32 = 10;
/// No pause is longer.
const LONGEST: Duration = Duration::from_secs(30);
/// So often it is looked whether the call was called off.
const LOOK: Duration = Duration::from_millis(250);

/// How long to wait before a call is tried again, after so many retries; `None`: it is not.
///
/// The pause doubles from one retry to the next.
pub(super) fn pause_before(executed: &Executed, retries: u32) -> Option<Duration> {
    let tool = executed.prepared.authorized.valid().tool().descriptor();
    let policy = &tool.execution.retry_policy;
    let failed = matches!(executed.ran.status, FinishStatus::Error | FinishStatus::Partial);
    let code = executed.ran.error.as_ref().map(|error| &error.code)?;
    let again =
        failed && tool.effects.idempotent && retries < policy.max_retries && policy.retry_on.contains(code);
    let first = Duration::from_millis(policy.backoff_ms.unwrap_or_default());
    again.then(|| first.saturating_mul(1 << retries.min(MOST_RETRIES)).min(LONGEST))
}

/// Lets the pause pass; false if the call was called off meanwhile.
pub(super) fn wait(step: &Execute<'_>, mut pause: Duration) -> bool {
    while !pause.is_zero() {
        if step.interrupt.reason().is_some() {
            return false;
        }
        let now = pause.min(LOOK);
        step.wait.pause(now);
        pause -= now;
    }
    true
}
