//! What was known and not shown, and the filter that dropped it.

use super::{Answer, Question, list};
use crate::{
    event::fact::ToolViewCompiled,
    explain::story::CallStory,
    model::{Dropped, ResolveFilter},
};
use std::collections::BTreeMap;

/// Tools by the filter that dropped them, policy first: that is what the principle asks for.
#[derive(Debug)]
pub(super) struct Filtered;

impl Question for Filtered {
    fn name(&self) -> &'static str {
        "filtered"
    }

    fn text(&self) -> &'static str {
        "Which tools were filtered out by policy, and which by another filter?"
    }

    fn answer(&self, story: &CallStory) -> Answer {
        let mut answer = Answer::default();
        let Some(view) = story.find::<ToolViewCompiled>() else {
            answer.silent("the view", story.uncaused::<ToolViewCompiled>());
            return answer;
        };
        let mut by_filter: BTreeMap<ResolveFilter, Vec<&Dropped>> = BTreeMap::new();
        view.fact.dropped.iter().for_each(|d| by_filter.entry(d.filter).or_default().push(d));
        let policy = by_filter.remove(&ResolveFilter::Policy).unwrap_or_default();
        let told = list(policy.iter().map(|d| format!("{} ({})", d.tool_id, d.reason)));
        answer.says("policy", view.event, told);
        for (filter, dropped) in by_filter {
            let told = list(dropped.iter().map(|d| &d.tool_id));
            answer.says(filter.as_str(), view.event, told);
        }
        answer
    }
}
