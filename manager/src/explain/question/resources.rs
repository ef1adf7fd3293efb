//! What it was allowed to touch, and what it was seen to touch.

use super::{Answer, Question, list};
use crate::{
    event::fact::{ApprovalRequested, ToolCallFinished, ToolNormalized},
    explain::story::CallStory,
};

/// Declared beside observed.
#[derive(Debug)]
pub(super) struct Resources;

impl Question for Resources {
    fn name(&self) -> &'static str {
        "resources"
    }

    fn text(&self) -> &'static str {
        "Which resources were read and written?"
    }

    fn answer(&self, story: &CallStory) -> Answer {
        let mut answer = Answer::default();
        declared(story, &mut answer);
        match story.find::<ToolCallFinished>() {
            Some(f) => {
                let seen = &f.fact.effects_observed;
                answer.says("observed reads", f.event, list(&seen.reads));
                answer.says("observed writes", f.event, list(&seen.writes));
                if !seen.deletes.is_empty() {
                    answer.says("observed deletes", f.event, list(&seen.deletes));
                }
                answer.says("observed outside", f.event, list(&seen.external_calls));
            }
            None => answer.silent("observed", story.silence::<ToolCallFinished>()),
        }
        answer
    }
}

fn declared(story: &CallStory, answer: &mut Answer) {
    if let Some(f) = story.find::<ToolNormalized>() {
        let effects = &f.fact.effects;
        answer.says("declared reads", f.event, list(&effects.reads));
        answer.says("declared writes", f.event, list(effects.writes.iter().chain(&effects.deletes)));
    } else if let Some(f) = story.find::<ApprovalRequested>() {
        let preview = &f.fact.request.effects_preview;
        answer.says("declared reads", f.event, list(&preview.reads));
        answer.says("declared writes", f.event, list(&preview.writes));
    } else {
        let reason = "no `ToolNormalized` with the contract's digest is in the journals that were read";
        answer.silent("declared", reason);
    }
}
