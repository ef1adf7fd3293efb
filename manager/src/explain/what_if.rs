//! What would have been decided under other policies: the regression test of those who write them.

use super::again::{Inquiry, Missing, MissingCount, Underway, counted};
use crate::{
    event::{
        Event,
        fact::{Kind, ToolCallBlocked, ToolPolicyChecked, ToolViewCompiled},
    },
    model::{CallId, Decision, Digest, PolicyId, ResolveFilter, StopCode, ToolId},
    policy::PolicyAnswer,
    text::shorten,
};
use serde::Serialize;
use std::collections::BTreeMap;

/// A decision with what it rests on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Ruling {
    /// The decision.
    pub decision: Decision,
    /// The policies that made it so.
    pub policy_ids: Vec<PolicyId>,
    /// Why, for people.
    pub reason: String,
}

/// A call that would be decided otherwise.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CallChange {
    /// Number of the recorded decision in its journal.
    pub seq: u64,
    /// The call.
    pub tool_call_id: CallId,
    /// The tool.
    pub tool_id: ToolId,
    /// The arguments, shortened.
    pub args: String,
    /// What was decided.
    pub before: Ruling,
    /// What would be decided.
    pub after: Ruling,
}

/// A tool that policy would show where it did not, or the other way round, or with another decision.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ExposureChange {
    /// The tool.
    pub tool_id: ToolId,
    /// What was decided.
    pub before: Decision,
    /// What would be decided.
    pub after: Decision,
    /// The policies that would decide it.
    pub policy_ids: Vec<PolicyId>,
    /// Why, for people.
    pub reason: String,
    /// In how many views.
    pub views: u64,
    /// Number of the first of these views in its journal.
    pub first_seq: u64,
}

/// What changes, and what could not be found out.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct WhatIfReport {
    /// Digest of the policies that were asked.
    pub policy_set: Digest,
    /// Recorded decisions about calls.
    pub decisions: u64,
    /// Of these, decided the same, by the same policies.
    pub same: u64,
    /// Of these, decided the same, by other policies.
    pub other_policies: u64,
    /// Of these, decided otherwise, in the order of the journal.
    pub changes: Vec<CallChange>,
    /// Of these, not decided again, by what was lacking.
    pub undecided: Vec<MissingCount>,
    /// Calls that never came to policy: an unknown tool, or arguments that do not fit.
    pub never_decided: u64,
    /// Views that were looked at.
    pub views: u64,
    /// Tools whose exposure changes.
    pub exposure_changes: Vec<ExposureChange>,
    /// Exposures that were not decided again, by what was lacking.
    pub exposures_undecided: Vec<MissingCount>,
}

impl WhatIfReport {
    /// Whether nothing changes, as far as could be found out.
    pub fn is_unchanged(&self) -> bool {
        self.changes.is_empty() && self.exposure_changes.is_empty()
    }

    /// Whether every recorded decision was made again.
    pub fn is_complete(&self) -> bool {
        self.undecided.is_empty() && self.exposures_undecided.is_empty()
    }

    /// The changes of calls by what they change from and to.
    pub fn groups(&self) -> BTreeMap<(Decision, Decision), Vec<&CallChange>> {
        let mut groups: BTreeMap<_, Vec<&CallChange>> = BTreeMap::new();
        for change in &self.changes {
            groups.entry((change.before.decision, change.after.decision)).or_default().push(change);
        }
        groups
    }
}

/// Decides every recorded call again, event by event.
#[derive(Debug)]
pub struct WhatIf<'a> {
    inquiry: Inquiry<'a>,
    underway: Underway,
    report: WhatIfReport,
    undecided: BTreeMap<Missing, u64>,
    exposures: BTreeMap<(ToolId, Decision, Decision, Vec<PolicyId>), ExposureChange>,
    exposures_undecided: BTreeMap<Missing, u64>,
}

/// So much of a call's arguments is told.
const MAX_ARGS: usize = 120;

impl<'a> WhatIf<'a> {
    /// Asks these policies.
    pub fn new(inquiry: Inquiry<'a>) -> Self {
        let report = WhatIfReport {
            policy_set: inquiry.policy_set().clone(),
            decisions: 0,
            same: 0,
            other_policies: 0,
            changes: Vec::new(),
            undecided: Vec::new(),
            never_decided: 0,
            views: 0,
            exposure_changes: Vec::new(),
            exposures_undecided: Vec::new(),
        };
        Self {
            inquiry,
            underway: Underway::default(),
            report,
            undecided: BTreeMap::new(),
            exposures: BTreeMap::new(),
            exposures_undecided: BTreeMap::new(),
        }
    }

    /// Takes the next event of a journal.
    pub fn take(&mut self, event: &Event) {
        self.underway.note(event);
        let fact = &event.fresh.fact;
        if let Some(checked) = ToolPolicyChecked::from_fact(fact) {
            self.report.decisions += 1;
            if let Err(missing) = self.decide(event, checked) {
                *self.undecided.entry(missing).or_default() += 1;
            }
        } else if let Some(view) = ToolViewCompiled::from_fact(fact) {
            self.report.views += 1;
            self.view(event, view);
        } else if let Some(blocked) = ToolCallBlocked::from_fact(fact) {
            use StopCode::{InvalidArguments, MalformedArguments, UnknownTool};
            let early = matches!(blocked.reason.code, UnknownTool | MalformedArguments | InvalidArguments);
            self.report.never_decided += u64::from(early);
        }
    }

    fn decide(&mut self, event: &Event, checked: &ToolPolicyChecked) -> Result<(), Missing> {
        let proposed = self.underway.call(event)?;
        let after = ruling(&self.inquiry.call(proposed, checked)?);
        let ToolPolicyChecked { decision, policy_ids, reason, .. } = checked;
        let before = Ruling { decision: *decision, policy_ids: policy_ids.clone(), reason: reason.clone() };
        if before.decision != after.decision {
            self.report.changes.push(CallChange {
                seq: event.seq,
                tool_call_id: event.fresh.scope.call_id.clone().ok_or(Missing::Proposal)?,
                tool_id: proposed.requested.tool_id.clone(),
                args: shorten(&proposed.requested.args.to_string(), MAX_ARGS).into_owned(),
                before,
                after,
            });
        } else if before.policy_ids == after.policy_ids {
            self.report.same += 1;
        } else {
            self.report.other_policies += 1;
        }
        Ok(())
    }

    fn view(&mut self, event: &Event, view: &ToolViewCompiled) {
        let turn = self.underway.turn(&event.fresh.scope.session_id);
        let tools = self.inquiry.tools();
        let exposed = view
            .tools
            .iter()
            .map(|shown| (&shown.tool_id, shown.policy_decision, Some(&shown.descriptor_digest)));
        let denied = view.dropped.iter().filter(|d| d.filter == ResolveFilter::Policy);
        let denied = denied.map(|dropped| (&dropped.tool_id, Decision::Deny, None));
        for (id, before, digest) in exposed.chain(denied) {
            let tool = digest.map_or_else(|| tools.named(id), |digest| tools.contract(digest));
            let missing = || Missing::Contract { tool: id.clone(), digest: digest.cloned() };
            match tool.ok_or_else(missing).and_then(|tool| self.inquiry.exposure(&turn, tool)) {
                Ok(after) if after.decision == before => {}
                Ok(after) => self.exposed_otherwise(event.seq, id, before, &after),
                Err(missing) => *self.exposures_undecided.entry(missing).or_default() += 1,
            }
        }
    }

    fn exposed_otherwise(&mut self, seq: u64, tool: &ToolId, before: Decision, after: &PolicyAnswer) {
        let key = (tool.clone(), before, after.decision, after.policy_ids.clone());
        let first = || ExposureChange {
            tool_id: tool.clone(),
            before,
            after: after.decision,
            reason: after.reason(),
            policy_ids: after.policy_ids.clone(),
            views: 0,
            first_seq: seq,
        };
        self.exposures.entry(key).or_insert_with(first).views += 1;
    }

    /// What changes.
    pub fn finish(self) -> WhatIfReport {
        WhatIfReport {
            undecided: counted(self.undecided),
            exposure_changes: self.exposures.into_values().collect(),
            exposures_undecided: counted(self.exposures_undecided),
            ..self.report
        }
    }
}

pub(super) fn ruling(answer: &PolicyAnswer) -> Ruling {
    Ruling { decision: answer.decision, policy_ids: answer.policy_ids.clone(), reason: answer.reason() }
}
