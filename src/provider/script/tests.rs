use crate::{
    provider::{
        Asked, Fault, Limiter, Patience, ProviderSettings, Reply, ask_patiently, open,
        testing::{block_on, request, settings},
    },
    run::AnswerOutcome,
};
use proofhouse_manager::model::{ProposedArgs, ToolId};
use serde_json::{Map, json};
use std::{fs, path::Path, sync::Arc, time::Duration};

fn with_perfect() -> ProviderSettings {
    let mut settings = settings();
    settings.perfect = Some(Arc::new(|case, turn| match (case, turn) {
        ("golden", 0) => {
            Some(vec![(ToolId::new("npm.test"), Map::from_iter([("testName".into(), json!("auth"))]))])
        }
        ("negative", 0) => Some(Vec::new()),
        _ => None,
    }));
    settings
}

fn file(folder: &Path, yaml: &str) -> String {
    let path = folder.join("some-model.yaml");
    fs::write(&path, yaml).unwrap();
    format!("script:{}", path.display())
}

fn ask(yaml: &str, case: &str, turn: usize, repeat: u32) -> (Result<Reply, Fault>, Asked) {
    let folder = tempfile::tempdir().unwrap();
    let provider = open(&file(folder.path(), yaml), &with_perfect()).unwrap();
    let mut request = request(case);
    request.turn = turn;
    request.trial.repeat = repeat;
    let patience = Patience {
        timeout: Duration::from_millis(30),
        first_wait: Duration::from_millis(1),
        longest_wait: Duration::from_millis(5),
        ..Patience::default()
    };
    block_on(ask_patiently(&*provider, &request, &patience, &Limiter::unlimited()))
}

fn describe((answer, asked): (Result<Reply, Fault>, Asked)) -> String {
    match answer {
        Err(fault) => format!("{} {}", asked.attempts, fault.code()),
        Ok(reply) => {
            let calls: Vec<String> = reply
                .calls
                .iter()
                .map(|(name, args)| match args {
                    ProposedArgs::Malformed { text, .. } => format!("{name} malformed {text}"),
                    args => format!("{name} {}", args.to_value()),
                })
                .collect();
            let text = reply.text.unwrap_or_default();
            format!("{} {:?} {text}[{}]", asked.attempts, reply.outcome, calls.join(", "))
        }
    }
}

fn check(reply: &str, expected: &str) {
    let yaml = format!("answers:\n  - case: c\n    reply: {reply}\n");
    assert_eq!(describe(ask(&yaml, "c", 0, 0)), expected, "{reply}");
}

#[test]
fn replies() {
    check(
        "{ calls: [{ tool: npm.test, args: { testName: auth } }] }",
        r#"1 Called [npm_test {"testName":"auth"}]"#,
    );
    check("{ calls: [{ tool: npm.test }, { tool: npm.test }] }", "1 Called [npm_test {}, npm_test {}]");
    check("{ calls: [{ tool: no.such, args: [1] }], text: Hm }", "1 Called Hm[no.such [1]]");
    check(r#"{ calls: [{ tool: npm.test, raw: '{"a": "b' }] }"#, r#"1 Called [npm_test malformed {"a": "b]"#);
    check("{ calls: [] }", "1 Abstained []");
    check("{ text: Hello }", "1 Abstained Hello[]");
    check("{ refusal: No. }", "1 Refused No.[]");
    check("{ truncated: true, calls: [{ tool: npm.test, raw: '{' }] }", "1 Truncated [npm_test malformed {]");
    check("{ truncated: true }", "1 Truncated []");
}

#[test]
fn faults_and_what_a_retry_sees() {
    check("{ http: 429, retryAfter: 0.001 }", "4 http_429");
    check("{ http: 500 }", "4 http_500");
    check("{ http: 400 }", "1 http_400");
    check("{ stall: 30s }", "4 timeout");
    check("{ stall: 1ms }", "4 connection");
    check("{ drop: true }", "4 connection");
    check("[{ http: 500 }, { drop: true }, { text: Hi }]", "3 Abstained Hi[]");
    check("[{ text: first }, { text: second }]", "1 Abstained first[]");
}

#[test]
fn which_answer_fits() {
    let yaml = "
otherwise: abstain
answers:
  - { case: c, turn: 2, reply: { text: turn two } }
  - { case: c, repeat: 1, reply: { text: repeat one } }
  - { case: 'c*', reply: { text: glob } }
  - { case: c, reply: { text: too late } }
";
    for (case, turn, repeat, expected) in [
        ("c", 1, 1, "1 Abstained turn two[]"),
        ("c", 0, 1, "1 Abstained repeat one[]"),
        ("c", 0, 0, "1 Abstained glob[]"),
        ("cat", 3, 3, "1 Abstained glob[]"),
        ("dog", 0, 0, "1 Abstained []"),
    ] {
        assert_eq!(describe(ask(yaml, case, turn, repeat)), expected, "{case} {turn} {repeat}");
    }
}

#[test]
fn what_a_case_without_an_answer_gets() {
    for (otherwise, case, expected) in [
        ("perfect", "golden", r#"1 Called [npm_test {"testName":"auth"}]"#),
        ("perfect", "negative", "1 Abstained []"),
        ("perfect", "unknown", "1 setup"),
        ("abstain", "golden", "1 Abstained []"),
        ("error", "golden", "1 setup"),
    ] {
        assert_eq!(describe(ask(&format!("otherwise: {otherwise}"), case, 0, 0)), expected, "{otherwise}");
    }
    let perfect = open("script:perfect", &with_perfect()).unwrap();
    assert_eq!(perfect.name(), "perfect");
    let reply = block_on(perfect.ask(&request("golden"), crate::provider::Attempt(0))).unwrap();
    assert_eq!(reply.outcome, AnswerOutcome::Called);
    assert!(open("script:perfect", &settings()).is_err());
}

#[test]
fn names_and_answers_for_cases_that_do_not_exist() {
    let folder = tempfile::tempdir().unwrap();
    let model = |yaml: &str| open(&file(folder.path(), yaml), &with_perfect()).unwrap();
    assert_eq!(model("otherwise: error").name(), "some-model");
    let model = model(
        "script: careless\nanswers:\n  - { case: 'a*', reply: { text: x } }\n  - { case: gone, reply: { text: x } }",
    );
    assert_eq!(model.name(), "careless");
    assert_eq!(model.notes(&["abc"]), ["the script answers `gone`, and there is no such case"]);
}

fn check_bad(yaml: &str, part: &str) {
    let folder = tempfile::tempdir().unwrap();
    let error = open(&file(folder.path(), yaml), &with_perfect()).map(|_| ()).unwrap_err().to_string();
    assert!(error.contains("some-model.yaml") && error.contains(part), "{yaml}: {error}");
}

#[test]
fn mistakes_in_a_script_are_told() {
    let answer = |reply: &str| format!("answers:\n  - case: c\n    reply: {reply}");
    check_bad("answer: []", "answer");
    check_bad("otherwise: fine", "fine");
    check_bad(&answer("{ txt: Hi }"), "txt");
    check_bad(&answer("{}"), "this reply is empty\nhint: say what happens");
    check_bad(&answer("[]"), "there is no reply");
    check_bad(&answer("Hi"), "a reply, or a list of replies");
    check_bad(&answer("{ text: Hi, http: 500 }"), "two things at once");
    check_bad(&answer("{ http: 200 }"), "the status 200 is no error");
    check_bad(&answer("{ text: Hi, retryAfter: 1 }"), "`retryAfter` goes with `http` only");
    check_bad(&answer("{ stall: soon }"), "a duration such as `30s`");
    check_bad(&answer("{ calls: [{ tool: t, args: {}, raw: x }] }"), "both `args` and `raw`");
    check_bad("answers:\n  - { case: '[', reply: { text: x } }", "this names no case");
    check_bad("answers:\n  - { case: c, turn: 0, reply: { text: x } }", "the first turn is 1");
}

#[test]
fn the_script_that_ships_is_sound() {
    let path = concat!("script:", env!("CARGO_MANIFEST_DIR"), "/golden/scripts/careless.yaml");
    assert_eq!(open(path, &with_perfect()).unwrap().name(), "careless");
}
