//! The road of calls: what each method returns is held until the next method takes it.

use super::{
    Said,
    session::{Session, decision, refused},
};
use crate::conform::protocol::{
    Answer, ApprovalOffered, Approve, Approved, ArtifactKept, Authorize, Authorized, Execute, Executed,
    Explain, Explained, Prepare, Prepared, ValidateArgs, Validated, Verified, Verify,
};
use proofhouse_manager::{
    event::fact::FinishStatus,
    manager::{Ended, ToolManager, Verdict},
    model::{CallId, ProposedArgs, ProposedBy, ProposedCall, StopReason},
    stage::{self, Outcome},
};

/// How far a call has come.
#[derive(Debug)]
pub(super) enum Held {
    Valid(Box<stage::Validated>),
    Pending(Box<stage::Pending>),
    Authorized(Box<stage::Authorized>),
    Prepared(Box<stage::Prepared>),
    Executed(Box<stage::Executed>),
}

fn stopped<T>(reason: &StopReason) -> Said<T> {
    Ok(Answer::refused(reason.code.as_str(), reason.message.clone()))
}

/// Takes a call that has come exactly this far; leaves every other where it is.
macro_rules! take {
    ($session:ident, $call:expr, $kind:ident) => {{
        let call = CallId::from($call.as_str());
        match $session.calls.remove(&call) {
            Some(Held::$kind(held)) => (call, *held),
            other => {
                let (code, what) = match other {
                    None => ("unknown_call", "is not under way"),
                    Some(held) => {
                        $session.calls.insert(call.clone(), held);
                        ("out_of_order", "has not come to this step, or is beyond it")
                    }
                };
                return Ok(Answer::refused(code, format!("the call `{call}` {what}")));
            }
        }
    }};
}

impl Session {
    pub(super) fn validate_args(&mut self, asked: ValidateArgs) -> Said<Validated> {
        let ValidateArgs { tool_id, args, args_text } = asked;
        let args = match args_text {
            Some(text) => ProposedArgs::from_text(&text),
            None => ProposedArgs::from_value(args.unwrap_or_default()),
        };
        let draft = ProposedCall { tool: tool_id.into(), args, proposed_by: ProposedBy::Model };
        match self.manager()?.validate_args(draft) {
            Ok((call, Outcome::Next(valid))) => {
                self.calls.insert(call.clone(), Held::Valid(Box::new(valid)));
                Ok(Answer::Ok(Validated { call_id: call.to_string() }))
            }
            Ok((_, Outcome::Stop(stop))) => stopped(&stop.reason),
            Err(error) => refused(error),
        }
    }

    pub(super) fn authorize(&mut self, asked: &Authorize) -> Said<Authorized> {
        let (call, valid) = take!(self, asked.call_id, Valid);
        let verdict = match self.manager()?.authorize(valid) {
            Ok(verdict) => verdict,
            Err(error) => return refused(error),
        };
        let said = decision(verdict.decision());
        let (held, approval) = match verdict {
            Verdict::Allowed(authorized) => (Held::Authorized(Box::new(authorized)), None),
            Verdict::Asked(pending) => {
                let request = pending.request();
                let approval = ApprovalOffered {
                    approval_id: request.approval_id.to_string(),
                    contract_digest: Some(request.contract_digest.to_string()),
                    phrase: request.typed_confirmation.clone(),
                };
                (Held::Pending(Box::new(pending)), Some(approval))
            }
            Verdict::Stopped(reason) => return stopped(&reason),
        };
        self.calls.insert(call, held);
        Ok(Answer::Ok(Authorized { decision: said, approval }))
    }

    pub(super) fn approve(&mut self, asked: Approve) -> Said<Approved> {
        let (call, pending) = take!(self, asked.call_id, Pending);
        self.answers.lay_out(asked);
        match self.manager()?.approve(pending) {
            Ok(Verdict::Allowed(authorized)) => {
                let grant_id = authorized.grant_id().map(ToString::to_string);
                self.calls.insert(call, Held::Authorized(Box::new(authorized)));
                Ok(Answer::Ok(Approved { grant_id }))
            }
            Ok(Verdict::Stopped(reason)) => stopped(&reason),
            Ok(Verdict::Asked(_)) => Err("the answer to a question was a question".into()),
            Err(error) => refused(error),
        }
    }

    pub(super) fn prepare(&mut self, asked: &Prepare) -> Said<Prepared> {
        let (call, authorized) = take!(self, asked.call_id, Authorized);
        match self.manager()?.prepare_runtime(authorized) {
            Ok(Outcome::Next(prepared)) => {
                let sandbox_id = Some(prepared.settled().sandbox.sandbox_id.to_string());
                self.calls.insert(call, Held::Prepared(Box::new(prepared)));
                Ok(Answer::Ok(Prepared { sandbox_id }))
            }
            Ok(Outcome::Stop(stop)) => stopped(&stop.reason),
            Err(error) => refused(error),
        }
    }

    /// Runs what is held. Whatever the arguments are claimed to be by now, there is no way to say so.
    pub(super) fn execute(&mut self, asked: &Execute) -> Said<Executed> {
        let (call, prepared) = take!(self, asked.call_id, Prepared);
        match self.manager()?.execute(prepared) {
            Ok(Outcome::Next(executed)) => {
                let outcome = match executed.ran().status {
                    FinishStatus::Success => "success",
                    FinishStatus::Error => "error",
                    FinishStatus::Partial => "partial",
                    FinishStatus::Cancelled => "cancelled",
                    FinishStatus::Interrupted => "interrupted",
                };
                self.calls.insert(call, Held::Executed(Box::new(executed)));
                Ok(Answer::Ok(Executed { outcome: outcome.to_owned() }))
            }
            Ok(Outcome::Stop(stop)) => stopped(&stop.reason),
            Err(error) => refused(error),
        }
    }

    pub(super) fn verify(&mut self, asked: &Verify) -> Said<Verified> {
        let (_, executed) = take!(self, asked.call_id, Executed);
        let recorded = match self.manager()?.verify(executed) {
            Ok(Ended::Ran(recorded)) => recorded,
            Ok(Ended::Stopped(reason)) => return stopped(&reason),
            Err(error) => return refused(error),
        };
        let result = recorded.result();
        let kept = result.artifacts.iter();
        Ok(Answer::Ok(Verified {
            preview: result.output_preview.clone().unwrap_or_default(),
            error: result.error.as_ref().map(|error| error.message.clone()),
            artifacts: kept.map(|a| ArtifactKept { artifact_id: a.artifact_id.to_string() }).collect(),
        }))
    }

    pub(super) fn explain(&mut self, asked: &Explain) -> Said<Explained> {
        match self.manager()?.explain(&asked.call_id.as_str().into()) {
            Ok(trace) => {
                let steps = trace.steps.into_iter().map(|step| step.kind).collect();
                Ok(Answer::Ok(Explained { steps }))
            }
            Err(error) => Ok(Answer::refused("unknown_call", error.to_string())),
        }
    }
}
