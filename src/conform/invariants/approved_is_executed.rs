//! Invariant 6: what runs is what was approved.
//!
//! Digest of the arguments, scopes and risk of request, grant and start are the same, the start comes before
//! the approval expires, and one approval starts one call once.

use super::{Event, Invariant, Known, Notes, Options, Requirement, Watch};
use crate::conform::{event::texts, judge::Proof};
use serde_json::Value;
use std::collections::{HashMap, HashSet};

const AS_ASKED: Requirement = Requirement::must(
    "R6.1",
    "§18.6, §12",
    "an approval repeats the arguments, scopes and risk that were asked about",
);
const AS_APPROVED: Requirement =
    Requirement::must("R6.2", "§18.6, §12", "a start has the arguments, scopes and risk that were approved");
const IN_TIME: Requirement = Requirement::must("R6.3", "§12", "a start comes before its approval expires");
const NOT_VOID: Requirement =
    Requirement::must("R6.4", "§12", "nothing starts on an approval that was invalidated, expired or denied");
const USED_ONCE: Requirement = Requirement::must("R6.5", "§12", "one approval starts one call once");

pub(super) struct ApprovedIsExecuted;

impl Invariant for ApprovedIsExecuted {
    fn number(&self) -> u8 {
        6
    }

    fn title(&self) -> &'static str {
        "the approved arguments are the executed arguments"
    }

    fn why(&self) -> &'static str {
        "a yes to one thing must not become a yes to another"
    }

    fn needs(&self) -> &'static str {
        "an approved call that starts (`ApprovalGranted`, `ToolCallStarted`)"
    }

    fn requirements(&self) -> &'static [Requirement] {
        &[AS_ASKED, AS_APPROVED, IN_TIME, NOT_VOID, USED_ONCE]
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
                "other arguments",
                concat!(
                    destructive!(),
                    approved!(),
                    r#"{"type":"ToolCallStarted","toolCallId":"d","toolId":"drop","toolVersion":"1","descriptorDigest":"dd","argsDigest":"b","scopes":["db"],"riskLevel":"high","level":"L5","adapter":"http","policyIds":["L5"],"grantId":"gr","approvalId":"ap","sandboxId":"box","sandboxDigest":"rules"}"#,
                    "\n",
                    gone!()
                ),
            ),
            (
                "more scopes",
                concat!(
                    destructive!(),
                    approved!(),
                    r#"{"type":"ToolCallStarted","toolCallId":"d","toolId":"drop","toolVersion":"1","descriptorDigest":"dd","argsDigest":"a","scopes":["db","admin"],"riskLevel":"high","level":"L5","adapter":"http","policyIds":["L5"],"grantId":"gr","approvalId":"ap","sandboxId":"box","sandboxDigest":"rules"}"#,
                    "\n",
                    gone!()
                ),
            ),
            (
                "a higher risk",
                concat!(
                    destructive!(),
                    approved!(),
                    r#"{"type":"ToolCallStarted","toolCallId":"d","toolId":"drop","toolVersion":"1","descriptorDigest":"dd","argsDigest":"a","scopes":["db"],"riskLevel":"critical","level":"L5","adapter":"http","policyIds":["L5"],"grantId":"gr","approvalId":"ap","sandboxId":"box","sandboxDigest":"rules"}"#,
                    "\n",
                    gone!()
                ),
            ),
            (
                "after it expired",
                concat!(
                    destructive!(),
                    r#"{"type":"ApprovalGranted","toolCallId":"d","approvalId":"ap","argsDigest":"a","scopes":["db"],"riskLevel":"high","confirmation":"typed","grantId":"gr","expiresAt":"2025-12-31T23:59:59Z"}"#,
                    "\n",
                    r#"{"type":"GrantIssued","grantId":"gr","toolId":"drop","toolVersion":"1"}"#,
                    "\n",
                    r#"{"type":"ToolSandboxPrepared","toolCallId":"d","sandboxId":"box","policyDigest":"rules"}"#,
                    "\n",
                    dropped!(),
                    gone!()
                ),
            ),
            ("used twice", concat!(destructive!(), approved!(), dropped!(), gone!(), dropped!(), gone!())),
            (
                "void, and used",
                concat!(
                    destructive!(),
                    approved!(),
                    r#"{"type":"ApprovalInvalidated","toolCallId":"d","approvalId":"ap","field":"argsDigest"}"#,
                    "\n",
                    dropped!(),
                    gone!()
                ),
            ),
        ]
    }
}

#[derive(Default)]
struct Watching {
    /// The approvals of calls that are not over.
    asked: HashMap<String, Vec<String>>,
    requests: HashMap<String, (Terms, Proof)>,
    granted: HashMap<String, (Terms, Proof)>,
    void: HashMap<String, Proof>,
    used: HashSet<String>,
}

#[derive(PartialEq)]
struct Terms {
    args: String,
    scopes: Vec<String>,
    risk: String,
    expires_at: String,
}

impl Terms {
    fn of(event: &Event) -> Self {
        let mut scopes: Vec<String> =
            texts(event.list("scopes")).into_iter().map(ToOwned::to_owned).collect();
        scopes.sort();
        let within = event.get("request").and_then(|r| r.get("expiresAt")).and_then(Value::as_str);
        Self {
            args: event.text("argsDigest").to_owned(),
            scopes,
            risk: event.text("riskLevel").to_owned(),
            expires_at: within.unwrap_or(event.text("expiresAt")).to_owned(),
        }
    }

    /// The first thing in which what follows differs.
    fn difference(&self, later: &Self) -> Option<&'static str> {
        let rows = [
            ("the arguments", self.args != later.args),
            ("the scopes", self.scopes != later.scopes),
            ("the risk", self.risk != later.risk),
        ];
        rows.into_iter().find(|(_, differs)| *differs).map(|(what, _)| what)
    }
}

impl Watch for Watching {
    fn see(&mut self, event: &Event, _: &Known, notes: &mut Notes) {
        let approval = event.text("approvalId").to_owned();
        match event.kind() {
            "ApprovalRequested" => {
                self.asked.entry(event.call().to_owned()).or_default().push(approval.clone());
                self.requests.insert(approval, (Terms::of(event), event.into()));
            }
            "ApprovalGranted" => self.grant(approval, event, notes),
            "ApprovalInvalidated" | "ApprovalExpired" | "ApprovalDenied" => {
                self.void.insert(approval, event.into());
            }
            // That an approval was used is never forgotten; all else of it is over with its call.
            "TraceUpdated" | "ToolCallBlocked" => {
                for approval in self.asked.remove(event.call()).unwrap_or_default() {
                    self.requests.remove(&approval);
                    self.granted.remove(&approval);
                    self.void.remove(&approval);
                }
            }
            "ToolCallStarted" if !approval.is_empty() => self.start(&approval, event, notes),
            _ => {}
        }
    }
}

impl Watching {
    fn grant(&mut self, approval: String, event: &Event, notes: &mut Notes) {
        let (terms, proof) = (Terms::of(event), Proof::from(event));
        if let Some((asked, request)) = self.requests.get(&approval)
            && let Some(what) = asked.difference(&terms)
        {
            notes.violate(
                &AS_ASKED,
                format!("{what} of approval `{approval}` are not those that were asked about: the person saw something else"),
                &[request, &proof],
            );
        }
        self.granted.insert(approval, (terms, proof));
    }

    fn start(&mut self, approval: &str, event: &Event, notes: &mut Notes) {
        notes.exercise();
        let proof = Proof::from(event);
        let call = event.call();
        // That an approval exists at all is invariant 5's.
        let Some((terms, granted)) = self.granted.get(approval) else {
            if self.used.contains(approval) {
                let sentence =
                    format!("approval `{approval}` is used again after its call: one yes is for one call");
                notes.violate(&USED_ONCE, sentence, &[&proof]);
            }
            return;
        };
        if let Some(what) = terms.difference(&Terms::of(event)) {
            notes.violate(
                &AS_APPROVED,
                format!(
                    "{what} of call `{call}` are not those that were approved: the yes was to something else"
                ),
                &[granted, &proof],
            );
        } else if !terms.expires_at.is_empty() && event.text("ts") >= terms.expires_at.as_str() {
            notes.violate(
                &IN_TIME,
                format!(
                    "call `{call}` starts after its approval expired at {}: the yes was for then",
                    terms.expires_at
                ),
                &[granted, &proof],
            );
        } else if let Some(void) = self.void.get(approval) {
            notes.violate(
                &NOT_VOID,
                format!("call `{call}` starts on an approval that is void: it was taken back before"),
                &[granted, void, &proof],
            );
        } else if event.count("attempt").unwrap_or_default() == 0 && !self.used.insert(approval.to_owned()) {
            let sentence = format!("approval `{approval}` is used a second time: one yes is for one call");
            notes.violate(&USED_ONCE, sentence, &[granted, &proof]);
        }
    }
}
