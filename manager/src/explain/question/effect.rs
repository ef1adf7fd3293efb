//! What is different since: state, memory, artifacts, and what the model was shown.

use super::{Answer, Question, list};
use crate::{
    event::fact::{ArtifactPersisted, ContextProjected, StateUpdated, ToolCallFinished, TraceUpdated},
    explain::story::CallStory,
};

/// State patches, memory and artifacts, the projection into the context, and whether the account is complete.
#[derive(Debug)]
pub(super) struct Effect;

impl Question for Effect {
    fn name(&self) -> &'static str {
        "effect"
    }

    fn text(&self) -> &'static str {
        "How did this call affect state / memory / artifact?"
    }

    fn answer(&self, story: &CallStory) -> Answer {
        let mut answer = Answer::default();
        let mut patches = 0;
        for f in story.all::<StateUpdated>() {
            let told = format!("{} (patch {})", f.fact.summary, f.fact.patch_digest.short());
            answer.says("state", f.event, told);
            patches += 1;
        }
        if patches == 0 {
            answer.silent("state", story.silence::<StateUpdated>());
        }
        match story.find::<ToolCallFinished>() {
            Some(f) => {
                let seen = &f.fact.effects_observed;
                let memory = seen.writes.iter().chain(&seen.deletes).filter(|r| r.0.starts_with("memory:"));
                answer.says("memory", f.event, list(memory));
            }
            None => answer.silent("memory", story.silence::<ToolCallFinished>()),
        }
        let mut artifacts = story.all::<ArtifactPersisted>().peekable();
        if artifacts.peek().is_none() {
            answer.silent("artifacts", story.silence::<ArtifactPersisted>());
        }
        for f in artifacts {
            answer.says("artifacts", f.event, format!("{} was added", f.fact.artifact_id));
        }
        match story.find::<ContextProjected>() {
            Some(f) => answer.says("the model's context", f.event, shown(f.fact)),
            None => answer.silent("the model's context", story.silence::<ContextProjected>()),
        }
        match story.find::<TraceUpdated>() {
            Some(f) => answer.says("the account", f.event, "complete"),
            None => answer.silent("the account", story.silence::<TraceUpdated>()),
        }
        answer
    }
}

fn shown(fact: &ContextProjected) -> String {
    let ContextProjected { bytes, tokens, max_tokens, truncated, digest, .. } = fact;
    let of = if *truncated { ", less than the complete output" } else { "" };
    format!("{bytes} bytes, about {tokens} of {max_tokens} tokens{of}, digest {}", digest.short())
}
