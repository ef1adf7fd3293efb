use super::tidy;
use crate::provider::{
    Fault, Message, Params, ProviderSettings, RecordMode, RecordTo, Reply, Request, open,
    testing::{Act, FakeServer, KEY, ask, request, second_turn, settings, tool},
};
use chrono::{DateTime, Utc};
use serde_json::{Value, json};
use std::{
    fs,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
};
use tempfile::TempDir;

fn recording(folder: &Path, mode: RecordMode) -> ProviderSettings {
    static SECONDS: AtomicI64 = AtomicI64::new(0);
    let mut settings = settings();
    settings.now = || DateTime::<Utc>::from_timestamp(SECONDS.fetch_add(1, Ordering::Relaxed), 0).unwrap();
    settings.record = Some(RecordTo { mode, folder: folder.to_owned() });
    settings
}

fn call(name: &str) -> Act {
    Act::json(&json!({
        "id": KEY,
        "choices": [{ "message": { "tool_calls": [{ "id": "x", "function": { "name": name, "arguments": "{\"testName\": \"auth\"}" } }] }, "finish_reason": "tool_calls" }],
        "usage": { "prompt_tokens": 5, "completion_tokens": 2 },
    }))
}

struct Recorded {
    folder: TempDir,
    replies: Vec<Reply>,
}

/// Records the answers to some requests.
fn record(requests: &[Request]) -> Recorded {
    let folder = tempfile::tempdir().unwrap();
    let server = FakeServer::new(&[call("npm_test")]);
    let spec = format!("openai:some/model@{}", server.base);
    let settings = recording(folder.path(), RecordMode::Missing);
    let replies = requests.iter().map(|request| ask(&spec, &settings, request).unwrap()).collect();
    assert_eq!(server.arrived().len(), requests.len());
    Recorded { folder, replies }
}

impl Recorded {
    fn file(&self) -> PathBuf {
        self.folder.path().join("openai-some-model.jsonl")
    }

    fn replay(&self, request: &Request) -> Result<Reply, Fault> {
        ask(&format!("replay:{}", self.folder.path().display()), &settings(), request)
    }
}

#[test]
fn a_replay_gives_the_reply_that_was_recorded() {
    let mut again = request("a");
    again.trial.repeat = 1;
    let requests = [request("a"), again, second_turn("a", "tc_01")];
    let recorded = record(&requests);
    for (request, live) in requests.iter().zip(&recorded.replies) {
        let replayed = recorded.replay(request).unwrap();
        assert!(replayed.recorded_latency.is_some());
        assert_eq!(Reply { recorded_latency: None, ..replayed }, *live);
    }
    // The ids of earlier calls are fresh in every run.
    assert!(recorded.replay(&second_turn("a", "tc_99")).is_ok());
    // Who asks is no part of what a model sees.
    assert!(recorded.replay(&request("another-case")).is_ok());
    let name = open(&format!("replay:{}", recorded.file().display()), &settings()).unwrap().name().to_owned();
    assert_eq!(name, "openai:some/model");
}

#[test]
fn every_api_can_be_replayed() {
    let answers = [
        (
            "openai-responses",
            json!({ "output": [{ "type": "function_call", "name": "npm_test", "arguments": "{}" }] }),
        ),
        (
            "anthropic",
            json!({ "content": [{ "type": "tool_use", "name": "npm_test", "input": {} }], "stop_reason": "tool_use" }),
        ),
    ];
    for (kind, body) in answers {
        let folder = tempfile::tempdir().unwrap();
        let server = FakeServer::new(&[Act::json(&body)]);
        let settings = recording(folder.path(), RecordMode::All);
        let live = ask(&format!("{kind}:m@{}", server.base), &settings, &request("a")).unwrap();
        let replayed = ask(&format!("replay:{}", folder.path().display()), &settings, &request("a")).unwrap();
        assert_eq!(Reply { recorded_latency: None, ..replayed }, live, "{kind}");
        assert_eq!(live.calls.len(), 1);
    }
    let folder = tempfile::tempdir().unwrap();
    let settings = recording(folder.path(), RecordMode::All);
    let live = ask(r#"command:echo '{"calls":[{"tool":"npm.test"}]}'"#, &settings, &request("a")).unwrap();
    let replayed = ask(&format!("replay:{}", folder.path().display()), &settings, &request("a")).unwrap();
    assert_eq!((replayed.calls, live.calls.len()), (live.calls, 1));
}

#[test]
fn recordings_hold_no_key_and_no_header_and_every_payload_once() {
    let recorded = record(&[request("a"), second_turn("a", "tc_01")]);
    let text = fs::read_to_string(recorded.file()).unwrap();
    assert_eq!(text.lines().count(), 2);
    assert!(
        !text.contains(KEY) && text.contains("[redacted]") && !text.to_lowercase().contains("authorization")
    );
    let tools = fs::read_to_string(recorded.folder.path().join("openai-some-model.tools.jsonl")).unwrap();
    assert_eq!(tools.lines().count(), 2, "{tools}");
    let line: Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
    let fields: Vec<&String> = line.as_object().unwrap().keys().collect();
    assert_eq!(fields[..5], ["format", "key", "provider", "model", "params"]);
    assert_eq!((&line["usage"], &line["case"]), (&json!({ "input": 5, "output": 2 }), &"a".into()));
}

fn check_stale(change: impl Fn(&mut Request), changed: &[&str], parts: &[&str]) {
    let recorded = record(&[request("a"), second_turn("a", "x")]);
    let mut request = request("a");
    change(&mut request);
    match recorded.replay(&request) {
        Err(Fault::Stale { message, changed_tools }) => {
            let got: Vec<&str> = changed_tools.iter().map(|id| id.as_str()).collect();
            assert_eq!(got, changed, "{message}");
            for part in parts {
                assert!(message.contains(part), "{message}");
            }
            assert!(message.ends_with("hint: ask the model again with `--record missing`"), "{message}");
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_change_of_what_the_model_sees_makes_a_recording_stale_and_is_named() {
    check_stale(
        |r| r.tools[0] = tool("npm.test", "Runs some tests."),
        &["npm.test"],
        &[
            "the recording of `a` is stale",
            "npm.test changed: /function/description: `Runs the tests.` → `Runs some tests.`",
        ],
    );
    check_stale(|r| r.tools.push(tool("x.y", "New.")), &["x.y"], &["new in the view: x.y"]);
    check_stale(|r| drop(r.tools.remove(0)), &["npm.test"], &["no longer in the view: npm.test"]);
    check_stale(|r| r.tools.reverse(), &[], &["the same tools are offered in another order"]);
    check_stale(
        |r| r.messages[1] = Message::User("Run the auth checks".into()),
        &[],
        &["the conversation changed: /1/content: `Run the auth tests` → `Run the auth checks`"],
    );
    check_stale(
        |r| r.tools[0].wire_name = "npm-test".into(),
        &["npm.test"],
        &["/function/name: `npm_test` → `npm-test`"],
    );
}

#[test]
fn what_was_never_recorded_is_no_staleness() {
    let recorded = record(&[request("a")]);
    let mut other = request("z");
    other.messages[1] = Message::User("Something else".into());
    let fault = recorded.replay(&other).unwrap_err();
    assert!(matches!(&fault, Fault::NoRecording(text) if text.contains("turn 1 of `z`")), "{fault:?}");
    let mut other = request("a");
    other.trial.repeat = 4;
    let fault = recorded.replay(&other).unwrap_err();
    assert!(matches!(&fault, Fault::NoRecording(text) if text.contains("repeat 5 of `a`")), "{fault:?}");
}

#[test]
fn parameters_are_part_of_the_key() {
    let folder = tempfile::tempdir().unwrap();
    let server = FakeServer::new(&[call("npm_test")]);
    let spec = format!("openai:m@{}", server.base);
    let mut settings = recording(folder.path(), RecordMode::Missing);
    for (temperature, arrived) in [(None, 1), (Some(0.5), 2), (Some(0.5), 2), (None, 2)] {
        settings.params = Params { temperature, ..Params::default() };
        ask(&spec, &settings, &request("a")).unwrap();
        assert_eq!(server.arrived().len(), arrived, "{temperature:?}");
    }
    // A replay answers with whatever was recorded, by the newest parameters first.
    assert!(ask(&format!("replay:{}", folder.path().display()), &settings, &request("a")).is_ok());
}

#[test]
fn mode_all_asks_again_and_the_later_line_wins() {
    let folder = tempfile::tempdir().unwrap();
    let server = FakeServer::new(&[call("npm_test"), call("git_diff")]);
    let spec = format!("openai:m@{}", server.base);
    let settings = recording(folder.path(), RecordMode::All);
    for name in ["npm_test", "git_diff"] {
        assert_eq!(ask(&spec, &settings, &request("a")).unwrap().calls[0].0, name);
    }
    let replay = format!("replay:{}", folder.path().display());
    assert_eq!(ask(&replay, &settings, &request("a")).unwrap().calls[0].0, "git_diff");
}

#[test]
fn the_cache_answers_a_second_time_and_keeps_servers_apart() {
    let folder = tempfile::tempdir().unwrap();
    let mut settings = settings();
    settings.cache = Some(folder.path().to_owned());
    for name in ["npm_test", "git_diff"] {
        let server = FakeServer::new(&[call(name)]);
        let spec = format!("openai:m@{}", server.base);
        for _ in 0..3 {
            assert_eq!(ask(&spec, &settings, &request("a")).unwrap().calls[0].0, name);
        }
        assert_eq!(server.arrived().len(), 1, "{name}");
    }
}

#[test]
fn a_fault_is_never_recorded() {
    let folder = tempfile::tempdir().unwrap();
    let server = FakeServer::new(&[Act::status(500, ""), call("npm_test")]);
    let spec = format!("openai:m@{}", server.base);
    let settings = recording(folder.path(), RecordMode::Missing);
    assert!(ask(&spec, &settings, &request("a")).is_err());
    assert!(ask(&spec, &settings, &request("a")).is_ok());
}

#[test]
fn a_torn_line_is_told_and_harms_no_other() {
    let recorded = record(&[request("a"), second_turn("a", "x")]);
    let text = fs::read_to_string(recorded.file()).unwrap();
    fs::write(recorded.file(), &text[..text.len() - 40]).unwrap();
    let replay = open(&format!("replay:{}", recorded.folder.path().display()), &settings()).unwrap();
    assert!(
        replay.notes(&[])[0].contains(":2: the line cannot be read and is set aside"),
        "{:?}",
        replay.notes(&[])
    );
    assert!(recorded.replay(&request("a")).is_ok());
    assert!(recorded.replay(&second_turn("a", "x")).is_err());
    // What is recorded now begins a line of its own.
    let server = FakeServer::new(&[call("npm_test")]);
    let settings = recording(recorded.folder.path(), RecordMode::Missing);
    ask(&format!("openai:some/model@{}", server.base), &settings, &second_turn("a", "x")).unwrap();
    assert!(recorded.replay(&second_turn("a", "x")).is_ok());
}

#[test]
fn a_line_of_a_later_format_is_set_aside() {
    let recorded = record(&[request("a")]);
    let text = fs::read_to_string(recorded.file()).unwrap();
    fs::write(recorded.file(), text.replace("{\"format\":1", "{\"format\":2")).unwrap();
    let error =
        open(&format!("replay:{}", recorded.folder.path().display()), &settings()).map(|_| ()).unwrap_err();
    assert!(error.to_string().contains("format 2 is newer"), "{error}");
}

fn check_folder(files: &[(&str, &str)], parts: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        fs::write(folder.path().join(name), text).unwrap();
    }
    let error = open(&format!("replay:{}", folder.path().display()), &settings())
        .map(|_| ())
        .unwrap_err()
        .to_string();
    for part in parts {
        assert!(error.contains(part), "{error}");
    }
}

#[test]
fn folders_that_are_no_recording_of_one_model() {
    check_folder(&[], &["holds no recording", "--record missing"]);
    check_folder(&[("a.tools.jsonl", "")], &["holds no recording"]);
    check_folder(&[("a.jsonl", "")], &["nothing is recorded"]);
    check_folder(
        &[("a.jsonl", ""), ("b.jsonl", ""), ("a.tools.jsonl", "")],
        &["several models", "/a.jsonl, replay:", "/b.jsonl"],
    );
    check_folder(&[("a.jsonl", "{nonsense")], &["a.jsonl:1: the line cannot be read"]);
}

#[test]
fn an_answer_that_cannot_be_recorded_is_a_fault_and_one_that_cannot_be_cached_is_none() {
    let folder = tempfile::tempdir().unwrap();
    let blocked = folder.path().join("file");
    fs::write(&blocked, "").unwrap();
    let server = FakeServer::new(&[call("npm_test")]);
    let spec = format!("openai:m@{}", server.base);
    let mut settings = recording(&blocked.join("folder"), RecordMode::All);
    let error = open(&spec, &settings).map(|_| ());
    assert!(error.is_err() || matches!(ask(&spec, &settings, &request("a")), Err(Fault::Setup(_))));
    settings.record = None;
    settings.cache = Some(folder.path().join("cache"));
    let provider = open(&spec, &settings).unwrap();
    fs::write(folder.path().join("cache"), "").unwrap();
    let reply = crate::provider::testing::block_on(provider.ask(&request("a"), crate::provider::Attempt(0)));
    assert!(
        reply.is_ok() && provider.notes(&[])[0].contains("could not be cached"),
        "{:?}",
        provider.notes(&[])
    );
}

#[test]
fn tidy_sorts_drops_what_is_superseded_and_changes_nothing_twice() {
    let mut other = request("c");
    other.messages[1] = Message::User("Hello".into());
    let recorded = record(&[request("b"), other]);
    let server = FakeServer::new(&[call("git_diff")]);
    let spec = format!("openai:some/model@{}", server.base);
    let mut changed = request("b");
    changed.tools[0] = tool("npm.test", "Runs some tests.");
    let mut first = request("a");
    first.messages[1] = Message::User("Good day".into());
    let settings = recording(recorded.folder.path(), RecordMode::Missing);
    for request in [&changed, &first] {
        ask(&spec, &settings, request).unwrap();
    }
    let read = || {
        let text = fs::read_to_string(recorded.file()).unwrap();
        let tools = fs::read_to_string(recorded.folder.path().join("openai-some-model.tools.jsonl")).unwrap();
        (text, tools)
    };
    assert_eq!(tidy(recorded.folder.path()).unwrap(), 1);
    let (text, tools) = read();
    let cases: Vec<Value> =
        text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["case"].clone()).collect();
    assert_eq!(cases, ["a", "b", "c"]);
    assert_eq!(tools.lines().count(), 3);
    assert_eq!(tidy(recorded.folder.path()).unwrap(), 0);
    assert_eq!(read(), (text, tools));
    assert!(recorded.replay(&changed).is_ok());
}

#[test]
fn many_at_once_lose_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let server = FakeServer::new(&[call("npm_test")]);
    let spec = Arc::new(format!("openai:m@{}", server.base));
    std::thread::scope(|scope| {
        for repeat in 0..8 {
            let (spec, folder) = (Arc::clone(&spec), folder.path());
            scope.spawn(move || {
                let mut request = request("a");
                request.trial.repeat = repeat;
                ask(&spec, &recording(folder, RecordMode::All), &request).unwrap();
            });
        }
    });
    let text = fs::read_to_string(folder.path().join("openai-m.jsonl")).unwrap();
    assert_eq!(text.lines().filter(|line| serde_json::from_str::<Value>(line).is_ok()).count(), 8);
}
