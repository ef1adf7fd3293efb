//! What the verifiers said.

use super::{Answer, Question, word};
use crate::{event::fact::ToolResultValidated, explain::story::CallStory};

/// The verdict, check by check.
#[derive(Debug)]
pub(super) struct Verified;

impl Question for Verified {
    fn name(&self) -> &'static str {
        "verified"
    }

    fn text(&self) -> &'static str {
        "Was the result accepted by the verifier?"
    }

    fn answer(&self, story: &CallStory) -> Answer {
        let mut answer = Answer::default();
        let Some(f) = story.find::<ToolResultValidated>() else {
            answer.silent("the verifier", story.silence::<ToolResultValidated>());
            return answer;
        };
        answer.says("the verifier", f.event, word(&f.fact.verification.status));
        for check in &f.fact.verification.checks {
            let message = check.message.as_ref().map_or(String::new(), |m| format!(": {m}"));
            answer.says(check.name.clone(), f.event, format!("{}{message}", word(&check.result)));
        }
        answer
    }
}
