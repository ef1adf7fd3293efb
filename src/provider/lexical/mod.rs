//! The embedded model: no key, no network, the same answer every time.
//!
//! It ranks the offered tools by the words of their metadata against the newest user message, with the same
//! retrieval statistics as the manager's resolver, calls the best one if the evidence is good enough, and fills
//! its arguments by rules from the prompt and the input schema. A worse description really scores worse, so it
//! is a first smoke test of metadata for anybody. It is no language model: it follows no conversation, and it
//! proposes at most one call.
//!
//! It abstains in three cases: the evidence is below [`choice::THRESHOLD`], the prompt only talks
//! ([`talk`]), or the tool demands arguments and the prompt holds none of them, so that asking back is right.

mod arguments;
mod choice;
mod talk;

use super::{
    Attempt, Fault, Message, Provider, Reply, Request,
    open::{Kind, Opened},
};
use crate::run::AnswerOutcome;
use arguments::Parameters;
use choice::{Choice, choose};
use futures_util::future::{BoxFuture, FutureExt, ready};
use proofhouse_manager::{
    model::{Digest, ProposedArgs},
    plan::literal::pieces,
    registry::RegisteredTool,
    resolve::{
        bm25::{Document, Query},
        document,
    },
};
use std::{
    collections::HashMap,
    sync::{Arc, PoisonError, RwLock},
};

/// The one embedded model.
pub(super) const KIND: Kind = Kind {
    prefix: "lexical",
    takes: "",
    docs: "embedded, deterministic, no key: ranks the view's tools by the words of their metadata",
    wire: None,
    open: |_, _| Ok(Opened::Plain(Arc::new(Lexical::new()))),
};

/// The embedded lexical ranker.
#[derive(Debug, Default)]
pub struct Lexical {
    /// What was read of a tool, by the digest of its descriptor.
    known: RwLock<HashMap<Digest, Arc<Known>>>,
}

/// A tool, read once.
#[derive(Debug)]
struct Known {
    document: Document,
    parameters: Parameters,
}

/// Beyond this many tools what was read is forgotten, and read again when it is asked for.
const MAX_KNOWN: usize = 200_000;

impl Lexical {
    /// A ranker that has read no tool yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Answers a request; pure but for the memory of tools.
    pub fn answer(&self, request: &Request) -> Reply {
        let Some(prompt) = newest_user_message(&request.messages) else {
            return abstain("there is no user message");
        };
        let known = self.read(request.tools.iter().map(|t| &*t.tool));
        let choice = match choose(&Query::new(prompt), &known) {
            Choice::Tool(at) => at,
            Choice::None(why) => return abstain(&why),
        };
        let pieces = pieces(prompt);
        if let Some(why) = talk::only_talks(&pieces) {
            return abstain(why);
        }
        let filled = known[choice].parameters.fill(&pieces);
        if filled.asks_back() {
            return abstain(&format!(
                "`{}` needs more than the prompt says",
                request.tools[choice].tool.id()
            ));
        }
        let call = (request.tools[choice].wire_name.to_string(), ProposedArgs::Object(filled.arguments));
        Reply { outcome: AnswerOutcome::Called, calls: vec![call], ..words(None) }
    }

    fn read<'t>(&self, tools: impl Iterator<Item = &'t RegisteredTool>) -> Vec<Arc<Known>> {
        let mut missing = Vec::new();
        let mut found: Vec<Option<Arc<Known>>> = Vec::new();
        {
            // A panic while the lock was held can only have lost an entry.
            let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
            for (at, tool) in tools.enumerate() {
                let entry = known.get(tool.digest()).map(Arc::clone);
                if entry.is_none() {
                    missing.push((at, tool));
                }
                found.push(entry);
            }
        }
        if !missing.is_empty() {
            let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
            if known.len() + missing.len() > MAX_KNOWN {
                known.clear();
            }
            for (at, tool) in missing {
                let entry = known.entry(tool.digest().clone()).or_insert_with(|| Arc::new(Known::read(tool)));
                found[at] = Some(Arc::clone(entry));
            }
        }
        found.into_iter().flatten().collect()
    }
}

impl Known {
    fn read(tool: &RegisteredTool) -> Self {
        Self {
            document: document(tool),
            parameters: Parameters::read(&tool.descriptor().canonical_name, tool.input_schema()),
        }
    }
}

impl Provider for Lexical {
    fn name(&self) -> &str {
        "lexical"
    }

    fn label(&self) -> &'static str {
        "embedded lexical ranker: matches the words of tool metadata, no language model; says nothing about an LLM"
    }

    fn ask<'a>(&'a self, request: &'a Request, _: Attempt) -> BoxFuture<'a, Result<Reply, Fault>> {
        ready(Ok(self.answer(request))).boxed()
    }
}

fn newest_user_message(messages: &[Message]) -> Option<&str> {
    messages.iter().rev().find_map(|message| match message {
        Message::User(text) => Some(text.as_str()),
        Message::System(_) | Message::Assistant { .. } | Message::ToolResult { .. } => None,
    })
}

fn abstain(why: &str) -> Reply {
    words(Some(format!("No call: {why}.")))
}

fn words(text: Option<String>) -> Reply {
    Reply {
        outcome: AnswerOutcome::Abstained,
        text,
        calls: Vec::new(),
        usage: None,
        raw: None,
        recorded_latency: None,
    }
}

#[cfg(test)]
mod tests;

#[cfg(test)]
mod measured;
