//! Invariant 5: what changes other people's systems, or destroys, has somebody's word for it.
//!
//! At L4 and L5, and wherever policy says *ask*, a start needs an approval that was granted for this call, a
//! grant that is in force for this tool, or, where policy says *allow*, the policy that waives the question.
//! The level is what the contract says, not what the start claims.

use super::{Event, Invariant, Known, Notes, Options, Requirement, Watch};
use crate::conform::known::Version;
use std::collections::{HashMap, HashSet};

const SOMEBODY: Requirement = Requirement::must(
    "R5.1",
    "§18.5, §12",
    "at L4 and L5, and where policy asks, a start has an approval, a grant, or a policy that waives the question",
);
const IN_FORCE: Requirement = Requirement::must(
    "R5.2",
    "§18.5, §12",
    "the grant that a start stands on was issued, and neither revoked nor expired",
);
const THIS_TOOL: Requirement =
    Requirement::must("R5.3", "§18.5, §12", "the grant that a start stands on is for its tool");

pub(super) struct ExplicitAuthorization;

impl Invariant for ExplicitAuthorization {
    fn number(&self) -> u8 {
        5
    }

    fn title(&self) -> &'static str {
        "external writes and destructive actions have explicit authorization"
    }

    fn why(&self) -> &'static str {
        "what others see, and what cannot be undone, is for a person or a stated rule to allow"
    }

    fn needs(&self) -> &'static str {
        "a start at L4 or L5, or one that policy asked about (`ToolCallStarted`)"
    }

    fn requirements(&self) -> &'static [Requirement] {
        &[SOMEBODY, IN_FORCE, THIS_TOOL]
    }

    fn watch(&self, _: &Options) -> Box<dyn Watch> {
        Box::<Watching>::default()
    }

    fn keeps(&self) -> &'static str {
        concat!(destructive!(), approved!(), dropped!(), gone!())
    }

    fn breaks(&self) -> &'static [(&'static str, &'static str)] {
        &[
            (
                "nobody has said yes",
                concat!(
                    destructive!(),
                    r#"{"type":"ToolSandboxPrepared","toolCallId":"d","sandboxId":"box","policyDigest":"rules"}"#,
                    "\n",
                    r#"{"type":"ToolCallStarted","toolCallId":"d","toolId":"drop","toolVersion":"1","descriptorDigest":"dd","argsDigest":"a","scopes":["db"],"riskLevel":"high","level":"L5","adapter":"http","policyIds":["L5"],"dryRun":true,"sandboxId":"box","sandboxDigest":"rules"}"#,
                    "\n",
                    r#"{"type":"ToolCallFinished","toolCallId":"d","status":"success","effectsObserved":{},"outputBytes":0}"#
                ),
            ),
            (
                "the grant was revoked",
                concat!(
                    destructive!(),
                    approved!(),
                    r#"{"type":"GrantRevoked","grantId":"gr"}"#,
                    "\n",
                    dropped!(),
                    gone!()
                ),
            ),
            (
                "the grant is for another tool",
                concat!(
                    destructive!(),
                    r#"{"type":"ApprovalGranted","toolCallId":"d","approvalId":"ap","argsDigest":"a","scopes":["db"],"riskLevel":"high","confirmation":"typed","grantId":"gr"}"#,
                    "\n",
                    r#"{"type":"GrantIssued","grantId":"gr","toolId":"other","toolVersion":"1"}"#,
                    "\n",
                    r#"{"type":"ToolSandboxPrepared","toolCallId":"d","sandboxId":"box","policyDigest":"rules"}"#,
                    "\n",
                    dropped!(),
                    gone!()
                ),
            ),
            (
                "it claims a lower level, and no policy waives the question",
                concat!(
                    destructive!(),
                    r#"{"type":"ToolPolicyChecked","toolCallId":"d","decision":"allow","policyIds":[],"reason":"because"}"#,
                    "\n",
                    r#"{"type":"ToolSandboxPrepared","toolCallId":"d","sandboxId":"box","policyDigest":"rules"}"#,
                    "\n",
                    r#"{"type":"ToolCallStarted","toolCallId":"d","toolId":"drop","toolVersion":"1","descriptorDigest":"dd","argsDigest":"a","scopes":["db"],"riskLevel":"high","level":"L0","adapter":"http","policyIds":[],"dryRun":true,"sandboxId":"box","sandboxDigest":"rules"}"#,
                    "\n",
                    r#"{"type":"ToolCallFinished","toolCallId":"d","status":"success","effectsObserved":{},"outputBytes":0}"#
                ),
            ),
        ]
    }
}

#[derive(Default)]
struct Watching {
    decisions: HashMap<String, (String, bool)>,
    /// Approvals by call.
    approved: HashMap<String, HashSet<String>>,
    grants: HashMap<String, Grant>,
}

struct Grant {
    tool: String,
    expires_at: String,
}

impl Watch for Watching {
    fn see(&mut self, event: &Event, known: &Known, notes: &mut Notes) {
        let call = event.call();
        match event.kind() {
            "ToolPolicyChecked" => {
                let decision = (event.text("decision").to_owned(), !event.list("policyIds").is_empty());
                self.decisions.insert(call.to_owned(), decision);
            }
            "ApprovalGranted" => {
                self.approved.entry(call.to_owned()).or_default().insert(event.text("approvalId").to_owned());
            }
            "GrantIssued" => {
                let grant = Grant {
                    tool: event.text("toolId").to_owned(),
                    expires_at: event.text("expiresAt").to_owned(),
                };
                self.grants.insert(event.text("grantId").to_owned(), grant);
            }
            "GrantRevoked" => drop(self.grants.remove(event.text("grantId"))),
            "ToolCallStarted" => self.start(event, known, notes),
            "TraceUpdated" | "ToolCallBlocked" => {
                self.decisions.remove(call);
                self.approved.remove(call);
            }
            _ => {}
        }
    }
}

impl Watching {
    fn start(&self, event: &Event, known: &Known, notes: &mut Notes) {
        let declared = known.contract(&Version::of(event)).map_or("", |c| c.level.as_str());
        let level = event.text("level").max(declared);
        let (decision, waived) = self.decisions.get(event.call()).cloned().unwrap_or_default();
        if level < "L4" && decision != "ask" {
            return;
        }
        notes.exercise();
        let Some((requirement, fault)) = self.lacks(event, &decision, waived) else { return };
        let (call, tool) = (event.call(), event.text("toolId"));
        notes.violate(
            requirement,
            format!("call `{call}` of `{tool}` ({level}) starts, and {fault}"),
            &[&event.into()],
        );
    }

    /// What is missing, if anything is. A grant that is named has to be in force, also beside an approval: it
    /// is the approval's own.
    fn lacks(&self, event: &Event, decision: &str, waived: bool) -> Option<(&'static Requirement, String)> {
        let (approval, id, ts) = (event.text("approvalId"), event.text("grantId"), event.text("ts"));
        // Whether an approval that was given is void by now is invariant 6's.
        if !approval.is_empty() && !self.approved.get(event.call()).is_some_and(|ids| ids.contains(approval))
        {
            return Some((
                &SOMEBODY,
                format!("the approval `{approval}` that it names was not given for it"),
            ));
        }
        if id.is_empty() {
            let by_policy = decision == "allow" && waived;
            let fault =
                "nobody has said yes to it: no approval, no grant, no policy that waives the question";
            return (approval.is_empty() && !by_policy).then(|| (&SOMEBODY, fault.to_owned()));
        }
        match self.grants.get(id) {
            None => Some((&IN_FORCE, format!("its grant `{id}` was never issued, or was revoked before"))),
            Some(grant) if grant.tool != event.text("toolId") => {
                Some((&THIS_TOOL, format!("its grant `{id}` is for `{}`", grant.tool)))
            }
            Some(grant) if !grant.expires_at.is_empty() && ts >= grant.expires_at.as_str() => {
                Some((&IN_FORCE, format!("its grant `{id}` expired at {}", grant.expires_at)))
            }
            Some(_) => None,
        }
    }
}
