use super::{file::parse, *};
use crate::{
    event::fact::FinishStatus,
    model::{ArtifactKind, EffectsObserved, Moment, ResourceRef, ToolDescriptor, testing::descriptor},
    port::Ran,
};
use serde_json::{Value, json};

fn ran(output: &str, structured: Value, writes: &[&str]) -> Ran {
    Ran {
        status: FinishStatus::Success,
        output: output.into(),
        kind: ArtifactKind::ToolOutput,
        structured: (!structured.is_null()).then_some(structured),
        effects: EffectsObserved {
            writes: writes.iter().map(|path| ResourceRef((*path).to_owned())).collect(),
            ..EffectsObserved::default()
        },
        error: None,
        latency_ms: 1,
    }
}

fn ask(hooks: &HomeHooks, name: &str, ran: Option<&Ran>, workspace: Option<&str>) -> Result<(), String> {
    let tool: ToolDescriptor = descriptor("t");
    hooks.ask(
        name,
        &HookCall {
            moment: if ran.is_some() { Moment::Verifier } else { Moment::PreCall },
            call: &"tc_1".into(),
            tool: &tool,
            args: &json!({ "path": "a b" }),
            principal: &"user:dev".into(),
            workspace,
            ran,
            verification: None,
        },
    )
}

fn hooks(own: Vec<OwnHook>) -> HomeHooks {
    HomeHooks { own, sandbox: Arc::new(Sandbox::new("/nowhere")) }
}

fn check(name: &str, what: &str, got: Result<(), String>, expected: Result<(), &str>) {
    match (got, expected) {
        (Ok(()), Ok(())) => {}
        (Err(why), Err(part)) => assert!(why.contains(part), "{name}, {what}: {why}"),
        (got, _) => panic!("{name}, {what}: {got:?}"),
    }
}

#[test]
fn the_built_in_hooks_judge_results() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("there"), "").unwrap();
    let workspace = folder.path().to_str().unwrap();
    let many: Vec<String> = (0..21).map(|n| format!("file:{n}")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    let diff = |lines: usize| format!("--- a/x\n+++ b/x\n@@ -1 +1 @@\n{}", "+y\n".repeat(lines));
    let key = format!("token ghp_{}", "aB3d".repeat(9));
    let rows = [
        ("diff-is-small", ran("", Value::Null, &["file:a"]), Ok(())),
        ("diff-is-small", ran(&diff(400), Value::Null, &[]), Ok(())),
        ("diff-is-small", ran(&diff(401), Value::Null, &[]), Err("401 lines were changed")),
        ("diff-is-small", ran("", json!({ "diff": diff(500) }), &[]), Err("500 lines")),
        ("diff-is-small", ran("", Value::Null, &many), Err("21 paths were changed")),
        ("json-not-empty", ran("", json!({ "a": [0] }), &[]), Ok(())),
        ("json-not-empty", ran("[false]", Value::Null, &[]), Ok(())),
        ("json-not-empty", ran("", json!({ "a": [{}, "", null] }), &[]), Err("its result is empty")),
        ("json-not-empty", ran("[]", Value::Null, &[]), Err("its result is empty")),
        ("json-not-empty", ran("oops", Value::Null, &[]), Err("is no JSON")),
        ("tests-passed", ran("", json!({ "passed": 3, "failed": 0 }), &[]), Ok(())),
        ("tests-passed", ran("", json!({ "passed": 3, "failed": 1 }), &[]), Err("1 tests failed")),
        (
            "tests-passed",
            ran("", json!({ "passed": 3, "failed": 0, "errors": 2 }), &[]),
            Err("2 tests failed"),
        ),
        ("tests-passed", ran("", json!({ "passed": 0, "failed": 0 }), &[]), Err("no test has run")),
        ("tests-passed", ran("", json!({ "passed": 3 }), &[]), Err("does not count how many `failed`")),
        ("tests-passed", ran("3 passed", Value::Null, &[]), Err("no structured report")),
        ("files-exist", ran("", Value::Null, &["file:there", "host:x"]), Ok(())),
        (
            "files-exist",
            ran("", Value::Null, &["file:gone"]),
            Err("`file:gone` was written and is not there"),
        ),
        ("files-exist", ran("", Value::Null, &["file:../there"]), Err("not beneath the workspace")),
        ("no-secrets-in-output", ran("sk-short and eyJ, all fine", Value::Null, &[]), Ok(())),
        ("no-secrets-in-output", ran(&key, Value::Null, &[]), Err("a token of a code host")),
        (
            "no-secrets-in-output",
            ran("", json!({ "k": "AKIAIOSFODNN7EXAMPLE" }), &[]),
            Err("a key of a cloud"),
        ),
        (
            "no-secrets-in-output",
            ran("-----BEGIN RSA PRIVATE KEY-----", Value::Null, &[]),
            Err("a private key"),
        ),
        (
            "no-secrets-in-output",
            ran("postgres://me:hunter22@db.example/x", Value::Null, &[]),
            Err("a password in an address"),
        ),
    ];
    for (name, ran, expected) in rows {
        let got = ask(&hooks(vec![]), name, Some(&ran), Some(workspace));
        assert!(got.as_ref().err().is_none_or(|why| !why.contains("aB3d")));
        check(name, &String::from_utf8_lossy(&ran.output), got, expected);
    }
    let mut deleted = ran("", Value::Null, &[]);
    deleted.effects.deletes = vec![ResourceRef("file:there".to_owned())];
    check(
        "files-exist",
        "deleted",
        ask(&hooks(vec![]), "files-exist", Some(&deleted), Some(workspace)),
        Err("still there"),
    );
    check(
        "files-exist",
        "nowhere",
        ask(&hooks(vec![]), "files-exist", Some(&deleted), None),
        Err("nobody knows"),
    );
    check(
        "tests-passed",
        "before",
        ask(&hooks(vec![]), "tests-passed", None, None),
        Err("nothing has run yet"),
    );
    check(
        "?",
        "unknown",
        ask(&hooks(vec![]), "test-passed", None, None),
        Err("did you mean `tests-passed`?"),
    );
}

fn own(script: &str, timeout_ms: u64) -> OwnHook {
    let command = ["/bin/sh", "-c", script].map(ToOwned::to_owned).into();
    OwnHook { name: "own".to_owned(), command, timeout_ms, sandbox: Confinement::None }
}

/// An unknown name, a crash, a timeout, an answer that is none: no.
#[test]
fn everything_but_a_clear_yes_is_a_no() {
    let rows = [
        ("yes", r#"echo '{"answer":"yes"}'"#, Ok(())),
        ("no", r#"echo '{"answer":"no","reason":"it is friday"}'"#, Err("it is friday")),
        ("no reason", r#"echo '{"answer":"no"}'"#, Err("it gives no reason")),
        ("silence", "true", Err("cannot be understood")),
        ("another word", r#"echo '{"answer":"maybe"}'"#, Err("cannot be understood")),
        ("more words", r#"echo '{"answer":"yes","args":{"path":"/etc"}}'"#, Err("cannot be understood")),
        ("a crash after a yes", r#"echo '{"answer":"yes"}'; exit 1"#, Err("failed: exit status: 1")),
        ("a yes too late", r#"sleep 60; echo '{"answer":"yes"}'"#, Err("took longer than 200 ms")),
        (
            "it is told the call",
            r#"grep -q '"toolCallId":"tc_1".*"args":{"path":"a b"}' && echo '{"answer":"yes"}'"#,
            Ok(()),
        ),
        (
            "and what came out",
            r#"grep -q '"result":{"status":"success","output":"seen"' && echo '{"answer":"yes"}'"#,
            Ok(()),
        ),
    ];
    for (what, script, expected) in rows {
        let timeout = if expected.is_err_and(|why| why.contains("longer")) { 200 } else { 60_000 };
        let hooks = hooks(vec![own(script, timeout)]);
        check("own", what, ask(&hooks, "own", Some(&ran("seen", Value::Null, &[])), None), expected);
    }
    // The default is a sandbox, and a process that cannot build one has none.
    let confined = OwnHook { sandbox: Confinement::ReadOnly, ..own("true", 1000) };
    check("own", "no sandbox", ask(&hooks(vec![confined]), "own", None, None), Err("sandbox"));
}

#[test]
fn a_file_of_hooks_is_used_whole_or_not_at_all() {
    let good = "hooks:\n  - name: own\n    command: [/bin/true, --x]\n    timeoutMs: 5\n    sandbox: none\n";
    let read = parse("hooks.yaml", good.as_bytes()).unwrap();
    assert_eq!((read[0].timeout_ms, read[0].sandbox), (5, Confinement::None));
    let one = |line: &str| format!("hooks:\n  - name: own\n    command: [/bin/true]\n    {line}\n");
    let rows = [
        (one("timeoutMs: 0"), "hooks.yaml:4:"),
        (one("shell: true"), "unknown field `shell`"),
        (one("sandbox: maybe"), "unknown word `maybe`"),
        ("hooks:\n  - name: own\n    command: [true]\n".to_owned(), "hooks.yaml:3:"),
        ("hooks:\n  - name: tests-passed\n    command: [/bin/true]\n".to_owned(), "is built in"),
        (format!("{}{}", one("timeoutMs: 1"), &one("timeoutMs: 1")[7..]), "another hook has the name"),
        ("hooks: 1\n".to_owned(), "hooks.yaml:1:"),
    ];
    for (text, part) in rows {
        let error = parse("hooks.yaml", text.as_bytes()).unwrap_err().to_string();
        assert!(error.contains(part), "{text}: {error}");
    }
    let folder = tempfile::tempdir().unwrap();
    let home = Home::open(folder.path()).unwrap();
    let sandbox = || Arc::new(Sandbox::new(home.root()));
    assert!(HomeHooks::open(&home, sandbox()).is_ok());
    std::fs::write(home.hooks(), "hooks: [").unwrap();
    assert!(HomeHooks::open(&home, sandbox()).is_err());
}
