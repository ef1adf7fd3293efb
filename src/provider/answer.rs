//! Reading an answer's parts: what all wire formats have in common.

use super::Reply;
use crate::run::{AnswerOutcome, TokenUsage};
use proofhouse_manager::model::ProposedArgs;
use serde_json::{Map, Value};

/// An answer while it is being read.
#[derive(Debug, Default)]
pub(super) struct Answer {
    /// Its words, in pieces.
    pub(super) text: Vec<String>,
    /// Its refusal, in the field that the API has for it.
    pub(super) refusal: Option<String>,
    /// The calls that can be read.
    pub(super) calls: Vec<(String, ProposedArgs)>,
    /// Whether there is a call whose structure cannot be read.
    pub(super) broken_call: bool,
    /// What the server says about its end.
    pub(super) end: End,
}

/// Why a model stopped, as far as it says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum End {
    /// It was done, or says nothing that we know.
    #[default]
    Done,
    /// It stopped in order to call something.
    ToCall,
    /// It ran out of room.
    CutOff,
    /// It, or a filter before it, declined.
    Refused,
}

impl Answer {
    /// Adds a call, if it has a name.
    pub(super) fn call(&mut self, name: Option<&Value>, args: Option<&Value>) {
        match name.and_then(Value::as_str).filter(|name| !name.is_empty()) {
            Some(name) => self.calls.push((name.to_owned(), arguments(args))),
            None => self.broken_call = true,
        }
    }

    /// Adds words.
    pub(super) fn say(&mut self, text: &str) {
        if !text.is_empty() {
            self.text.push(text.to_owned());
        }
    }

    /// Adds what stands in a refusal field; an empty one is none.
    pub(super) fn refuse(&mut self, refusal: Option<&Value>) {
        if let Some(text) = refusal.and_then(Value::as_str).filter(|text| !text.is_empty()) {
            self.refusal.get_or_insert_default().push_str(text);
        }
    }

    /// What the model did. Only what the API says counts as refusing; words are not guessed at.
    fn outcome(&self) -> AnswerOutcome {
        let called = !self.calls.is_empty();
        if self.end == End::CutOff {
            AnswerOutcome::Truncated
        } else if self.broken_call || (self.end == End::ToCall && !called) {
            AnswerOutcome::Unparsable
        } else if called {
            AnswerOutcome::Called
        } else if self.end == End::Refused || self.refusal.is_some() {
            AnswerOutcome::Refused
        } else {
            AnswerOutcome::Abstained
        }
    }

    /// The reply, without the raw answer.
    pub(super) fn reply(mut self, usage: Option<TokenUsage>) -> Reply {
        let outcome = self.outcome();
        self.text.extend(self.refusal.take());
        let text = (!self.text.is_empty()).then(|| self.text.join("\n"));
        Reply { outcome, text, calls: self.calls, usage, raw: None, recorded_latency: None }
    }
}

/// Arguments as text or as JSON; none at all are an empty object.
fn arguments(args: Option<&Value>) -> ProposedArgs {
    match args {
        None | Some(Value::Null) => ProposedArgs::Object(Map::new()),
        Some(Value::String(text)) => ProposedArgs::from_text(text),
        Some(value) => ProposedArgs::from_value(value.clone()),
    }
}

/// Tokens, by whichever names the server counts them.
pub(super) fn usage(raw: &Value) -> Option<TokenUsage> {
    let usage = raw.get("usage")?;
    let count = |names: [&str; 2]| names.iter().find_map(|name| usage.get(name)?.as_u64());
    let input = count(["prompt_tokens", "input_tokens"])?;
    Some(TokenUsage { input, output: count(["completion_tokens", "output_tokens"]).unwrap_or(0) })
}
