//! The first half of a turn: what was said, what it is taken to mean, which tools may serve it, and what of them a model
//! is shown.

use super::{Manager, Session};
use crate::{
    event::{
        ProposedOutcome,
        fact::{IntentRecorded, ModelOutputReceived, ToolViewCompiled, ToolsResolved, UserPromptSubmitted},
    },
    model::{EventId, IntentId, Target, ToolIntent, ToolView, ViewId},
    plan::{Plan, plan},
    port::{EventSink, JournalError},
    registry::RegisteredTool,
    resolve::{Resolution, TurnState, ViewTooLarge, bm25::Population, compile_view, resolve},
};
use std::sync::Arc;

/// What the planner was told instead of reading the prompt.
#[derive(Debug, Clone, PartialEq)]
pub struct StatedIntent {
    /// Kinds of action; empty leaves them open.
    pub action_types: Vec<crate::model::ActionType>,
    /// What is acted upon.
    pub target: Option<Target>,
}

/// An open turn: its intent, and the view that may be proposed from.
#[derive(Debug)]
pub struct Turn {
    /// Why.
    pub intent: ToolIntent,
    /// What may be proposed, with reasons.
    pub view: ToolView,
    /// The view's tools, in its order.
    pub tools: Vec<Arc<RegisteredTool>>,
    pub(super) cause: EventId,
}

/// An intent in the journal.
#[derive(Debug, Clone)]
pub struct Intended {
    /// The intent.
    pub intent: ToolIntent,
    cause: EventId,
}

/// What an intent resolved to, before a view is made of it.
#[derive(Debug, Clone)]
pub struct Resolved {
    /// The intent.
    pub intent: ToolIntent,
    /// Who is a candidate, and what was dropped by which filter.
    pub resolution: Resolution,
    cause: EventId,
}

/// Why a turn could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum TurnError {
    /// The journal cannot be written.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// Everything was to be shown, and that is more than the budget holds.
    #[error(transparent)]
    ViewTooLarge(#[from] ViewTooLarge),
}

/// What a model answered, for the journal.
#[derive(Debug, Clone, Copy)]
pub struct ModelAnswer<'a> {
    /// Who answered.
    pub model: &'a str,
    /// What it did.
    pub outcome: ProposedOutcome,
    /// How many calls it proposes.
    pub calls: usize,
    /// Its words.
    pub text: Option<&'a str>,
}

impl Manager {
    /// Opens a turn: prompt, intent, resolution, view; an event for each.
    ///
    /// `offered` is what this conversation is offered; `None` offers the whole registry.
    ///
    /// # Errors
    /// [`TurnError`] if the journal cannot be written, or all of too many tools were to be shown.
    pub fn open_turn(
        &self,
        session: &Session,
        prompt: &str,
        stated: Option<&StatedIntent>,
        offered: Option<&Population>,
        log: &mut dyn EventSink,
    ) -> Result<Turn, TurnError> {
        let intended = self.intend(session, prompt, stated, log)?;
        let resolved = self.resolve(session, intended, offered, log)?;
        Ok(self.compile_view(session, resolved, log)?)
    }

    /// Records what the user said, and what it is taken to mean.
    ///
    /// # Errors
    /// [`JournalError`] if the journal cannot be written.
    pub fn intend(
        &self,
        session: &Session,
        prompt: &str,
        stated: Option<&StatedIntent>,
        log: &mut dyn EventSink,
    ) -> Result<Intended, JournalError> {
        let prompted = UserPromptSubmitted { prompt: prompt.to_owned() };
        let cause = log.append(&session.scope, None, prompted.into())?;
        self.intended(session, self.intent(session, prompt, stated), Some(&cause), log)
    }

    /// Records an intent that somebody else has formed.
    ///
    /// # Errors
    /// [`JournalError`] if the journal cannot be written.
    pub fn intended(
        &self,
        session: &Session,
        intent: ToolIntent,
        cause: Option<&EventId>,
        log: &mut dyn EventSink,
    ) -> Result<Intended, JournalError> {
        let recorded = IntentRecorded { intent: intent.clone() };
        let cause = log.append(&session.scope, cause, recorded.into())?;
        Ok(Intended { intent, cause })
    }

    /// Finds the tools that an intent may use, best first, and the filter that dropped each other one.
    ///
    /// # Errors
    /// [`TurnError`] if the journal cannot be written, or all of too many tools were to be shown.
    pub fn resolve(
        &self,
        session: &Session,
        intended: Intended,
        offered: Option<&Population>,
        log: &mut dyn EventSink,
    ) -> Result<Resolved, TurnError> {
        let Intended { intent, cause } = intended;
        let policy = self.policy();
        let state = TurnState {
            index: &self.index,
            actor: &session.actor,
            scene: &session.scene,
            policy: &policy,
            budget: &session.budget,
            scope: offered,
            max_level: session.max_level,
            selection: session.selection,
            environment: &session.environment,
        };
        let resolution = resolve(&intent, &intent.user_goal, &state)?;
        let resolved = ToolsResolved {
            intent_id: intent.intent_id.clone(),
            known: resolution.candidates.len() + resolution.dropped.len(),
            candidates: resolution.candidates.len(),
            policy_set: policy.digest().clone(),
            principal: Some(Arc::clone(session.actor.shared())),
            surroundings: session.scene.recorded(),
        };
        let cause = log.append(&session.scope, Some(&cause), resolved.into())?;
        Ok(Resolved { intent, resolution, cause })
    }

    /// Compiles what a model may see of what was resolved: a lease for one turn.
    ///
    /// # Errors
    /// [`JournalError`] if the journal cannot be written.
    pub fn compile_view(
        &self,
        session: &Session,
        resolved: Resolved,
        log: &mut dyn EventSink,
    ) -> Result<Turn, JournalError> {
        let Resolved { intent, resolution, cause } = resolved;
        let compiled = compile_view(resolution, ViewId::from_uuid(self.clock.uuid()));
        let shown = ToolViewCompiled {
            view_id: compiled.view.view_id.clone(),
            intent_id: intent.intent_id.clone(),
            view_digest: compiled.view.digest.clone(),
            tools: compiled.view.tools.clone(),
            dropped: compiled.view.dropped.clone(),
            tokens: compiled.view.tokens,
        };
        let cause = log.append(&session.scope, Some(&cause), shown.into())?;
        Ok(Turn { intent, view: compiled.view, tools: compiled.tools, cause })
    }

    /// Records what a model answered; the calls it proposes follow from it.
    ///
    /// # Errors
    /// [`JournalError`] if the journal cannot be written.
    pub fn model_answered(
        &self,
        session: &Session,
        turn: &mut Turn,
        answer: ModelAnswer<'_>,
        log: &mut dyn EventSink,
    ) -> Result<(), JournalError> {
        let ModelAnswer { model, outcome, calls, text } = answer;
        let fact = ModelOutputReceived {
            model: model.to_owned(),
            outcome,
            calls,
            text: text.map(ToOwned::to_owned),
        };
        turn.cause = log.append(&session.scope, Some(&turn.cause), fact.into())?;
        Ok(())
    }

    /// What a prompt is taken to mean, or what was stated with it; not yet recorded.
    pub fn intent(&self, session: &Session, prompt: &str, stated: Option<&StatedIntent>) -> ToolIntent {
        let Plan { action_types, target, confidence, rationale } = match stated {
            None => plan(prompt),
            Some(stated) => Plan {
                action_types: stated.action_types.clone(),
                target: stated.target.clone(),
                confidence: 1.0,
                rationale: "stated with the prompt".to_owned(),
            },
        };
        ToolIntent {
            intent_id: IntentId::from_uuid(self.clock.uuid()),
            session_id: session.scope.session_id.clone(),
            run_id: session.scope.run_id.clone(),
            user_goal: prompt.to_owned(),
            current_task: prompt.to_owned(),
            action_types,
            target,
            expected_effect: Default::default(),
            constraints: Default::default(),
            rationale_summary: rationale,
            evidence_refs: Vec::new(),
            confidence,
            created_at: self.clock.now(),
        }
    }
}
