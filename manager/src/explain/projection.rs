//! §9 from the journal: the trace, the call and the result, as far as its events say them.

use super::story::{CallStory, End};
use crate::{
    event::fact::{
        ApprovalDenied, ApprovalExpired, ApprovalGranted, ApprovalInvalidated, ApprovalRequested,
        ArtifactPersisted, ContextProjected, FinishStatus, ToolCallFinished, ToolCallRequested,
        ToolCallStarted, ToolPolicyChecked, ToolResultValidated, ToolSandboxPrepared, ToolViewCompiled,
    },
    model::{
        Authorization, AuthorizationStatus, CallStatus, CredentialBinding, Decision, Prediction,
        ResultProvenance, ResultStatus, Runtime, ToolArtifact, ToolCall, ToolId, ToolResult, ToolTrace,
        TraceStep, Usage,
    },
};

/// The account of a call, step by step, with what led to it.
pub fn trace(story: &CallStory) -> ToolTrace {
    let steps = story.events().map(|event| TraceStep {
        seq: event.seq,
        event_id: event.fresh.event_id.clone(),
        parent_event_id: event.fresh.parent.clone(),
        tool_call_id: event.fresh.scope.call_id.clone(),
        ts: event.fresh.ts,
        kind: event.fresh.fact.kind().to_owned(),
        summary: event.fresh.fact.summary(),
    });
    let tool = story.find::<ToolCallRequested>().map(|f| f.fact.tool_id.clone());
    ToolTrace {
        tool_call_id: story.id().clone(),
        tool_id: tool.unwrap_or_else(|| ToolId::new("?")),
        steps: steps.collect(),
    }
}

/// The call as one record; `None` if the journal does not say how it was proposed.
pub fn call(story: &CallStory) -> Option<ToolCall> {
    let requested = story.find::<ToolCallRequested>()?;
    let scope = &requested.event.fresh.scope;
    Some(ToolCall {
        tool_call_id: story.id().clone(),
        session_id: scope.session_id.clone(),
        run_id: scope.run_id.clone(),
        parent_event_id: requested.event.fresh.parent.clone(),
        intent_id: story.find::<ToolViewCompiled>().map(|f| f.fact.intent_id.clone()),
        tool_id: requested.fact.tool_id.clone(),
        tool_version: requested.fact.tool_version.clone(),
        proposed_by: requested.fact.proposed_by,
        args: requested.fact.args.clone(),
        resolved_args: None,
        prediction: prediction(story),
        authorization: authorization(story),
        runtime: runtime(story),
        status: status(story),
        created_at: requested.event.fresh.ts,
        started_at: story.find::<ToolCallStarted>().map(|f| f.event.fresh.ts),
        finished_at: story.find::<ToolCallFinished>().map(|f| f.event.fresh.ts),
    })
}

/// What was shown to the approver before the call.
fn prediction(story: &CallStory) -> Option<Prediction> {
    let preview = &story.find::<ApprovalRequested>()?.fact.request.effects_preview;
    Some(Prediction {
        expected_reads: preview.reads.clone(),
        expected_writes: preview.writes.clone(),
        expected_external_calls: preview.external_calls.clone(),
        expected_cost_usd: None,
    })
}

fn authorization(story: &CallStory) -> Authorization {
    let granted = story.find::<ApprovalGranted>();
    let void = story.find::<ApprovalExpired>().is_some();
    let denied = story.find::<ApprovalDenied>().is_some() || story.find::<ApprovalInvalidated>().is_some();
    let decision = story.find::<ToolPolicyChecked>().map(|f| f.fact.decision);
    let asked = story.find::<ApprovalRequested>();
    let started = story.find::<ToolCallStarted>();
    let status = match decision {
        _ if void => AuthorizationStatus::Expired,
        _ if denied => AuthorizationStatus::Denied,
        _ if granted.is_some() => AuthorizationStatus::Granted,
        Some(Decision::Allow) => AuthorizationStatus::NotRequired,
        // A standing grant is an answer that was given before it was asked for.
        Some(Decision::Ask) if started.as_ref().is_some_and(|f| f.fact.grant_id.is_some()) => {
            AuthorizationStatus::Granted
        }
        _ if matches!(story.end(), End::Blocked(_)) => AuthorizationStatus::Denied,
        Some(Decision::Ask | Decision::Deny) | None => AuthorizationStatus::Pending,
    };
    let of_start = started.and_then(|f| f.fact.grant_id.clone());
    Authorization {
        status,
        grant_id: of_start.or_else(|| granted.as_ref().map(|f| f.fact.grant_id.clone())),
        approval_prompt: asked.map(|f| f.fact.request.summary.clone()),
        approved_by: granted.as_ref().map(|f| f.fact.approved_by.clone()),
        approved_at: granted.map(|f| f.event.fresh.ts),
    }
}

fn runtime(story: &CallStory) -> Option<Runtime> {
    let started = story.find::<ToolCallStarted>()?.fact;
    let sandbox = story.find::<ToolSandboxPrepared>()?.fact;
    Some(Runtime {
        adapter: started.adapter.clone(),
        sandbox_id: started.sandbox_id.clone(),
        credential_binding_id: started
            .credentials
            .first()
            .map(|reference| CredentialBinding::id_of(reference)),
        timeout_ms: sandbox.policy.process.timeout_ms,
        idempotency_key: started.idempotency_key.clone(),
    })
}

fn status(story: &CallStory) -> CallStatus {
    match story.end() {
        End::Blocked(_) => CallStatus::Blocked,
        End::Cancelled(_) => CallStatus::Cancelled,
        End::Running => CallStatus::Running,
        End::Finished(finished) => match finished.status {
            FinishStatus::Success => CallStatus::Success,
            FinishStatus::Cancelled => CallStatus::Cancelled,
            FinishStatus::Error | FinishStatus::Partial | FinishStatus::Interrupted => CallStatus::Failed,
        },
        End::Open => {
            let allowed =
                story.find::<ToolPolicyChecked>().is_some_and(|f| f.fact.decision == Decision::Allow);
            if allowed || story.find::<ApprovalGranted>().is_some() {
                CallStatus::Approved
            } else if story.is_valid() == Some(true) {
                CallStatus::Validated
            } else {
                CallStatus::Draft
            }
        }
    }
}

/// What the call came to; `None` if it has not ended by running.
pub fn result(story: &CallStory) -> Option<ToolResult> {
    let finished = story.find::<ToolCallFinished>()?;
    let ToolCallFinished { status, effects_observed, output_bytes, latency_ms, error, .. } = finished.fact;
    let projected = story.find::<ContextProjected>();
    let artifacts: Vec<ToolArtifact> = story
        .all::<ArtifactPersisted>()
        .map(|f| ToolArtifact {
            artifact_id: f.fact.artifact_id.clone(),
            kind: f.fact.kind,
            uri: f.fact.uri.clone(),
            content_hash: Some(f.fact.content_hash.clone()),
            summary: f.fact.summary.clone(),
        })
        .collect();
    Some(ToolResult {
        tool_call_id: story.id().clone(),
        status: match status {
            FinishStatus::Success => ResultStatus::Success,
            FinishStatus::Partial => ResultStatus::Partial,
            FinishStatus::Cancelled => ResultStatus::Cancelled,
            FinishStatus::Error | FinishStatus::Interrupted => ResultStatus::Error,
        },
        structured_output: None,
        output_preview: projected.as_ref().map(|f| f.fact.preview.clone()),
        effects_observed: effects_observed.clone(),
        verifier: story.find::<ToolResultValidated>().map(|f| f.fact.verification.clone()),
        error: error.clone(),
        usage: Some(Usage {
            latency_ms: *latency_ms,
            output_bytes: Some(*output_bytes),
            tokens_added_to_context: projected.map(|f| f.fact.tokens),
        }),
        provenance: ResultProvenance {
            event_id: finished.event.fresh.event_id.clone(),
            artifact_refs: artifacts.iter().map(|a| a.uri.clone()).collect(),
        },
        artifacts,
    })
}
