//! `anthropic:` — the Messages API, by our own types: there is no official crate.

mod message;

use super::{
    Attempt, Fault, Provider, Reply, Request,
    address::Address,
    answer::{Answer, End, usage},
    http::{Http, error_in_answer, json},
    open::{Kind, ModelError, Opened},
    redact::{ANTHROPIC_API_KEY, key},
    settings::{Params, ProviderSettings},
    wire::{Identity, Recordable, Wire},
};
use futures_util::future::BoxFuture;
use proofhouse_manager::resolve::payload::Dialect;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use serde_json::Value;
use std::sync::Arc;

/// Models behind the Messages API.
pub(super) const KIND: Kind = Kind {
    prefix: "anthropic",
    takes: "MODEL[@BASE_URL]",
    docs: "the Messages API; the key comes from ANTHROPIC_API_KEY",
    wire: Some(&Messages),
    open,
};

const BASE: &str = "https://api.anthropic.com";
const VERSION: &str = "2023-06-01";
/// The API demands a bound; ample for a few calls and a sentence.
const MAX_TOKENS: u32 = 4096;

fn open(model: &str, settings: &ProviderSettings) -> Result<Opened, ModelError> {
    let address = Address::parse(model, BASE)?;
    let http = Http::new(&address, settings)?;
    let headers = headers(&address, settings)?;
    // A base URL with and one without the version are both in use.
    let path = if address.url("").ends_with("/v1") { "/messages" } else { "/v1/messages" };
    let (url, endpoint) = (address.url(path), address.endpoint());
    let max_tokens = settings.params.max_tokens.or(Some(MAX_TOKENS));
    let params = Params { seed: None, max_tokens, ..settings.params };
    let identity = Identity::new(&Messages, address.model, params, endpoint);
    let seed_dropped = settings.params.seed.is_some();
    let model = AnthropicModel { name: identity.name(), identity, http, headers, url, seed_dropped };
    Ok(Opened::Recordable(Arc::new(model)))
}

/// Version and key; the key is sent over TLS or within this machine, and nowhere else.
fn headers(address: &Address, settings: &ProviderSettings) -> Result<HeaderMap, ModelError> {
    let unusable = |problem| ModelError::Key {
        variable: ANTHROPIC_API_KEY,
        problem,
        usage: "`anthropic:MODEL@http://127.0.0.1:PORT`",
    };
    let version = HeaderName::from_static("anthropic-version");
    let mut headers = HeaderMap::from_iter([(version, HeaderValue::from_static(VERSION))]);
    match key(&settings.env, ANTHROPIC_API_KEY).filter(|_| address.is_private()) {
        Some(key) => {
            let mut value = HeaderValue::from_str(key.expose())
                .map_err(|_| unusable("holds characters that no key has"))?;
            value.set_sensitive(true);
            headers.insert("x-api-key", value);
        }
        None if address.stated => {}
        None => return Err(unusable("is not set")),
    }
    Ok(headers)
}

/// A model behind the Messages API.
struct AnthropicModel {
    name: String,
    identity: Identity,
    http: Http,
    headers: HeaderMap,
    url: String,
    seed_dropped: bool,
}

impl Recordable for AnthropicModel {
    fn identity(&self) -> &Identity {
        &self.identity
    }
}

impl Provider for AnthropicModel {
    fn name(&self) -> &str {
        &self.name
    }

    fn label(&self) -> &'static str {
        "a live model"
    }

    fn dialect(&self) -> Dialect {
        Dialect::Anthropic
    }

    fn notes(&self, _: &[&str]) -> Vec<String> {
        let note = || "the seed is not sent: the Messages API takes none".to_owned();
        self.seed_dropped.then(note).into_iter().collect()
    }

    fn ask<'a>(&'a self, request: &'a Request, _: Attempt) -> BoxFuture<'a, Result<Reply, Fault>> {
        Box::pin(async move {
            let payloads = self.identity.payloads(request);
            let tools = payloads.iter().map(|payload| &payload.value).collect();
            let body = message::body(&self.identity, request, tools);
            let post = self.http.client().post(&self.url).headers(self.headers.clone()).json(&body);
            let post = post.build().map_err(|e| Fault::Setup(e.without_url().to_string()))?;
            let raw = json(&self.http.exchange(post).await?)?;
            let reply = Messages.parse(&raw, request)?;
            Ok(Reply { raw: Some(raw), ..reply })
        })
    }
}

/// The format of the Messages API.
struct Messages;

impl Wire for Messages {
    fn kind(&self) -> &'static str {
        "anthropic"
    }

    fn dialect(&self) -> Dialect {
        Dialect::Anthropic
    }

    fn parse(&self, raw: &Value, _: &Request) -> Result<Reply, Fault> {
        if let Some(fault) = error_in_answer(raw) {
            return Err(fault);
        }
        let Some(blocks) = raw.get("content").and_then(Value::as_array) else {
            return Err(Fault::Protocol("there is no `content`".into()));
        };
        let mut answer = Answer { end: end(raw.get("stop_reason")), ..Answer::default() };
        for block in blocks {
            match block.get("type").and_then(Value::as_str) {
                Some("tool_use") => answer.call(block.get("name"), block.get("input")),
                Some("text") => answer.say(block.get("text").and_then(Value::as_str).unwrap_or("")),
                // Thinking, and tools that the server runs itself: nothing that is proposed to us.
                _ => {}
            }
        }
        Ok(answer.reply(usage(raw)))
    }
}

fn end(reason: Option<&Value>) -> End {
    match reason.and_then(Value::as_str) {
        Some("tool_use") => End::ToCall,
        Some("max_tokens" | "model_context_window_exceeded") => End::CutOff,
        Some("refusal") => End::Refused,
        _ => End::Done,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provider::testing::{KEY, settings};

    #[test]
    fn the_key_leaves_this_machine_over_tls_only() {
        for (address, sent) in [("m", true), ("m@http://[::1]:1", true), ("m@http://10.0.0.5", false)] {
            let headers = headers(&Address::parse(address, BASE).unwrap(), &settings()).unwrap();
            assert_eq!(headers.contains_key("x-api-key"), sent, "{address}");
            assert!(!format!("{headers:?}").contains(KEY));
        }
    }
}
