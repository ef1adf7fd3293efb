//! Capability match: does the tool serve any kind of action that may be next?
//!
//! It drops only on what somebody stated. An intent without action types wants everything, and a tool whose
//! action types a normalizer inferred always passes: a guess on either side hides nothing.

use super::{Filter, Turn};
use crate::model::ResolveFilter;
use std::borrow::Cow;

pub(super) struct Capability;

impl Filter for Capability {
    fn name(&self) -> ResolveFilter {
        ResolveFilter::Capability
    }

    fn drops(&self, at: u32, turn: &Turn<'_>) -> Option<Cow<'static, str>> {
        let misses = turn.wanted != 0 && turn.state.index.traits(at).serves_none_of(turn.wanted);
        misses.then_some(Cow::Borrowed("serves none of the kinds of action that the intent asks for"))
    }
}
