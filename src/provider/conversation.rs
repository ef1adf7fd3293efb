//! A conversation as it goes over the wire.
//!
//! Ids of calls are renumbered in order of appearance. They are ours, not the model's, and fresh in every
//! run; left as they are, no request of a second turn would ever equal its recording.

use super::{Message, Request};
use proofhouse_manager::model::ToolId;
use serde_json::{Value, json};
use std::{borrow::Cow, collections::BTreeMap};

/// Ids of calls as the model sees them.
pub(super) struct CallIds<'a>(BTreeMap<&'a str, String>);

impl<'a> CallIds<'a> {
    /// Numbers every call of a conversation.
    pub(super) fn of(messages: &'a [Message]) -> Self {
        let calls = messages.iter().flat_map(|message| match message {
            Message::Assistant { calls, .. } => calls.as_slice(),
            Message::System(_) | Message::User(_) | Message::ToolResult { .. } => &[],
        });
        Self(calls.zip(1..).map(|((id, ..), n): (_, u32)| (id.as_str(), format!("call_{n}"))).collect())
    }

    /// The id on the wire. One that names no call is kept, for the server to complain about.
    pub(super) fn get<'b>(&'b self, id: &'b str) -> &'b str {
        self.0.get(id).map_or(id, String::as_str)
    }
}

impl Request {
    /// The name that the model knows a tool by; a tool that is not offered gets a name that every provider
    /// accepts.
    pub(super) fn wire_name<'a>(&'a self, id: &'a str) -> Cow<'a, str> {
        match self.tools.iter().find(|offered| offered.tool.id().as_str() == id) {
            Some(offered) => Cow::Borrowed(&offered.wire_name),
            None => {
                let legal = |c: char| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' };
                Cow::Owned(id.chars().map(legal).take(64).collect())
            }
        }
    }

    /// The name for a call that is written down: the wire name of an offered tool's id, or as it stands.
    pub(super) fn called_name(&self, written: &str) -> String {
        let offered = self.tools.iter().find(|offered| offered.tool.id().as_str() == written);
        offered.map_or_else(|| written.to_owned(), |offered| offered.wire_name.to_string())
    }
}

/// What a tool answered, as text.
pub(super) fn result_text(content: &Value) -> Cow<'_, str> {
    match content {
        Value::String(text) => Cow::Borrowed(text),
        other => Cow::Owned(other.to_string()),
    }
}

/// Arguments as text: those that are no JSON go back as they came.
pub(super) fn arguments_text(args: &Value) -> Cow<'_, str> {
    result_text(args)
}

/// The conversation in the shape of chat completions, which is also the shape of recordings and of what a
/// command is given.
pub(super) fn chat_messages(request: &Request) -> Vec<Value> {
    let ids = CallIds::of(&request.messages);
    request.messages.iter().map(|message| chat_message(request, &ids, message)).collect()
}

fn chat_message(request: &Request, ids: &CallIds<'_>, message: &Message) -> Value {
    match message {
        Message::System(text) => json!({ "role": "system", "content": text }),
        Message::User(text) => json!({ "role": "user", "content": text }),
        Message::Assistant { text, calls } if calls.is_empty() => {
            json!({ "role": "assistant", "content": text.as_deref().unwrap_or("") })
        }
        Message::Assistant { text, calls } => {
            let calls: Vec<Value> = calls.iter().map(|call| chat_call(request, ids, call)).collect();
            json!({ "role": "assistant", "content": text, "tool_calls": calls })
        }
        Message::ToolResult { call, content } => {
            json!({ "role": "tool", "tool_call_id": ids.get(call), "content": result_text(content) })
        }
    }
}

fn chat_call(request: &Request, ids: &CallIds<'_>, (id, tool, args): &(String, ToolId, Value)) -> Value {
    json!({
        "id": ids.get(id),
        "type": "function",
        "function": { "name": request.wire_name(tool), "arguments": arguments_text(args) },
    })
}
