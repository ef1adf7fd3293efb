//! The builtin tools as a caller meets them: through the manager, in a real folder, with hostile things in it.

use super::*;
use crate::{
    adapters::{
        artifacts::ArtifactFolder, clock::SystemClock, home::Home, journal::JournalWriter,
        sources::Descriptors, undo::UndoFolder,
    },
    event::Scope,
    manager::{Ended, Executors, Manager, RunOptions, Session, StatedIntent, Verdict},
    model::{
        EffectLevel, Principal, ProposedArgs, ProposedBy, ProposedCall, ResultStatus, StopCode, ToolBudget,
        ToolResult,
    },
    policy::{Actor, PolicyEngine, PolicyText, Vocabulary},
    port::{ToolSourcePort as _, Uninterrupted},
    registry::Registry,
    resolve::{Environment, Selection},
    stage::RunMode,
    usage::{Limit, Limits, Most, Per, Used},
};
use serde_json::{Value, json};
use std::{os::unix::fs::symlink, path::Path, sync::Arc};

const IDS: [&str; 7] =
    ["file.read", "file.list", "code.search", "file.write", "file.patch", "file.move", "file.delete"];

/// A workspace with a secret beside it, and a manager that allows everything: only the adapter says no.
pub(in crate::adapters) struct Bench {
    pub(in crate::adapters) folder: tempfile::TempDir,
    pub(in crate::adapters) home: Home,
    manager: Manager,
}

pub(in crate::adapters) fn bench() -> Bench {
    let folder = tempfile::tempdir().unwrap();
    let at = |path: &str| folder.path().join(path);
    std::fs::create_dir_all(at("ws/src/deep")).unwrap();
    std::fs::create_dir_all(at("ws/.git")).unwrap();
    let home = Home::open(at("home")).unwrap();
    for (path, text) in [
        ("secret.txt", "hunter2"),
        ("ws/a.txt", "one\ntwo\nthree\n"),
        ("ws/src/lib.rs", "fn main() {}\n// TODO\n"),
        ("ws/src/deep/x.rs", "todo!()\n"),
        ("ws/.env", "KEY=1"),
        ("ws/src/.env", "KEY=2"),
        ("ws/.git/config", "[core]"),
        ("ws/key.PEM", "-----"),
    ] {
        std::fs::write(at(path), text).unwrap();
    }
    symlink(at("secret.txt"), at("ws/out")).unwrap();
    symlink("a.txt", at("ws/in")).unwrap();
    symlink(folder.path(), at("ws/up")).unwrap();
    std::fs::hard_link(at("secret.txt"), at("ws/hard")).unwrap();
    rustix::fs::mknodat(rustix::fs::CWD, at("ws/pipe"), rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();

    let mut registry = Registry::new();
    let descriptors = Path::new(env!("CARGO_MANIFEST_DIR")).join("descriptors");
    let paths = IDS.iter().map(|id| descriptors.join(format!("{id}.yaml"))).collect();
    for tool in (Descriptors { paths }).discover().unwrap().tools {
        registry.register(tool.descriptor).unwrap();
    }
    let all = PolicyText::new("all.cedar", "@id(\"all\") permit (principal, action, resource);");
    let policy = PolicyEngine::load(&[all], &Vocabulary::default()).unwrap();
    let builtin = Builtin::new(Workspace::open(&at("ws")).unwrap());
    let executors = Executors::new(vec![Arc::new(builtin)], Arc::new(ArtifactFolder::new(home.artifacts())))
        .with_undo(Arc::new(UndoFolder::of(&home)));
    let manager = Manager::new(registry, policy, Arc::new(SystemClock)).with_executors(executors);
    Bench { folder, home, manager }
}

impl Bench {
    pub(in crate::adapters) fn call(&self, tool: &str, args: Value, mode: RunMode) -> ToolResult {
        match self.end(tool, args, mode) {
            Ended::Ran(recorded) => recorded.result().clone(),
            Ended::Stopped(reason) => panic!("{tool}: {reason}"),
        }
    }

    fn end(&self, tool: &str, args: Value, mode: RunMode) -> Ended {
        let session = Session {
            scope: Scope { session_id: "s".into(), run_id: "r".into(), call_id: None },
            actor: Arc::new(Actor::new(Principal { id: "user:dev".into(), scopes: Default::default() })),
            scene: Arc::default(),
            budget: ToolBudget { max_tools_visible: 20, max_tokens: None },
            selection: Selection::All,
            max_level: EffectLevel::DestructiveOrAdmin,
            environment: Arc::new(Environment::default()),
            memory: Default::default(),
            tenant: None,
        };
        let path = self.home.run(&"r".into());
        let mut log = JournalWriter::open(&path, &"r".into(), "test", Arc::new(SystemClock)).unwrap();
        let open = StatedIntent { action_types: Vec::new(), target: None };
        let turn = self.manager.open_turn(&session, "do it", Some(&open), None, &mut log).unwrap();
        let args = ProposedArgs::from_value(args);
        let proposed = ProposedCall { tool: tool.into(), args, proposed_by: ProposedBy::User };
        let (_, verdict) = self.manager.decide(&session, &turn, proposed, &mut log).unwrap();
        let Verdict::Allowed(authorized) = verdict else { panic!("{tool}: {verdict:?}") };
        let options = RunOptions { mode, interrupt: &Uninterrupted, attempt: 0 };
        self.manager.run(authorized, &options, &mut log).unwrap()
    }

    fn read(&self, path: &str) -> String {
        std::fs::read_to_string(self.folder.path().join(path)).unwrap()
    }

    fn exists(&self, path: &str) -> bool {
        self.folder.path().join(path).symlink_metadata().is_ok()
    }
}

/// The result's structure, or the code of its error.
fn outcome(result: &ToolResult) -> Result<Value, String> {
    match &result.error {
        None => Ok(result.structured_output.clone().unwrap()),
        Some(error) => Err(error.code.clone()),
    }
}

#[test]
fn a_limit_stops_the_call_that_is_one_too_many() {
    let Bench { folder, home, manager } = bench();
    let one = Limit {
        id: "one".to_owned(),
        tools: vec!["file.list".into()],
        principals: Vec::new(),
        per: vec![Per::Principal],
        most: Most::Calls(1),
        window: None,
    };
    let used = Arc::new(Used::new(Limits::new(vec![one])));
    let bench = Bench { folder, home, manager: manager.with_used(Arc::clone(&used)) };
    let end = |tool: &str, args: Value| match bench.end(tool, args, RunMode::Real) {
        Ended::Ran(_) => None,
        Ended::Stopped(reason) => Some(reason.code),
    };
    assert_eq!(end("file.list", json!({})), None);
    assert_eq!(end("file.list", json!({})), Some(StopCode::LimitReached));
    assert_eq!(end("file.read", json!({ "path": "a.txt" })), None);
    let journal = bench.read("home/tool-runs/r.jsonl");
    assert_eq!(journal.matches("\"type\":\"ToolCallStarted\"").count(), 2);
    assert_eq!(journal.matches("\"code\":\"limit_reached\"").count(), 1);
}

#[test]
fn files_are_read_listed_and_searched() {
    let bench = bench();
    let rows = [
        (
            "file.read",
            json!({ "path": "a.txt" }),
            json!({ "path": "a.txt", "lines": 3, "text": "one\ntwo\nthree\n" }),
        ),
        (
            "file.read",
            json!({ "path": "src/../in", "startLine": 2, "endLine": 2 }),
            json!({ "path": "a.txt", "lines": 1, "text": "two\n" }),
        ),
        (
            "file.list",
            json!({ "path": "src", "pattern": "*.rs" }),
            json!({ "entries": [
            { "path": "src/lib.rs", "kind": "file", "bytes": 21 },
        ] }),
        ),
        (
            "file.list",
            json!({ "path": "src", "recursive": true }),
            json!({ "entries": [
            { "path": "src/deep", "kind": "folder" },
            { "path": "src/deep/x.rs", "kind": "file", "bytes": 8 },
            { "path": "src/lib.rs", "kind": "file", "bytes": 21 },
        ] }),
        ),
        (
            "code.search",
            json!({ "query": "todo", "caseSensitive": false }),
            json!({ "truncated": false, "matches": [
            { "path": "src/deep/x.rs", "line": 1, "text": "todo!()" },
            { "path": "src/lib.rs", "line": 2, "text": "// TODO" },
        ] }),
        ),
        (
            "code.search",
            json!({ "query": "^t", "regex": true, "maxResults": 1 }),
            json!({ "truncated": true, "matches": [
            { "path": "a.txt", "line": 2, "text": "two" },
        ] }),
        ),
    ];
    for (tool, args, expected) in rows {
        let result = bench.call(tool, args.clone(), RunMode::Real);
        assert_eq!(outcome(&result), Ok(expected), "{tool} {args}");
        assert_eq!(result.status, ResultStatus::Success);
        assert!(!result.artifacts.is_empty(), "{tool}: no evidence is kept");
    }
}

#[test]
fn nothing_outside_and_nothing_blocked_is_touched() {
    let bench = bench();
    let read = |path: &str| ("file.read", json!({ "path": path }));
    let write = |path: &str| ("file.write", json!({ "path": path, "content": "x" }));
    let delete = |path: &str| ("file.delete", json!({ "path": path, "recursive": true }));
    let rows = [
        // FS-01, FS-05, FS-06: links, dots, absolute paths and the process's own view of the system.
        (read("out"), "path_denied"),
        (read("up/secret.txt"), "path_denied"),
        (read("../secret.txt"), "path_denied"),
        (read("src/../../secret.txt"), "path_denied"),
        (read("/etc/passwd"), "path_denied"),
        (read("up/../../proc/self/environ"), "path_denied"),
        (read(".env"), "path_denied"),
        (read("src/.env"), "path_denied"),
        (read("./src/./.env"), "path_denied"),
        (read("key.PEM"), "path_denied"),
        (read("pipe"), "not_a_file"),
        (read("src"), "not_a_file"),
        (read("nowhere"), "not_found"),
        (write("out"), "path_denied"),
        (write("in"), "path_denied"),
        (write("../new.txt"), "path_denied"),
        (write("up/new.txt"), "path_denied"),
        // FS-09: what is protected and missing cannot be made either.
        (write(".git/hooks/pre-commit"), "path_denied"),
        (write("src/.ssh/config"), "path_denied"),
        (write(".env.local"), "path_denied"),
        (delete(".git"), "path_denied"),
        (delete("src"), "path_denied"),
        (delete("."), "path_denied"),
        (delete(".."), "path_denied"),
        (("file.move", json!({ "from": "a.txt", "to": "../b.txt" })), "path_denied"),
        (("file.move", json!({ "from": "a.txt", "to": "src/lib.rs" })), "exists"),
        (("file.move", json!({ "from": "out", "to": "got.txt" })), "path_denied"),
    ];
    for ((tool, args), code) in rows {
        let result = bench.call(tool, args.clone(), RunMode::Real);
        assert_eq!(outcome(&result).unwrap_err(), code, "{tool} {args}: {:?}", result.error);
        assert_eq!(result.status, ResultStatus::Error, "{tool} {args}");
    }
    // What would be refused is refused in a dry run too.
    for (tool, args) in [
        write("../new.txt"),
        write(".git/hooks/pre-commit"),
        write(".env.local"),
        ("file.move", json!({ "from": "a.txt", "to": "../b.txt" })),
    ] {
        let result = bench.call(tool, args.clone(), RunMode::DryRun);
        assert_eq!(outcome(&result).unwrap_err(), "path_denied", "{tool} {args}");
    }
    assert_eq!(bench.read("secret.txt"), "hunter2");
    assert_eq!(bench.read("ws/src/.env"), "KEY=2");
    assert!(!bench.exists("new.txt") && !bench.exists("ws/src/.ssh") && bench.exists("ws/.git/config"));
}

#[test]
fn changes_are_shown_before_and_made_after() {
    let bench = bench();
    let patch = json!({ "path": "a.txt", "find": "two", "replace": "2" });
    let diff = "--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n";
    let shown = bench.call("file.patch", patch.clone(), RunMode::DryRun);
    assert_eq!(outcome(&shown).unwrap()["diff"], diff);
    assert_eq!(bench.read("ws/a.txt"), "one\ntwo\nthree\n");
    let made = bench.call("file.patch", patch.clone(), RunMode::Real);
    assert_eq!(outcome(&made).unwrap()["diff"], diff);
    assert_eq!(bench.read("ws/a.txt"), "one\n2\nthree\n");
    assert_eq!(made.effects_observed.writes, [job::file("a.txt")]);
    let again = bench.call("file.patch", patch, RunMode::Real);
    assert_eq!(outcome(&again).unwrap_err(), "text_not_found");
    let twice = json!({ "path": "a.txt", "find": "e\n", "replace": "" });
    assert_eq!(outcome(&bench.call("file.patch", twice, RunMode::Real)).unwrap_err(), "text_not_unique");
}

#[test]
fn a_file_outside_that_is_linked_hard_keeps_its_content() {
    // FS-04: the new content takes the name, and not the file that others see too.
    let bench = bench();
    let result = bench.call("file.write", json!({ "path": "hard", "content": "mine" }), RunMode::Real);
    assert_eq!(outcome(&result).unwrap(), json!({ "path": "hard", "bytesWritten": 4, "created": false }));
    assert_eq!((bench.read("ws/hard").as_str(), bench.read("secret.txt").as_str()), ("mine", "hunter2"));
}

#[test]
fn new_files_get_their_folders_and_folders_go_with_everything() {
    let bench = bench();
    let write = json!({ "path": "new/deep/file.txt", "content": "hello" });
    let dry = bench.call("file.write", write.clone(), RunMode::DryRun);
    assert_eq!(outcome(&dry).unwrap()["created"], true);
    assert!(!bench.exists("ws/new"));
    assert!(outcome(&bench.call("file.write", write, RunMode::Real)).is_ok());
    assert_eq!(bench.read("ws/new/deep/file.txt"), "hello");

    let moved = bench.call("file.move", json!({ "from": "new/deep", "to": "new/shallow" }), RunMode::Real);
    assert_eq!(outcome(&moved).unwrap(), json!({ "from": "new/deep", "to": "new/shallow" }));

    let one = json!({ "path": "new" });
    assert_eq!(outcome(&bench.call("file.delete", one, RunMode::Real)).unwrap_err(), "is_a_folder");
    let all = json!({ "path": "new", "recursive": true });
    let expected = ["new/shallow/file.txt", "new/shallow", "new"];
    let shown = bench.call("file.delete", all.clone(), RunMode::DryRun);
    assert_eq!(outcome(&shown).unwrap(), json!({ "removed": expected, "dryRun": true }));
    assert!(bench.exists("ws/new/shallow/file.txt") && shown.effects_observed.deletes.is_empty());
    let gone = bench.call("file.delete", all, RunMode::Real);
    assert_eq!(outcome(&gone).unwrap(), json!({ "removed": expected, "dryRun": false }));
    assert!(!bench.exists("ws/new"));
    // A link goes itself, and what it leads to stays.
    assert!(outcome(&bench.call("file.delete", json!({ "path": "out" }), RunMode::Real)).is_ok());
    assert!(!bench.exists("ws/out") && bench.exists("secret.txt"));
}

#[test]
fn a_workspace_whose_name_leads_elsewhere_is_still_the_folder_that_was_opened() {
    // FS-19: the root is held open; a folder that takes its name is another one.
    let bench = bench();
    let ws = bench.folder.path().join("ws");
    std::fs::rename(&ws, bench.folder.path().join("old")).unwrap();
    std::fs::create_dir(&ws).unwrap();
    std::fs::write(ws.join("a.txt"), "planted").unwrap();
    let result = bench.call("file.read", json!({ "path": "a.txt" }), RunMode::Real);
    assert_eq!(outcome(&result).unwrap_err(), "path_denied");
}

#[test]
fn a_dry_run_shows_what_a_run_would_do_and_does_none_of_it() {
    let bench = bench();
    let rows = [
        (
            "file.write",
            json!({ "path": "new/a.txt", "content": "x\n" }),
            "--- /dev/null\n+++ b/new/a.txt\n@@ -0,0 +1 @@\n+x\n",
        ),
        (
            "file.write",
            json!({ "path": "a.txt", "content": "" }),
            "--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +0,0 @@\n-one\n-two\n-three\n",
        ),
        ("file.move", json!({ "from": "a.txt", "to": "new/b.txt" }), "a.txt -> new/b.txt\n"),
        ("file.move", json!({ "from": "src/deep", "to": "d" }), "src/deep -> d\n"),
    ];
    for (tool, args, output) in rows {
        let shown = bench.call(tool, args.clone(), RunMode::DryRun);
        let digest = shown.artifacts[0].content_hash.clone().unwrap();
        let kept = std::fs::read_to_string(bench.home.artifacts().join(digest.as_str()));
        assert_eq!(kept.unwrap(), output, "{tool} {args}");
        assert_eq!(shown.effects_observed.writes, []);
    }
    assert_eq!(bench.read("ws/a.txt"), "one\ntwo\nthree\n");
    assert!(!bench.exists("ws/new") && !bench.exists("ws/d") && bench.exists("ws/src/deep/x.rs"));
}

#[test]
fn what_takes_a_file_keeps_its_rights_and_nothing_is_left_beside_it() {
    use std::os::unix::fs::PermissionsExt as _;
    let bench = bench();
    let path = bench.folder.path().join("ws/a.txt");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o4750)).unwrap();
    let write = json!({ "path": "a.txt", "content": "mine" });
    assert!(outcome(&bench.call("file.write", write, RunMode::Real)).is_ok());
    // The bit that runs a file as its owner is not passed on to other bytes.
    assert_eq!(path.metadata().unwrap().permissions().mode() & 0o7777, 0o750);
    let beside = std::fs::read_dir(bench.folder.path().join("ws")).unwrap();
    let parts = beside.filter(|e| e.as_ref().unwrap().file_name().to_string_lossy().ends_with(".part"));
    assert_eq!(parts.count(), 0);
}

#[test]
fn a_folder_moves_as_a_whole_and_never_into_itself() {
    let bench = bench();
    let rows = [
        (json!({ "from": "src", "to": "src/deep/in" }), Err("path_denied".to_owned())),
        (json!({ "from": "src/deep", "to": "src/lib.rs" }), Err("exists".to_owned())),
        // It holds something that may not be touched.
        (json!({ "from": "src", "to": "lib" }), Err("path_denied".to_owned())),
        (json!({ "from": "src/deep", "to": "a/b/c" }), Ok(json!({ "from": "src/deep", "to": "a/b/c" }))),
    ];
    for (args, expected) in rows {
        assert_eq!(outcome(&bench.call("file.move", args.clone(), RunMode::Real)), expected, "{args}");
    }
    assert_eq!(bench.read("ws/a/b/c/x.rs"), "todo!()\n");
    assert!(!bench.exists("ws/src/deep"));
}

#[test]
fn every_file_is_in_the_table() {
    let names: Vec<&str> = ALL.iter().map(|t| t.id()).collect();
    assert_eq!(names, IDS);
}
