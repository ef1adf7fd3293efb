//! The arguments: who made them, and whether they fit.

use super::{Answer, Question, word};
use crate::{
    event::fact::{
        ArgsStatus, ModelOutputReceived, REDACTED, ToolArgsValidated, ToolCallRequested, UserPromptSubmitted,
    },
    explain::story::CallStory,
    model::ProposedBy,
    text::shorten,
};
use serde_json::Value;

/// Who proposed the call, each argument, and whether the user's own words hold it.
#[derive(Debug)]
pub(super) struct Parameters;

/// So much of one argument is told; the event that is named holds it whole.
const MAX_VALUE: usize = 200;

impl Question for Parameters {
    fn name(&self) -> &'static str {
        "parameters"
    }

    fn text(&self) -> &'static str {
        "Who generated this parameter?"
    }

    fn answer(&self, story: &CallStory) -> Answer {
        let mut answer = Answer::default();
        let Some(requested) = story.find::<ToolCallRequested>() else {
            answer.silent("the arguments", "no `ToolCallRequested` of the call is in the journal");
            return answer;
        };
        let by = word(&requested.fact.proposed_by);
        match story.find::<ModelOutputReceived>() {
            Some(f) if requested.fact.proposed_by == ProposedBy::Model => {
                answer.says("proposed by", requested.event, format!("{by} {}", f.fact.model));
            }
            _ => answer.says("proposed by", requested.event, by),
        }
        arguments(story, &requested.fact.args, requested.event, &mut answer);
        if let Some(digest) = &requested.fact.args_digest {
            answer.says("digest", requested.event, digest);
        }
        match story.find::<ToolArgsValidated>() {
            Some(f) if f.fact.status == ArgsStatus::Passed => {
                answer.says("the tool's schema", f.event, "allows them");
            }
            Some(f) => {
                let faults: Vec<String> = f
                    .fact
                    .faults
                    .iter()
                    .map(|f| format!("{} {}", f.path, f.message).trim().to_owned())
                    .collect();
                answer.says("the tool's schema", f.event, format!("refuses them: {}", faults.join("; ")));
            }
            None => answer.silent("the tool's schema", story.silence::<ToolArgsValidated>()),
        }
        answer
    }
}

fn arguments(story: &CallStory, args: &Value, event: &crate::event::Event, answer: &mut Answer) {
    let prompt = story.find::<UserPromptSubmitted>().map(|f| f.fact.prompt.as_str());
    match args {
        Value::String(text) if text == REDACTED => {
            answer.silent("the arguments", "the tool does not log them; their digest is in the journal");
        }
        Value::Object(map) => {
            for (name, value) in map {
                let text = match value {
                    Value::String(text) => text.clone(),
                    other => other.to_string(),
                };
                let quoted = prompt.is_some_and(|prompt| !text.is_empty() && prompt.contains(&text));
                let words = if quoted { " (stands in the user's words)" } else { "" };
                answer.says(format!("`{name}`"), event, format!("{}{words}", shorten(&text, MAX_VALUE)));
            }
        }
        other => answer.says("the arguments", event, shorten(&other.to_string(), MAX_VALUE)),
    }
}
