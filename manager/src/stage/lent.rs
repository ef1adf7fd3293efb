//! What a run has to do with secrets: it stops when one that it was lent is taken back, and nothing that comes
//! out of it holds one.

use super::Prepared;
use crate::{
    event::fact::FinishStatus,
    model::{EffectsObserved, StopReason, ToolError},
    port::{CredentialBroker, Interrupt, Ran},
    redact::Redactor,
};

/// A run with what it may be lent.
pub(super) struct Lent<'a> {
    pub(super) prepared: &'a Prepared,
    pub(super) interrupt: &'a dyn Interrupt,
    pub(super) credentials: &'a dyn CredentialBroker,
}

impl Interrupt for Lent<'_> {
    fn reason(&self) -> Option<StopReason> {
        self.interrupt.reason().or_else(|| self.taken_back())
    }
}

impl Lent<'_> {
    /// Why what the run was lent does not hold any more.
    fn taken_back(&self) -> Option<StopReason> {
        let terms = &self.prepared.settled.terms;
        if terms.credentials.is_empty() {
            return None;
        }
        match self.credentials.references(&self.prepared.authorized.run_request()) {
            Ok(now) if now == terms.credentials => None,
            Ok(_) => Some(StopReason::new(
                crate::model::StopCode::CredentialUnavailable,
                "a credential of the run was bound anew while it ran",
            )),
            Err(reason) => Some(reason),
        }
    }

    /// What came out, without any secret. What cannot be looked through does not leave.
    pub(super) fn freed(&self, mut ran: Ran) -> Ran {
        match self.credentials.survey() {
            Ok(secrets) => redact(&mut ran, &secrets),
            Err(reason) => withhold(&mut ran, &reason),
        }
        if ran.status == FinishStatus::Success
            && let Some(reason) = self.taken_back()
        {
            ran.status = FinishStatus::Error;
            ran.error = Some(error(&reason));
        }
        ran
    }
}

fn error(reason: &StopReason) -> ToolError {
    ToolError {
        code: reason.code.as_str().to_owned(),
        message: reason.message.clone(),
        retryable: false,
        safe_to_show_user: true,
    }
}

/// Everything that a run hands out, field by field.
fn redact(ran: &mut Ran, secrets: &Redactor) {
    if secrets.is_empty() {
        return;
    }
    let Ran { status: _, output, kind: _, structured, effects, error, latency_ms: _ } = ran;
    *output = secrets.redact(output);
    if let Some(structured) = structured {
        secrets.redact_value(structured);
    }
    if let Some(ToolError { code, message, retryable: _, safe_to_show_user: _ }) = error {
        for text in [code, message] {
            *text = secrets.redact_text(text);
        }
    }
    redact_effects(effects, secrets);
}

/// The paths and hosts of what was observed.
pub(super) fn redact_effects(effects: &mut EffectsObserved, secrets: &Redactor) {
    let EffectsObserved { reads, writes, deletes, external_calls, cost_usd: _ } = effects;
    let paths = reads.iter_mut().chain(writes).chain(deletes).map(|resource| &mut resource.0);
    for text in paths.chain(external_calls) {
        *text = secrets.redact_text(text);
    }
}

/// Nothing of what was said leaves; what was done is told by its number alone.
fn withhold(ran: &mut Ran, reason: &StopReason) {
    let EffectsObserved { reads, writes, deletes, external_calls, .. } = &ran.effects;
    let (touched, called) = (reads.len() + writes.len() + deletes.len(), external_calls.len());
    let why = format!(
        "its output is withheld, for secrets in it cannot be looked for: {}; it touched {touched} resources and called {called} hosts",
        reason.message
    );
    ran.status = FinishStatus::Error;
    ran.output.clear();
    ran.structured = None;
    ran.error = Some(error(&StopReason { code: reason.code, message: why }));
    ran.effects = EffectsObserved { cost_usd: ran.effects.cost_usd, ..EffectsObserved::default() };
}
