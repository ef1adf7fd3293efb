//! The last stage: the output is kept, the model gets its part, and the account of the call is complete.

use super::{
    Verified,
    call::{Caused, Decided, Outcome, Step},
    projection::{Projection, project},
};
use crate::{
    event::{
        Fact,
        fact::{ArtifactPersisted, ContextProjected, FinishStatus, REDACTED, StateUpdated, TraceUpdated},
    },
    model::{
        ArtifactId, CallId, Digest, Domain, EventId, ResultProvenance, ResultStatus, ToolArtifact, ToolError,
        ToolResult, Usage, VerificationStatus, digest_of,
    },
    port::{ArtifactStore, Kept},
};

/// A call whose result may be handed out.
#[derive(Debug)]
pub struct Recorded {
    call: CallId,
    result: ToolResult,
    cause: Option<EventId>,
}

impl Recorded {
    /// The call.
    pub fn call(&self) -> &CallId {
        &self.call
    }

    /// What goes back to whoever proposed it.
    pub fn result(&self) -> &ToolResult {
        &self.result
    }

    /// The last event of the call: what follows from the result follows from it.
    pub fn cause(&self) -> Option<&EventId> {
        self.cause.as_ref()
    }
}

impl Caused for Recorded {
    fn caused_by(&mut self, event: EventId) {
        self.cause = Some(event);
    }
}

/// Keeps the evidence: `ArtifactPersisted`, `ContextProjected`, `StateUpdated`, `TraceUpdated`.
pub struct Record<'a> {
    /// Where outputs are kept.
    pub artifacts: &'a dyn ArtifactStore,
    /// Identity of the artifact, should there be one.
    pub artifact_id: ArtifactId,
}

impl std::fmt::Debug for Record<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Record").field("artifact_id", &self.artifact_id).finish_non_exhaustive()
    }
}

impl Step for Record<'_> {
    type From = Verified;
    type To = Recorded;

    fn decide(&self, mut verified: Verified) -> Decided<Recorded> {
        let (scope, cause) = verified.executed.prepared.authorized.place();
        let finished = verified.executed.finished.clone();
        let ran = &verified.executed.ran;
        let kept = match ran.output.is_empty() || mutant!(OutputLost) {
            true => Ok(None),
            false => self.artifacts.keep(&self.artifact_id, &ran.output).map(Some),
        };
        // What cannot be kept is not handed out either: the model would get words that no evidence backs.
        let (kept, unkept) = match kept {
            Ok(kept) => (kept, None),
            Err(error) => (None, Some(error.to_string())),
        };
        let tool = verified.executed.prepared.authorized.valid().tool().descriptor();
        let projection = match &unkept {
            None => project(tool, ran, kept.as_ref().map(|_| &self.artifact_id)),
            Some(_) => Projection { text: String::new(), truncated: true },
        };
        let artifact = kept.map(|kept| self.persisted(kept, &verified, &finished));
        let facts = self.facts(&verified, &finished, artifact.as_ref(), &projection);
        let result = result(&verified, finished, artifact.as_ref(), projection, unkept);
        let next = Recorded { call: result.tool_call_id.clone(), result, cause: None };
        Decided { scope, cause, facts, outcome: Outcome::Next(next) }
    }
}

impl Record<'_> {
    fn persisted(&self, kept: Kept, verified: &Verified, finished: &EventId) -> ArtifactPersisted {
        let tool = verified.executed.prepared.authorized.valid().tool().descriptor();
        ArtifactPersisted {
            artifact_id: self.artifact_id.clone(),
            kind: verified.executed.ran.kind,
            uri: kept.uri,
            content_hash: kept.content_hash,
            bytes: kept.bytes,
            source_event_id: if mutant!(OriginForgotten) { EventId::new("") } else { finished.clone() },
            summary: Some(format!("complete output of {}", tool.canonical_name)),
        }
    }

    fn facts(
        &self,
        verified: &Verified,
        finished: &EventId,
        artifact: Option<&ArtifactPersisted>,
        projection: &Projection,
    ) -> Vec<Fact> {
        let tool = verified.executed.prepared.authorized.valid().tool().descriptor();
        let mut facts: Vec<Fact> = artifact.cloned().into_iter().map(Fact::from).collect();
        let logged = tool.observability.log_result_preview;
        facts.push(
            ContextProjected {
                bytes: projection.text.len() as u64,
                tokens: projection.tokens(),
                max_tokens: tool.context_policy.max_output_preview_tokens,
                digest: Digest::of_bytes(Domain::Plain, projection.text.as_bytes()),
                preview: if logged { projection.text.clone() } else { REDACTED.to_owned() },
                truncated: projection.truncated,
                artifact_ids: artifact.map(|a| a.artifact_id.clone()).into_iter().collect(),
            }
            .into(),
        );
        facts.extend(state(verified).map(Fact::from));
        let verification = verified.verification.status;
        facts.push(TraceUpdated { finished_event_id: finished.clone(), verification }.into());
        facts
    }
}

/// What changed, where something did; nothing of a dry run is kept.
fn state(verified: &Verified) -> Option<StateUpdated> {
    let effects = &verified.executed.ran.effects;
    let changed = effects.writes.len() + effects.deletes.len() + effects.external_calls.len();
    if changed == 0 || verified.executed.mode == super::RunMode::DryRun {
        return None;
    }
    let (writes, deletes) = (effects.writes.len(), effects.deletes.len());
    let calls = effects.external_calls.len();
    // Effects are texts and one number that JSON can hold.
    let patch_digest = digest_of(Domain::Plain, effects).unwrap_or_else(|_| Digest::zero());
    Some(StateUpdated {
        summary: format!("{writes} written, {deletes} deleted, {calls} external calls"),
        patch_digest,
    })
}

fn result(
    verified: &Verified,
    finished: EventId,
    artifact: Option<&ArtifactPersisted>,
    projection: Projection,
    unkept: Option<String>,
) -> ToolResult {
    let ran = &verified.executed.ran;
    let failed = verified.verification.status == VerificationStatus::Failed;
    let error = |code: &str, message: String| ToolError {
        code: code.to_owned(),
        message,
        retryable: false,
        safe_to_show_user: true,
    };
    let unverified = || {
        let faults: Vec<String> =
            verified.verification.checks.iter().filter_map(|c| c.message.clone()).collect();
        error("verification_failed", faults.join("; "))
    };
    let status = match ran.status {
        FinishStatus::Cancelled => ResultStatus::Cancelled,
        FinishStatus::Partial => ResultStatus::Partial,
        FinishStatus::Success if !failed && unkept.is_none() => ResultStatus::Success,
        FinishStatus::Success | FinishStatus::Error | FinishStatus::Interrupted => ResultStatus::Error,
    };
    let stored = artifact.map(|a| ToolArtifact {
        artifact_id: a.artifact_id.clone(),
        kind: a.kind,
        uri: a.uri.clone(),
        content_hash: Some(a.content_hash.clone()),
        summary: a.summary.clone(),
    });
    ToolResult {
        tool_call_id: verified.executed.prepared.authorized.valid().call().clone(),
        status,
        structured_output: ran.structured.clone().filter(|_| status == ResultStatus::Success),
        usage: Some(Usage {
            latency_ms: ran.latency_ms,
            output_bytes: Some(ran.output.len() as u64),
            tokens_added_to_context: Some(projection.tokens()),
        }),
        output_preview: Some(projection.text),
        effects_observed: ran.effects.clone(),
        verifier: Some(verified.verification.clone()),
        error: unkept
            .map(|m| error("artifact_not_kept", m))
            .or_else(|| ran.error.clone())
            .or_else(|| failed.then(unverified)),
        provenance: ResultProvenance {
            event_id: finished,
            artifact_refs: stored.iter().map(|a| a.uri.clone()).collect(),
        },
        artifacts: stored.into_iter().collect(),
    }
}
