//! Whether recorded decisions are reproducible: same arguments, same tools, same policies, same answer.

use super::{
    again::{Inquiry, KnownTools, Missing, MissingCount, PolicySets, Proposed, TurnSeen, Underway, counted},
    what_if::{Ruling, ruling},
};
use crate::{
    event::{
        Event,
        fact::{
            ApprovalRequested, ArgsStatus, Kind, ToolArgsValidated, ToolCallRequested, ToolCallStarted,
            ToolPolicyChecked, ToolViewCompiled,
        },
    },
    model::{CallId, Digest, ToolId},
};
use serde::Serialize;
use std::collections::{BTreeMap, HashMap};

/// Something that does not come out as it was recorded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Difference {
    /// Number of the event in its journal.
    pub seq: u64,
    /// The call; absent for a view.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_call_id: Option<CallId>,
    /// The tool.
    pub tool_id: ToolId,
    /// What differs: `arguments`, `validation`, `decision`, `exposure`, `approval` or `start`.
    pub what: &'static str,
    /// What was recorded.
    pub recorded: String,
    /// What comes out now.
    pub found: String,
}

/// What a replay came to.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ReplayReport {
    /// Things that were made again: arguments' digests, validations, decisions, exposures, bindings.
    pub checked: u64,
    /// Of these, those that differ, in the order of the journal.
    pub differences: Vec<Difference>,
    /// What could not be made again, by what was lacking.
    pub unchecked: Vec<MissingCount>,
}

/// Makes every recorded decision again, event by event. Executes nothing.
#[derive(Debug)]
pub struct Replay<'a> {
    tools: &'a KnownTools,
    policies: &'a PolicySets,
    inquiries: HashMap<Digest, Inquiry<'a>>,
    /// The policy set that each open turn was resolved under is the latest one.
    underway: Underway,
    report: ReplayReport,
    unchecked: BTreeMap<Missing, u64>,
    resolved_under: Option<Digest>,
}

impl<'a> Replay<'a> {
    /// Replays with these tools and policy sets; a journal names the ones it needs by digest.
    pub fn new(tools: &'a KnownTools, policies: &'a PolicySets) -> Self {
        Self {
            tools,
            policies,
            inquiries: HashMap::new(),
            underway: Underway::default(),
            report: ReplayReport::default(),
            unchecked: BTreeMap::new(),
            resolved_under: None,
        }
    }

    /// Takes the next event of a journal.
    pub fn take(&mut self, event: &Event) {
        self.underway.note(event);
        if let Err(missing) = self.replay(event) {
            *self.unchecked.entry(missing).or_default() += 1;
        }
    }

    fn replay(&mut self, event: &Event) -> Result<(), Missing> {
        let fact = &event.fresh.fact;
        if ToolCallRequested::from_fact(fact).is_some() {
            self.arguments(event)
        } else if let Some(validated) = ToolArgsValidated::from_fact(fact) {
            self.validation(event, validated.status)
        } else if let Some(checked) = ToolPolicyChecked::from_fact(fact) {
            self.decision(event, checked)
        } else if let Some(asked) = ApprovalRequested::from_fact(fact) {
            self.approval(event, asked)
        } else if let Some(started) = ToolCallStarted::from_fact(fact) {
            self.start(event, started)
        } else if let Some(view) = ToolViewCompiled::from_fact(fact) {
            self.view(event, view);
            Ok(())
        } else {
            if let Some(resolved) = crate::event::fact::ToolsResolved::from_fact(fact) {
                self.resolved_under = Some(resolved.policy_set.clone());
            }
            Ok(())
        }
    }

    fn arguments(&mut self, event: &Event) -> Result<(), Missing> {
        let proposed = self.underway.call(event)?.clone();
        if proposed.is_redacted() {
            return Err(Missing::Arguments);
        }
        let digest = |d: Option<&Digest>| d.map_or("none".to_owned(), ToString::to_string);
        let recorded = digest(proposed.requested.args_digest.as_ref());
        let found = crate::model::digest_value(crate::model::Domain::Plain, &proposed.requested.args).ok();
        self.hold(event, &proposed.requested.tool_id, "arguments", recorded, digest(found.as_ref()));
        Ok(())
    }

    fn validation(&mut self, event: &Event, status: ArgsStatus) -> Result<(), Missing> {
        let proposed = self.exact(event)?;
        let args = &proposed.requested.args;
        let tool = proposed.contract(self.tools)?;
        let passes = args.is_object()
            && proposed.requested.args_digest.is_some()
            && tool.arguments().faults(args).is_empty();
        let word = |passes| if passes { "valid" } else { "not valid" }.to_owned();
        let recorded = word(status == ArgsStatus::Passed);
        self.hold(event, &proposed.requested.tool_id, "validation", recorded, word(passes));
        Ok(())
    }

    fn decision(&mut self, event: &Event, checked: &ToolPolicyChecked) -> Result<(), Missing> {
        let proposed = self.underway.call(event)?.clone();
        let answer = self.inquiry(&checked.policy_set)?.call(&proposed, checked)?;
        let ToolPolicyChecked { decision, policy_ids, reason, .. } = checked;
        let recorded = Ruling { decision: *decision, policy_ids: policy_ids.clone(), reason: reason.clone() };
        let (recorded, found) = (told(&recorded), told(&ruling(&answer)));
        self.hold(event, &proposed.requested.tool_id, "decision", recorded, found);
        Ok(())
    }

    /// An approval is about the arguments that were proposed, and its contract has the digest that it names.
    fn approval(&mut self, event: &Event, asked: &ApprovalRequested) -> Result<(), Missing> {
        let requested = self.underway.call(event)?.requested.clone();
        let tool = &requested.tool_id;
        if let Some(digest) = &requested.args_digest {
            self.hold(event, tool, "approval", digest.to_string(), asked.args_digest.to_string());
        }
        let request = &asked.request;
        let found = request.contract.digest().map_or_else(|e| e.to_string(), |d| d.to_string());
        self.hold(event, tool, "approval", request.contract_digest.to_string(), found);
        Ok(())
    }

    /// What starts is what was proposed.
    fn start(&mut self, event: &Event, started: &ToolCallStarted) -> Result<(), Missing> {
        let requested = self.underway.call(event)?.requested.clone();
        let tool = &requested.tool_id;
        let pairs = [
            (requested.args_digest, &started.args_digest),
            (requested.descriptor_digest, &started.descriptor_digest),
        ];
        for (proposed, started) in pairs {
            let proposed = proposed.map_or("none".to_owned(), |d| d.to_string());
            self.hold(event, tool, "start", proposed, started.to_string());
        }
        Ok(())
    }

    fn view(&mut self, event: &Event, view: &ToolViewCompiled) {
        let turn = self.underway.turn(&event.fresh.scope.session_id);
        for shown in &view.tools {
            match self.exposure(&turn, &shown.tool_id, &shown.descriptor_digest) {
                Ok(found) => {
                    let recorded = told_shortly(shown.policy_decision.as_str(), &shown.policy_ids);
                    self.hold(event, &shown.tool_id, "exposure", recorded, found);
                }
                Err(missing) => *self.unchecked.entry(missing).or_default() += 1,
            }
        }
    }

    fn exposure(&mut self, turn: &TurnSeen, id: &ToolId, digest: &Digest) -> Result<String, Missing> {
        let tool = self
            .tools
            .contract(digest)
            .ok_or_else(|| Missing::Contract { tool: id.clone(), digest: Some(digest.clone()) })?;
        let set = self.resolved_under.clone().ok_or(Missing::Intent)?;
        let answer = self.inquiry(&set)?.exposure(turn, tool)?;
        Ok(told_shortly(answer.decision.as_str(), &answer.policy_ids))
    }

    fn exact(&self, event: &Event) -> Result<Proposed, Missing> {
        let proposed = self.underway.call(event)?;
        if proposed.is_redacted() { Err(Missing::Arguments) } else { Ok(proposed.clone()) }
    }

    fn inquiry(&mut self, set: &Digest) -> Result<&mut Inquiry<'a>, Missing> {
        let engine = self.policies.get(set).ok_or_else(|| Missing::Policies { digest: set.clone() })?;
        Ok(self.inquiries.entry(set.clone()).or_insert_with(|| Inquiry::new(engine, self.tools)))
    }

    fn hold(&mut self, event: &Event, tool: &ToolId, what: &'static str, recorded: String, found: String) {
        self.report.checked += 1;
        if recorded != found {
            self.report.differences.push(Difference {
                seq: event.seq,
                tool_call_id: event.fresh.scope.call_id.clone(),
                tool_id: tool.clone(),
                what,
                recorded,
                found,
            });
        }
    }

    /// What came out.
    pub fn finish(self) -> ReplayReport {
        ReplayReport { unchecked: counted(self.unchecked), ..self.report }
    }
}

fn told(ruling: &Ruling) -> String {
    let Ruling { decision, policy_ids, reason } = ruling;
    format!("{}: {reason}", told_shortly(decision.as_str(), policy_ids))
}

fn told_shortly(decision: &str, policies: &[crate::model::PolicyId]) -> String {
    let ids: Vec<&str> = policies.iter().map(|id| id.as_str()).collect();
    format!("{decision} ({})", ids.join(", "))
}
