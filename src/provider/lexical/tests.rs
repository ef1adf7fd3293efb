use super::*;
use crate::{provider::RequestTool, run::TrialKey};
use proofhouse_manager::model::ToolDescriptor;
use serde_json::{Value, json};

fn tool(id: &str, summary: &str, schema: &Value) -> RequestTool {
    let descriptor: ToolDescriptor = serde_json::from_value(json!({
        "toolId": id, "canonicalName": id, "displayName": id, "version": "1.0.0",
        "source": { "type": "builtin", "sourceId": "test" },
        "description": { "summary": summary },
        "intent": { "actionTypes": ["read"] },
        "schemas": { "inputSchema": schema },
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
    }))
    .unwrap();
    let tool = Arc::new(RegisteredTool::new(descriptor).unwrap());
    RequestTool { wire_name: id.replace('.', "_").into(), tool }
}

fn tools() -> Vec<RequestTool> {
    let text = json!({ "type": "string" });
    let object = |required: &[&str], properties: Value| json!({ "type": "object", "required": required, "properties": properties });
    vec![
        tool(
            "file.read",
            "Reads a file.",
            &object(
                &["path"],
                json!({
                    "path": text, "startLine": { "type": "integer" },
                }),
            ),
        ),
        tool(
            "git.diff",
            "Shows what changed, staged or not.",
            &object(
                &[],
                json!({
                    "staged": { "type": "boolean" }, "base": text,
                }),
            ),
        ),
        tool(
            "mail.send",
            "Sends a mail.",
            &object(
                &["to", "subject"],
                json!({
                    "to": { "type": "array", "items": text }, "subject": text, "priority": { "enum": ["low", "high"] },
                }),
            ),
        ),
        tool(
            "web.search",
            "Searches the web.",
            &object(
                &["query"],
                json!({
                    "query": text, "limit": { "type": "integer", "maximum": 50 }, "recency": { "enum": ["day", "year"] },
                }),
            ),
        ),
        tool("branch.create", "Creates a branch.", &object(&["branch"], json!({ "branch": text }))),
    ]
}

fn ask(prompt: &str, tools: Vec<RequestTool>) -> Reply {
    let key = TrialKey { suite: "s".into(), model: "m".into(), distractors: 0, case: "c".into(), repeat: 0 };
    let messages = vec![
        Message::User("search the web for something else".into()),
        Message::System("read a file".into()),
        Message::User(prompt.into()),
    ];
    Lexical::new().answer(&Request { trial: key, turn: 0, messages, tools })
}

#[track_caller]
fn check(prompt: &str, wire_name: &str, args: Value) {
    let reply = ask(prompt, tools());
    let got: Vec<(&str, Value)> = reply.calls.iter().map(|(n, a)| (n.as_str(), a.to_value())).collect();
    assert_eq!(got, [(wire_name, args)], "{prompt}: {:?}", reply.text);
    assert_eq!(reply.outcome, AnswerOutcome::Called);
}

#[test]
fn the_tool_is_chosen_by_words_and_filled_by_rules() {
    check("read src/main.rs", "file_read", json!({ "path": "src/main.rs" }));
    check(
        "read the file `a b.txt` from start line 12",
        "file_read",
        json!({ "path": "a b.txt", "startLine": 12 }),
    );
    check("what changed? only the staged part", "git_diff", json!({ "staged": true }));
    check("show what changed, base=v1.4.0", "git_diff", json!({ "base": "v1.4.0" }));
    check(
        "send a mail to kim@example.com and jo@example.com, subject \"Lunch\", high priority",
        "mail_send",
        json!({ "to": ["kim@example.com", "jo@example.com"], "subject": "Lunch", "priority": "high" }),
    );
    check(
        "search the web for tokio releases, limit 5",
        "web_search",
        json!({ "query": "tokio releases", "limit": 5 }),
    );
    check(
        "search the web for \"zero day\" of this year, limit 500",
        "web_search",
        json!({ "query": "zero day", "recency": "year" }),
    );
    check("create a branch called fix/tz", "branch_create", json!({ "branch": "fix/tz" }));
}

#[test]
fn it_says_why_it_calls_nothing() {
    for (prompt, why) in [
        ("good morning", "the words fit no offered tool"),
        ("what's a branch?", "a question about knowledge"),
        ("don't delete the branch, create nothing", "an order not to act"),
        ("create a branch", "`branch.create` needs more than the prompt says"),
        ("", "the words fit no offered tool"),
    ] {
        let reply = ask(prompt, tools());
        assert_eq!((reply.outcome, reply.calls.len()), (AnswerOutcome::Abstained, 0), "{prompt}");
        assert!(reply.text.as_deref().is_some_and(|t| t.contains(why)), "{prompt}: {:?}", reply.text);
    }
    assert!(ask("read a file", Vec::new()).text.unwrap().contains("no tool is offered"));
}

#[test]
fn a_worse_description_scores_worse() {
    let schema = json!({ "type": "object" });
    let offer =
        |summary| vec![tool("a.one", summary, &schema), tool("b.two", "Lists open tickets.", &schema)];
    let best = |summary| ask("close the old invoice", offer(summary)).calls.first().map(|(n, _)| n.clone());
    assert_eq!(best("Closes an invoice."), Some("a_one".to_owned()));
    assert_eq!(best("Does things."), None);
}

#[test]
fn what_was_read_of_a_tool_is_remembered_by_its_digest() {
    let lexical = Lexical::new();
    let (first, second) = (tools(), tools());
    let all = first.iter().chain(&second).map(|t| &*t.tool);
    assert_eq!(lexical.read(all).len(), 10);
    assert_eq!(lexical.known.read().unwrap().len(), 5);
}
