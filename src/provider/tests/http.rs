//! The three HTTP APIs: what goes over the wire, and a server that misbehaves in every way.

use crate::{
    provider::{
        Asked, Attempt, Fault, Limiter, Params, Patience, Reply, ask_patiently,
        testing::{Act, FakeServer, KEY, ask, block_on, opened, request, second_turn, settings},
    },
    run::{AnswerOutcome, TokenUsage},
};
use serde_json::{Value, json};
use std::time::Duration;

const CHAT: &str = "openai";
const RESPONSES: &str = "openai-responses";
const ANTHROPIC: &str = "anthropic";

fn patience() -> Patience {
    Patience {
        timeout: Duration::from_secs(5),
        first_wait: Duration::from_millis(1),
        longest_wait: Duration::from_millis(20),
        ..Patience::default()
    }
}

fn patiently(kind: &str, acts: &[Act], patience: &Patience) -> (Result<Reply, Fault>, Asked, FakeServer) {
    let server = FakeServer::new(acts);
    let provider = opened(&format!("{kind}:m@{}", server.base), &settings());
    let (answer, asked) = block_on(ask_patiently(&*provider, &request("c"), patience, &Limiter::unlimited()));
    (answer, asked, server)
}

fn abstaining(kind: &str) -> Value {
    match kind {
        CHAT => json!({ "choices": [{ "message": { "content": "Hi" } }] }),
        RESPONSES => json!({ "output": [{ "type": "message", "content": [{ "text": "Hi" }] }] }),
        _ => json!({ "content": [{ "type": "text", "text": "Hi" }], "stop_reason": "end_turn" }),
    }
}

#[test]
fn tokens_are_counted_by_any_name() {
    for (kind, usage) in [
        (CHAT, json!({ "prompt_tokens": 7, "completion_tokens": 2, "total_tokens": 9 })),
        (RESPONSES, json!({ "input_tokens": 7, "output_tokens": 2 })),
        (ANTHROPIC, json!({ "input_tokens": 7, "output_tokens": 2, "cache_read_input_tokens": 0 })),
    ] {
        let mut body = abstaining(kind);
        body["usage"] = usage;
        let (answer, ..) = patiently(kind, &[Act::json(&body)], &patience());
        assert_eq!(answer.unwrap().usage, Some(TokenUsage { input: 7, output: 2 }), "{kind}");
    }
}

#[test]
fn every_attempt_is_one_request_and_retry_after_is_honoured() {
    for kind in [CHAT, RESPONSES, ANTHROPIC] {
        let busy = Act::Answer(
            429,
            vec![("retry-after", "0.01".into())],
            r#"{"error":{"message":"slow down"}}"#.into(),
        );
        let ok = Act::json(&abstaining(kind));
        let (answer, asked, server) = patiently(kind, &[busy.clone(), Act::status(529, ""), ok], &patience());
        assert_eq!(answer.unwrap().outcome, AnswerOutcome::Abstained, "{kind}");
        assert_eq!((asked.attempts, server.arrived().len()), (3, 3), "{kind}");

        let server = FakeServer::new(&[busy]);
        let once = ask(&format!("{kind}:m@{}", server.base), &settings(), &request("c"));
        let expected = Fault::Status {
            status: 429,
            message: "slow down".into(),
            retry_after: Some(Duration::from_millis(10)),
        };
        assert_eq!(once, Err(expected), "{kind}");
    }
}

fn check_fault(kind: &str, act: &Act, patience: &Patience, expected: &str, attempts: u32) {
    let (answer, asked, server) = patiently(kind, std::slice::from_ref(act), patience);
    let fault = answer.unwrap_err();
    let text = format!("{}: {fault}", fault.code());
    assert!(text.starts_with(expected), "{kind}: {text}");
    assert!(text.chars().count() < 700, "{kind}: {text}");
    assert_eq!((asked.attempts, server.arrived().len()), (attempts, attempts as usize), "{kind} {text}");
}

#[test]
fn servers_that_misbehave_become_faults() {
    let quick = Patience { timeout: Duration::from_millis(60), attempts: 2, ..patience() };
    for kind in [CHAT, RESPONSES, ANTHROPIC] {
        let check =
            |act: Act, expected: &str, attempts| check_fault(kind, &act, &patience(), expected, attempts);
        check(Act::status(500, "boom"), "http_500: the server answered 500: boom", 4);
        check(Act::status(503, ""), "http_503: the server answered 503: Service Unavailable", 4);
        check(
            Act::status(401, r#"{"error":{"message":"bad key"}}"#),
            "http_401: the server answered 401: bad key",
            1,
        );
        check(Act::status(302, ""), "http_302: ", 1);
        check(Act::Break, "connection: connection failed: ", 4);
        check(
            Act::status(200, "<html>hello</html>"),
            "protocol: the answer is not in the provider's format: no JSON",
            1,
        );
        check(Act::status(200, ""), "protocol: ", 1);
        check(Act::status(200, &"[".repeat(500)), "protocol: ", 1);
        check(Act::status(200, &format!("{}{}", "[".repeat(500), "]".repeat(500))), "protocol: ", 1);
        check(Act::status(200, &"x".repeat(2_000)), "protocol: ", 1);
        check(Act::status(400, &"x".repeat(2_000)), "http_400: ", 1);
        check(
            Act::status(200, &"[".repeat(11 << 20)),
            "protocol: the answer is not in the provider's format: it is larger than 10 MB",
            1,
        );
        check_fault(kind, &Act::Hang, &quick, "timeout: no answer within 60ms", 2);
    }
}

#[test]
fn a_server_that_is_not_there_is_a_connection_fault() {
    let nobody = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    for kind in [CHAT, ANTHROPIC] {
        let fault = ask(&format!("{kind}:m@http://{nobody}/v1"), &settings(), &request("c")).unwrap_err();
        assert!(matches!(&fault, Fault::Connection(text) if text.contains("refused")), "{fault:?}");
    }
}

#[test]
fn the_clients_own_time_limit_is_a_timeout_too() {
    let server = FakeServer::new(&[Act::Hang]);
    let mut settings = settings();
    settings.timeout = Duration::from_millis(40);
    let fault = ask(&format!("openai:m@{}", server.base), &settings, &request("c"));
    assert_eq!(fault, Err(Fault::Timeout(settings.timeout)));
}

#[test]
fn an_echoed_key_reaches_nobody() {
    for kind in [CHAT, RESPONSES, ANTHROPIC] {
        let echo =
            json!({ "error": { "message": format!("Incorrect API key provided: {KEY}") } }).to_string();
        for act in [Act::status(401, &echo), Act::status(200, KEY), Act::status(500, KEY)] {
            let (answer, _, server) = patiently(kind, &[act], &patience());
            let fault = answer.unwrap_err();
            assert!(!format!("{fault} {fault:?}").contains(KEY), "{fault}");
            assert!(fault.to_string().contains("[redacted]"), "{fault}");
            let sent = format!("{:?}", server.arrived()[0].headers);
            assert!(
                server.arrived()[0].headers.values().any(|v| v.as_bytes().ends_with(KEY.as_bytes())),
                "{sent}"
            );
        }
        let mut body = abstaining(kind);
        body["note"] = KEY.into();
        let (answer, ..) = patiently(kind, &[Act::json(&body)], &patience());
        assert!(!format!("{answer:?}").contains(KEY));
    }
}

fn sent(kind: &str, params: Params) -> (Value, String) {
    let server = FakeServer::new(&[Act::json(&abstaining(kind))]);
    let mut settings = settings();
    settings.params = params;
    let provider = opened(&format!("{kind}:m@{}", server.base), &settings);
    block_on(provider.ask(&second_turn("c", "tc_0190"), Attempt(0))).unwrap();
    let arrived = server.arrived().remove(0);
    (arrived.body, arrived.path)
}

#[test]
fn a_chat_request_on_the_wire() {
    let params = Params { temperature: Some(0.0), seed: Some(7), max_tokens: Some(99) };
    let (body, path) = sent(CHAT, params);
    assert_eq!(path, "/v1/chat/completions");
    assert_eq!(
        body["messages"],
        json!([
            { "role": "system", "content": "Be brief." },
            { "role": "user", "content": "Run the auth tests" },
            { "role": "assistant", "content": "I run them.", "tool_calls": [
                { "id": "call_1", "type": "function", "function": { "name": "npm_test", "arguments": "{\"testName\":\"auth\"}" } },
            ] },
            { "role": "tool", "tool_call_id": "call_1", "content": "{\"passed\":3}" },
            { "role": "user", "content": "And now?" },
        ])
    );
    assert_eq!(body["tools"][0]["function"]["name"], "npm_test");
    assert_eq!(
        (&body["temperature"], &body["seed"], &body["max_tokens"]),
        (&json!(0.0), &json!(7), &json!(99))
    );
    assert_eq!(sent(CHAT, Params::default()).0.get("temperature"), None);
}

#[test]
fn a_responses_request_on_the_wire() {
    let (body, path) = sent(RESPONSES, Params { seed: Some(7), ..Params::default() });
    assert_eq!(path, "/v1/responses");
    assert_eq!(
        body["input"].as_array().unwrap()[2..],
        [
            json!({ "role": "assistant", "content": "I run them." }),
            json!({ "type": "function_call", "call_id": "call_1", "name": "npm_test", "arguments": "{\"testName\":\"auth\"}" }),
            json!({ "type": "function_call_output", "call_id": "call_1", "output": "{\"passed\":3}" }),
            json!({ "role": "user", "content": "And now?" }),
        ]
    );
    assert_eq!((&body["tools"][0]["name"], &body["store"]), (&json!("npm_test"), &json!(false)));
    assert_eq!(body.get("seed"), None);
}

#[test]
fn a_messages_request_on_the_wire() {
    let (body, path) = sent(ANTHROPIC, Params::default());
    assert_eq!(path, "/v1/messages");
    assert_eq!((&body["system"], &body["max_tokens"]), (&json!("Be brief."), &json!(4096)));
    assert_eq!(
        body["messages"],
        json!([
            { "role": "user", "content": [{ "type": "text", "text": "Run the auth tests" }] },
            { "role": "assistant", "content": [
                { "type": "text", "text": "I run them." },
                { "type": "tool_use", "id": "call_1", "name": "npm_test", "input": { "testName": "auth" } },
            ] },
            { "role": "user", "content": [
                { "type": "tool_result", "tool_use_id": "call_1", "content": "{\"passed\":3}" },
                { "type": "text", "text": "And now?" },
            ] },
        ])
    );
    assert_eq!(body["tools"][0]["name"], "npm_test");
}
