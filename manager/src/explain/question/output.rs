//! Where the complete output lies.

use super::{Answer, Question, word};
use crate::{
    event::fact::{ArtifactPersisted, ToolCallFinished},
    explain::story::CallStory,
};

/// The artifacts with their digests, and the digest of the output itself.
#[derive(Debug)]
pub(super) struct Output;

impl Question for Output {
    fn name(&self) -> &'static str {
        "output"
    }

    fn text(&self) -> &'static str {
        "Where is the complete output?"
    }

    fn answer(&self, story: &CallStory) -> Answer {
        let mut answer = Answer::default();
        let Some(f) = story.find::<ToolCallFinished>() else {
            answer.silent("the output", story.silence::<ToolCallFinished>());
            return answer;
        };
        let digest = f.fact.output_digest.as_ref().map_or("no digest".to_owned(), |d| format!("digest {d}"));
        answer.says("the output", f.event, format!("{} bytes, {digest}", f.fact.output_bytes));
        let mut kept = 0;
        for f in story.all::<ArtifactPersisted>() {
            let ArtifactPersisted { artifact_id, kind, uri, content_hash, bytes, .. } = f.fact;
            let told = format!("{uri}, {}, {bytes} bytes, digest {content_hash}", word(kind));
            answer.says(artifact_id.to_string(), f.event, told);
            kept += 1;
        }
        if kept == 0 {
            answer.silent("where it lies", story.silence::<ArtifactPersisted>());
        }
        answer
    }
}
