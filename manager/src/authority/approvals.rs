//! Approvals: what was asked, what became of it, and what of that the next question must say.

use crate::{
    event::{
        Fact, GrantReach,
        fact::{
            ApprovalDenied, ApprovalExpired, ApprovalGranted, ApprovalInvalidated, ApprovalRequested,
            ToolBlocked,
        },
    },
    model::{ApprovalId, ApprovalRequest, Digest, PrincipalId, SessionId, ToolId, canonical_bytes},
    text::shorten,
};
use chrono::{DateTime, Utc};
use serde_json::Value;
use std::{collections::HashMap, sync::Arc};

/// Calls whose arguments are at least so much alike, by pairs of neighbouring characters, are nearly equal.
const NEARLY: f64 = 0.7;

/// At most this many earlier denials are shown.
const SHOWN_DENIALS: usize = 5;
/// So much of the arguments of an earlier call is shown; what is asked now is shown whole.
const SHOWN_ARGS: usize = 300;

/// What became of a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Standing {
    /// Nobody has answered.
    Pending,
    /// Somebody said yes.
    Granted {
        /// Who.
        by: PrincipalId,
        /// How far it reaches.
        reach: GrantReach,
    },
    /// Somebody, or the lack of anybody, said no.
    Denied {
        /// Who; absent where nobody could be asked.
        by: Option<PrincipalId>,
        /// Why.
        reason: String,
    },
    /// It was answered or used too late, or not at all.
    Expired,
    /// What it was for changed: why.
    Void(String),
}

impl Standing {
    /// The standing in one word.
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Granted { .. } => "granted",
            Self::Denied { .. } => "denied",
            Self::Expired => "expired",
            Self::Void(_) => "void",
        }
    }
}

/// A question, and what became of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Asked {
    /// What was asked, as it was logged.
    pub request: ApprovalRequest,
    /// When its standing last changed.
    pub at: DateTime<Utc>,
    standing: Standing,
}

impl Asked {
    /// Where it stands: a question that nobody has answered in time is expired, also where no event says so.
    pub fn standing(&self, now: DateTime<Utc>) -> Standing {
        match &self.standing {
            Standing::Pending if self.request.expires_at <= now => Standing::Expired,
            standing => standing.clone(),
        }
    }
}

/// What a new question is compared with.
#[derive(Debug, Clone, Copy)]
pub struct Question<'a> {
    /// Who acts.
    pub principal: &'a PrincipalId,
    /// In which conversation.
    pub session_id: &'a SessionId,
    /// With which tool.
    pub tool_id: &'a ToolId,
    /// With which contract of it.
    pub descriptor_digest: &'a Digest,
    /// With which arguments.
    pub args: &'a Value,
    /// Their digest.
    pub args_digest: &'a Digest,
}

/// All approvals that a journal tells of.
#[derive(Debug, Clone, Default)]
pub struct Approvals {
    // Shared, for a snapshot is taken at every question.
    asked: Vec<Arc<Asked>>,
    by_id: HashMap<ApprovalId, usize>,
}

impl Approvals {
    /// Takes the next event in; most are none of its business.
    pub fn apply(&mut self, at: DateTime<Utc>, fact: &Fact) {
        match fact {
            Fact::ApprovalRequested(ApprovalRequested { approval_id, request, .. })
                if !self.by_id.contains_key(approval_id) =>
            {
                self.by_id.insert(approval_id.clone(), self.asked.len());
                let asked = Asked { request: (**request).clone(), at, standing: Standing::Pending };
                self.asked.push(Arc::new(asked));
            }
            Fact::ApprovalGranted(ApprovalGranted { approval_id, approved_by, reach, .. }) => {
                self.settle(approval_id, at, Standing::Granted { by: approved_by.clone(), reach: *reach });
            }
            Fact::ApprovalDenied(ApprovalDenied { approval_id, denied_by, reason }) => {
                let standing = Standing::Denied { by: denied_by.clone(), reason: reason.clone() };
                self.settle(approval_id, at, standing);
            }
            Fact::ApprovalExpired(ApprovalExpired { approval_id, .. }) => {
                self.settle(approval_id, at, Standing::Expired);
            }
            Fact::ApprovalInvalidated(ApprovalInvalidated { approval_id, field, .. }) => {
                self.settle(approval_id, at, Standing::Void(format!("`{field}` changed")));
            }
            Fact::ToolBlocked(blocked) => self.block(at, blocked),
            _ => {}
        }
    }

    /// INVARIANT: what is settled as anything but granted never becomes granted: no late answer, no second
    /// one, and no event out of order makes a denial a yes.
    fn settle(&mut self, id: &ApprovalId, at: DateTime<Utc>, standing: Standing) {
        let Some(asked) = self.by_id.get(id).map(|at| Arc::make_mut(&mut self.asked[*at])) else { return };
        let first = asked.standing == Standing::Pending;
        let granted = matches!(asked.standing, Standing::Granted { .. });
        if first || (granted && !matches!(standing, Standing::Granted { .. })) {
            asked.standing = standing;
            asked.at = at;
        }
    }

    fn block(&mut self, at: DateTime<Utc>, blocked: &ToolBlocked) {
        let ToolBlocked { tool_id, tool_version, by, reason, .. } = blocked;
        let of_tool = |asked: &&mut Arc<Asked>| {
            let contract = &asked.request.contract;
            contract.tool_id == *tool_id && tool_version.as_ref().is_none_or(|v| *v == contract.tool_version)
        };
        for asked in self.asked.iter_mut().filter(of_tool) {
            if asked.standing == Standing::Pending {
                let asked = Arc::make_mut(asked);
                asked.standing = Standing::Void(format!("the tool was blocked by {by}: {reason}"));
                asked.at = at;
            }
        }
    }

    /// Every question, in the order in which they were asked.
    pub fn all(&self) -> impl DoubleEndedIterator<Item = &Asked> {
        self.asked.iter().map(AsRef::as_ref)
    }

    /// One question.
    pub fn get(&self, id: &str) -> Option<&Asked> {
        self.by_id.get(id).map(|at| &*self.asked[*at])
    }

    /// The questions that still wait for an answer.
    pub fn pending(&self, now: DateTime<Utc>) -> impl Iterator<Item = &Asked> {
        self.all().filter(move |asked| asked.standing(now) == Standing::Pending)
    }

    /// The very same question, if it still waits for an answer.
    pub fn pending_equal(&self, question: &Question<'_>, now: DateTime<Utc>) -> Option<&ApprovalId> {
        let same = |asked: &&Asked| {
            let contract = &asked.request.contract;
            contract.args_digest == *question.args_digest
                && contract.descriptor_digest == *question.descriptor_digest
                && contract.principal == *question.principal
                && contract.session_id == *question.session_id
        };
        self.pending(now).find(same).map(|asked| &asked.request.approval_id)
    }

    /// How many questions a session has asked.
    pub fn asked_in(&self, session: &SessionId) -> usize {
        self.all().filter(|asked| asked.request.contract.session_id == *session).count()
    }

    /// Earlier denials of the same or a nearly equal call, latest first, in words for the next approver.
    pub fn denials_near(&self, question: &Question<'_>) -> Vec<String> {
        let text = compared(question.args);
        let near = |asked: &Asked| {
            let Standing::Denied { by, reason } = &asked.standing else { return None };
            let contract = &asked.request.contract;
            if contract.tool_id != *question.tool_id {
                return None;
            }
            let alike = match contract.args_digest == *question.args_digest {
                true => "the same arguments".to_owned(),
                false if is_near(&text, &compared(&asked.request.args_preview)) => {
                    let args = asked.request.args_preview.to_string();
                    format!("nearly the same arguments: {}", shorten(&args, SHOWN_ARGS))
                }
                false => return None,
            };
            let by = by.as_ref().map_or("nobody could be asked".to_owned(), |by| format!("denied by {by}"));
            let reason = if reason.is_empty() { String::new() } else { format!(" ({reason})") };
            Some(format!("{}, {by}{reason}, {alike}", asked.at.format("%Y-%m-%d %H:%M:%SZ")))
        };
        self.all().rev().filter_map(near).take(SHOWN_DENIALS).collect()
    }
}

/// Arguments as text that does not depend on the order of keys.
fn compared(args: &Value) -> String {
    canonical_bytes(args).ok().and_then(|bytes| String::from_utf8(bytes).ok()).unwrap_or_default()
}

fn is_near(a: &str, b: &str) -> bool {
    strsim::sorensen_dice(a, b) >= NEARLY
}
