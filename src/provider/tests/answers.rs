//! Answers of the three HTTP APIs, in every shape in which servers send them.

use crate::provider::{
    Reply,
    testing::{Act, FakeServer, ask, request, settings},
};
use proofhouse_manager::model::ProposedArgs;
use serde_json::{Value, json};

const CHAT: &str = "openai";
const RESPONSES: &str = "openai-responses";
const ANTHROPIC: &str = "anthropic";

/// What a reply is, in a line.
fn line(reply: &Reply) -> String {
    let args = |args: &ProposedArgs| match args {
        ProposedArgs::Malformed { text, .. } => format!("malformed {text}"),
        other => other.to_value().to_string(),
    };
    let calls: Vec<String> = reply.calls.iter().map(|(name, a)| format!("{name} {}", args(a))).collect();
    format!("{:?} {:?} [{}]", reply.outcome, reply.text.as_deref().unwrap_or(""), calls.join(", "))
}

fn check(kind: &str, body: &Value, expected: &str) {
    let server = FakeServer::new(&[Act::json(body)]);
    let answer = ask(&format!("{kind}:m@{}", server.base), &settings(), &request("c"));
    let got = match &answer {
        Ok(reply) => line(reply),
        Err(fault) => format!("{}: {fault}", fault.code()),
    };
    assert_eq!(got, expected, "{body}");
    assert!(answer.ok().and_then(|reply| reply.raw).is_none_or(|raw| raw == *body), "{body}");
}

fn chat(message: &Value, finish: &str) -> Value {
    json!({ "choices": [{ "message": message, "finish_reason": finish }] })
}

#[test]
fn chat_completions_are_read_whatever_their_shape() {
    let call = |args: Value| json!({ "function": { "name": "npm_test", "arguments": args } });
    for (message, finish, expected) in [
        (json!({ "content": "Hello" }), "stop", r#"Abstained "Hello" []"#),
        (json!({ "content": null }), "stop", r#"Abstained "" []"#),
        (json!({}), "eos_token", r#"Abstained "" []"#),
        (
            json!({ "content": [{ "type": "text", "text": "a" }, "b", { "refusal": "no" }] }),
            "stop",
            r#"Refused "a\nb\nno" []"#,
        ),
        (json!({ "refusal": "I can't." }), "stop", r#"Refused "I can't." []"#),
        (
            json!({ "refusal": "" , "content": "I'm sorry, I can't." }),
            "stop",
            r#"Abstained "I'm sorry, I can't." []"#,
        ),
        (json!({ "content": "x" }), "content_filter", r#"Refused "x" []"#),
        (
            json!({ "tool_calls": [call(json!("{\"testName\":\"a\"}")), call(json!({ "testName": "b" }))] }),
            "tool_calls",
            r#"Called "" [npm_test {"testName":"a"}, npm_test {"testName":"b"}]"#,
        ),
        (
            json!({ "tool_calls": [call(json!("{\"testName\": \"au"))] }),
            "stop",
            r#"Called "" [npm_test malformed {"testName": "au]"#,
        ),
        (json!({ "tool_calls": [call(json!(""))] }), "stop", r#"Called "" [npm_test {}]"#),
        (json!({ "tool_calls": [call(json!(null))] }), "stop", r#"Called "" [npm_test {}]"#),
        (json!({ "tool_calls": [call(json!([1]))] }), "stop", r#"Called "" [npm_test [1]]"#),
        (
            json!({ "tool_calls": [{ "name": "npm_test", "arguments": "{}" }] }),
            "stop",
            r#"Called "" [npm_test {}]"#,
        ),
        (
            json!({ "tool_calls": [{ "type": "custom", "custom": { "name": "x", "input": "free" } }] }),
            "stop",
            r#"Called "" [x malformed free]"#,
        ),
        (json!({ "tool_calls": [{ "id": 1 }] }), "tool_calls", r#"Unparsable "" []"#),
        (json!({ "tool_calls": "npm_test()" }), "tool_calls", r#"Unparsable "" []"#),
        (json!({ "tool_calls": [call(json!("{}")), null] }), "tool_calls", r#"Unparsable "" [npm_test {}]"#),
        (json!({ "tool_calls": [] }), "tool_calls", r#"Unparsable "" []"#),
        (
            json!({ "tool_calls": null, "function_call": { "name": "npm_test", "arguments": "{}" } }),
            "function_call",
            r#"Called "" [npm_test {}]"#,
        ),
        (json!({ "content": "The ans" }), "length", r#"Truncated "The ans" []"#),
        (
            json!({ "tool_calls": [call(json!("{\"te"))] }),
            "length",
            r#"Truncated "" [npm_test malformed {"te]"#,
        ),
    ] {
        check(CHAT, &chat(&message, finish), expected);
    }
}

#[test]
fn what_is_no_chat_completion_is_a_fault() {
    for (body, expected) in [
        (
            json!({ "choices": [] }),
            "protocol: the answer is not in the provider's format: there is no `choices[0].message`",
        ),
        (json!([]), "protocol: the answer is not in the provider's format: there is no `choices[0].message`"),
        (
            json!({ "error": { "message": "slow down", "code": 429 } }),
            "http_429: the server answered 429: slow down",
        ),
        (
            json!({ "error": "out of memory" }),
            "protocol: the answer is not in the provider's format: success was announced, and then an error sent: out of memory",
        ),
    ] {
        check(CHAT, &body, expected);
    }
}

#[test]
fn responses_are_read() {
    let message = |part: Value| json!({ "type": "message", "content": [part] });
    for (body, expected) in [
        (
            json!({ "status": "completed", "output": [
            { "type": "reasoning", "summary": [] },
            { "type": "function_call", "call_id": "c", "name": "npm_test", "arguments": "{\"testName\":\"a\"}" },
        ] }),
            r#"Called "" [npm_test {"testName":"a"}]"#,
        ),
        (
            json!({ "output": [message(json!({ "type": "output_text", "text": "Hi" }))] }),
            r#"Abstained "Hi" []"#,
        ),
        (json!({ "output": [message(json!({ "type": "refusal", "refusal": "No" }))] }), r#"Refused "No" []"#),
        (
            json!({ "status": "incomplete", "incomplete_details": { "reason": "max_output_tokens" }, "output": [] }),
            r#"Truncated "" []"#,
        ),
        (
            json!({ "status": "incomplete", "incomplete_details": { "reason": "content_filter" }, "output": [] }),
            r#"Refused "" []"#,
        ),
        (json!({ "output": [{ "type": "function_call", "arguments": "{}" }] }), r#"Unparsable "" []"#),
        (
            json!({ "status": "failed", "error": { "code": "server_error", "message": "oops" }, "output": [] }),
            "http_500: the server answered 500: oops",
        ),
        (
            json!({ "choices": [] }),
            "protocol: the answer is not in the provider's format: there is no `output`",
        ),
    ] {
        check(RESPONSES, &body, expected);
    }
}

#[test]
fn messages_are_read() {
    let tool_use = json!({ "type": "tool_use", "id": "t", "name": "npm_test", "input": { "testName": "a" } });
    for (body, expected) in [
        (
            json!({ "content": [{ "type": "text", "text": "Ok." }, tool_use, tool_use], "stop_reason": "tool_use" }),
            r#"Called "Ok." [npm_test {"testName":"a"}, npm_test {"testName":"a"}]"#,
        ),
        (
            json!({ "content": [{ "type": "thinking", "thinking": "hm" }, { "type": "text", "text": "Hi" }], "stop_reason": "end_turn" }),
            r#"Abstained "Hi" []"#,
        ),
        (json!({ "content": [], "stop_reason": "refusal" }), r#"Refused "" []"#),
        (
            json!({ "content": [tool_use], "stop_reason": "max_tokens" }),
            r#"Truncated "" [npm_test {"testName":"a"}]"#,
        ),
        (
            json!({ "content": [{ "type": "tool_use", "input": {} }], "stop_reason": "tool_use" }),
            r#"Unparsable "" []"#,
        ),
        (json!({ "content": [], "stop_reason": "tool_use" }), r#"Unparsable "" []"#),
        (json!({ "content": [], "stop_reason": "something_new" }), r#"Abstained "" []"#),
        (
            json!({ "type": "error", "error": { "type": "overloaded_error", "message": "busy" } }),
            "protocol: the answer is not in the provider's format: success was announced, and then an error sent: busy",
        ),
        (json!({}), "protocol: the answer is not in the provider's format: there is no `content`"),
    ] {
        check(ANTHROPIC, &body, expected);
    }
}
