//! Who says yes or no, and with what right.

use super::Interrupt;
use crate::{
    event::GrantReach,
    model::{ApprovalContract, ApprovalId, ApprovalRequest, Digest, PrincipalId, StopReason},
};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

/// Asks somebody.
pub trait Approver: Send + Sync {
    /// Shows the request's preview, and waits for an answer until the deadline or an interruption.
    fn ask(&self, request: &ApprovalRequest, deadline: DateTime<Utc>, interrupt: &dyn Interrupt) -> Reply;
}

/// What came of asking.
#[derive(Debug, Clone, PartialEq)]
pub enum Reply {
    /// Somebody has answered.
    Answer(Answer),
    /// Nobody has.
    Silence(Silence),
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Silence {
    /// There is nobody to ask here; why, and what to do about it.
    Nobody(String),
    /// Nobody has answered in time.
    TimedOut,
    /// Asking has failed.
    Failed(String),
    /// The call was called off while it waited.
    Interrupted(StopReason),
}

/// Somebody's answer to exactly one request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Answer {
    /// The request.
    pub approval_id: ApprovalId,
    /// Digest of the contract that was shown.
    pub contract_digest: Digest,
    /// Yes or no.
    pub decision: AnswerDecision,
    /// Who says so.
    pub by: PrincipalId,
    /// How it was said.
    pub confirmation: Confirmation,
    /// When.
    pub at: DateTime<Utc>,
}

/// Yes or no.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "decision", rename_all = "snake_case")]
pub enum AnswerDecision {
    /// Yes.
    Allow {
        /// How far it reaches.
        reach: GrantReach,
    },
    /// No.
    Deny {
        /// Why; may be empty.
        #[serde(default)]
        reason: String,
    },
}

/// How an answer was given.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "how", rename_all = "snake_case")]
pub enum Confirmation {
    /// By choosing it.
    Chosen,
    /// By typing this.
    Typed {
        /// The text, as typed.
        phrase: String,
    },
}

/// Knows who may approve. Asked when an answer is *used*, so that rights that were taken away in between count.
pub trait ApproverRights: Send + Sync {
    /// Whether somebody may say yes to this.
    ///
    /// # Errors
    /// Why not; also where it cannot be known.
    fn may_approve(&self, by: &PrincipalId, contract: &ApprovalContract) -> Result<(), String>;
}

/// Makes an approval good for one use, whatever happens beside it: other threads, other processes, a restart.
pub trait SingleUse: Send + Sync {
    /// Spends an approval. Succeeds once for each id, ever.
    ///
    /// # Errors
    /// [`SpendError`] if it was spent before, or nobody can tell.
    fn spend(&self, approval: &ApprovalId) -> Result<(), SpendError>;
}

/// An approval that cannot be spent.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SpendError {
    /// It was used before.
    #[error("the approval `{0}` was used before\nhint: an approval is for one call; ask again")]
    Spent(ApprovalId),
    /// Nobody can tell whether it was.
    #[error("whether the approval was used before cannot be known: {0}")]
    Unknown(String),
}

/// Nobody: every question is answered with no.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoApprover;

impl Approver for NoApprover {
    fn ask(&self, _: &ApprovalRequest, _: DateTime<Utc>, _: &dyn Interrupt) -> Reply {
        let hint =
            "nobody can be asked here\nhint: name an approver: a terminal, the file queue or a callback";
        Reply::Silence(Silence::Nobody(hint.to_owned()))
    }
}
