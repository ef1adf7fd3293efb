//! Under whose identity, with which scopes and credentials.

use super::{Answer, Question, list};
use crate::{
    event::fact::{ApprovalRequested, ToolCallStarted, ToolPolicyChecked},
    explain::story::CallStory,
};

/// What was held when it was decided, and what was used when it ran.
#[derive(Debug)]
pub(super) struct Identity;

impl Question for Identity {
    fn name(&self) -> &'static str {
        "identity"
    }

    fn text(&self) -> &'static str {
        "Which identity and scope were used?"
    }

    fn answer(&self, story: &CallStory) -> Answer {
        let mut answer = Answer::default();
        if let Some(f) = story.find::<ToolPolicyChecked>()
            && let Some(principal) = &f.fact.principal
        {
            let held = format!("{}, who holds {}", principal.id, list(&principal.scopes));
            answer.says("decided for", f.event, held);
        }
        if let Some(f) = story.find::<ApprovalRequested>() {
            let contract = &f.fact.request.contract;
            let used = format!("{}, with {}", contract.principal, list(&contract.scopes));
            answer.says("asked for", f.event, used);
        }
        match story.find::<ToolCallStarted>() {
            Some(f) => {
                let used = format!("{}, with {}", f.fact.principal, list(&f.fact.scopes));
                answer.says("ran as", f.event, used);
                answer.says("credentials", f.event, list(&f.fact.credentials));
            }
            None => answer.silent("ran as", story.silence::<ToolCallStarted>()),
        }
        answer
    }
}
