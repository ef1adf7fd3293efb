use crate::{
    provider::{
        Fault, Limiter, Patience, ask_patiently,
        testing::{KEY, ask, block_on, opened, request, settings},
    },
    run::{AnswerOutcome, TokenUsage},
};
use std::{fs, time::Duration};

/// A model whose program is `sh` with a script.
fn sh(script: &str) -> String {
    format!("command:sh -c {}", shlex::try_quote(script).unwrap())
}

fn check(script: &str, expected: &str) {
    let got = match ask(&sh(script), &settings(), &request("c")) {
        Ok(reply) => {
            let calls = reply.calls.iter().map(|(name, args)| format!("{name} {}", args.to_value()));
            let calls = calls.collect::<Vec<_>>().join(", ");
            format!("{:?} {}[{calls}]", reply.outcome, reply.text.unwrap_or_default())
        }
        Err(fault) => format!("{}: {fault}", fault.code()),
    };
    assert!(got.starts_with(expected), "{script}: {got}");
}

#[test]
fn answers_in_every_shape() {
    let print = |json: &str| format!("cat >/dev/null; echo '{json}'");
    for (json, expected) in [
        (
            r#"{"calls":[{"tool":"npm.test","args":{"testName":"a"}}]}"#,
            r#"Called [npm_test {"testName":"a"}]"#,
        ),
        (
            r#"{"calls":[{"tool":"git_diff"},{"tool":"no.such","args":"{"}],"text":"x"}"#,
            r#"Called x[git_diff {}, no.such "{"]"#,
        ),
        (r#"{"calls":[]}"#, "Abstained []"),
        (r#"{"text":"Hi"}"#, "Abstained Hi[]"),
        (r#"{"refusal":"No"}"#, "Refused No[]"),
        (r#"{"text":"Hal","truncated":true}"#, "Truncated Hal[]"),
        (
            r#"{"role":"assistant","content":null,"tool_calls":[{"function":{"name":"npm_test","arguments":"{}"}}]}"#,
            "Called [npm_test {}]",
        ),
        (r#"{"choices":[{"message":{"content":"Hi"},"finish_reason":"length"}]}"#, "Truncated Hi[]"),
        (r#"{"call":[]}"#, "protocol: the answer is not in the provider's format: unknown field `call`"),
        ("{}", "protocol: the answer is not in the provider's format: there is none of `calls`"),
        ("[1]", "protocol: "),
        (
            r#"{"calls":[{"tol":"x"}]}"#,
            "protocol: the answer is not in the provider's format: unknown field `tol`",
        ),
        (r#"{"error":"no weights"}"#, "setup: the program reports an error: no weights"),
        (r#"{"error":{"code":429,"message":"busy"}}"#, "http_429: the server answered 429: busy"),
    ] {
        check(&print(json), expected);
    }
}

#[test]
fn programs_that_fail() {
    check("exit 3", "setup: the program ended with exit status: 3");
    check("echo no weights >&2; exit 1", "setup: the program ended with exit status: 1: no weights");
    check("kill -9 $$", "setup: the program ended with signal: 9");
    check("true", "protocol: the answer is not in the provider's format: the program printed nothing");
    check("echo nonsense", "protocol: the answer is not in the provider's format: no JSON");
    check("printf '\\377'", "protocol: the answer is not in the provider's format: it is not UTF-8");
    check("yes", "protocol: the answer is not in the provider's format: it is larger than 10 MB");
    check("yes >&2 & sleep 0.1; kill $!; echo '{\"text\":\"Hi\"}'", "Abstained Hi[]");
    let fault = ask("command:no-such-program-anywhere --x", &settings(), &request("c")).unwrap_err();
    assert!(
        matches!(&fault, Fault::Setup(text) if text.contains("`no-such-program-anywhere` cannot be started"))
    );
}

#[test]
fn the_request_that_a_program_reads() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("request.json");
    let spec = sh(&format!(
        "cat >{}; echo '{{\"text\":\"Hi\",\"usage\":{{\"input\":3,\"output\":1}}}}'",
        path.display()
    ));
    let reply = ask(&spec, &settings(), &request("c")).unwrap();
    assert_eq!(
        (reply.outcome, reply.usage),
        (AnswerOutcome::Abstained, Some(TokenUsage { input: 3, output: 1 }))
    );
    let seen: serde_json::Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
    assert_eq!((&seen["format"], &seen["turn"], &seen["trial"]["case"]), (&1.into(), &0.into(), &"c".into()));
    assert_eq!(
        (&seen["tools"][0]["id"], &seen["tools"][0]["function"]["name"]),
        (&"npm.test".into(), &"npm_test".into())
    );
    assert_eq!(seen["messages"][1]["content"], "Run the auth tests");
}

#[test]
fn no_shell_expands_the_command_line() {
    let reply = ask(r#"command:printf '{"text":"%s"}' '$HOME' "#, &settings(), &request("c")).unwrap();
    assert_eq!(reply.text.as_deref(), Some("$HOME"));
}

#[test]
fn a_key_that_a_program_prints_reaches_nobody() {
    for script in
        [format!("echo '{{\"text\":\"{KEY}\"}}'"), format!("echo {KEY} >&2; exit 1"), format!("echo {KEY}")]
    {
        let answer = ask(&sh(&script), &settings(), &request("c"));
        assert!(!format!("{answer:?}").contains(KEY), "{answer:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_program_that_hangs_is_killed_with_all_that_it_started() {
    let folder = tempfile::tempdir().unwrap();
    let pids = folder.path().join("pids");
    let provider = opened(&sh(&format!("sleep 600 & echo $$ $! >{}; wait", pids.display())), &settings());
    let patience = Patience { timeout: Duration::from_millis(300), attempts: 1, ..Patience::default() };
    let (answer, _) = block_on(ask_patiently(&*provider, &request("c"), &patience, &Limiter::unlimited()));
    assert_eq!(answer, Err(Fault::Timeout(patience.timeout)));
    for pid in fs::read_to_string(pids).unwrap().split_whitespace() {
        assert!(gone(pid), "{pid} still runs");
    }
}

/// Whether a process ends within some seconds; a killed one takes a moment.
#[cfg(target_os = "linux")]
fn gone(pid: &str) -> bool {
    (0..200).any(|_| {
        std::thread::sleep(Duration::from_millis(20));
        match fs::read_to_string(format!("/proc/{pid}/stat")) {
            Ok(stat) => stat.rsplit(')').next().is_some_and(|rest| rest.trim_start().starts_with('Z')),
            Err(_) => true,
        }
    })
}
