//! What runs a tool: a program, a request, a function of the runtime.

use crate::{
    event::fact::FinishStatus,
    model::{
        ArtifactKind, CanonicalError, Digest, EffectsObserved, ExecutableRef, RuntimeTerms, SandboxPolicy,
        StopCode, StopReason, ToolError,
    },
    port::{Rehearsals, RunRequest},
    stage::Ticket,
};
use serde_json::Value;
use std::collections::BTreeMap;

/// Runs the tools that name it in `execution.adapter`.
pub trait Adapter: Send + Sync {
    /// Its word in descriptors.
    fn word(&self) -> &'static str;

    /// Settles where and with what a call would run, and that everything its sandbox demands is enforced.
    ///
    /// # Errors
    /// [`StopReason`] if it cannot run here, or not within what its contract demands.
    fn settle(&self, run: &RunRequest<'_>) -> Result<Settled, StopReason>;

    /// Runs a call, once. The ticket is proof that the journal knows of it.
    fn invoke(&self, ticket: Ticket<'_>) -> Ran;

    /// How it tries calls before they are approved; `None`: it cannot.
    fn rehearsals(&self) -> Option<&dyn Rehearsals> {
        None
    }
}

/// Where and with what a call runs, with nothing left open.
#[derive(Debug, Clone, PartialEq)]
pub struct Settled {
    /// What an approval is bound to.
    pub terms: RuntimeTerms,
    /// Its sandbox.
    pub sandbox: SandboxPolicy,
    /// Each demanded property, and by what it is enforced.
    pub enforced: BTreeMap<String, String>,
}

impl Settled {
    /// Puts the terms together; the sandbox's digest is computed here and nowhere else.
    ///
    /// # Errors
    /// [`StopReason`] if the policy has no canonical form, so that nobody could approve it.
    pub fn new(
        sandbox: SandboxPolicy,
        enforced: BTreeMap<String, String>,
        executable: Option<ExecutableRef>,
        credentials: Vec<String>,
    ) -> Result<Self, StopReason> {
        let unsound = |e: CanonicalError| StopReason::new(StopCode::SandboxUnavailable, e.to_string());
        let sandbox_digest: Digest = sandbox.demands().map_err(unsound)?;
        let working_directory = Some(sandbox.filesystem.cwd.clone());
        let terms = RuntimeTerms { working_directory, executable, sandbox_digest, credentials };
        Ok(Self { terms, sandbox, enforced })
    }
}

/// What a run came to.
#[derive(Debug, Clone, PartialEq)]
pub struct Ran {
    /// How it ended.
    pub status: FinishStatus,
    /// Its complete output.
    pub output: Vec<u8>,
    /// What the output is.
    pub kind: ArtifactKind,
    /// The same as structure, where the tool gives one.
    pub structured: Option<Value>,
    /// What it did to the world.
    pub effects: EffectsObserved,
    /// Why it failed, where it did.
    pub error: Option<ToolError>,
    /// How long it took, in milliseconds.
    pub latency_ms: u64,
}

impl Ran {
    /// A run that has done nothing but fail.
    pub fn failed(error: ToolError) -> Self {
        Self {
            status: FinishStatus::Error,
            output: Vec::new(),
            kind: ArtifactKind::ToolOutput,
            structured: None,
            effects: EffectsObserved::default(),
            error: Some(error),
            latency_ms: 0,
        }
    }
}
