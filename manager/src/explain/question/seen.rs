//! The view that the call was proposed from.

use super::{Answer, MAX_TOLD, Question};
use crate::{event::fact::ToolViewCompiled, explain::story::CallStory};

/// Every tool of the view, best first, with its version, level and decision.
#[derive(Debug)]
pub(super) struct Seen;

impl Question for Seen {
    fn name(&self) -> &'static str {
        "seen"
    }

    fn text(&self) -> &'static str {
        "Which tools did the model see before the call?"
    }

    fn answer(&self, story: &CallStory) -> Answer {
        let mut answer = Answer::default();
        let Some(view) = story.find::<ToolViewCompiled>() else {
            answer.silent("the view", story.uncaused::<ToolViewCompiled>());
            return answer;
        };
        let ToolViewCompiled { view_id, tools, tokens, view_digest, .. } = view.fact;
        let head = format!(
            "{view_id}, tools: {}, about {tokens} tokens, digest {}",
            tools.len(),
            view_digest.short()
        );
        answer.says("the view", view.event, head);
        for tool in tools.iter().take(MAX_TOLD) {
            let value = format!("{} {} {}", tool.tool_version, tool.level, tool.policy_decision);
            answer.says(tool.tool_id.to_string(), view.event, value);
        }
        if tools.len() > MAX_TOLD {
            answer.says("and", view.event, format!("{} more", tools.len() - MAX_TOLD));
        }
        answer
    }
}
