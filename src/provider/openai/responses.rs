//! `openai-responses:` — the responses API.

use super::{BASE, OpenAi, TAKES};
use crate::provider::{
    Attempt, Fault, Message, Provider, Reply, Request,
    address::Address,
    answer::{Answer, End, usage},
    conversation::{CallIds, arguments_text, result_text},
    http::error_in_answer,
    open::{Kind, ModelError, Opened},
    settings::{Params, ProviderSettings},
    wire::{Identity, Recordable, Wire},
};
use futures_util::future::BoxFuture;
use proofhouse_manager::resolve::payload::Dialect;
use serde::Serialize;
use serde_json::{Value, json};
use std::sync::Arc;

/// Models behind the responses API.
pub(in crate::provider) const KIND: Kind = Kind {
    prefix: "openai-responses",
    takes: TAKES,
    docs: "the same by the responses API",
    wire: Some(&Responses),
    open,
};

fn open(model: &str, settings: &ProviderSettings) -> Result<Opened, ModelError> {
    let address = Address::parse(model, BASE)?;
    let client = OpenAi::new(&address, settings)?;
    let endpoint = address.endpoint();
    let params = Params { seed: None, ..settings.params };
    let seed_dropped = settings.params.seed.is_some();
    let identity = Identity::new(&Responses, address.model, params, endpoint);
    Ok(Opened::Recordable(Arc::new(ResponsesModel { name: identity.name(), identity, client, seed_dropped })))
}

/// A model behind the responses API.
struct ResponsesModel {
    name: String,
    identity: Identity,
    client: OpenAi,
    seed_dropped: bool,
}

impl Recordable for ResponsesModel {
    fn identity(&self) -> &Identity {
        &self.identity
    }
}

impl Provider for ResponsesModel {
    fn name(&self) -> &str {
        &self.name
    }

    fn label(&self) -> &'static str {
        "a live model"
    }

    fn dialect(&self) -> Dialect {
        Dialect::OpenAiResponses
    }

    fn notes(&self, _: &[&str]) -> Vec<String> {
        let note = || "the seed is not sent: the responses API takes none".to_owned();
        self.seed_dropped.then(note).into_iter().collect()
    }

    fn ask<'a>(&'a self, request: &'a Request, _: Attempt) -> BoxFuture<'a, Result<Reply, Fault>> {
        Box::pin(async move {
            let payloads = self.identity.payloads(request);
            let body = Body {
                model: &self.identity.model,
                input: input(request),
                tools: payloads.iter().map(|payload| &payload.value).collect(),
                store: false,
                temperature: self.identity.params.temperature,
                max_output_tokens: self.identity.params.max_tokens,
            };
            let raw = self.client.respond(body).await?;
            let reply = Responses.parse(&raw, request)?;
            Ok(Reply { raw: Some(raw), ..reply })
        })
    }
}

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    input: Vec<Value>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<&'a Value>,
    /// Nothing of an evaluation is to stay on the server.
    store: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_output_tokens: Option<u32>,
}

fn input(request: &Request) -> Vec<Value> {
    let ids = CallIds::of(&request.messages);
    request.messages.iter().flat_map(|message| items(request, &ids, message)).collect()
}

fn items(request: &Request, ids: &CallIds<'_>, message: &Message) -> Vec<Value> {
    match message {
        Message::System(text) => vec![json!({ "role": "system", "content": text })],
        Message::User(text) => vec![json!({ "role": "user", "content": text })],
        Message::Assistant { text, calls } => {
            let words = text.iter().map(|text| json!({ "role": "assistant", "content": text }));
            let calls = calls.iter().map(|(id, tool, args)| {
                json!({
                    "type": "function_call",
                    "call_id": ids.get(id),
                    "name": request.wire_name(tool),
                    "arguments": arguments_text(args),
                })
            });
            words.chain(calls).collect()
        }
        Message::ToolResult { call, content } => vec![json!({
            "type": "function_call_output",
            "call_id": ids.get(call),
            "output": result_text(content),
        })],
    }
}

/// The format of the responses API.
struct Responses;

impl Wire for Responses {
    fn kind(&self) -> &'static str {
        "openai-responses"
    }

    fn dialect(&self) -> Dialect {
        Dialect::OpenAiResponses
    }

    fn parse(&self, raw: &Value, _: &Request) -> Result<Reply, Fault> {
        if let Some(fault) = error_in_answer(raw) {
            return Err(fault);
        }
        let Some(output) = raw.get("output").and_then(Value::as_array) else {
            return Err(Fault::Protocol("there is no `output`".into()));
        };
        let mut answer = Answer { end: end(raw), ..Answer::default() };
        output.iter().for_each(|item| read_item(item, &mut answer));
        Ok(answer.reply(usage(raw)))
    }
}

fn end(raw: &Value) -> End {
    let reason = raw.pointer("/incomplete_details/reason").and_then(Value::as_str);
    match (raw.get("status").and_then(Value::as_str), reason) {
        (_, Some("content_filter")) => End::Refused,
        (Some("incomplete"), _) | (_, Some("max_output_tokens")) => End::CutOff,
        _ => End::Done,
    }
}

fn read_item(item: &Value, answer: &mut Answer) {
    match item.get("type").and_then(Value::as_str) {
        Some("function_call") => answer.call(item.get("name"), item.get("arguments")),
        Some("custom_tool_call") => answer.call(item.get("name"), item.get("input")),
        Some("message") => {
            let parts = item.get("content").and_then(Value::as_array);
            for part in parts.into_iter().flatten() {
                answer.say(part.get("text").and_then(Value::as_str).unwrap_or(""));
                answer.refuse(part.get("refusal"));
            }
        }
        // Reasoning, and whatever else comes: nothing that the model says or does.
        _ => {}
    }
}
