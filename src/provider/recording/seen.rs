//! What a model sees of a request, and the key that follows from it.

use crate::provider::{
    Request,
    conversation::chat_messages,
    settings::Params,
    wire::{Identity, Payload, digest},
};
use proofhouse_manager::model::{Digest, Domain};
use serde_json::{Value, json};
use std::sync::Arc;

/// Everything that a model sees of one request.
pub(in crate::provider) struct Seen {
    /// The conversation, in the shape of chat completions.
    pub(super) messages: Value,
    /// Its digest.
    pub(super) messages_digest: Digest,
    /// The tools, compiled, in order.
    pub(super) payloads: Vec<Arc<Payload>>,
    repeat: u32,
}

impl Seen {
    /// Compiles a request.
    pub(in crate::provider) fn of(identity: &Identity, request: &Request) -> Self {
        let messages = Value::Array(chat_messages(request));
        let messages_digest = digest(Domain::Request, &messages);
        Self { messages, messages_digest, payloads: identity.payloads(request), repeat: request.trial.repeat }
    }

    /// The key of the answer that a model with these parameters gives. The server is not part of it: the same
    /// model behind another port has the same recordings.
    pub(in crate::provider) fn key(&self, identity: &Identity, params: &Params) -> Digest {
        let tools: Vec<&Digest> = self.payloads.iter().map(|payload| &payload.digest).collect();
        let all = json!({
            "provider": identity.wire.kind(),
            "model": identity.model,
            "params": params,
            "messages": self.messages_digest,
            "tools": tools,
            "trial": self.repeat,
        });
        digest(Domain::Request, &all)
    }
}
