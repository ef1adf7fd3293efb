//! The third stage: policy has been asked, and does not deny.

use super::{
    Validated,
    call::{Caused, Decided, Outcome, Step, Stop},
};
use crate::{
    event::{
        Fact,
        fact::{ToolCallBlocked, ToolPolicyChecked},
    },
    model::{Decision, EventId, StopCode, StopReason, ToolIntent},
    policy::{Actor, Asks, PolicyAnswer, PolicyEngine, Question, Scene},
};
use std::sync::Arc;

/// A valid call that policy allows, or would allow once approved.
#[derive(Debug)]
pub struct PolicyChecked {
    pub(super) valid: Validated,
    pub(super) answer: PolicyAnswer,
}

impl PolicyChecked {
    /// The call with its arguments.
    pub fn valid(&self) -> &Validated {
        &self.valid
    }

    /// What policy answered.
    pub fn answer(&self) -> &PolicyAnswer {
        &self.answer
    }
}

impl Caused for PolicyChecked {
    fn caused_by(&mut self, event: EventId) {
        self.valid.caused_by(event);
    }
}

/// Asks policy: `ToolPolicyChecked`, and `ToolCallBlocked` if it denies.
#[derive(Debug)]
pub struct CheckPolicy<'a> {
    /// The policies.
    pub engine: &'a PolicyEngine,
    /// Who acts.
    pub actor: &'a Actor,
    /// In which surroundings.
    pub scene: &'a Scene,
    /// Why.
    pub intent: &'a ToolIntent,
}

impl Step for CheckPolicy<'_> {
    type From = Validated;
    type To = PolicyChecked;

    fn decide(&self, mut valid: Validated) -> Decided<PolicyChecked> {
        let mut answer = self.engine.decide(&Question {
            actor: self.actor,
            tool: valid.tool.subject(),
            scene: self.scene,
            asks: Asks::Call { intent: self.intent, args: &valid.args },
        });
        let mut facts: Vec<Fact> = vec![
            ToolPolicyChecked {
                decision: answer.decision,
                policy_ids: answer.policy_ids.clone(),
                policy_set: answer.policy_set.clone(),
                reason: answer.reason(),
                principal: Some(Arc::clone(self.actor.shared())),
                surroundings: self.scene.recorded(),
            }
            .into(),
        ];
        if mutant!(PolicyUnrecorded) {
            facts.clear();
        }
        if mutant!(DenialGoesOn) && answer.decision == Decision::Deny {
            answer.decision = Decision::Allow;
        }
        let scope = valid.scope.clone();
        let cause = valid.cause.take();
        let outcome = match answer.decision {
            Decision::Allow | Decision::Ask => Outcome::Next(PolicyChecked { valid, answer }),
            Decision::Deny => {
                let code = if answer.failed { StopCode::PolicyError } else { StopCode::PolicyDenied };
                let reason = StopReason::new(code, answer.reason());
                facts.push(
                    ToolCallBlocked { tool_id: valid.tool.id().clone(), reason: reason.clone() }.into(),
                );
                Outcome::Stop(Stop { reason })
            }
        };
        Decided { scope, cause, facts, outcome }
    }
}
