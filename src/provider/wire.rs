//! What a recording needs to know of a provider: how a tool looks to it, and how its raw answer is read.
//!
//! A replayed answer goes through the very parser that read it when it was live, so a better parser
//! re-scores old recordings without asking anybody.

use super::{Fault, Provider, Reply, Request, RequestTool, settings::Params};
use proofhouse_manager::{
    model::{Digest, Domain, ToolId, digest_value},
    resolve::payload::{CompiledTool, Dialect, payload_digest},
};
use serde_json::Value;
use std::{
    collections::HashMap,
    sync::{Arc, PoisonError, RwLock},
};

/// One format on the wire.
pub trait Wire: Send + Sync {
    /// The provider's prefix in a model's name.
    fn kind(&self) -> &'static str;

    /// Whose rules its tool names and schemas follow.
    fn dialect(&self) -> Dialect;

    /// A tool as the model is shown it.
    fn tool(&self, tool: &RequestTool) -> CompiledTool {
        self.dialect().tool(&tool.tool, &tool.wire_name)
    }

    /// Reads a raw answer; the reply does not hold it.
    ///
    /// # Errors
    /// [`Fault::Protocol`] if it is not in the format, or the fault that the answer reports.
    fn parse(&self, raw: &Value, request: &Request) -> Result<Reply, Fault>;
}

/// A provider whose answers can be recorded.
pub trait Recordable: Provider {
    /// What its recordings are filed under.
    fn identity(&self) -> &Identity;
}

/// Who answers: everything of a recording's key that is not in the request.
pub struct Identity {
    /// The format.
    pub wire: &'static dyn Wire,
    /// The model, as the provider knows it.
    pub model: String,
    /// How it samples.
    pub params: Params,
    /// The server, where it is not the provider's own.
    pub endpoint: Option<String>,
    payloads: Payloads,
}

impl Identity {
    /// Names who answers.
    pub fn new(wire: &'static dyn Wire, model: String, params: Params, endpoint: Option<String>) -> Self {
        Self { wire, model, params, endpoint, payloads: Payloads::default() }
    }

    /// The name in reports. The server is left out: a port would make every run another model's.
    pub fn name(&self) -> String {
        format!("{}:{}", self.wire.kind(), self.model)
    }

    /// The request's tools as the model is shown them, in order.
    pub fn payloads(&self, request: &Request) -> Vec<Arc<Payload>> {
        request.tools.iter().map(|tool| self.payloads.of(self.wire, tool)).collect()
    }
}

/// A tool, compiled for a provider.
#[derive(Debug)]
pub struct Payload {
    /// The tool.
    pub tool: ToolId,
    /// Digest of `value`, over its bytes: a model reads properties in their order.
    pub digest: Digest,
    /// What goes over the wire.
    pub value: Value,
}

/// Compiled tools. A suite offers the same few over and over, and compiling and hashing one costs more than
/// all the rest of a cached answer. Only ever looked up, so the map's order shows nowhere.
#[derive(Default)]
struct Payloads(RwLock<HashMap<Offer, Arc<Payload>>>);

/// A descriptor's digest, and the name that the tool goes by.
type Offer = (Digest, Arc<str>);

impl Payloads {
    fn of(&self, wire: &dyn Wire, tool: &RequestTool) -> Arc<Payload> {
        let key = (tool.tool.digest().clone(), Arc::clone(&tool.wire_name));
        if let Some(payload) = self.0.read().unwrap_or_else(PoisonError::into_inner).get(&key) {
            return Arc::clone(payload);
        }
        let compiled = wire.tool(tool);
        let digest = payload_digest(&compiled);
        let payload = Arc::new(Payload { tool: compiled.tool, digest, value: compiled.payload });
        self.0.write().unwrap_or_else(PoisonError::into_inner).insert(key, Arc::clone(&payload));
        payload
    }
}

/// The digest of JSON from outside. A value with an integer that canonical JSON would round is hashed by its
/// own text instead, so that no two numbers share a digest.
pub(super) fn digest(domain: Domain, value: &Value) -> Digest {
    digest_value(domain, value).unwrap_or_else(|_| Digest::of_bytes(domain, value.to_string().as_bytes()))
}
