//! The second stage: the arguments satisfy the tool's input schema.

use super::{
    Draft,
    call::{Caused, Decided, Outcome, Step, Stop},
};
use crate::{
    event::{
        ArgsStatus, Scope,
        fact::{ToolArgsValidated, ToolCallBlocked},
    },
    model::{CallId, Digest, EventId, PrincipalId, ProposedArgs, StopCode, StopReason},
    port::RunRequest,
    redact::Redactor,
    registry::{ArgumentFault, RegisteredTool},
};
use serde_json::Value;
use std::sync::Arc;

/// A call whose arguments are valid. These exact bytes are decided about, approved and executed.
#[derive(Debug)]
pub struct Validated {
    pub(super) call: CallId,
    pub(super) scope: Scope,
    pub(super) cause: Option<EventId>,
    pub(super) tool: Arc<RegisteredTool>,
    pub(super) args: Value,
    pub(super) digest: Digest,
}

impl Validated {
    /// The run that it asks for, for this principal.
    pub fn run_request<'a>(&'a self, principal: &'a PrincipalId) -> RunRequest<'a> {
        RunRequest { tool: self.tool.descriptor(), args: &self.args, principal }
    }

    /// The call.
    pub fn call(&self) -> &CallId {
        &self.call
    }

    /// Whose call it is.
    pub fn scope(&self) -> &Scope {
        &self.scope
    }

    /// The tool version that it is for.
    pub fn tool(&self) -> &RegisteredTool {
        &self.tool
    }

    /// The same, to hold on to.
    pub fn shared_tool(&self) -> Arc<RegisteredTool> {
        Arc::clone(&self.tool)
    }

    /// The arguments.
    pub fn args(&self) -> &Value {
        &self.args
    }

    /// Digest of the exact arguments.
    pub fn args_digest(&self) -> &Digest {
        &self.digest
    }
}

impl Caused for Validated {
    fn caused_by(&mut self, event: EventId) {
        self.cause = Some(event);
    }
}

/// Holds arguments against the input schema: `ToolArgsValidated`, and `ToolCallBlocked` if they fail.
///
/// Arguments that hold a secret fail: the broker hands secrets over, and no model needs to know one.
#[derive(Debug, Clone, Copy)]
pub struct Validate<'a> {
    /// What finds the secrets that are known here.
    pub secrets: &'a Redactor,
}

impl Step for Validate<'_> {
    type From = Draft;
    type To = Validated;

    fn decide(&self, draft: Draft) -> Decided<Validated> {
        let Draft { call, scope, cause, tool, proposed, digest } = draft;
        // First of all, for a fault quotes what it finds fault with.
        let examined = match self.secrets.finds_in(&proposed.args.to_value()) {
            Some(name) => Err(at_root(StopCode::InvalidArguments, holds_secret(name))),
            None => examine(&tool, proposed.args, digest),
        };
        match examined {
            Ok((args, digest)) => {
                let facts = vec![ToolArgsValidated { status: ArgsStatus::Passed, faults: Vec::new() }.into()];
                let scope_of_next = scope.clone();
                let next = Validated { call, scope: scope_of_next, cause: None, tool, args, digest };
                Decided { scope, cause, facts, outcome: Outcome::Next(next) }
            }
            Err((code, faults)) => {
                let reason = StopReason::new(code, describe(&faults));
                let facts = vec![
                    ToolArgsValidated { status: ArgsStatus::Failed, faults }.into(),
                    ToolCallBlocked { tool_id: tool.id().clone(), reason: reason.clone() }.into(),
                ];
                Decided { scope, cause, facts, outcome: Outcome::Stop(Stop { reason }) }
            }
        }
    }
}

type Refusal = (StopCode, Vec<ArgumentFault>);

fn examine(
    tool: &RegisteredTool,
    args: ProposedArgs,
    digest: Option<Digest>,
) -> Result<(Value, Digest), Refusal> {
    let args = match args {
        ProposedArgs::Object(map) => Value::Object(map),
        ProposedArgs::NotAnObject(value) => {
            return Err(at_root(StopCode::InvalidArguments, format!("expected an object, got {value}")));
        }
        ProposedArgs::Malformed { error, .. } => {
            return Err(at_root(StopCode::MalformedArguments, format!("no JSON: {error}")));
        }
    };
    let faults = tool.arguments().faults(&args);
    if !faults.is_empty() {
        return Err((StopCode::InvalidArguments, faults));
    }
    let Some(digest) = digest else {
        return Err(at_root(
            StopCode::InvalidArguments,
            "an integer beyond ±(2^53 − 1) has no canonical form and cannot be approved exactly".to_owned(),
        ));
    };
    Ok((args, digest))
}

fn holds_secret(name: &str) -> String {
    format!(
        "they hold the secret of the credential `{name}`\nhint: leave it out; the broker hands it to the tools that it is bound to"
    )
}

fn at_root(code: StopCode, message: String) -> Refusal {
    (code, vec![ArgumentFault { path: String::new(), message }])
}

fn describe(faults: &[ArgumentFault]) -> String {
    let told: Vec<String> = faults
        .iter()
        .map(|f| if f.path.is_empty() { f.message.clone() } else { format!("`{}`: {}", f.path, f.message) })
        .collect();
    told.join("; ")
}
