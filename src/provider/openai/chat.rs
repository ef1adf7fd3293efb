//! `openai:` — the chat completions API.

use super::{BASE, OpenAi, TAKES};
use crate::provider::{
    Attempt, Fault, Provider, Reply, Request,
    address::Address,
    answer::{Answer, End, usage},
    conversation::chat_messages,
    http::error_in_answer,
    open::{Kind, ModelError, Opened},
    settings::ProviderSettings,
    wire::{Identity, Recordable, Wire},
};
use futures_util::future::BoxFuture;
use proofhouse_manager::resolve::payload::Dialect;
use serde::Serialize;
use serde_json::Value;
use std::sync::Arc;

/// Models behind chat completions.
pub(in crate::provider) const KIND: Kind = Kind {
    prefix: "openai",
    takes: TAKES,
    docs: "any OpenAI-compatible endpoint, by chat completions; the key comes from OPENAI_API_KEY",
    wire: Some(&Chat),
    open,
};

fn open(model: &str, settings: &ProviderSettings) -> Result<Opened, ModelError> {
    let address = Address::parse(model, BASE)?;
    let client = OpenAi::new(&address, settings)?;
    let endpoint = address.endpoint();
    let identity = Identity::new(&Chat, address.model, settings.params, endpoint);
    Ok(Opened::Recordable(Arc::new(ChatModel { name: identity.name(), identity, client })))
}

/// A model behind chat completions.
struct ChatModel {
    name: String,
    identity: Identity,
    client: OpenAi,
}

impl Recordable for ChatModel {
    fn identity(&self) -> &Identity {
        &self.identity
    }
}

impl Provider for ChatModel {
    fn name(&self) -> &str {
        &self.name
    }

    fn label(&self) -> &'static str {
        "a live model"
    }

    fn ask<'a>(&'a self, request: &'a Request, _: Attempt) -> BoxFuture<'a, Result<Reply, Fault>> {
        Box::pin(async move {
            let payloads = self.identity.payloads(request);
            let tools = payloads.iter().map(|payload| &payload.value).collect();
            let raw = self.client.chat(self.body(request, tools)).await?;
            let reply = Chat.parse(&raw, request)?;
            Ok(Reply { raw: Some(raw), ..reply })
        })
    }
}

impl ChatModel {
    fn body<'a>(&'a self, request: &Request, tools: Vec<&'a Value>) -> Body<'a> {
        let params = self.identity.params;
        // OpenAI's newer models refuse the old name, and most compatible servers know no other.
        let (old, new) = match self.identity.endpoint {
            Some(_) => (params.max_tokens, None),
            None => (None, params.max_tokens),
        };
        Body {
            model: &self.identity.model,
            messages: chat_messages(request),
            tools,
            temperature: params.temperature,
            seed: params.seed,
            max_tokens: old,
            max_completion_tokens: new,
        }
    }
}

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    messages: Vec<Value>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<&'a Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    seed: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_completion_tokens: Option<u32>,
}

/// The format of chat completions.
pub(in crate::provider) struct Chat;

impl Wire for Chat {
    fn kind(&self) -> &'static str {
        "openai"
    }

    fn dialect(&self) -> Dialect {
        Dialect::OpenAi
    }

    fn parse(&self, raw: &Value, _: &Request) -> Result<Reply, Fault> {
        let choice = raw.get("choices").and_then(|choices| choices.get(0));
        let Some(message) = choice.and_then(|choice| choice.get("message")).filter(|m| m.is_object()) else {
            return Err(error_in_answer(raw)
                .unwrap_or_else(|| Fault::Protocol("there is no `choices[0].message`".into())));
        };
        let mut answer =
            Answer { end: end(choice.and_then(|c| c.get("finish_reason"))), ..Answer::default() };
        read_message(message, &mut answer);
        Ok(answer.reply(usage(raw)))
    }
}

fn end(reason: Option<&Value>) -> End {
    match reason.and_then(Value::as_str) {
        Some("tool_calls" | "function_call") => End::ToCall,
        Some("length") => End::CutOff,
        Some("content_filter") => End::Refused,
        _ => End::Done,
    }
}

/// Reads an assistant's message: also that of a command which answers in this shape.
pub(in crate::provider) fn read_message(message: &Value, answer: &mut Answer) {
    read_content(message.get("content"), answer);
    answer.refuse(message.get("refusal"));
    match message.get("tool_calls") {
        None | Some(Value::Null) => {}
        Some(Value::Array(calls)) => calls.iter().for_each(|call| read_call(call, answer)),
        Some(call) => read_call(call, answer),
    }
    // What came before `tool_calls`; some servers send both, with the same call in it.
    if let Some(call) = message.get("function_call").filter(|call| !call.is_null() && answer.calls.is_empty())
    {
        read_call(call, answer);
    }
}

fn read_content(content: Option<&Value>, answer: &mut Answer) {
    match content {
        Some(Value::String(text)) => answer.say(text),
        Some(Value::Array(parts)) => {
            for part in parts {
                answer.say(part.get("text").or(Some(part)).and_then(Value::as_str).unwrap_or(""));
                answer.refuse(part.get("refusal"));
            }
        }
        _ => {}
    }
}

/// A call, with its function inside, flat, or as a custom tool's free text.
fn read_call(call: &Value, answer: &mut Answer) {
    let inner = call.get("function").or_else(|| call.get("custom")).unwrap_or(call);
    answer.call(inner.get("name"), inner.get("arguments").or_else(|| inner.get("input")));
}
