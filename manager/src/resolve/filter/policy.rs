//! Policy filter: may this principal ever have a call of it?
//!
//! A tool whose every call would be denied is not shown: a model cannot propose well what it cannot have.

use super::{Filter, Turn};
use crate::model::{Decision, ResolveFilter};
use std::borrow::Cow;

pub(super) struct Policy;

impl Filter for Policy {
    fn name(&self) -> ResolveFilter {
        ResolveFilter::Policy
    }

    fn drops(&self, at: u32, turn: &Turn<'_>) -> Option<Cow<'static, str>> {
        if turn.state.index.tool(at).level() > turn.state.max_level {
            return Some(Cow::Borrowed("reaches above the level that this session is limited to"));
        }
        let answer = turn.answer(at);
        (answer.decision == Decision::Deny).then(|| Cow::Owned(answer.reason()))
    }
}
