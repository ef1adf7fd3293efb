//! An approver that gives the answer which the suite has laid out for it, once.

use crate::conform::protocol::{Approve, Reach, Reply};
use chrono::{DateTime, Utc};
use proofhouse_manager::{
    event::GrantReach,
    model::{ApprovalRequest, Digest},
    port::{self, Answer, AnswerDecision, Approver, Clock, Confirmation, Interrupt, Silence},
};
use std::sync::{Arc, Mutex, PoisonError};

/// What is to be answered next; silence where nothing is laid out.
pub(super) struct Answers {
    next: Mutex<Option<Approve>>,
    clock: Arc<dyn Clock>,
}

impl Answers {
    pub(super) fn new(clock: Arc<dyn Clock>) -> Self {
        Self { next: Mutex::default(), clock }
    }

    pub(super) fn lay_out(&self, answer: Approve) {
        *self.next.lock().unwrap_or_else(PoisonError::into_inner) = Some(answer);
    }
}

impl Approver for Answers {
    fn ask(&self, request: &ApprovalRequest, _: DateTime<Utc>, _: &dyn Interrupt) -> port::Reply {
        let next = self.next.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(Approve { reply, by, phrase, reach, approval_id, contract_digest, .. }) = next else {
            return port::Reply::Silence(Silence::TimedOut);
        };
        let reach = match reach {
            Reach::Once => GrantReach::Once,
            Reach::Session => GrantReach::Session,
            Reach::Always => GrantReach::Always,
        };
        let decision = match reply {
            Reply::Allow => AnswerDecision::Allow { reach },
            Reply::Deny => AnswerDecision::Deny { reason: String::new() },
            Reply::Silence => return port::Reply::Silence(Silence::TimedOut),
        };
        port::Reply::Answer(Answer {
            approval_id: approval_id.map_or_else(|| request.approval_id.clone(), Into::into),
            contract_digest: contract_digest.map_or_else(|| request.contract_digest.clone(), digest),
            decision,
            by: by.into(),
            confirmation: phrase.map_or(Confirmation::Chosen, |phrase| Confirmation::Typed { phrase }),
            at: self.clock.now(),
        })
    }
}

/// What is no digest is that of nothing which was asked about.
fn digest(text: String) -> Digest {
    serde_json::from_value(text.into()).unwrap_or_else(|_| Digest::zero())
}
