//! Where it ran, and what really held it there.

use super::{Answer, Question, list, word};
use crate::{
    event::fact::{ToolCallStarted, ToolSandboxPrepared},
    explain::story::CallStory,
};

/// The sandbox, what it demands, and by what each property is enforced.
#[derive(Debug)]
pub(super) struct Sandbox;

impl Question for Sandbox {
    fn name(&self) -> &'static str {
        "sandbox"
    }

    fn text(&self) -> &'static str {
        "Which sandbox did it run in?"
    }

    fn answer(&self, story: &CallStory) -> Answer {
        let mut answer = Answer::default();
        let Some(f) = story.find::<ToolSandboxPrepared>() else {
            answer.silent("the sandbox", story.silence::<ToolSandboxPrepared>());
            return answer;
        };
        let ToolSandboxPrepared { sandbox_id, policy, policy_digest, enforced, executable } = f.fact;
        let mode = word(&policy.mode);
        answer.says(
            "the sandbox",
            f.event,
            format!("{sandbox_id}, {mode}, demands {}", policy_digest.short()),
        );
        if let Some(program) = executable {
            answer.says("program", f.event, format!("{}, sha256 {}", program.path, program.digest));
        }
        let files = &policy.filesystem;
        let roots = format!("reads {}, writes {}", list(&files.read_roots), list(&files.write_roots));
        answer.says("files", f.event, format!("in {}: {roots}", files.cwd));
        let network = &policy.network;
        answer.says(
            "network",
            f.event,
            format!("{} ({})", word(&network.egress), list(&network.allow_domains)),
        );
        for (property, by) in enforced {
            answer.says(property.clone(), f.event, format!("enforced by {by}"));
        }
        if enforced.is_empty() {
            answer.says("enforced", f.event, "none: the event names no enforced property");
        }
        if story.find::<ToolCallStarted>().is_none() {
            answer.silent("whether it ran there", story.silence::<ToolCallStarted>());
        }
        answer
    }
}
