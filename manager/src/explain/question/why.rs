//! What was said, what was meant, and what the model made of it.

use super::{Answer, Question, word};
use crate::{
    event::fact::{
        IntentRecorded, ModelOutputReceived, ToolCallRequested, ToolViewCompiled, UserPromptSubmitted,
    },
    explain::story::CallStory,
};

/// Prompt, intent, the model's answer, and the tool's place in the view.
#[derive(Debug)]
pub(super) struct Why;

impl Question for Why {
    fn name(&self) -> &'static str {
        "why"
    }

    fn text(&self) -> &'static str {
        "Why did the agent call this tool?"
    }

    fn answer(&self, story: &CallStory) -> Answer {
        let mut answer = Answer::default();
        match story.find::<UserPromptSubmitted>() {
            Some(f) => answer.says("the user said", f.event, &f.fact.prompt),
            None => answer.silent("the user said", story.uncaused::<UserPromptSubmitted>()),
        }
        match story.find::<IntentRecorded>() {
            Some(f) => answer.says("the intent", f.event, intent(f.fact)),
            None => answer.silent("the intent", story.uncaused::<IntentRecorded>()),
        }
        match story.find::<ModelOutputReceived>() {
            Some(f) => answer.says("the model", f.event, model(f.fact)),
            None => answer.silent("the model", story.uncaused::<ModelOutputReceived>()),
        }
        place(story, &mut answer);
        answer
    }
}

fn intent(fact: &IntentRecorded) -> String {
    let intent = &fact.intent;
    let actions: Vec<&str> = intent.action_types.iter().map(|a| a.as_str()).collect();
    let actions = if actions.is_empty() { "any action".to_owned() } else { actions.join(", ") };
    format!("{actions} ({}, confidence {})", intent.rationale_summary, intent.confidence)
}

fn model(fact: &ModelOutputReceived) -> String {
    let ModelOutputReceived { model, outcome, calls, text } = fact;
    let said = text.as_ref().map_or(String::new(), |text| format!(", and said: {text}"));
    format!("{model}: {}, calls: {calls}{said}", word(outcome))
}

/// Why the model could propose it.
fn place(story: &CallStory, answer: &mut Answer) {
    const ABOUT: &str = "the tool was there";
    let (Some(view), Some(requested)) = (story.find::<ToolViewCompiled>(), story.find::<ToolCallRequested>())
    else {
        return answer.silent(ABOUT, story.uncaused::<ToolViewCompiled>());
    };
    match view.fact.tools.iter().find(|t| t.tool_id == requested.fact.tool_id) {
        Some(tool) => answer.says(ABOUT, view.event, &tool.reason),
        None => answer.says(ABOUT, view.event, "it was not: the view held no tool of that name"),
    }
}
