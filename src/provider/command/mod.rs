//! `command:` — any program that reads a request on standard input and answers on standard output.
//!
//! The request is one JSON document:
//!
//! ```json
//! { "format": 1,
//!   "trial": { "suite": "…", "model": "…", "distractors": 0, "case": "…", "repeat": 0 }, "turn": 0,
//!   "params": { "temperature": 0.0, "seed": 1, "maxTokens": 256 },
//!   "messages": [{ "role": "user", "content": "…" }],
//!   "tools": [{ "type": "function", "function": { "name": "npm_test", "parameters": {} }, "id": "npm.test" }] }
//! ```
//!
//! The answer is either `{"calls": [{"tool": …, "args": {…}}], "text": …, "refusal": …, "truncated": …,
//! "usage": {"input": …, "output": …}}` with tools by `id` or `name`, or what chat completions would answer.
//! At least one of `calls`, `text` and `refusal` must be there, and nothing unknown: a program with a typo must
//! not pass for a model that abstains.

mod answer;
mod process;

use super::{
    Attempt, Fault, Provider, Reply, Request, RequestTool,
    conversation::chat_messages,
    http::json,
    open::{Kind, ModelError, Opened},
    redact::Redactor,
    settings::ProviderSettings,
    wire::{Identity, Recordable, Wire},
};
use futures_util::future::BoxFuture;
use proofhouse_manager::resolve::payload::{CompiledTool, Dialect};
use serde_json::{Value, json};
use std::sync::Arc;

/// Models that are programs.
pub(super) const KIND: Kind = Kind {
    prefix: "command",
    takes: "PROGRAM [ARGUMENT…]",
    docs: "any program that reads the request as JSON on standard input and answers in JSON",
    wire: Some(&Command),
    open,
};

fn open(line: &str, settings: &ProviderSettings) -> Result<Opened, ModelError> {
    let words = shlex::split(line).filter(|words| words.first().is_some_and(|word| !word.is_empty()));
    let words = words.ok_or_else(|| ModelError::Command(line.to_owned()))?;
    let identity = Identity::new(&Command, line.to_owned(), settings.params, None);
    let redactor = Redactor::new(&settings.env);
    // A key on a command line is the user's own doing; it still is not shown.
    let name = redactor.redact(identity.name());
    Ok(Opened::Recordable(Arc::new(CommandModel { name, identity, words, redactor })))
}

/// A model that is a program.
struct CommandModel {
    name: String,
    identity: Identity,
    words: Vec<String>,
    redactor: Redactor,
}

impl Recordable for CommandModel {
    fn identity(&self) -> &Identity {
        &self.identity
    }
}

impl Provider for CommandModel {
    fn name(&self) -> &str {
        &self.name
    }

    fn label(&self) -> &'static str {
        "a program of the user's"
    }

    fn ask<'a>(&'a self, request: &'a Request, _: Attempt) -> BoxFuture<'a, Result<Reply, Fault>> {
        Box::pin(async move {
            let output = process::run(&self.words, self.body(request).to_string(), &self.redactor).await?;
            let raw = json(&self.redactor.redact(output))?;
            let reply = Command.parse(&raw, request)?;
            Ok(Reply { raw: Some(raw), ..reply })
        })
    }
}

impl CommandModel {
    fn body(&self, request: &Request) -> Value {
        let tools: Vec<Value> = self.identity.payloads(request).iter().map(|p| p.value.clone()).collect();
        json!({
            "format": 1,
            "trial": request.trial,
            "turn": request.turn,
            "params": self.identity.params,
            "messages": chat_messages(request),
            "tools": tools,
        })
    }
}

/// The format of a command.
struct Command;

impl Wire for Command {
    fn kind(&self) -> &'static str {
        "command"
    }

    fn dialect(&self) -> Dialect {
        Dialect::OpenAi
    }

    /// As in chat completions, with the canonical id beside it.
    fn tool(&self, tool: &RequestTool) -> CompiledTool {
        let mut compiled = self.dialect().tool(&tool.tool, &tool.wire_name);
        if let Value::Object(payload) = &mut compiled.payload {
            payload.insert("id".into(), json!(compiled.tool));
        }
        compiled
    }

    fn parse(&self, raw: &Value, request: &Request) -> Result<Reply, Fault> {
        answer::read(raw, request)
    }
}

#[cfg(test)]
mod tests;
