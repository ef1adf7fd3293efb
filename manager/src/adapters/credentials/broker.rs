//! From bindings to secrets.

use super::{hardening::harden, source::Sources};
use crate::{
    adapters::grants::GrantBook,
    authority::Bindings,
    model::{CredentialBinding, Secret, StopCode, StopReason},
    port::{Clock, CredentialBroker, Leased, RunRequest},
    redact::{Redactor, check_strength},
};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Lends the secrets that were bound in a home.
pub struct Broker {
    book: Arc<GrantBook>,
    clock: Arc<dyn Clock>,
    sources: Sources,
    seen: Mutex<Seen>,
}

impl std::fmt::Debug for Broker {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Broker").field("seen", &*self.seen()).finish_non_exhaustive()
    }
}

/// Every secret that this process has read, to be kept out of what leaves it.
#[derive(Debug, Default)]
struct Seen {
    secrets: Vec<(String, Arc<Secret>)>,
    redactor: Arc<Redactor>,
    /// How many of the secrets the redactor knows.
    known: usize,
}

impl Seen {
    fn remember(&mut self, name: &str, secret: &Arc<Secret>) {
        let same =
            |(other, known): &(String, Arc<Secret>)| other == name && known.expose() == secret.expose();
        if !self.secrets.iter().any(same) {
            self.secrets.push((name.to_owned(), Arc::clone(secret)));
        }
    }

    /// Takes what was remembered since into the redactor.
    fn learn(&mut self) -> Result<(), StopReason> {
        if self.known < self.secrets.len() {
            let all = self.secrets.iter().map(|(name, secret)| (name.as_str(), &**secret));
            self.redactor = Arc::new(Redactor::new(all).map_err(|e| unavailable(e.to_string()))?);
            self.known = self.secrets.len();
        }
        Ok(())
    }
}

impl Broker {
    /// Lends what the registry's journal says is bound.
    pub fn new(book: Arc<GrantBook>, clock: Arc<dyn Clock>, sources: Sources) -> Self {
        Self { book, clock, sources, seen: Mutex::default() }
    }

    /// Reads a secret as a run would get it, to learn whether it can be lent.
    ///
    /// # Errors
    /// [`StopReason`] if it cannot be read, or is none.
    pub fn read(&self, binding: &CredentialBinding) -> Result<Arc<Secret>, StopReason> {
        let name = &binding.name;
        let refused = |why: String| unavailable(format!("the credential `{name}` cannot be lent: {why}"));
        harden().map_err(|why| refused(format!("this process may not hold secrets, {why}")))?;
        let secret = self.sources.read(&binding.secret_ref).map_err(|e| refused(e.to_string()))?;
        check_strength(secret.expose()).map_err(|weakness| {
            refused(format!(
                "what `{}` holds is no secret, {weakness}; taking it out of outputs would maim them\nhint: use a longer, random one",
                binding.secret_ref
            ))
        })?;
        let secret = Arc::new(secret);
        self.seen().remember(&binding.name, &secret);
        Ok(secret)
    }

    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn bindings(&self) -> Result<Bindings, StopReason> {
        self.book.bindings().map_err(|e| unavailable(format!("nobody knows what is bound: {e}")))
    }

    /// The bindings that a run gets, each fit for it.
    fn chosen(&self, run: &RunRequest<'_>) -> Result<Vec<CredentialBinding>, StopReason> {
        let names = &run.tool.credentials.required_secrets;
        if names.is_empty() {
            return Ok(Vec::new());
        }
        let (bindings, now) = (self.bindings()?, self.clock.now());
        let choose = |name: &String| bindings.choose(name, run.tool, run.principal, now).cloned();
        names.iter().map(|name| choose(name).map_err(|no| unavailable(no.to_string()))).collect()
    }
}

impl CredentialBroker for Broker {
    fn references(&self, run: &RunRequest<'_>) -> Result<Vec<String>, StopReason> {
        let chosen = self.chosen(run)?;
        for binding in &chosen {
            self.sources
                .ready(&binding.secret_ref)
                .map_err(|e| unavailable(format!("the credential `{}` cannot be lent: {e}", binding.name)))?;
        }
        Ok(chosen.iter().map(CredentialBinding::reference).collect())
    }

    fn lease(&self, run: &RunRequest<'_>) -> Result<Vec<Leased>, StopReason> {
        let lent = |binding: CredentialBinding| {
            Ok(Leased {
                secret: self.read(&binding)?,
                reference: binding.reference(),
                injection: binding.injection(),
                binding: binding.credential_binding_id,
                name: binding.name,
                audience: binding.audience,
            })
        };
        let leased = self.chosen(run)?.into_iter().map(lent).collect::<Result<Vec<_>, StopReason>>()?;
        // INVARIANT: nothing is lent that could not be found again.
        self.seen().learn()?;
        Ok(leased)
    }

    fn survey(&self) -> Result<Arc<Redactor>, StopReason> {
        for binding in self.bindings()?.all() {
            // A vault is asked for what is lent and for nothing else; no other run comes upon what is in it. What
            // cannot be read now is lent to nobody now.
            if !self.sources.is_costly(&binding.secret_ref) {
                self.read(binding).ok();
            }
        }
        self.seen().learn()?;
        Ok(self.redactor())
    }

    fn redactor(&self) -> Arc<Redactor> {
        Arc::clone(&self.seen().redactor)
    }
}

fn unavailable(message: String) -> StopReason {
    StopReason::new(StopCode::CredentialUnavailable, message)
}
