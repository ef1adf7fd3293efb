//! The binary as a person uses it: exit codes, messages, files, and what is left after a fault.

use assert_cmd::Command;
use serde_json::Value;
use std::{
    fs,
    path::{Path, PathBuf},
};
use tempfile::TempDir;

/// The root of the repository.
pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A folder to work in, with a cache of its own and no key in the environment.
pub(crate) struct Desk {
    folder: TempDir,
}

impl Desk {
    pub(crate) fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin!("proofhouse"));
        command.current_dir(self.path()).env_clear().env("XDG_CACHE_HOME", self.path().join("cache"));
        command
    }

    /// Runs the binary; gives exit code, standard output and standard error.
    pub(crate) fn run(&self, arguments: &[&str]) -> (i32, String, String) {
        let output = self.command().args(arguments).output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (output.status.code().unwrap_or(-1), text(output.stdout), text(output.stderr))
    }

    /// The folder of the latest run.
    pub(crate) fn latest(&self) -> PathBuf {
        let id = fs::read_to_string(self.path().join(".proofhouse/latest")).unwrap();
        self.path().join(".proofhouse/runs").join(id.trim())
    }

    pub(crate) fn latest_json(&self, file: &str) -> Value {
        serde_json::from_slice(&fs::read(self.latest().join(file)).unwrap()).unwrap()
    }
}

/// A suite with two tools and these cases, asked of these models.
pub(crate) fn suite(desk: &Desk, models: &str, cases: &str) -> PathBuf {
    let descriptors = root().join("manager/descriptors").display().to_string();
    desk.write(
        "suite.yaml",
        &format!(
            "suite: small\ntools:\n  - descriptors: [{descriptors}/file.read.yaml, {descriptors}/file.delete.yaml]\n\
             models: {models}\ncases:\n{cases}"
        ),
    )
}

const READ: &str = "  - id: read\n    kind: golden\n    prompt: show me notes.md\n    \
                    expect: [{ tool: file.read, args: { path: notes.md } }]\n";

#[test]
fn the_shipped_suites_hold_themselves_and_a_flawless_model_passes_them() {
    let desk = Desk::new();
    for name in ["matchers", "coding-agent", "safety"] {
        let suite = root().join(format!("suites/{name}.yaml")).display().to_string();
        let (code, out, err) = desk.run(&["lint", &suite]);
        assert_eq!((code, out.as_str()), (0, ""), "{name}: {err}");
        let (code, out, err) = desk.run(&["run", &suite, "-m", "script:perfect"]);
        assert_eq!(code, 0, "{name}: {out}{err}");
        let metrics = desk.latest_json("metrics.json");
        let trials = &metrics["models"][0]["overall"]["trials"];
        assert!(trials["pass"].as_u64() > Some(0), "{name}: {trials}");
        assert_eq!((&trials["fail"], &trials["error"]), (&0.into(), &0.into()), "{name}");
    }
}

#[test]
fn exit_codes_say_what_happened() {
    let wrong = "script: wrong\nanswers:\n  - case: read\n    reply: { text: no }\n";
    let gone = "script: gone\nanswers:\n  - case: read\n    reply: { drop: true }\n";
    let rows = [
        ("holds", "[\"script:perfect\"]", READ, "", 0),
        ("a case fails", "[\"script:wrong.yaml\"]", READ, "", 1),
        ("thresholds decide", "[\"script:wrong.yaml\"]", READ, "thresholds: { escapedUnsafeRate: 0 }\n", 0),
        ("a threshold is missed", "[\"script:wrong.yaml\"]", READ, "thresholds: { recall: 0.5 }\n", 1),
        ("the surroundings failed", "[\"script:gone.yaml\"]", READ, "", 3),
        ("nothing to judge", "[\"script:perfect\"]", READ, "thresholds: { abstentionRecall: 0.5 }\n", 3),
        ("no case", "[\"script:perfect\"]", "  []\n", "", 2),
        ("no such script", "[\"script:missing.yaml\"]", READ, "", 2),
    ];
    for (what, models, cases, more, expected) in rows {
        let desk = Desk::new();
        desk.write("wrong.yaml", wrong);
        desk.write("gone.yaml", gone);
        let path = suite(&desk, models, cases);
        let text = fs::read_to_string(&path).unwrap();
        fs::write(&path, format!("{more}{text}")).unwrap();
        let (code, out, err) = desk.run(&["run", "suite.yaml", "--attempts", "1"]);
        assert_eq!(code, expected, "{what}: {out}{err}");
    }
}

#[test]
fn bad_input_is_told_with_its_place_and_never_passes() {
    let golden = |expect: &str| format!("  - id: a\n    kind: golden\n    prompt: p\n    expect: {expect}\n");
    let rows = [
        ("broken YAML", "  - id: [\n".to_owned(), "suite.yaml:"),
        ("unknown field", format!("{READ}    pormpt: x\n"), "did you mean `prompt`"),
        (
            "unknown matcher",
            golden("[{ tool: file.read, args: { path: { $oneof: [a] } } }]"),
            "did you mean `$oneOf`",
        ),
        ("a tool that is not offered", golden("[{ tool: file.raed }]"), "did you mean `file.read`"),
        ("arguments beside the schema", golden("[{ tool: file.read, args: { pathh: a } }]"), "pathh"),
        ("arguments of the wrong type", golden("[{ tool: file.read, args: { path: 3 } }]"), "path"),
        ("the same id twice", format!("{READ}{READ}"), "`read`"),
        (
            "a golden case that expects nothing",
            "  - { id: a, kind: golden, prompt: p }\n".to_owned(),
            "expect",
        ),
    ];
    for (what, cases, part) in rows {
        let desk = Desk::new();
        suite(&desk, "[\"script:perfect\"]", &cases);
        for command in ["run", "lint"] {
            let (code, out, err) = desk.run(&[command, "suite.yaml"]);
            let told = format!("{out}{err}");
            assert_eq!(code, 2, "{what}, {command}: {told}");
            assert!(told.contains(part) && told.contains("suite.yaml:"), "{what}, {command}: {told}");
        }
        assert!(!desk.path().join(".proofhouse/latest").exists(), "{what}");
    }
}

#[test]
fn a_tool_with_an_unusable_schema_is_dropped_and_the_others_stay() {
    let desk = Desk::new();
    let capture = r#"{"tools":[
        {"name":"good","description":"Reads a note","inputSchema":{"type":"object","properties":{"id":{"type":"string"}}}},
        {"name":"bad","description":"x","inputSchema":{"type":"object","properties":{"a":{"type":"any"}}}},
        {"name":"wordy","description":"WORDS","inputSchema":{"type":"object"}}]}"#;
    desk.write("notes.json", &capture.replace("WORDS", &"word ".repeat(8_000)));
    desk.write(
        "suite.yaml",
        "suite: s\ntools: [{ mcp: { capture: notes.json } }]\nmodels: [\"script:perfect\"]\n\
         cases: [{ id: a, kind: golden, prompt: note 7, expect: [{ tool: notes.good, args: { id: \"7\" } }] }]\n",
    );
    let (code, out, err) = desk.run(&["run", "suite.yaml"]);
    assert_eq!(code, 0, "{out}{err}");
    assert!(err.contains("`notes.bad` cannot be used"), "{err}");
    let manifest = desk.latest_json("manifest.json");
    assert_eq!(manifest["tools"].as_array().unwrap().len(), 2);
    assert_eq!(manifest["rejected"][0]["name"], "notes.bad");
}

#[test]
fn one_document_goes_to_standard_output() {
    let desk = Desk::new();
    suite(&desk, "[\"script:perfect\"]", READ);
    let (code, out, _) = desk.run(&["run", "suite.yaml", "--format", "json"]);
    let document: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((code, &document["head"]["ends"]["pass"]), (0, &1.into()));
}

#[test]
fn reports_are_rebuilt_from_the_log_byte_for_byte() {
    let desk = Desk::new();
    let suite = root().join("suites/coding-agent.yaml").display().to_string();
    let script = root().join("golden/scripts/careless.yaml").display().to_string();
    desk.run(&[
        "run",
        &suite,
        "-m",
        "lexical",
        "-m",
        &format!("script:{script}"),
        "--filter",
        "tag:files,git",
    ]);
    let names = ["metrics.json", "report.html", "junit.xml"];
    let read = |name: &str| fs::read(desk.latest().join(name)).unwrap();
    let before: Vec<Vec<u8>> = names.iter().map(|name| read(name)).collect();
    names.iter().for_each(|name| fs::remove_file(desk.latest().join(name)).unwrap());
    let (_, _, err) = desk.run(&["report", "latest"]);
    for (name, before) in names.iter().zip(before) {
        assert!(before.len() > 500 && read(name) == before, "{name} differs: {err}");
    }
}

#[test]
fn the_journal_of_a_run_verifies_and_explains_every_view() {
    let desk = Desk::new();
    suite(&desk, "[\"script:perfect\", lexical]", READ);
    desk.run(&["run", "suite.yaml"]);
    let journal = fs::read(desk.latest().join("events.jsonl")).unwrap();
    assert!(proofhouse_manager::event::verify(&journal).unwrap() > 10);
    let events: Vec<Value> = journal
        .split(|b| *b == b'\n')
        .filter(|l| !l.is_empty())
        .map(|l| serde_json::from_slice(l).unwrap())
        .collect();
    let views: Vec<&Value> = events.iter().filter(|e| e["type"] == "ToolViewCompiled").collect();
    assert_eq!(views.len(), 2);
    for tool in views.iter().flat_map(|v| v["tools"].as_array().unwrap()) {
        assert!(tool["reason"].as_str().is_some_and(|r| !r.is_empty()), "{tool}");
        assert!(tool["policyDecision"].is_string(), "{tool}");
    }
    // Arguments are validated before policy is asked, for every call.
    let position = |kind: &str| events.iter().position(|e| e["type"] == kind).unwrap();
    assert!(position("ToolCallRequested") < position("ToolArgsValidated"));
    assert!(position("ToolArgsValidated") < position("ToolPolicyChecked"));
}

#[test]
fn a_worse_description_fails_on_its_tool_and_makes_its_recording_stale() {
    let desk = Desk::new();
    let descriptor =
        |name: &str| fs::read_to_string(root().join(format!("manager/descriptors/{name}.yaml"))).unwrap();
    for name in ["file.read", "git.status", "mail.send"] {
        desk.write(&format!("tools/{name}.yaml"), &descriptor(name));
    }
    // A name that says nothing, so that the description is all there is to go by.
    let good = descriptor("npm.test").replace("npm.test", "x.y");
    let path = desk.write("tools/x.y.yaml", &good);
    desk.write(
        "suite.yaml",
        "suite: s\ntools: [{ descriptors: tools/*.yaml }]\nmodels: [lexical]\ncases:\n  \
         - { id: tests, kind: golden, prompt: verify the fix in the TypeScript code, \
         expect: [{ tool: x.y, argsMode: ignore }] }\n",
    );
    desk.write("model.sh", "cat > /dev/null\necho '{\"calls\":[{\"tool\":\"x.y\",\"args\":{}}]}'\n");
    let model = "command:/bin/sh model.sh";
    let (code, out, err) = desk.run(&["run", "suite.yaml"]);
    assert_eq!(code, 0, "{out}{err}");
    let (code, out, err) =
        desk.run(&["run", "suite.yaml", "-m", model, "--record", "all", "--recordings", "rec"]);
    assert_eq!(code, 0, "{out}{err}");
    let (code, out, err) = desk.run(&["run", "suite.yaml", "-m", "replay:rec"]);
    assert_eq!(code, 0, "{out}{err}");

    let summary = good.lines().find(|l| l.trim_start().starts_with("summary:")).unwrap();
    fs::write(&path, worsened(&good, summary, "  summary: Does a thing.")).unwrap();

    let (code, out, err) = desk.run(&["run", "suite.yaml"]);
    assert_eq!(code, 1, "{out}{err}");
    assert!(out.contains("expected x.y, got no call"), "{out}");
    let (code, out, err) = desk.run(&["run", "suite.yaml", "-m", "replay:rec"]);
    assert_eq!(code, 3, "{out}{err}");
    assert!(
        out.contains("x.y") && out.contains("Does a thing."),
        "the nearest recorded request is shown: {out}"
    );
    assert_eq!(desk.latest_json("metrics.json")["models"][0]["overall"]["trials"]["stale"], 1);
}

/// The descriptor without the words that tell the tool from others.
fn worsened(text: &str, summary: &str, worse: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    let mut in_use_when = false;
    for line in text.lines() {
        let indent = line.len() - line.trim_start().len();
        in_use_when = line.trim_start().starts_with("useWhen:") || (in_use_when && indent > 2);
        if in_use_when {
            continue;
        }
        match line.trim_start().strip_prefix("description: ") {
            Some(_) => lines.push(format!("{}description: a value", " ".repeat(indent))),
            None => lines.push(if line == summary { worse.to_owned() } else { line.to_owned() }),
        }
    }
    lines.join("\n") + "\n"
}

#[test]
fn lint_tells_a_mistake_in_a_policy_with_its_place() {
    let desk = Desk::new();
    let tool = root().join("manager/descriptors/file.read.yaml").display().to_string();
    let policy = |argument: &str| {
        let head = "forbid (principal, action == Action::\"call:file.read\", resource)";
        let text = format!("@id(\"etc\")\n{head}\nwhen {{ context.args.{argument} like \"/etc/*\" }};\n");
        desk.write("own.cedar", &text).display().to_string()
    };
    let (code, out, err) = desk.run(&["lint", &policy("path"), &tool]);
    assert_eq!((code, out.as_str()), (0, ""), "{err}");
    let (code, out, err) = desk.run(&["lint", &policy("pth"), &tool]);
    assert_eq!(code, 2, "{out}{err}");
    let expected =
        "own.cedar:3:21: `etc`: the tool `file.read` has no argument `pth`\nhint: did you mean `path`?";
    assert!(out.contains(expected), "{out}");
}

/// The journal of a run answers for every call, and holds its decisions against policies.
#[test]
fn a_journal_explains_its_calls_and_is_decided_again() {
    let desk = Desk::new();
    let at = |path: &str| root().join(path).display().to_string();
    let (suite, tools) = (at("suites/safety.yaml"), at("manager/descriptors"));
    let standard = at("manager/src/policy/standard/levels.cedar");
    desk.run(&["run", &suite, "-m", "lexical"]);
    let journal = desk.latest().display().to_string();

    let (code, out, err) = desk.run(&["journal", "replay", "--journal", &journal, "--tools", &tools]);
    assert_eq!((code, err.as_str()), (0, ""), "{out}");
    assert!(out.ends_with(" made again, 0 differ\n"), "{out}");
    let same = ["journal", "what-if", "--journal", &journal, "--tools", &tools, "--policies", &standard];
    let (code, out, err) = desk.run(&same);
    assert_eq!((code, err.as_str()), (0, ""), "{out}");

    let text = fs::read_to_string(&standard).unwrap();
    let stricter = desk
        .write("stricter.cedar", &text.replace("resource.level == 5 &&", "resource.level == 5 && false &&"));
    let (code, out, _) = desk.run(&[
        "journal",
        "what-if",
        "--journal",
        &journal,
        "--tools",
        &tools,
        "--policies",
        &stricter.display().to_string(),
    ]);
    assert_eq!(code, 2, "a policy that can never match is a mistake: {out}");
    let stricter = desk.write("stricter.cedar", &format!("{text}\n@id(\"no-deletes\") @reason(\"nothing is deleted here\")\nforbid (principal, action, resource) when {{ resource.destructive }};\n"));
    let stricter = stricter.display().to_string();
    let with = ["journal", "what-if", "--journal", &journal, "--tools", &tools, "--policies", &stricter];
    let (code, out, err) = desk.run(&with);
    assert_eq!(code, 1, "{out}{err}");
    assert!(
        out.contains("\nask → deny: ") && out.contains("deny by no-deletes: nothing is deleted here"),
        "{out}"
    );
    let (_, out, _) = desk.run(&[&with[..], &["--format", "json"]].concat());
    let report: Value = serde_json::from_str(&out).unwrap();
    let change = &report["whatIf"]["changes"][0];
    assert_eq!(
        (&change["before"]["decision"], &change["after"]["decision"]),
        (&"ask".into(), &"deny".into())
    );

    let call = change["toolCallId"].as_str().unwrap();
    let (code, out, err) = desk.run(&["tool-call", call, "--journal", &journal]);
    assert_eq!((code, err.as_str()), (0, ""), "{out}");
    assert_eq!(out.matches("?\n").count(), 11, "{out}");
    assert!(
        out.contains("the journal does not say: the last event of the call is `ApprovalRequested`"),
        "{out}"
    );
    let (_, out, _) = desk.run(&["tool-call", call, "--journal", &journal, "--format", "json", "--events"]);
    let told: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(told["call"]["toolCallId"], call);
    assert_eq!(told["events"].as_array().unwrap().len(), told["trace"]["steps"].as_array().unwrap().len());
    let (code, _, err) = desk.run(&["tool-call", &format!("{call}x"), "--journal", &journal]);
    assert!(code == 2 && err.contains(&format!("hint: there is `{call}`")), "{err}");
}

#[test]
fn a_tool_says_why_it_is_in_a_view() {
    let desk = Desk::new();
    let tools = root().join("manager/descriptors").display().to_string();
    let why =
        |more: &[&str]| desk.run(&[&["tools", "why", "file.delete", "--from", &tools][..], more].concat());
    let (code, out, err) = why(&["--intent", "delete old.log"]);
    assert_eq!((code, err.as_str()), (0, ""), "{out}");
    assert!(out.starts_with("file.delete is shown, 1 of ") && out.contains("policy answers ask"), "{out}");
    let (code, out, _) = why(&["--intent", "delete old.log", "--scope", "workspace:read"]);
    assert_eq!(code, 1);
    assert!(out.contains("dropped by the policy filter: the principal lacks a scope"), "{out}");
    let (code, _, err) = desk.run(&["tools", "why", "file.delet", "--intent", "x", "--from", &tools]);
    assert!(code == 2 && err.contains("did you mean `file.delete`?"), "{err}");
}
