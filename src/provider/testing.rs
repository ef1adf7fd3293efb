//! What the tests of this folder share: tools, requests, settings, and a server that answers as it is told.

use super::{Attempt, Fault, Message, Provider, ProviderSettings, Reply, Request, RequestTool, open};
use crate::run::TrialKey;
use axum::{Router, body::Bytes, extract::State, http::HeaderMap, response::Response};
use chrono::DateTime;
use proofhouse_manager::registry::RegisteredTool;
use serde_json::{Value, json};
use std::{
    collections::VecDeque,
    sync::{Arc, Mutex},
    time::Duration,
};

/// The key that must show up nowhere but in a header.
pub(super) const KEY: &str = "sk-test-0123456789abcdef";

/// A tool with one optional text argument, `testName`.
pub(super) fn tool(id: &str, description: &str) -> RequestTool {
    let descriptor = json!({
        "toolId": id,
        "canonicalName": id,
        "displayName": id,
        "version": "1.0.0",
        "source": { "type": "builtin", "sourceId": "test" },
        "description": { "summary": description },
        "intent": { "actionTypes": ["read"] },
        "schemas": { "inputSchema": { "type": "object", "properties": { "testName": { "type": "string" } } } },
        "effects": {
            "reads": [], "writes": [], "externalCalls": false, "sendsUserData": false,
            "mutatesState": false, "idempotent": true, "reversible": true, "dryRunSupported": false,
        },
        "risk": { "level": "low", "destructive": false, "openWorld": false },
        "permissions": { "approvalPolicy": "never", "requiredScopes": [] },
        "sandbox": { "mode": "read_only" },
        "credentials": { "strategy": "none", "scopeCheckRequired": false },
        "contextPolicy": {
            "exposeToModel": true, "exposeOutputToModel": "preview", "maxOutputPreviewTokens": 1000,
        },
        "execution": { "adapter": "builtin", "timeoutMs": 1000, "retryPolicy": { "maxRetries": 0 } },
        "provenance": { "trustLevel": "first_party" },
    });
    let tool = RegisteredTool::new(serde_json::from_value(descriptor).unwrap()).unwrap();
    RequestTool { tool: Arc::new(tool), wire_name: id.replace('.', "_").into() }
}

/// The first turn of a case with two tools.
pub(super) fn request(case: &str) -> Request {
    Request {
        trial: TrialKey {
            suite: "s".into(),
            model: "m".into(),
            distractors: 0,
            case: case.into(),
            repeat: 0,
        },
        turn: 0,
        messages: vec![Message::System("Be brief.".into()), Message::User("Run the auth tests".into())],
        tools: vec![tool("npm.test", "Runs the tests."), tool("git.diff", "Shows what changed.")],
    }
}

/// The second turn of a case, after a call and its result; ids of calls are `id`.
pub(super) fn second_turn(case: &str, id: &str) -> Request {
    let mut request = request(case);
    request.turn = 1;
    request.messages.extend([
        Message::Assistant {
            text: Some("I run them.".into()),
            calls: vec![(id.into(), "npm.test".into(), json!({ "testName": "auth" }))],
        },
        Message::ToolResult { call: id.into(), content: json!({ "passed": 3 }) },
        Message::User("And now?".into()),
    ]);
    request
}

/// Settings with both keys, and a clock that stands.
pub(super) fn settings() -> ProviderSettings {
    let env = |name: &str| name.ends_with("_API_KEY").then(|| KEY.to_owned());
    let mut settings = ProviderSettings::new(Arc::new(env), || DateTime::UNIX_EPOCH);
    settings.timeout = Duration::from_secs(5);
    settings
}

/// Opens a model and asks it once.
pub(super) fn ask(spec: &str, settings: &ProviderSettings, request: &Request) -> Result<Reply, Fault> {
    let provider = open(spec, settings).unwrap_or_else(|e| panic!("{spec}: {e}"));
    block_on(provider.ask(request, Attempt(0)))
}

/// Opens a model.
pub(super) fn opened(spec: &str, settings: &ProviderSettings) -> Arc<dyn Provider> {
    open(spec, settings).unwrap_or_else(|e| panic!("{spec}: {e}"))
}

/// Runs a future.
pub(super) fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
}

/// What the server does with one request.
#[derive(Debug, Clone)]
pub(super) enum Act {
    /// A status, headers, a body.
    Answer(u16, Vec<(&'static str, String)>, String),
    /// No answer, ever.
    Hang,
    /// The connection is closed in the middle of the answer.
    Break,
}

impl Act {
    /// A `200` with JSON.
    pub(super) fn json(body: &Value) -> Self {
        Self::Answer(200, Vec::new(), body.to_string())
    }

    /// A status with a body.
    pub(super) fn status(status: u16, body: &str) -> Self {
        Self::Answer(status, Vec::new(), body.to_owned())
    }
}

/// A request as it arrived.
#[derive(Debug, Clone)]
pub(super) struct Arrived {
    /// Its path.
    pub(super) path: String,
    /// Its headers.
    pub(super) headers: HeaderMap,
    /// Its body.
    pub(super) body: Value,
}

type Shared = Arc<(Mutex<VecDeque<Act>>, Mutex<Vec<Arrived>>)>;

/// A server on the loopback that acts as it is told, one act a request; the last act stays.
pub(super) struct FakeServer {
    /// Where it listens.
    pub(super) base: String,
    shared: Shared,
    _runtime: tokio::runtime::Runtime,
}

impl FakeServer {
    /// Starts it.
    pub(super) fn new(acts: &[Act]) -> Self {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let shared: Shared = Arc::new((Mutex::new(acts.to_vec().into()), Mutex::default()));
        let listener = runtime.block_on(tokio::net::TcpListener::bind("127.0.0.1:0")).unwrap();
        let base = format!("http://{}/v1", listener.local_addr().unwrap());
        let router = Router::new().fallback(act).with_state(Arc::clone(&shared));
        runtime.spawn(async move { axum::serve(listener, router).await });
        Self { base, shared, _runtime: runtime }
    }

    /// What arrived so far.
    pub(super) fn arrived(&self) -> Vec<Arrived> {
        self.shared.1.lock().unwrap().clone()
    }
}

async fn act(
    State(shared): State<Shared>,
    uri: axum::http::Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let body = serde_json::from_slice(&body).unwrap_or_default();
    shared.1.lock().unwrap().push(Arrived { path: uri.path().to_owned(), headers, body });
    let act = {
        let mut acts = shared.0.lock().unwrap();
        if acts.len() > 1 { acts.pop_front() } else { acts.front().cloned() }
    };
    match act.unwrap_or(Act::Hang) {
        Act::Hang => std::future::pending().await,
        Act::Break => {
            let broken = futures_util::stream::iter([
                Ok(Bytes::from_static(b"{\"choices\":")),
                Err(std::io::Error::other("broken on purpose")),
            ]);
            Response::new(axum::body::Body::from_stream(broken))
        }
        Act::Answer(status, headers, body) => {
            let builder = Response::builder().status(status);
            let builder = headers.iter().fold(builder, |b, (name, value)| b.header(*name, value));
            builder.body(body.into()).unwrap()
        }
    }
}
