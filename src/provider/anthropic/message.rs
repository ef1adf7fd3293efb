//! A request in the Messages API's shape: the system prompt apart, results as the user's blocks.

use crate::provider::{
    Message, Request,
    conversation::{CallIds, result_text},
    wire::Identity,
};
use proofhouse_manager::model::ToolId;
use serde::Serialize;
use serde_json::{Value, json};

/// The body of a request.
#[derive(Serialize)]
pub(super) struct Body<'a> {
    model: &'a str,
    max_tokens: Option<u32>,
    #[serde(skip_serializing_if = "String::is_empty")]
    system: String,
    messages: Vec<Turn>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<&'a Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f64>,
}

/// One side's blocks, until the other side speaks.
#[derive(Serialize)]
struct Turn {
    role: &'static str,
    content: Vec<Value>,
}

/// Writes a request.
pub(super) fn body<'a>(identity: &'a Identity, request: &Request, tools: Vec<&'a Value>) -> Body<'a> {
    Body {
        model: &identity.model,
        max_tokens: identity.params.max_tokens,
        system: system(&request.messages),
        messages: turns(request),
        tools,
        temperature: identity.params.temperature,
    }
}

fn system(messages: &[Message]) -> String {
    let texts = messages.iter().filter_map(|message| match message {
        Message::System(text) => Some(text.as_str()),
        Message::User(_) | Message::Assistant { .. } | Message::ToolResult { .. } => None,
    });
    texts.collect::<Vec<_>>().join("\n\n")
}

/// The two sides in turn: all results of a turn must stand in the one message after its calls.
fn turns(request: &Request) -> Vec<Turn> {
    let ids = CallIds::of(&request.messages);
    let mut turns: Vec<Turn> = Vec::new();
    for message in &request.messages {
        let Some((role, blocks)) = blocks(request, &ids, message) else { continue };
        match turns.last_mut().filter(|turn| turn.role == role) {
            Some(turn) => turn.content.extend(blocks),
            None => turns.push(Turn { role, content: blocks }),
        }
    }
    turns
}

fn blocks(request: &Request, ids: &CallIds<'_>, message: &Message) -> Option<(&'static str, Vec<Value>)> {
    match message {
        Message::System(_) => None,
        Message::User(text) => Some(("user", vec![json!({ "type": "text", "text": text })])),
        Message::Assistant { text, calls } => {
            // An empty block is refused.
            let words = text.iter().filter(|text| !text.trim().is_empty());
            let words = words.map(|text| json!({ "type": "text", "text": text }));
            let calls = calls.iter().map(|call| tool_use(request, ids, call));
            let blocks: Vec<Value> = words.chain(calls).collect();
            (!blocks.is_empty()).then_some(("assistant", blocks))
        }
        Message::ToolResult { call, content } => {
            let result = json!({ "type": "tool_result", "tool_use_id": ids.get(call), "content": result_text(content) });
            Some(("user", vec![result]))
        }
    }
}

fn tool_use(request: &Request, ids: &CallIds<'_>, (id, tool, args): &(String, ToolId, Value)) -> Value {
    // `input` must be an object; anything else that a model once sent can only go back wrapped.
    let input = if args.is_object() { args.clone() } else { json!({ "arguments": args }) };
    json!({ "type": "tool_use", "id": ids.get(id), "name": request.wire_name(tool), "input": input })
}
