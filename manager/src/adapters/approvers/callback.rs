//! An approver that is a function of the program around the manager.

use crate::{
    model::ApprovalRequest,
    port::{Answer, Approver, Clock, Interrupt, Reply, Silence},
};
use chrono::{DateTime, Utc};
use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc,
        mpsc::{RecvTimeoutError, channel},
    },
    time::Duration,
};

/// How long a wait for the function may overlook that the call was called off.
const ATTENTION: Duration = Duration::from_millis(50);

type Ask = dyn Fn(&ApprovalRequest) -> Option<Answer> + Send + Sync;

/// Asks a function. One that panics, has no answer, or does not come back in time says no.
#[derive(Clone)]
pub struct Callback {
    ask: Arc<Ask>,
    clock: Arc<dyn Clock>,
}

impl std::fmt::Debug for Callback {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Callback").finish_non_exhaustive()
    }
}

impl Callback {
    /// Asks this function. Who answers is what it says: it is as trusted as the program that it is a part of.
    pub fn new(
        ask: impl Fn(&ApprovalRequest) -> Option<Answer> + Send + Sync + 'static,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self { ask: Arc::new(ask), clock }
    }
}

impl Approver for Callback {
    fn ask(&self, request: &ApprovalRequest, deadline: DateTime<Utc>, interrupt: &dyn Interrupt) -> Reply {
        let (answers, answer) = channel();
        let (ask, shown) = (Arc::clone(&self.ask), request.clone());
        // The thread outlives a wait that is given up; what it says then, nobody hears.
        std::thread::spawn(move || answers.send(catch_unwind(AssertUnwindSafe(|| ask(&shown)))).ok());
        loop {
            match answer.recv_timeout(ATTENTION) {
                Ok(Ok(Some(answer))) => return Reply::Answer(answer),
                Ok(Ok(None)) => {
                    return Reply::Silence(Silence::Nobody("the callback has no answer".to_owned()));
                }
                Ok(Err(_)) | Err(RecvTimeoutError::Disconnected) => {
                    return Reply::Silence(Silence::Failed("the callback panicked".to_owned()));
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
            if let Some(reason) = interrupt.reason() {
                return Reply::Silence(Silence::Interrupted(reason));
            }
            if self.clock.now() >= deadline {
                return Reply::Silence(Silence::TimedOut);
            }
        }
    }
}
