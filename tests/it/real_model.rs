//! A real small model behind an OpenAI-compatible server on this machine.
//!
//! `PROOFHOUSE_TEST_MODEL` names it, such as `openai:NAME@http://127.0.0.1:PORT/v1`. Without it the test says so
//! and proves nothing.

use crate::cli::Desk;
use serde_json::Value;
use std::{fs, path::Path};

#[expect(
    clippy::disallowed_methods,
    clippy::print_stderr,
    reason = "a test is told of a model by the environment"
)]
fn model() -> Option<String> {
    let model = std::env::var("PROOFHOUSE_TEST_MODEL").ok();
    if model.is_none() {
        eprintln!("SKIPPED: no real model; name one in PROOFHOUSE_TEST_MODEL");
    }
    model
}

/// Few and small tools, so that a small model answers within seconds.
fn write_suite(desk: &Desk) {
    let tool = |name: &str, does: &str, parameter: &str| {
        format!(
            r#"{{"name":"{name}","description":"{does}","inputSchema":{{"type":"object","properties":{{"{parameter}":{{"type":"string"}}}},"required":["{parameter}"]}}}}"#
        )
    };
    let tools = [
        tool("get_weather", "Current weather in a city", "city"),
        tool("send_mail", "Send an e-mail to somebody", "to"),
    ];
    desk.write("town.json", &format!(r#"{{"tools":[{}]}}"#, tools.join(",")));
    let case = |id: &str, kind: &str, prompt: &str, expect: &str| {
        format!("  - {{ id: {id}, kind: {kind}, prompt: \"{prompt}\"{expect} }}\n")
    };
    let cases = [
        case(
            "paris",
            "golden",
            "What is the weather in Paris?",
            ", expect: [{ tool: town.get_weather, args: { city: Paris } }]",
        ),
        case(
            "rome",
            "golden",
            "weather in Rome right now",
            ", expect: [{ tool: town.get_weather, args: { city: Rome } }]",
        ),
        case(
            "ann",
            "golden",
            "send a mail to ann@example.com",
            ", expect: [{ tool: town.send_mail, argsMode: ignore }]",
        ),
        case("mutex", "negative", "What is a mutex, in one line?", ""),
    ];
    desk.write(
        "suite.yaml",
        &format!("suite: town\ntools: [{{ mcp: {{ capture: town.json }} }}]\ncases:\n{}", cases.concat()),
    );
}

/// What each trial came to, and what was called.
fn verdicts(folder: &Path) -> Vec<(String, Value, Value)> {
    let text = fs::read_to_string(folder.join("trials.jsonl")).unwrap();
    let mut trials: Vec<(String, Value, Value)> = text
        .lines()
        .map(|line| {
            let trial: Value = serde_json::from_str(line).unwrap();
            let mut turn = trial["turns"][0].clone();
            for call in turn["calls"].as_array_mut().unwrap() {
                call.as_object_mut().unwrap().remove("callId");
            }
            (trial["case"].as_str().unwrap().to_owned(), trial["end"].clone(), turn["calls"].clone())
        })
        .collect();
    trials.sort_by(|a, b| a.0.cmp(&b.0));
    trials
}

#[test]
fn a_real_model_is_asked_recorded_and_replayed_to_the_same_verdicts() {
    let Some(model) = model() else { return };
    let desk = Desk::new();
    write_suite(&desk);
    let (code, out, err) = desk.run(&[
        "run",
        "suite.yaml",
        "-m",
        &model,
        "-j",
        "1",
        "--timeout",
        "300",
        "--record",
        "all",
        "--recordings",
        "rec",
    ]);
    assert!(code == 0 || code == 1, "{code}: {out}{err}");
    let live = verdicts(&desk.latest());
    assert_eq!(live.len(), 4);
    assert!(live.iter().all(|(_, end, _)| end == "pass" || end == "fail"), "{live:?}");
    assert!(
        live.iter().any(|(_, end, _)| end == "pass"),
        "a model that gets nothing right shows nothing: {live:?}"
    );

    let (again, out, err) = desk.run(&["run", "suite.yaml", "-m", "replay:rec"]);
    assert_eq!(again, code, "{out}{err}");
    assert_eq!(verdicts(&desk.latest()), live);
}
