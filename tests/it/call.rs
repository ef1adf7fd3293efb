//! The governed pipeline from a shell: registered tools called, approved by another process, refused with a
//! reason, and judged by what the journals say.

use crate::cli::Desk;
use proofhouse_manager::adapters::approvers::own_principal;
use serde_json::Value;
use std::{
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

const PATCH: &str = r#"{"path":"a.txt","find":"two","replace":"2"}"#;

/// A home with the file tools enabled, and a workspace with one file.
struct Shop(Desk);

impl Shop {
    fn open() -> Self {
        let shop = Self(Desk::new());
        shop.0.write("ws/a.txt", "one\ntwo\nthree\n");
        let suite = Path::new(env!("CARGO_MANIFEST_DIR")).join("suites/admission.yaml").display().to_string();
        let me = own_principal().to_string();
        let mut register = vec!["tools", "register", "standard", "--suite", &suite, "-m", "lexical"];
        register.extend(["--enable", "--for", &me]);
        for tool in ["file.read", "file.patch", "file.delete"] {
            register.extend(["--only", tool]);
        }
        let (code, out, err) = shop.run(&register);
        assert_eq!(code, 0, "{out}{err}");
        shop
    }

    fn home(&self) -> PathBuf {
        self.0.path().join("agent")
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin!("proofhouse"));
        command.current_dir(self.0.path()).env_clear().env("PROOFHOUSE_HOME", self.home()).args(arguments);
        command
    }

    fn run(&self, arguments: &[&str]) -> (i32, String, String) {
        let output = self.command(arguments).output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (output.status.code().unwrap_or(-1), text(output.stdout), text(output.stderr))
    }

    fn call(&self, tool: &str, args: &str, more: &[&str]) -> (i32, String, String) {
        let workspace = self.0.path().join("ws").display().to_string();
        let mut all = vec!["call", tool, args, "--workspace", &workspace];
        all.extend(more);
        self.run(&all)
    }

    /// Starts a call that waits for another process to answer; gives the approval's id too.
    fn asking(&self, args: &str, ttl: &str) -> (Child, String) {
        let workspace = self.0.path().join("ws").display().to_string();
        let mut call = self.command(&["call", "file.patch", args, "--workspace", &workspace]);
        call.args(["--approver", "queue", "--approval-ttl", ttl])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let child = call.spawn().unwrap();
        (child, self.waiting())
    }

    /// The approval that waits for an answer, as soon as there is one.
    fn waiting(&self) -> String {
        let begun = Instant::now();
        loop {
            let (_, out, _) = self.run(&["approvals", "list", "--format", "json"]);
            let list: Value = serde_json::from_str(&out).unwrap();
            let approvals = list["approvals"].as_array().unwrap();
            if let Some(waits) = approvals.iter().find(|a| a["state"] == "waits") {
                return waits["approvalId"].as_str().unwrap().to_owned();
            }
            assert!(begun.elapsed() < Duration::from_secs(60), "nothing waits for an answer");
        }
    }

    fn file(&self) -> String {
        std::fs::read_to_string(self.0.path().join("ws/a.txt")).unwrap()
    }

    fn journals(&self) -> Vec<String> {
        let runs = std::fs::read_dir(self.home().join("tool-runs")).unwrap();
        let mut journals: Vec<String> = runs.map(|e| e.unwrap().path().display().to_string()).collect();
        journals.sort();
        journals.insert(0, self.home().join("tools/registry.jsonl").display().to_string());
        journals
    }

    /// What the judge says of everything that was recorded: the invariants that do not hold.
    fn violated(&self) -> Vec<Value> {
        let mut all = vec!["conform", "--format", "json", "--canary", "canary-1234567", "--artifacts"];
        let artifacts = self.home().join("artifacts").display().to_string();
        all.extend([artifacts.as_str(), "--journal"]);
        let journals = self.journals();
        all.extend(journals.iter().map(String::as_str));
        let (_, out, err) = self.run(&all);
        let report: Value = serde_json::from_str(&out).unwrap_or_else(|e| panic!("{e}: {out}{err}"));
        let rulings = report["report"]["rulings"].as_array().unwrap();
        rulings.iter().filter(|r| r["standing"] == "violated").cloned().collect()
    }
}

fn end(child: Child) -> (i32, String) {
    let output = child.wait_with_output().unwrap();
    (output.status.code().unwrap_or(-1), String::from_utf8(output.stdout).unwrap())
}

#[test]
fn a_call_runs_leaves_evidence_and_explains_itself() {
    let shop = Shop::open();
    let (code, out, err) = shop.call("file.read", r#"{"path":"a.txt"}"#, &["--format", "json"]);
    assert_eq!(code, 0, "{out}{err}");
    let json: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(json["result"]["outputPreview"], "one\ntwo\nthree\n");
    assert_eq!(json["result"]["artifacts"].as_array().unwrap().len(), 1);

    let (code, out, err) = shop.run(&["tool-call", json["toolCallId"].as_str().unwrap()]);
    assert_eq!(code, 0, "{out}{err}");
    assert!(out.contains("file.read") && out.contains("a.txt"), "{out}");

    let (code, out, _) = shop.call("file.patch", PATCH, &["--dry-run"]);
    assert!(code == 0 && out.contains("nothing was done") && out.contains("\"replace\": \"2\""), "{out}");
    for (tool, args, word) in [
        ("file.read", r#"{"path":3}"#, "refused, invalid_arguments"),
        ("file.read", r#"{"path":"a.txt","path":"b.txt"}"#, "refused, malformed_arguments"),
        ("file.read", r#"{"path":"../secret"}"#, "failed, path_denied"),
        ("file.patch", PATCH, "refused, approval_unavailable"),
    ] {
        let (code, out, err) = shop.call(tool, args, &["--approver", "none"]);
        assert!(code == 1 && out.contains(word), "{args}: {out}{err}");
    }
    let (code, _, err) = shop.call("file.raed", "{}", &[]);
    assert!(code == 2 && err.contains("did you mean `file.read`?"), "{err}");
    assert_eq!(shop.file(), "one\ntwo\nthree\n");
    assert_eq!(shop.violated(), Vec::<Value>::new());
}

#[test]
fn an_approval_is_for_exactly_what_it_showed_and_for_one_call() {
    let shop = Shop::open();
    // Changed by one byte.
    let (child, id) = shop.asking(PATCH, "60");
    let request = shop.home().join(format!("approvals/{id}.request.json"));
    let text = std::fs::read_to_string(&request).unwrap();
    let changed = text.replacen("\"replace\":\"2\"", "\"replace\":\"3\"", 1).replacen(
        "\"replace\": \"2\"",
        "\"replace\": \"3\"",
        1,
    );
    assert_ne!(text, changed);
    std::fs::write(&request, changed).unwrap();
    let (code, _, err) = shop.run(&["approvals", "grant", &id]);
    assert!(code != 0 && err.contains("was changed"), "{err}");
    // What was answered so is a no.
    std::fs::write(&request, text).unwrap();
    shop.run(&["approvals", "deny", &id, "--reason", "not now"]);
    let (code, out) = end(child);
    assert!(code == 1 && out.contains("refused, approval_denied") && out.contains("not now"), "{out}");

    // Expired.
    let (code, out, _) = shop.call("file.patch", PATCH, &["--approver", "queue", "--approval-ttl", "1"]);
    assert!(code == 1 && out.contains("refused, approval_expired"), "{out}");

    // Outlived by other policies.
    let (child, id) = shop.asking(PATCH, "60");
    let night = shop.home().join("policies/night.cedar");
    std::fs::write(
        &night,
        "@id(\"night\") @reason(\"no such changes at night\")\nforbid (principal, action, resource) when { resource.level >= 4 };\n",
    )
    .unwrap();
    let (code, out, err) = shop.run(&["approvals", "grant", &id]);
    assert_eq!(code, 0, "{out}{err}");
    let (code, out) = end(child);
    assert!(code == 1 && out.contains("refused, approval_mismatch: `policySet`"), "{out}");
    std::fs::remove_file(night).unwrap();
    assert_eq!(shop.file(), "one\ntwo\nthree\n");

    // Given, used, and spent.
    let (child, id) = shop.asking(PATCH, "60");
    assert_eq!(shop.run(&["approvals", "grant", &id]).0, 0);
    let (code, out) = end(child);
    assert!(code == 0, "{out}");
    assert_eq!(shop.file(), "one\n2\nthree\n");
    let (code, _, err) = shop.run(&["approvals", "grant", &id]);
    assert!(code != 0 && err.contains("hint: "), "{err}");
    assert_eq!(shop.violated(), Vec::<Value>::new());
}

/// The first id of a call in what was printed.
fn call_in(out: &str) -> String {
    let at = out.find("tc_").unwrap_or_else(|| panic!("no call in {out}"));
    out[at..].chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect()
}

#[test]
fn an_approved_change_is_shown_made_exactly_so_and_undone_once() {
    const DIFF: &str = "--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n";
    let shop = Shop::open();
    let (child, id) = shop.asking(PATCH, "60");
    let (_, shown, _) = shop.run(&["approvals", "show", &id]);
    assert!(shown.contains("\n  |  one\n  | -two\n  | +2\n  |  three\n"), "{shown}");
    let (_, list, _) = shop.run(&["approvals", "list", "--format", "json"]);
    let list: Value = serde_json::from_str(&list).unwrap();
    let waits = list["approvals"].as_array().unwrap().iter().find(|a| a["state"] == "waits").unwrap();
    assert_eq!((&waits["diff"]["head"], &waits["diff"]["changed"]), (&DIFF.into(), &1.into()));
    assert_eq!(waits["changesDigest"].as_str().unwrap().len(), 64);
    assert_eq!(shop.file(), "one\ntwo\nthree\n");
    assert_eq!(shop.run(&["approvals", "grant", &id]).0, 0);
    let (code, out) = end(child);
    assert_eq!((code, shop.file().as_str()), (0, "one\n2\nthree\n"), "{out}");

    let call = call_in(&out);
    let (_, told, _) = shop.run(&["tool-call", &call]);
    assert!(
        told.contains(&format!("what it replaced is kept: `proofhouse undo {call}` takes it back")),
        "{told}"
    );
    let (code, out, _) = shop.run(&["undo", &call, "--dry-run"]);
    assert!(code == 0 && out.contains("\n-2\n+two\n") && out.contains("nothing was done"), "{out}");
    assert_eq!(shop.file(), "one\n2\nthree\n");
    let (code, out, err) = shop.run(&["undo", &call, "--format", "json"]);
    assert_eq!((code, shop.file().as_str()), (0, "one\ntwo\nthree\n"), "{out}{err}");
    let undone: Value = serde_json::from_str(&out).unwrap();
    let undo = undone["undoneBy"].as_str().unwrap();
    let (code, _, err) = shop.run(&["undo", &call]);
    assert!(code == 1 && err.contains("was undone by") && err.contains(undo), "{err}");
    let (_, told, _) = shop.run(&["tool-call", &call]);
    assert!(told.contains("it was undone by ") && told.contains(undo), "{told}");
    // The undo is undone, and the call's change is there again.
    assert_eq!((shop.run(&["undo", undo]).0, shop.file().as_str()), (0, "one\n2\nthree\n"));

    // Edited between the question and the yes, and after the run.
    let args = r#"{"path":"a.txt","find":"one","replace":"1"}"#;
    let (child, id) = shop.asking(args, "60");
    shop.0.write("ws/a.txt", "one\n2\nthree\nfour\n");
    assert_eq!(shop.run(&["approvals", "grant", &id]).0, 0);
    let (code, out) = end(child);
    assert!(code == 1 && out.contains("refused, approval_mismatch: `changesDigest`"), "{out}");
    assert_eq!(shop.file(), "one\n2\nthree\nfour\n");
    let (child, id) = shop.asking(args, "60");
    assert_eq!(shop.run(&["approvals", "grant", &id]).0, 0);
    let (code, out) = end(child);
    assert_eq!((code, shop.file().as_str()), (0, "1\n2\nthree\nfour\n"), "{out}");
    shop.0.write("ws/a.txt", "mine\n");
    let (code, _, err) = shop.run(&["undo", &call_in(&out)]);
    assert!(code == 1 && err.contains("`a.txt` is not what it left"), "{err}");
    assert_eq!(shop.file(), "mine\n");

    assert_eq!(shop.violated(), Vec::<Value>::new());
    for journal in shop.journals() {
        let (code, out, err) = shop.run(&["journal", "verify", &journal]);
        assert_eq!(code, 0, "{out}{err}");
    }
}

#[test]
fn a_revoked_grant_and_a_blocked_tool_stop_what_stood_on_them() {
    let shop = Shop::open();
    let (child, id) = shop.asking(PATCH, "60");
    assert_eq!(shop.run(&["approvals", "grant", &id, "--always"]).0, 0);
    assert_eq!(end(child).0, 0);
    // The same call again stands on the grant; another one is asked about.
    shop.0.write("ws/a.txt", "one\ntwo\nthree\n");
    let (code, out, err) = shop.call("file.patch", PATCH, &["--approver", "none"]);
    assert!(code == 0, "{out}{err}");
    let (code, out, _) =
        shop.call("file.patch", r#"{"path":"a.txt","find":"one","replace":"1"}"#, &["--approver", "none"]);
    assert!(code == 1 && out.contains("approval_unavailable"), "{out}");

    let (_, out, _) = shop.run(&["grants", "list", "--format", "json"]);
    let grants: Value = serde_json::from_str(&out).unwrap();
    let id = grants["grants"][0]["grant"]["grantId"].as_str().unwrap_or_else(|| panic!("{out}")).to_owned();
    assert_eq!(shop.run(&["grants", "revoke", &id, "--reason", "over"]).0, 0);
    shop.0.write("ws/a.txt", "one\ntwo\nthree\n");
    let (code, out, _) = shop.call("file.patch", PATCH, &["--approver", "none"]);
    assert!(code == 1 && out.contains("approval_unavailable"), "{out}");

    assert_eq!(shop.run(&["tools", "block", "file.read", "--reason", "broken"]).0, 0);
    let (code, _, err) = shop.call("file.read", r#"{"path":"a.txt"}"#, &[]);
    assert!(code == 1 && err.contains("not callable"), "{err}");
    assert_eq!(shop.violated(), Vec::<Value>::new());
}
