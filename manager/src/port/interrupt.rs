//! Whether a call must stop: its grant was revoked, its tool blocked, somebody called it off.

use crate::model::StopReason;

/// Asked before a call starts and while it runs.
pub trait Interrupt: Send + Sync {
    /// Why it must stop; `None` while it may go on. A store that cannot be asked is a reason to stop.
    fn reason(&self) -> Option<StopReason>;
}

/// Nothing stops the call from outside.
#[derive(Debug, Clone, Copy, Default)]
pub struct Uninterrupted;

impl Interrupt for Uninterrupted {
    fn reason(&self) -> Option<StopReason> {
        None
    }
}
