//! HTTP tools as a caller meets them: through the manager, against services on loopback that do what services do.

use super::{credential::tests as lent, *};
use crate::{
    adapters::{
        artifacts::ArtifactFolder, clock::SystemClock, egress::testing::Answers, journal::JournalWriter,
        sources::Descriptors,
    },
    event::Scope,
    manager::{Ended, Executors, Manager, RunOptions, Session, StatedIntent, Verdict},
    model::{
        EffectLevel, Principal, ProposedArgs, ProposedBy, ProposedCall, ResultStatus, ToolBudget, ToolResult,
        testing::requesting,
    },
    policy::{Actor, PolicyEngine, PolicyText, Vocabulary},
    port::{Interrupt, Leased, ToolSourcePort as _, Uninterrupted, Wait},
    redact::Redactor,
    registry::Registry,
    resolve::{Environment, Selection},
};
use serde_json::{Value, json};
use std::{
    io::{Read as _, Write as _},
    net::{TcpListener, TcpStream},
    sync::{
        Mutex,
        atomic::{AtomicBool, Ordering},
    },
    thread,
};

/// What a service does with a request.
enum Reply {
    /// Says this and closes.
    Says(String),
    /// Says nothing until the other side goes.
    Hangs,
    /// Says this, and then one byte after another without end.
    Drips(&'static str),
}

fn ok(body: &str) -> Reply {
    says("200 OK", "", body)
}

fn says(status: &str, headers: &str, body: &str) -> Reply {
    let length = body.len();
    Reply::Says(format!(
        "HTTP/1.1 {status}\r\n{headers}Content-Length: {length}\r\nConnection: close\r\n\r\n{body}"
    ))
}

fn leads_to(status: u16, location: &str) -> Reply {
    says(&format!("{status} Elsewhere"), &format!("Location: {location}\r\n"), "")
}

/// A service on loopback, and all that it was asked.
#[derive(Clone)]
struct Service {
    port: u16,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Service {
    /// Answers the requests, numbered from zero.
    fn new(reply: impl Fn(usize, &str) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let service = Self { port: listener.local_addr().unwrap().port(), asked: Arc::default() };
        let (asked, reply) = (Arc::clone(&service.asked), Arc::new(reply));
        thread::spawn(move || {
            for stream in listener.incoming() {
                let (asked, reply) = (Arc::clone(&asked), Arc::clone(&reply));
                thread::spawn(move || serve(stream.unwrap(), &asked, &*reply));
            }
        });
        service
    }

    fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }

    /// The header of that name in each request; empty where it is not there.
    fn header(&self, name: &str) -> Vec<String> {
        let of = |request: String| {
            let found = request.lines().find_map(|line| {
                let (own, value) = line.split_once(": ")?;
                own.eq_ignore_ascii_case(name).then(|| value.to_owned())
            });
            found.unwrap_or_default()
        };
        self.asked().into_iter().map(of).collect()
    }
}

fn serve(mut stream: TcpStream, asked: &Mutex<Vec<String>>, reply: &dyn Fn(usize, &str) -> Reply) {
    let (mut all, mut buffer) = (Vec::new(), [0; 4096]);
    loop {
        let text = String::from_utf8_lossy(&all).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head.to_lowercase().split_once("content-length: ").map(|(_, rest)| rest.to_owned());
            let length = length.and_then(|rest| rest.lines().next()?.parse().ok()).unwrap_or(0);
            if body.len() >= length {
                break;
            }
        }
        match stream.read(&mut buffer) {
            Ok(n) if n > 0 => all.extend_from_slice(&buffer[..n]),
            _ => return,
        }
    }
    let text = String::from_utf8(all).unwrap();
    let number = {
        let mut asked = asked.lock().unwrap();
        asked.push(text.clone());
        asked.len() - 1
    };
    match reply(number, &text) {
        Reply::Says(answer) => stream.write_all(answer.as_bytes()).unwrap_or_default(),
        Reply::Hangs => while stream.read(&mut buffer).is_ok_and(|n| n > 0) {},
        Reply::Drips(head) => {
            stream.write_all(head.as_bytes()).unwrap();
            while stream.write_all(b"x").is_ok() {
                thread::sleep(Duration::from_millis(5));
            }
        }
    }
}

/// Lends these, whoever asks.
#[derive(Clone)]
struct Lends(Vec<Leased>);

impl CredentialBroker for Lends {
    fn references(&self, _: &RunRequest<'_>) -> Result<Vec<String>, StopReason> {
        Ok(self.0.iter().map(|lease| lease.reference.clone()).collect())
    }

    fn lease(&self, _: &RunRequest<'_>) -> Result<Vec<Leased>, StopReason> {
        Ok(self.0.clone())
    }

    fn survey(&self) -> Result<Arc<Redactor>, StopReason> {
        Ok(self.redactor())
    }

    fn redactor(&self) -> Arc<Redactor> {
        Arc::default()
    }
}

/// A pause takes no time here.
struct NoTime;

impl Wait for NoTime {
    fn pause(&self, _: Duration) {}
}

/// A manager that allows everything: only the adapter says no.
struct Bench {
    folder: tempfile::TempDir,
    manager: Manager,
    tool: String,
}

impl Bench {
    fn new(tool: ToolDescriptor, leases: Vec<Leased>) -> Self {
        Self::resolving(tool, leases, &Answers::of(&[]))
    }

    fn resolving(tool: ToolDescriptor, leases: Vec<Leased>, answers: &Answers) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("artifacts")).unwrap();
        let id = tool.tool_id.to_string();
        let mut registry = Registry::new();
        registry.register(tool).unwrap();
        let all = PolicyText::new("all.cedar", "@id(\"all\") permit (principal, action, resource);");
        let policy = PolicyEngine::load(&[all], &Vocabulary::default()).unwrap();
        let lends = Arc::new(Lends(leases));
        let http = Http::new(Arc::new(answers.clone()), Arc::clone(&lends) as Arc<dyn CredentialBroker>);
        let store = ArtifactFolder::new(folder.path().join("artifacts"));
        let executors = Executors::new(vec![Arc::new(http)], Arc::new(store)).with_credentials(lends);
        let manager = Manager::new(registry, policy, Arc::new(SystemClock));
        let manager = manager.with_executors(executors).with_wait(Arc::new(NoTime));
        Self { folder, manager, tool: id }
    }

    fn call(&self, args: Value) -> ToolResult {
        self.run(args, RunMode::Real, &Uninterrupted)
    }

    fn run(&self, args: Value, mode: RunMode, interrupt: &dyn Interrupt) -> ToolResult {
        match self.end(args, mode, interrupt) {
            Ended::Ran(recorded) => recorded.result().clone(),
            Ended::Stopped(reason) => panic!("{}: {reason}", self.tool),
        }
    }

    fn end(&self, args: Value, mode: RunMode, interrupt: &dyn Interrupt) -> Ended {
        let session = Session {
            scope: Scope { session_id: "s".into(), run_id: "r".into(), call_id: None },
            actor: Arc::new(Actor::new(Principal { id: "user:dev".into(), scopes: Default::default() })),
            scene: Arc::default(),
            budget: ToolBudget { max_tools_visible: 20, max_tokens: None },
            selection: Selection::All,
            max_level: EffectLevel::DestructiveOrAdmin,
            environment: Arc::new(Environment::default()),
            memory: Default::default(),
            tenant: None,
        };
        let path = self.folder.path().join("run.jsonl");
        let mut log = JournalWriter::open(&path, &"r".into(), "test", Arc::new(SystemClock)).unwrap();
        let open = StatedIntent { action_types: Vec::new(), target: None };
        let turn = self.manager.open_turn(&session, "do it", Some(&open), None, &mut log).unwrap();
        let args = ProposedArgs::from_value(args);
        let tool = self.tool.as_str().into();
        let proposed = ProposedCall { tool, args, proposed_by: ProposedBy::User };
        match self.manager.decide(&session, &turn, proposed, &mut log).unwrap().1 {
            Verdict::Allowed(authorized) => {
                let options = RunOptions { mode, interrupt, attempt: 0 };
                self.manager.run(authorized, &options, &mut log).unwrap()
            }
            Verdict::Stopped(reason) => Ended::Stopped(reason),
            Verdict::Asked(_) => panic!("asked"),
        }
    }

    fn journal(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("run.jsonl")).unwrap()
    }
}

/// A tool that makes this request, to hosts that are allowed.
fn tool(request: Value, allowed: &[String]) -> ToolDescriptor {
    let mut tool = requesting("api.do", request);
    tool.sandbox.network.as_mut().unwrap().allow_domains = allowed.to_vec();
    tool.execution.timeout_ms = 10_000;
    tool
}

/// A tool that gets `/ID` of a service.
fn getting(service: &Service) -> ToolDescriptor {
    let at = format!("127.0.0.1:{}", service.port);
    tool(json!({ "method": "GET", "baseUrl": format!("http://{at}"), "path": "/{id}" }), &[at])
}

/// The result's structure, or the code of its error.
fn outcome(result: &ToolResult) -> Result<Value, String> {
    match &result.error {
        None => Ok(result.structured_output.clone().unwrap()),
        Some(error) => Err(error.code.clone()),
    }
}

fn message(result: &ToolResult) -> &str {
    result.error.as_ref().map_or("", |error| &error.message)
}

#[test]
fn a_call_makes_the_request_that_its_contract_describes() {
    let service = Service::new(|_, _| says("201 Created", "", r#"{"number":7}"#));
    let at = format!("localhost:{}", service.port);
    let request = json!({
        "method": "POST", "baseUrl": format!("http://{at}/v1"), "path": "/items/{id}", "query": { "dry": { "literal": false } },
        "headers": { "Accept": { "literal": "application/json" } }, "body": { "name": { "value": "id" } },
        "idempotencyHeader": "Idempotency-Key", "expectedStatuses": [201],
    });
    let audience = format!("http://{at}");
    let lease = lent::lease("s3cret-s3cret", lent::bearer(), Some(&audience));
    let bench = Bench::new(tool(request, std::slice::from_ref(&at)), vec![lease]);
    let result = bench.call(json!({ "id": "a b" }));
    assert_eq!(outcome(&result), Ok(json!({ "number": 7 })));
    assert_eq!(result.effects_observed.external_calls, [at]);
    let asked = service.asked();
    assert_eq!(asked.len(), 1);
    assert!(asked[0].starts_with("POST /v1/items/a%20b?dry=false HTTP/1.1\r\n"), "{}", asked[0]);
    assert!(asked[0].ends_with("\r\n\r\n{\"name\":\"a b\"}"), "{}", asked[0]);
    for (name, value) in [
        ("authorization", "Bearer s3cret-s3cret"),
        ("accept", "application/json"),
        ("accept-encoding", "identity"),
        ("content-type", "application/json"),
        ("idempotency-key", result.tool_call_id.as_str()),
        ("host", &format!("localhost:{}", service.port)),
    ] {
        assert_eq!(service.header(name), [value], "{name}");
    }
    let journal = bench.journal();
    assert!(
        journal.contains(&format!("POST http://localhost:{}/v1/items/{{id}}", service.port)),
        "{journal}"
    );
    assert!(journal.contains("credential:b") && !journal.contains("s3cret"), "{journal}");
}

#[test]
fn the_example_of_the_documentation_works() {
    let page = include_str!("../../../../docs/http-tools.md");
    let yaml = page.split("```yaml\n").nth(1).and_then(|rest| rest.split("\n```").next()).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let listener = runtime.block_on(tokio::net::TcpListener::bind("127.0.0.1:0")).unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        let found = |path: axum::extract::Path<String>| async move {
            axum::Json(
                json!({ "number": path.0.parse::<u64>().unwrap(), "title": "It breaks", "state": "open" }),
            )
        };
        let app = axum::Router::new().route("/api/issues/{number}", axum::routing::get(found));
        runtime.block_on(axum::serve(listener, app).into_future()).unwrap();
    });
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tracker.issue.yaml");
    std::fs::write(&path, yaml.replace("8080", &port.to_string())).unwrap();
    let found = Descriptors { paths: vec![path] }.discover().unwrap();
    assert!(found.rejected.is_empty(), "{:?}", found.rejected);
    let tool = found.tools.into_iter().next().unwrap().descriptor;
    let errors: Vec<_> = crate::lint::lint_tool(&tool, None);
    assert!(errors.iter().all(|f| f.severity < crate::model::Severity::Error), "{errors:?}");
    let lease = lent::lease("s3cret-s3cret", lent::bearer(), Some(&format!("http://127.0.0.1:{port}")));
    let result = Bench::new(tool, vec![lease]).call(json!({ "number": 7 }));
    assert_eq!(
        outcome(&result),
        Ok(json!({ "number": 7, "title": "It breaks", "state": "open" })),
        "{result:?}"
    );
    assert_eq!(result.verifier.unwrap().status, crate::model::VerificationStatus::Passed);
}

#[test]
fn what_cannot_be_sent_as_agreed_is_refused_before_anything_is() {
    let service = Service::new(|_, _| ok("{}"));
    let good = || getting(&service);
    let reach = |url: &str, allowed: &str| {
        let request = json!({ "method": "GET", "baseUrl": url, "path": "/{id}" });
        tool(request, &[allowed.to_owned()])
    };
    let changed = |change: fn(&mut ToolDescriptor)| {
        let mut tool = good();
        change(&mut tool);
        tool
    };
    let rows = [
        (
            changed(|t| t.execution.request = None),
            "x",
            StopCode::AdapterUnavailable,
            "does not say which request",
        ),
        (
            changed(|t| t.sandbox.mode = SandboxMode::ReadOnly),
            "x",
            StopCode::SandboxUnavailable,
            "`remote_api`",
        ),
        (changed(|t| t.sandbox.network = None), "x", StopCode::SandboxUnavailable, "reaches nothing"),
        (good(), "../admin", StopCode::InvalidArguments, "cannot be a part of a path"),
        (reach("https://api.example", "other.example"), "x", StopCode::SandboxUnavailable, "not among"),
        (reach("https://10.0.0.1", "10.0.0.1"), "x", StopCode::SandboxUnavailable, "private, RFC 1918"),
        (
            reach("https://169.254.169.254", "2852039166"),
            "x",
            StopCode::SandboxUnavailable,
            "link-local, RFC 3927",
        ),
        (
            reach("https://[::ffff:10.0.0.1]", "10.0.0.1"),
            "x",
            StopCode::SandboxUnavailable,
            "private, RFC 1918",
        ),
        (
            reach("https://localhost", "localhost"),
            "x",
            StopCode::SandboxUnavailable,
            "every service of this machine",
        ),
        (
            reach("http://api.example", "api.example"),
            "x",
            StopCode::SandboxUnavailable,
            "plain HTTP is for this machine",
        ),
    ];
    for (tool, id, code, words) in rows {
        match Bench::new(tool, vec![]).end(json!({ "id": id }), RunMode::Real, &Uninterrupted) {
            Ended::Stopped(reason) => {
                assert_eq!(reason.code, code, "{reason}");
                assert!(reason.message.contains(words), "{reason}");
            }
            Ended::Ran(recorded) => panic!("{words}: {recorded:?}"),
        }
    }
    let dry = Bench::new(good(), vec![]).run(json!({ "id": "x" }), RunMode::DryRun, &Uninterrupted);
    assert_eq!(outcome(&dry), Err("dry_run_unsupported".to_owned()));
    assert_eq!(service.asked(), [""; 0]);
}

#[test]
fn what_ships_without_a_request_is_refused_with_the_reason() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("descriptors");
    let paths = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    let shipped = Descriptors { paths }.discover().unwrap().tools.into_iter().map(|found| found.descriptor);
    let shipped: Vec<_> = shipped.filter(|tool| tool.execution.adapter == "http").collect();
    assert!(!shipped.is_empty());
    let http = Http::new(Arc::new(Answers::of(&[])), Arc::new(Lends(vec![])));
    for tool in &shipped {
        let refused =
            http.settle(&RunRequest { tool, args: &json!({}), principal: &"user:dev".into() }).unwrap_err();
        assert_eq!(refused.code, StopCode::AdapterUnavailable);
        assert!(refused.message.contains("does not say which request it makes"), "{refused}");
    }
}

#[test]
fn a_name_that_turns_out_to_be_private_is_not_asked() {
    for address in ["127.0.0.1", "10.1.2.3", "169.254.169.254", "::1", "fd00:ec2::254", "64:ff9b::a9fe:a9fe"]
    {
        let request = json!({ "method": "GET", "baseUrl": "https://api.example", "path": "/{id}" });
        let tool = tool(request, &["api.example".to_owned()]);
        let bench =
            Bench::resolving(tool, vec![], &Answers::of(&[("api.example", &["93.184.216.34", address])]));
        let result = bench.call(json!({ "id": "x" }));
        assert_eq!(outcome(&result), Err("egress_denied".to_owned()), "{address}");
        assert!(message(&result).contains("which is special"), "{}", message(&result));
        assert_eq!(result.effects_observed.external_calls, [""; 0]);
    }
}

#[test]
fn a_redirect_is_followed_where_the_call_may_go_and_without_what_is_not_for_there() {
    let second = Service::new(|_, _| ok(r#"{"at":2}"#));
    let elsewhere = format!("http://localhost:{}/there?x=1", second.port);
    for (status, line, body) in [
        (303, "GET /there?x=1 HTTP/1.1", ""),
        (302, "GET /there?x=1 HTTP/1.1", ""),
        (307, "POST /there?x=1 HTTP/1.1", r#"{"id":"x"}"#),
        (308, "POST /there?x=1 HTTP/1.1", r#"{"id":"x"}"#),
    ] {
        second.asked.lock().unwrap().clear();
        let to = elsewhere.clone();
        let first = Service::new(move |_, _| leads_to(status, &to));
        let at = format!("127.0.0.1:{}", first.port);
        let request = json!({ "method": "POST", "baseUrl": format!("http://{at}"), "body": { "id": { "value": "id" } } });
        let allowed = [at.clone(), format!("localhost:{}", second.port)];
        let lease = lent::lease("s3cret-s3cret", lent::bearer(), Some(&format!("http://{at}")));
        let result = Bench::new(tool(request, &allowed), vec![lease]).call(json!({ "id": "x" }));
        assert_eq!(outcome(&result), Ok(json!({ "at": 2 })), "{status}");
        assert_eq!(result.effects_observed.external_calls, allowed, "{status}");
        assert_eq!(first.header("authorization"), ["Bearer s3cret-s3cret"], "{status}");
        assert_eq!(second.header("authorization"), [""], "{status}: the credential went along");
        let asked = &second.asked()[0];
        assert!(asked.starts_with(line) && asked.ends_with(&format!("\r\n\r\n{body}")), "{status}: {asked}");
        assert_eq!(second.header("content-type")[0].is_empty(), body.is_empty(), "{status}");
    }
}

#[test]
fn a_redirect_to_where_the_call_may_not_go_is_not_followed() {
    let other = Service::new(|_, _| ok("{}"));
    let port = other.port;
    for (to, code) in [
        (format!("http://127.0.0.1:{port}/"), "egress_denied"),
        (format!("http://localhost:{port}/"), "egress_denied"),
        ("https://evil.example/".to_owned(), "egress_denied"),
        ("https://169.254.169.254/latest/meta-data/".to_owned(), "egress_denied"),
        ("https://2852039166/".to_owned(), "egress_denied"),
        ("https://[::ffff:10.0.0.1]/".to_owned(), "egress_denied"),
        ("http://169.254.169.254/".to_owned(), "redirect_refused"),
        ("http://evil.example/".to_owned(), "redirect_refused"),
        ("file:///etc/passwd".to_owned(), "redirect_refused"),
        // the secret, as it was sent, or as a URL spells it
        ("/again?token=s3cret%2Fs3cret".to_owned(), "redirect_refused"),
        ("/again/s3cret/s3cret".to_owned(), "redirect_refused"),
    ] {
        let location = to.clone();
        let first = Service::new(move |_, _| leads_to(302, &location));
        let audience = format!("http://127.0.0.1:{}", first.port);
        let lease = lent::lease("s3cret/s3cret", lent::bearer(), Some(&audience));
        let result = Bench::new(getting(&first), vec![lease]).call(json!({ "id": "x" }));
        assert_eq!(outcome(&result), Err(code.to_owned()), "{to}: {}", message(&result));
        assert!(!message(&result).contains("s3cret"), "{}", message(&result));
        assert_eq!(first.asked().len(), 1, "{to}");
        assert_eq!(result.effects_observed.external_calls.len(), 1, "{to}");
    }
    assert_eq!(other.asked(), [""; 0]);
}

#[test]
fn a_circle_of_redirects_ends() {
    let service = Service::new(|_, _| leads_to(302, "/round"));
    let result = Bench::new(getting(&service), vec![]).call(json!({ "id": "x" }));
    assert_eq!(outcome(&result), Err("redirect_refused".to_owned()));
    assert_eq!(service.asked().len(), 6);
    assert_eq!(result.effects_observed.external_calls.len(), 6);
}

#[test]
fn a_credential_for_another_host_stops_the_call() {
    let service = Service::new(|_, _| ok("{}"));
    let elsewhere = lent::lease("s3cret-s3cret", lent::bearer(), Some("https://api.example"));
    let variable = lent::lease("s3cret-s3cret", crate::port::Injection::Variable("TOKEN".into()), None);
    for lease in [elsewhere, variable] {
        let result = Bench::new(getting(&service), vec![lease]).call(json!({ "id": "x" }));
        assert_eq!(outcome(&result), Err("credential_refused".to_owned()));
        assert!(!message(&result).contains("s3cret"));
    }
    assert_eq!(service.asked(), [""; 0]);
}

/// A tool that is tried again after what may pass.
fn retrying(service: &Service, idempotent: bool) -> ToolDescriptor {
    let mut tool = getting(service);
    tool.effects.idempotent = idempotent;
    tool.execution.retry_policy.max_retries = 2;
    tool.execution.retry_policy.retry_on =
        ["unavailable", "rate_limited", "timeout"].map(str::to_owned).to_vec();
    tool.execution.request.as_mut().unwrap().idempotency_header = Some("Idempotency-Key".to_owned());
    tool
}

#[test]
fn it_is_tried_again_as_often_as_the_contract_says_and_known_by_its_key() {
    type Row = (&'static str, fn(usize) -> Reply, bool, usize, Result<Value, &'static str>);
    let rows: [Row; 6] = [
        ("busy twice", |n| if n < 2 { says("503 Busy", "", "") } else { ok("{}") }, true, 3, Ok(json!({}))),
        ("always busy", |_| says("503 Busy", "Retry-After: 0\r\n", ""), true, 3, Err("unavailable")),
        ("not twice", |_| says("503 Busy", "", ""), false, 1, Err("unavailable")),
        // the client library must not try by itself either
        ("breaks off", |_| Reply::Says(String::new()), true, 3, Err("unavailable")),
        ("breaks off, not twice", |_| Reply::Says(String::new()), false, 1, Err("unavailable")),
        ("wrong", |_| says("400 Wrong", "", ""), true, 1, Err("rejected")),
    ];
    for (what, answers, idempotent, times, expected) in rows {
        let service = Service::new(move |n, _| answers(n));
        let bench = Bench::new(retrying(&service, idempotent), vec![]);
        let result = bench.call(json!({ "id": "x" }));
        assert_eq!(outcome(&result), expected.map_err(str::to_owned), "{what}: {}", message(&result));
        assert_eq!(service.asked().len(), times, "{what}");
        assert_eq!(service.header("idempotency-key"), vec![result.tool_call_id.to_string(); times], "{what}");
        assert_eq!(bench.journal().matches("\"type\":\"ToolCallStarted\"").count(), times, "{what}");
    }
}

#[test]
fn a_host_that_asks_to_be_left_alone_is() {
    let service = Service::new(|_, _| says("429 Slow down", "Retry-After: 600\r\n", "later"));
    let bench = Bench::new(retrying(&service, true), vec![]);
    let begun = Instant::now();
    for _ in 0..2 {
        let result = bench.call(json!({ "id": "x" }));
        assert_eq!(outcome(&result), Err("rate_limited".to_owned()));
        assert!(message(&result).contains("left alone for another"), "{}", message(&result));
    }
    // one request, for three attempts of two calls: the rest would have come too soon
    assert_eq!(service.asked().len(), 1);
    assert!(begun.elapsed() < Duration::from_secs(30));
}

#[test]
fn a_slow_host_is_given_the_time_of_the_contract() {
    for reply in [0, 1, 2] {
        let service = Service::new(move |_, _| match reply {
            0 => Reply::Hangs,
            // a head without end, and a body without end
            1 => Reply::Drips("HTTP/1.1 200 OK\r\nX-A: "),
            _ => Reply::Drips("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n"),
        });
        let mut tool = getting(&service);
        tool.execution.timeout_ms = 300;
        let begun = Instant::now();
        let result = Bench::new(tool, vec![]).call(json!({ "id": "x" }));
        assert_eq!(outcome(&result), Err("timeout".to_owned()), "{reply}");
        assert!(begun.elapsed() < Duration::from_secs(5), "{reply}: {:?}", begun.elapsed());
    }
}

/// Stops the call once the service has been asked.
struct WhenAsked(AtomicBool, Service);

impl Interrupt for WhenAsked {
    fn reason(&self) -> Option<StopReason> {
        let asked = !self.1.asked().is_empty();
        self.0.fetch_or(asked, Ordering::Relaxed);
        asked.then(|| StopReason::new(StopCode::Revoked, "its grant was revoked"))
    }
}

#[test]
fn a_call_that_is_called_off_does_not_wait_for_its_answer() {
    let service = Service::new(|_, _| Reply::Hangs);
    let mut tool = getting(&service);
    tool.execution.timeout_ms = 60_000;
    let begun = Instant::now();
    let interrupt = WhenAsked(AtomicBool::new(false), service.clone());
    let result = Bench::new(tool, vec![]).run(json!({ "id": "x" }), RunMode::Real, &interrupt);
    assert_eq!((result.status, outcome(&result)), (ResultStatus::Cancelled, Err("cancelled".to_owned())));
    assert!(message(&result).contains("its grant was revoked; it had been sent"), "{}", message(&result));
    assert!(interrupt.0.load(Ordering::Relaxed) && begun.elapsed() < Duration::from_secs(30));
}

#[test]
fn what_is_too_long_is_cut_and_kept_as_far_as_it_came() {
    let long = "a".repeat(200_000);
    for chunked in [false, true] {
        let body = long.clone();
        let service = Service::new(move |_, _| match chunked {
            false => says("200 OK", "", &body),
            true => Reply::Says(format!(
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n{:x}\r\n{body}\r\n0\r\n\r\n",
                body.len()
            )),
        });
        let mut tool = getting(&service);
        tool.sandbox.limits =
            serde_json::from_value(json!({ "timeoutMs": 10_000, "maxOutputBytes": 1000 })).unwrap();
        tool.execution.request.as_mut().unwrap().response = crate::model::ResponseFormat::Text;
        let result = Bench::new(tool, vec![]).call(json!({ "id": "x" }));
        assert_eq!(
            (result.status, outcome(&result)),
            (ResultStatus::Partial, Err("output_limit".to_owned()))
        );
        assert!(message(&result).contains("longer than the 1000 bytes"), "{}", message(&result));
        assert_eq!(message(&result).contains("of 200000 announced"), !chunked, "{}", message(&result));
        assert_eq!(result.usage.unwrap().output_bytes, Some(1000));
    }
}

#[test]
fn an_error_is_told_with_a_part_of_its_words_and_nothing_is_unpacked() {
    for (reply, code, words) in [
        (says as fn(&str, &str, &str) -> Reply, "rejected", "422 Unprocessable"),
        (
            |_, _, _| says("200 OK", "Content-Encoding: gzip\r\n", "\u{1f}x"),
            "malformed_response",
            "compressed (`gzip`)",
        ),
        (|_, _, _| ok("<html>"), "malformed_response", "no JSON"),
        (|_, _, _| says("404 Not Found", "", &"x".repeat(100_000)), "not_found", "404 Not Found: xxx"),
    ] {
        let service =
            Service::new(move |_, _| reply("422 Unprocessable Entity", "", r#"{"message":"no such title"}"#));
        let result = Bench::new(getting(&service), vec![]).call(json!({ "id": "x" }));
        assert_eq!(outcome(&result), Err(code.to_owned()), "{}", message(&result));
        assert!(message(&result).contains(words), "{}", message(&result));
        assert!(result.usage.unwrap().output_bytes.unwrap() <= exchange::MOST_OF_ERROR);
    }
}
