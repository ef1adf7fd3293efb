//! The hooks of a contract, asked at their moments. What they say is recorded; what they may do is say no.

use super::{
    PolicyChecked,
    call::{Decided, Outcome, Step, Stop},
};
use crate::{
    event::{
        Fact,
        fact::{HookAnswered, ToolCallBlocked},
    },
    model::{CheckResult, Moment, PrincipalId, StopCode, StopReason},
    port::{HookCall, Hooks},
};

/// Asks the hooks that stand before a call, before anybody else is asked about it: `HookAnswered` for each, and
/// `ToolCallBlocked` after the first no. They are asked again when the call is about to run.
pub struct AskHooks<'a> {
    /// Who answers to the names.
    pub hooks: &'a dyn Hooks,
    /// For whom the call runs.
    pub principal: &'a PrincipalId,
}

impl std::fmt::Debug for AskHooks<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AskHooks").field("principal", self.principal).finish_non_exhaustive()
    }
}

impl Step for AskHooks<'_> {
    type From = PolicyChecked;
    type To = PolicyChecked;

    fn decide(&self, mut checked: PolicyChecked) -> Decided<PolicyChecked> {
        let valid = &mut checked.valid;
        let (scope, cause) = (valid.scope.clone(), valid.cause.take());
        let call = HookCall {
            moment: Moment::PreCall,
            call: &valid.call,
            tool: valid.tool.descriptor(),
            args: &valid.args,
            principal: self.principal,
            workspace: None,
            ran: None,
            verification: None,
        };
        let (mut facts, no) = before(self.hooks, &call);
        let outcome = match no {
            None => {
                // Without hooks there is no event, and what caused the call so far goes on causing it.
                valid.cause.clone_from(&cause);
                Outcome::Next(checked)
            }
            Some(reason) => {
                facts.push(
                    ToolCallBlocked { tool_id: valid.tool.id().clone(), reason: reason.clone() }.into(),
                );
                Outcome::Stop(Stop { reason })
            }
        };
        Decided { scope, cause, facts, outcome }
    }
}

/// Asks the hooks before a call, until one says no.
pub(super) fn before(hooks: &dyn Hooks, call: &HookCall<'_>) -> (Vec<Fact>, Option<StopReason>) {
    let mut facts = Vec::new();
    for name in Moment::PreCall.hooks(call.tool) {
        let answer = answered(hooks, name, call);
        let no = (answer.said == CheckResult::Fail).then(|| {
            let why = answer.message.clone().unwrap_or_default();
            StopReason::new(StopCode::HookDenied, format!("the hook `{name}` says no: {why}"))
        });
        facts.push(answer.into());
        if no.is_some() {
            return (facts, no);
        }
    }
    (facts, None)
}

/// Tells the hooks of one moment; whatever they say is recorded, and nothing else comes of it.
pub(super) fn tell(hooks: &dyn Hooks, call: &HookCall<'_>) -> Vec<Fact> {
    call.moment.hooks(call.tool).iter().map(|name| answered(hooks, name, call).into()).collect()
}

fn answered(hooks: &dyn Hooks, name: &str, call: &HookCall<'_>) -> HookAnswered {
    let (said, message) = match hooks.ask(name, call) {
        Ok(()) => (CheckResult::Pass, None),
        Err(why) => (CheckResult::Fail, Some(why)),
    };
    HookAnswered { moment: call.moment, hook: name.to_owned(), said, message }
}
