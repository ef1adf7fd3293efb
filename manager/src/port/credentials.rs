//! Who holds secrets: asked for references before a call is authorized, and for the secrets when it runs.

use crate::model::{CredentialBindingId, Secret, StopReason};
use crate::port::RunRequest;
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

/// How a secret is handed to what needs it; never as an argument of a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Injection {
    /// As a variable of the environment.
    Variable(String),
    /// As the content of a descriptor, whose number stands in this variable of the environment.
    Descriptor(String),
    /// As a header of a request, after this prefix.
    Header {
        /// Its name, such as `Authorization`.
        name: String,
        /// What stands before the secret, such as `Bearer `.
        prefix: String,
    },
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
                crate::model::StopCode::CredentialUnavailable,
                format!("it needs the credential `{name}`, and nobody here holds credentials"),
            )),
        }
    }
}
