//! Who holds secrets: asked for references before a call is authorized, and for the secrets when it runs.

use crate::{
    model::{CredentialBindingId, Injection, Secret, StopCode, StopReason},
    port::RunRequest,
    redact::Redactor,
};
use std::sync::Arc;

/// Binds credentials to calls. Everyone else knows references only.
pub trait CredentialBroker: Send + Sync {
    /// References of the credentials that a run would get: each is bound to the principal, holds the scopes that
    /// the tool asks for, is meant for the tool's audience, and is not over. No secret is read.
    ///
    /// # Errors
    /// [`StopReason`] if one that the tool requires is not to be had by this principal.
    fn references(&self, run: &RunRequest<'_>) -> Result<Vec<String>, StopReason>;

    /// The secrets themselves, for one run that has begun.
    ///
    /// # Errors
    /// [`StopReason`] as for [`references`](Self::references), or if a secret cannot be read: nothing is kept from
    /// an earlier run.
    fn lease(&self, run: &RunRequest<'_>) -> Result<Vec<Leased>, StopReason>;

    /// Looks at every bound secret anew, so that [`redactor`](Self::redactor) knows what must not leave, whichever
    /// tool comes upon it. A bound secret that cannot be read is not known, and nobody is lent it either.
    ///
    /// # Errors
    /// [`StopReason`] if nobody can say what is bound: then nothing may leave.
    fn survey(&self) -> Result<Arc<Redactor>, StopReason>;

    /// What finds every secret that was seen so far: in surveys, or lent to a run. None is forgotten while the
    /// process lives, for what was lent once may be shown later.
    fn redactor(&self) -> Arc<Redactor>;
}

/// A secret, lent to one run.
#[derive(Debug, Clone)]
pub struct Leased {
    /// The binding that it comes from.
    pub binding: CredentialBindingId,
    /// What journals and approvals call it.
    pub reference: String,
    /// The name by which the tool's contract requires it.
    pub name: String,
    /// The secret.
    pub secret: Arc<Secret>,
    /// How it is handed over.
    pub injection: Injection,
    /// The one host, or audience, that it may be sent to; `None` for what never leaves the machine.
    pub audience: Option<String>,
}

/// Has no credentials: a tool that needs one is not run.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoCredentials;

impl CredentialBroker for NoCredentials {
    fn references(&self, run: &RunRequest<'_>) -> Result<Vec<String>, StopReason> {
        self.lease(run).map(|_| Vec::new())
    }

    fn lease(&self, run: &RunRequest<'_>) -> Result<Vec<Leased>, StopReason> {
        match run.tool.credentials.required_secrets.first() {
            None => Ok(Vec::new()),
            Some(name) => Err(StopReason::new(
                StopCode::CredentialUnavailable,
                format!("it needs the credential `{name}`, and nobody here holds credentials"),
            )),
        }
    }

    fn survey(&self) -> Result<Arc<Redactor>, StopReason> {
        Ok(self.redactor())
    }

    fn redactor(&self) -> Arc<Redactor> {
        Arc::default()
    }
}
