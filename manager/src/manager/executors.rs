//! What runs tools here: adapters by their word, and where outputs are kept.

use crate::{
    model::{ArtifactId, CallId, RuntimeTerms, StopCode, StopReason, ToolDescriptor},
    port::{
        Adapter, ArtifactError, ArtifactStore, CredentialBroker, Hooks, Kept, NoCredentials, NoHooks, NoUndo,
        RunRequest, RuntimeResolver, UndoStore,
    },
};
use std::sync::Arc;

/// Adapters and the store of their outputs.
pub struct Executors {
    adapters: Vec<Arc<dyn Adapter>>,
    pub(super) artifacts: Arc<dyn ArtifactStore>,
    pub(super) credentials: Arc<dyn CredentialBroker>,
    pub(super) hooks: Arc<dyn Hooks>,
    pub(super) undo: Arc<dyn UndoStore>,
}

impl std::fmt::Debug for Executors {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let words: Vec<_> = self.adapters.iter().map(|a| a.word()).collect();
        f.debug_struct("Executors").field("adapters", &words).finish_non_exhaustive()
    }
}

/// None: nothing runs.
impl Default for Executors {
    fn default() -> Self {
        Self::new(Vec::new(), Arc::new(NoArtifacts))
    }
}

/// Keeps nothing, and says so.
struct NoArtifacts;

impl NoArtifacts {
    fn refusal() -> ArtifactError {
        ArtifactError::Store { uri: "none".to_owned(), reason: "there is no artifact store".to_owned() }
    }
}

impl ArtifactStore for NoArtifacts {
    fn keep(&self, _: &ArtifactId, _: &[u8]) -> Result<Kept, ArtifactError> {
        Err(Self::refusal())
    }

    fn read(&self, _: &Kept) -> Result<Vec<u8>, ArtifactError> {
        Err(Self::refusal())
    }
}

impl Executors {
    /// With these adapters; their outputs go into this store.
    pub fn new(adapters: Vec<Arc<dyn Adapter>>, artifacts: Arc<dyn ArtifactStore>) -> Self {
        Self {
            adapters,
            artifacts,
            undo: Arc::new(NoUndo),
            credentials: Arc::new(NoCredentials),
            hooks: Arc::new(NoHooks),
        }
    }

    /// Keeps here what calls replace; without, no call can be undone.
    #[must_use]
    pub fn with_undo(self, undo: Arc<dyn UndoStore>) -> Self {
        Self { undo, ..self }
    }

    /// With the broker that lends the adapters their secrets: what it knows is kept out of results and events.
    #[must_use]
    pub fn with_credentials(self, credentials: Arc<dyn CredentialBroker>) -> Self {
        Self { credentials, ..self }
    }

    /// With these hooks; without, each that a contract names says no.
    #[must_use]
    pub fn with_hooks(self, hooks: Arc<dyn Hooks>) -> Self {
        Self { hooks, ..self }
    }

    /// What runs a tool.
    ///
    /// # Errors
    /// [`StopReason`] if nothing here does.
    pub fn of(&self, tool: &ToolDescriptor) -> Result<Arc<dyn Adapter>, StopReason> {
        let word = tool.execution.adapter.as_str();
        let found = self.adapters.iter().find(|a| a.word() == word).cloned();
        found.ok_or_else(|| {
            let known: Vec<&str> = self.adapters.iter().map(|a| a.word()).collect();
            let known = if known.is_empty() { "nothing at all".to_owned() } else { known.join(", ") };
            let message = format!("nothing here runs the adapter `{word}`; there is {known}");
            StopReason::new(StopCode::AdapterUnavailable, message)
        })
    }
}

impl Executors {
    /// Forgets what was tried for a call that will not be made.
    pub(super) fn forget(&self, tool: &ToolDescriptor, call: &CallId) {
        if let Ok(adapter) = self.of(tool)
            && let Some(rehearsals) = adapter.rehearsals()
        {
            rehearsals.forget(call);
        }
    }
}

impl RuntimeResolver for Executors {
    fn settle(&self, run: &RunRequest<'_>) -> Result<RuntimeTerms, StopReason> {
        Ok(self.of(run.tool)?.settle(run)?.terms)
    }
}
