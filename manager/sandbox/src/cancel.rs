//! How a caller ends a run.

use rustix::event::EventfdFlags;
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use std::io;
use std::sync::Arc;

/// Ends the runs that it was given to; clones are the same.
#[derive(Debug, Clone)]
pub struct Cancel(Arc<OwnedFd>);

impl Cancel {
    /// Makes one that nobody has used.
    ///
    /// # Errors
    /// When the process has no descriptor left.
    pub fn new() -> io::Result<Self> {
        Ok(Self(Arc::new(rustix::event::eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?)))
    }

    /// Ends the runs, now and those to come.
    pub fn cancel(&self) {
        // it fails only when it has been used some 2^64 times
        rustix::io::write(&*self.0, &1_u64.to_ne_bytes()).ok();
    }

    pub(crate) fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}
