//! What policy said, what was tried, who was asked, and what they answered.

use super::{Answer, Question, list, time, word};
use crate::{
    event::fact::{
        ApprovalDenied, ApprovalExpired, ApprovalGranted, ApprovalInvalidated, ApprovalRequested,
        GrantIssued, GrantRevoked, ToolCallRehearsed, ToolCallStarted, ToolPolicyChecked,
    },
    explain::story::CallStory,
    model::Decision,
};

/// The decision, the request, the answer with its reach and expiry, and the grant.
#[derive(Debug)]
pub(super) struct Approved;

impl Question for Approved {
    fn name(&self) -> &'static str {
        "approved"
    }

    fn text(&self) -> &'static str {
        "Was it approved by the user?"
    }

    fn answer(&self, story: &CallStory) -> Answer {
        let mut answer = Answer::default();
        let decision = story.find::<ToolPolicyChecked>();
        match &decision {
            Some(f) => {
                let ids = list(&f.fact.policy_ids);
                answer.says("policy", f.event, format!("{}: {} ({ids})", f.fact.decision, f.fact.reason));
            }
            None => answer.silent("policy", story.silence::<ToolPolicyChecked>()),
        }
        let decision = decision.map(|f| f.fact.decision);
        tried(story, &mut answer);
        asked(story, decision, &mut answer);
        answered(story, &mut answer);
        grant(story, &mut answer);
        answer
    }
}

fn tried(story: &CallStory, answer: &mut Answer) {
    for f in story.all::<ToolCallRehearsed>() {
        let told = match &f.fact.error {
            None => format!("it would change {} paths, found out before anybody was asked", f.fact.changed),
            Some(error) => format!("it would fail: {}", error.message),
        };
        answer.says("tried", f.event, told);
    }
}

fn asked(story: &CallStory, decision: Option<Decision>, answer: &mut Answer) {
    match story.find::<ApprovalRequested>() {
        Some(f) => {
            let until = time(f.fact.request.expires_at);
            answer.says("asked", f.event, format!("{} (to be answered by {until})", f.fact.request.summary));
        }
        None if decision == Some(Decision::Allow) => {
            let event = story.find::<ToolPolicyChecked>();
            if let Some(f) = event {
                answer.says("asked", f.event, "nobody: policy allows it as it is");
            }
        }
        None => answer.silent("asked", story.silence::<ApprovalRequested>()),
    }
}

fn answered(story: &CallStory, answer: &mut Answer) {
    for f in story.all::<ApprovalGranted>() {
        let ApprovalGranted { approved_by, reach, confirmation, expires_at, contract_digest, .. } = f.fact;
        let (how, reach) = (word(confirmation), word(reach));
        let told = format!(
            "yes, by {approved_by}, {how}, {reach}, until {}, for contract {}",
            time(*expires_at),
            contract_digest.short()
        );
        answer.says("answer", f.event, told);
    }
    for f in story.all::<ApprovalDenied>() {
        let by = f.fact.denied_by.as_ref().map_or("nobody to ask".to_owned(), |by| format!("by {by}"));
        answer.says("answer", f.event, format!("no, {by}: {}", f.fact.reason));
    }
    for f in story.all::<ApprovalExpired>() {
        answer.says("answer", f.event, format!("void since {}", time(f.fact.expires_at)));
    }
    for f in story.all::<ApprovalInvalidated>() {
        let ApprovalInvalidated { field, approved, found, .. } = f.fact;
        answer.says("answer", f.event, format!("void: `{field}` was approved as {approved}, and is {found}"));
    }
    let is_asked = story.find::<ApprovalRequested>().is_some();
    let is_answered = story.all::<ApprovalGranted>().next().is_some()
        || story.all::<ApprovalDenied>().next().is_some()
        || story.all::<ApprovalExpired>().next().is_some();
    if is_asked && !is_answered {
        answer.silent("answer", story.silence::<ApprovalGranted>());
    }
}

fn grant(story: &CallStory, answer: &mut Answer) {
    let Some(started) = story.find::<ToolCallStarted>() else { return };
    let Some(id) = &started.fact.grant_id else { return };
    let until = started.fact.expires_at.map_or(String::new(), |at| format!(", until {}", time(at)));
    answer.says("it ran on grant", started.event, format!("{id}{until}"));
    match story.find::<GrantIssued>() {
        Some(f) => {
            let grant = &f.fact.grant;
            answer.says("given", f.event, format!("by {} to {}", grant.granted_by, grant.principal));
        }
        // An approval's own grant is told by its answer.
        None if story.find::<ApprovalGranted>().is_some_and(|f| f.fact.grant_id == *id) => {}
        None => answer.silent("given", "no `GrantIssued` with this id is in the journals that were read"),
    }
    if let Some(f) = story.find::<GrantRevoked>() {
        answer.says("revoked", f.event, format!("by {}: {}", f.fact.by, f.fact.reason));
    }
}
