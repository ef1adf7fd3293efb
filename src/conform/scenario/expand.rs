//! From steps as they are written to requests of the protocol.

use super::{
    kit,
    text::{CallText, Content, StepText},
};
use crate::conform::protocol::Method;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Who acts and answers in scenarios.
pub(super) const PERSON: &str = "user:conform";

/// One step.
#[derive(Debug, Clone)]
pub(super) enum Step {
    /// The manager is asked something.
    Ask(Ask),
    /// Files change behind its back.
    Write(BTreeMap<String, Content>),
}

/// A request.
#[derive(Debug, Clone)]
pub(super) struct Ask {
    pub(super) method: &'static str,
    pub(super) params: Value,
    /// Where the answer is remembered.
    pub(super) name: Option<String>,
    pub(super) purpose: Purpose,
}

/// What an answer is for.
#[derive(Debug, Clone)]
pub(super) enum Purpose {
    /// Without it the scenario has not come to its point.
    Setup,
    /// The same, where the call of that name has a question.
    Question(String),
    /// A conforming manager answers like this; if not, the sentence says what is wrong.
    Attempt {
        /// The pattern of the answer.
        expect: Value,
        /// The sentence.
        fault: String,
    },
    /// Any answer will do: the journal tells.
    Look,
}

impl Step {
    pub(super) fn method(&self) -> Option<&'static str> {
        match self {
            Self::Ask(ask) => Some(ask.method),
            Self::Write(_) => None,
        }
    }
}

/// Expands a step as it is written.
///
/// # Errors
/// What is wrong with it.
pub(super) fn expand(step: StepText) -> Result<Vec<Step>, String> {
    let StepText { method, with, name, expect, fault, ready, turn, call, write } = step;
    match (method, ready, turn, call, write) {
        (Some(method), None, None, None, None) => {
            let mut params = with.unwrap_or_else(|| json!({}));
            kit::fill(&mut params)?;
            let purpose = match (expect, fault) {
                (None, None) => Purpose::Look,
                (Some(expect), Some(fault)) => Purpose::Attempt { expect, fault },
                (Some(expect), None) if expect == json!({ "status": "ok" }) => Purpose::Setup,
                _ => return Err(format!("`{method}` needs both `expect` and `or`")),
            };
            Ok(vec![ask(&method, params, name, purpose)?])
        }
        (None, Some(tools), None, None, None) => {
            let steps: Result<Vec<_>, _> = tools.iter().map(|tool| ready_steps(tool)).collect();
            Ok(steps?.into_iter().flatten().collect())
        }
        (None, None, Some(prompt), None, None) => Ok(vec![
            ask("resolve", json!({ "prompt": prompt }), None, Purpose::Setup)?,
            ask("compileView", json!({}), Some("view".to_owned()), Purpose::Setup)?,
        ]),
        (None, None, None, Some(call), None) => call_steps(&call),
        (None, None, None, None, Some(files)) => Ok(vec![Step::Write(files)]),
        _ => Err("a step is one of `do`, `ready`, `turn`, `call` and `write`".to_owned()),
    }
}

fn ask(method: &str, params: Value, name: Option<String>, purpose: Purpose) -> Result<Step, String> {
    let known = Method::named(method).ok_or_else(|| format!("the protocol has no method `{method}`"))?;
    Ok(Step::Ask(Ask { method: known.name, params, name, purpose }))
}

fn ready_steps(id: &str) -> Result<Vec<Step>, String> {
    let tool = kit::tool(id)?;
    let tools: Vec<_> = tool.fixture().into_iter().collect();
    let evaluation = json!({ "golden": 5, "negative": 3, "passed": true });
    Ok(vec![
        ask("discover", json!({ "source": tool.source, "tools": tools }), None, Purpose::Setup)?,
        ask(
            "register",
            json!({ "toolId": id, "reviewedBy": PERSON, "evaluation": evaluation }),
            None,
            Purpose::Setup,
        )?,
        ask("enable", json!({ "toolId": id }), None, Purpose::Setup)?,
    ])
}

fn call_steps(call: &CallText) -> Result<Vec<Step>, String> {
    let CallText { tool, args, name, until } = call;
    let id = json!({ "callId": format!("${name}.callId") });
    let answer = json!({
        "callId": format!("${name}.callId"), "reply": "allow", "by": PERSON,
        "phrase": format!("${name}.approval.phrase?"),
    });
    let propose = json!({ "toolId": tool, "args": args });
    let road = [
        ("validateArgs", propose, Purpose::Setup),
        ("authorize", id.clone(), Purpose::Setup),
        ("approve", answer, Purpose::Question(name.clone())),
        ("prepareRuntime", id.clone(), Purpose::Setup),
        ("execute", id.clone(), Purpose::Setup),
        ("verify", id, Purpose::Setup),
    ];
    let end = road.iter().position(|(method, ..)| method == until);
    let end = end.ok_or_else(|| format!("a call does not come to `{until}`"))?;
    let steps = road.into_iter().take(end + 1);
    steps.map(|(method, params, purpose)| ask(method, params, Some(name.clone()), purpose)).collect()
}
