//! What a program answers.

use crate::{
    provider::{
        Fault, Reply, Request,
        answer::Answer,
        http::{error_in_answer, error_message},
        openai::chat::{Chat, read_message},
        wire::Wire,
    },
    run::{AnswerOutcome, TokenUsage},
};
use proofhouse_manager::model::ProposedArgs;
use serde::Deserialize;
use serde_json::{Map, Value};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Plain {
    calls: Option<Vec<Call>>,
    text: Option<String>,
    refusal: Option<String>,
    #[serde(default)]
    truncated: bool,
    usage: Option<TokenUsage>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Call {
    tool: String,
    #[serde(default)]
    args: Value,
}

/// Reads an answer in any of its shapes: a chat completion, a message of one, or our own.
pub(super) fn read(raw: &Value, request: &Request) -> Result<Reply, Fault> {
    if raw.get("choices").is_some() {
        return Chat.parse(raw, request);
    }
    if raw.get("error").is_some() {
        return Err(reported(raw));
    }
    if raw.get("role").is_some() || raw.get("tool_calls").is_some() || raw.get("content").is_some() {
        let mut answer = Answer::default();
        read_message(raw, &mut answer);
        return Ok(answer.reply(super::super::answer::usage(raw)));
    }
    let plain = Plain::deserialize(raw).map_err(|e| Fault::Protocol(e.to_string()))?;
    if plain.calls.is_none() && plain.text.is_none() && plain.refusal.is_none() {
        return Err(Fault::Protocol("there is none of `calls`, `text` and `refusal`".into()));
    }
    Ok(plain.reply(request))
}

/// What a program says went wrong.
fn reported(raw: &Value) -> Fault {
    let message = || error_message(raw).unwrap_or_else(|| raw.to_string());
    match error_in_answer(raw) {
        Some(fault @ Fault::Status { .. }) => fault,
        _ => {
            Fault::Setup(format!("the program reports an error: {}", crate::provider::http::cut(&message())))
        }
    }
}

impl Plain {
    fn reply(self, request: &Request) -> Reply {
        let calls: Vec<_> =
            self.calls.unwrap_or_default().into_iter().map(|call| call.proposed(request)).collect();
        let outcome = match (self.truncated, calls.is_empty(), &self.refusal) {
            (true, ..) => AnswerOutcome::Truncated,
            (false, false, _) => AnswerOutcome::Called,
            (false, true, Some(_)) => AnswerOutcome::Refused,
            (false, true, None) => AnswerOutcome::Abstained,
        };
        let text = self.text.or(self.refusal);
        Reply { outcome, text, calls, usage: self.usage, raw: None, recorded_latency: None }
    }
}

impl Call {
    /// The call by wire name. Arguments that came as text are what a model wrote, and may be no JSON.
    fn proposed(self, request: &Request) -> (String, ProposedArgs) {
        let args = match self.args {
            Value::Null => ProposedArgs::Object(Map::new()),
            Value::String(text) => ProposedArgs::from_text(&text),
            value => ProposedArgs::from_value(value),
        };
        (request.called_name(&self.tool), args)
    }
}
