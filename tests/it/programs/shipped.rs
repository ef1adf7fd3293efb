//! The test runners and Git, called as a person calls them.

use super::{program, write};
use crate::cli::Desk;
use proofhouse_manager::adapters::approvers::own_principal;
use serde_json::{Value, json};
use std::{path::Path, process::Command};

/// A home with some of the tools that ship, and a workspace.
struct Shop(Desk);

impl Shop {
    fn open(tools: &[&str], files: &[(&str, &str)]) -> Self {
        let shop = Self(Desk::new());
        write(&shop.0.path().join("ws"), files);
        let suite = Path::new(env!("CARGO_MANIFEST_DIR")).join("suites/admission.yaml").display().to_string();
        let me = own_principal().to_string();
        let mut register = vec!["tools", "register", "standard", "--suite", &suite, "-m", "lexical"];
        register.extend(["--enable", "--for", &me]);
        tools.iter().for_each(|tool| register.extend(["--only", *tool]));
        let (code, out) = shop.run(&register);
        assert_eq!(code, 0, "{out}");
        shop
    }

    fn run(&self, arguments: &[&str]) -> (i32, String) {
        let output = Command::new(assert_cmd::cargo::cargo_bin!("proofhouse"))
            .current_dir(self.0.path())
            .env("PROOFHOUSE_HOME", self.0.path().join("agent"))
            .args(arguments)
            .output()
            .unwrap();
        let text = String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap();
        (output.status.code().unwrap_or(-1), text)
    }

    fn call(&self, tool: &str, args: &str) -> (i32, Value) {
        let (code, out) = self.run(&["call", tool, args, "--format", "json", "--workspace", "ws"]);
        (code, serde_json::from_str(&out).unwrap_or_else(|e| panic!("{tool}: {e}: {out}")))
    }

    /// What is in the workspace, less Git's own folder.
    fn files(&self) -> Vec<String> {
        let mut names: Vec<String> = std::fs::read_dir(self.0.path().join("ws"))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter(|name| name != ".git")
            .collect();
        names.sort();
        names
    }
}

fn counts(result: &Value) -> [&Value; 2] {
    let structured = &result["result"]["structuredOutput"];
    assert!(structured.is_object(), "{result:#}");
    [&structured["passed"], &structured["failed"]]
}

#[test]
fn npm_test_runs_in_a_sandbox_and_explains_itself() {
    if program("npm").is_none() || program("node").is_none() {
        return;
    }
    let package = r#"{ "name": "shop", "version": "1.0.0", "scripts": { "test": "node --test" } }"#;
    let tests = "const test = require('node:test');\nconst assert = require('node:assert');\nconst fs = require('node:fs');\n\
        test('auth accepts', () => fs.writeFileSync('left.txt', 'x'));\n\
        test('auth refuses', () => assert.strictEqual(1, 2));\n\
        test('cart adds', () => {});\n";
    let shop = Shop::open(&["npm.test"], &[("package.json", package), ("auth.test.js", tests)]);
    let (code, result) = shop.call("npm.test", r#"{"testName":"auth"}"#);
    assert_eq!(code, 0, "{result:#}");
    assert_eq!(counts(&result), [1, 1], "{result:#}");
    assert_eq!(result["result"]["structuredOutput"]["failures"][0]["name"], "auth refuses");
    assert_eq!(result["result"]["artifacts"].as_array().unwrap().len(), 1);
    let preview = result["result"]["outputPreview"].as_str().unwrap();
    assert!(preview.len() <= 8000 && preview.contains("auth refuses"), "{preview}");
    // What a test left in its view was seen, and is not in the workspace.
    assert_eq!(result["result"]["effectsObserved"]["writes"], json!(["temp:left.txt"]));
    assert_eq!(shop.files(), ["auth.test.js", "package.json"]);

    let (code, told) = shop.run(&["tool-call", result["toolCallId"].as_str().unwrap()]);
    assert_eq!(code, 0, "{told}");
    for word in ["npm-cli.js", "sha256", "network_restricted", "enforced by", "temp:left.txt", "art_"] {
        assert!(told.contains(word), "{word}: {told}");
    }
    let (code, result) = shop.call("npm.test", r#"{"package":"--prefix=/etc"}"#);
    assert!(code == 1 && result["result"]["error"]["code"] == "output_unusable", "{result:#}");
}

#[test]
fn cargo_test_builds_in_its_cache_and_leaves_the_workspace_alone() {
    if program("cargo").is_none() {
        return;
    }
    let manifest = "[package]\nname = \"tiny\"\nversion = \"0.1.0\"\nedition = \"2021\"\n";
    let library = "#[test]\nfn adds() {}\n#[test]\nfn breaks() { assert_eq!(1, 2); }\n#[test]\n#[ignore]\nfn later() {}\n";
    let shop = Shop::open(&["cargo.test"], &[("Cargo.toml", manifest), ("src/lib.rs", library)]);
    let (code, result) = shop.call("cargo.test", "{}");
    assert_eq!(code, 0, "{result:#}");
    assert_eq!(counts(&result), [1, 1], "{result:#}");
    assert_eq!(result["result"]["structuredOutput"]["ignored"], 1);
    assert_eq!(result["result"]["structuredOutput"]["failures"][0]["name"], "breaks");
    assert_eq!(shop.files(), ["Cargo.toml", "src"]);
    // The second run finds what the first has built.
    let (_, result) = shop.call("cargo.test", r#"{"testName":"adds"}"#);
    assert_eq!(counts(&result), [1, 0], "{result:#}");
    assert!(!result["result"]["outputPreview"].as_str().unwrap().contains("Compiling"), "{result:#}");

    let (code, out) = shop.run(&["call", "cargo.test", r#"{"testName":"--config=x"}"#, "--workspace", "ws"]);
    assert!(code == 1 && out.contains("refused, invalid_arguments"), "{out}");
    write(&shop.0.path().join("ws"), &[("src/lib.rs", "fn broken(")]);
    let (code, result) = shop.call("cargo.test", "{}");
    assert!(code == 1 && result["result"]["error"]["code"] == "output_unusable", "{result:#}");
    assert!(result["result"]["error"]["message"].as_str().unwrap().contains("did not build"), "{result:#}");
}

#[test]
fn pytest_runs_and_remembers_what_failed() {
    if program("pytest").is_none() {
        return;
    }
    let tests = "def test_adds():\n    pass\n\ndef test_breaks():\n    assert 1 == 2\n";
    let shop = Shop::open(&["pytest.run"], &[("test_shop.py", tests)]);
    let (code, result) = shop.call("pytest.run", "{}");
    assert_eq!(code, 0, "{result:#}");
    assert_eq!(counts(&result), [1, 1], "{result:#}");
    assert_eq!(result["result"]["structuredOutput"]["failures"][0]["name"], "test_shop.py::test_breaks");
    assert_eq!(shop.files(), ["test_shop.py"]);
    let (_, result) = shop.call("pytest.run", r#"{"lastFailed":true}"#);
    assert_eq!(counts(&result), [0, 1], "{result:#}");
}

#[test]
fn git_is_read_and_not_changed() {
    let Some(git) = program("git") else { return };
    let shop = Shop::open(&["git.status", "git.log", "git.diff"], &[("a.txt", "one\n")]);
    let workspace = shop.0.path().join("ws");
    for arguments in
        [&["init", "-q", "-b", "main"][..], &["add", "."], &["commit", "-q", "-m", "First: a | b"]]
    {
        let status = Command::new(&git)
            .current_dir(&workspace)
            .args(["-c", "user.name=Ada", "-c", "user.email=ada@example.org"])
            .args(arguments)
            .status()
            .unwrap();
        assert!(status.success());
    }
    write(&workspace, &[("a.txt", "two\n"), ("new.txt", "")]);
    let structured = |tool: &str, args: &str| {
        let (code, result) = shop.call(tool, args);
        assert_eq!(code, 0, "{result:#}");
        result["result"]["structuredOutput"].clone()
    };
    let status = structured("git.status", "{}");
    let expected =
        json!([{ "path": "a.txt", "state": "modified" }, { "path": "new.txt", "state": "untracked" }]);
    assert_eq!((&status["branch"], &status["changes"]), (&json!("main"), &expected));
    let log = structured("git.log", r#"{"messageContains":"a | b","author":"Ada"}"#);
    assert_eq!(log["commits"][0]["subject"], "First: a | b");
    assert_eq!(structured("git.log", r#"{"messageContains":"none"}"#)["commits"], json!([]));
    let diff = structured("git.diff", r#"{"path":"a.txt"}"#);
    assert_eq!(diff["filesChanged"], 1);
    assert!(diff["diff"].as_str().unwrap().contains("-one\n+two\n"), "{diff}");
    let (code, out) = shop.run(&["call", "git.diff", r#"{"base":"--output=/tmp/x"}"#, "--workspace", "ws"]);
    assert!(code == 1 && out.contains("begins with `-`"), "{out}");
}
