//! Context filter: is the tool for a model, and can it be used where this session runs?

use super::{Filter, Turn};
use crate::model::ResolveFilter;
use std::borrow::Cow;

pub(super) struct Context;

impl Filter for Context {
    fn name(&self) -> ResolveFilter {
        ResolveFilter::Context
    }

    fn drops(&self, at: u32, turn: &Turn<'_>) -> Option<Cow<'static, str>> {
        let tool = turn.state.index.tool(at).descriptor();
        let environment = turn.state.environment;
        if !tool.context_policy.expose_to_model {
            return Some(Cow::Borrowed("its context policy keeps it from the model"));
        }
        if let Some(secret) = environment.missing_secret(tool) {
            return Some(Cow::Owned(format!("its credential `{secret}` is not bound here")));
        }
        (!environment.can_sandbox(tool)).then_some(Cow::Borrowed("its sandbox cannot be enforced here"))
    }
}
