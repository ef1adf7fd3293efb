//! An approval of a workspace write shows what would be written, and exactly that is written.

use super::{
    boundaries::{Failing, kinds, settled, writer},
    call, open, registry, session,
};
use proofhouse_manager::{
    adapters::{
        approvers::{Callback, SpentMarkers},
        artifacts::ArtifactFolder,
        builtin::{Builtin, Workspace},
        clock::SystemClock,
        home::Home,
        journal::{JournalWriter, read_verified},
        undo::UndoFolder,
    },
    event::{Fact, GrantReach},
    manager::{Approving, Executors, Manager, RunOptions, Verdict},
    model::{
        ApprovalContract, ApprovalRequest, CallId, Changes, Digest, Domain, EffectsObserved, PrincipalId,
        StopCode, StopReason, ToolDescriptor, ToolError,
    },
    policy::PolicyEngine,
    port::{
        Adapter, Answer, AnswerDecision, ApproverRights, Clock as _, Confirmation, MISMATCH, Ran, Rehearsal,
        Rehearsals, Rehearsed, RunRequest, Settled, Uninterrupted,
    },
    registry::Registry,
    stage::{GrantLifetimes, Outcome, Pending, RunMode, Ticket},
};
use serde_json::{Value, json};
use std::{
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    sync::{Arc, LazyLock, Mutex},
};

/// Whoever answers may.
struct Everybody;

impl ApproverRights for Everybody {
    fn may_approve(&self, _: &PrincipalId, _: &ApprovalContract) -> Result<(), String> {
        Ok(())
    }
}

static SHIPPED: LazyLock<Registry> = LazyLock::new(registry);

/// A workspace with one file, and a manager that asks before it is changed.
struct Shop {
    folder: tempfile::TempDir,
    home: Home,
    manager: Manager,
    session: proofhouse_manager::manager::Session,
    log: JournalWriter,
}

impl Shop {
    fn open(change: impl Fn(&mut ToolDescriptor)) -> Self {
        Self::running(change, |ws| Arc::new(Builtin::new(Workspace::open(ws).unwrap())))
    }

    fn running(
        change: impl Fn(&mut ToolDescriptor),
        adapter: impl FnOnce(&Path) -> Arc<dyn Adapter>,
    ) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let ws = folder.path().join("ws");
        std::fs::create_dir(&ws).unwrap();
        std::fs::write(ws.join("a.txt"), "one\ntwo\nthree\n").unwrap();
        let home = Home::open(folder.path().join("home")).unwrap();
        let mut tools = Registry::new();
        for id in ["file.write", "file.patch", "file.move"] {
            let mut tool = SHIPPED.get(id).unwrap().descriptor().clone();
            tool.permissions.approval_policy = proofhouse_manager::model::ApprovalPolicy::Always;
            change(&mut tool);
            tools.register(tool).unwrap();
        }
        let executors = Executors::new(vec![adapter(&ws)], Arc::new(ArtifactFolder::new(home.artifacts())))
            .with_undo(Arc::new(UndoFolder::of(&home)));
        let manager = Manager::new(tools, PolicyEngine::standard().unwrap(), Arc::new(SystemClock))
            .with_executors(executors);
        let session = session(&["workspace:read", "workspace:write"]);
        let log = writer(&home.run(&"run_1".into()));
        Self { folder, home, manager, session, log }
    }

    fn ws(&self) -> PathBuf {
        self.folder.path().join("ws")
    }

    fn text(&self) -> String {
        std::fs::read_to_string(self.ws().join("a.txt")).unwrap_or_default()
    }

    fn propose(&mut self, tool: &str, args: Value) -> Verdict {
        let turn = open(&self.manager, &self.session, &mut self.log);
        self.manager.decide(&self.session, &turn, call(tool, args), &mut self.log).unwrap().1
    }

    fn ask(&mut self, tool: &str, args: Value) -> Pending {
        match self.propose(tool, args) {
            Verdict::Asked(pending) => pending,
            other => panic!("{other:?}"),
        }
    }

    /// Says yes.
    fn approve(&mut self, pending: Pending) -> Verdict {
        let yes = |request: &ApprovalRequest| {
            Some(Answer {
                approval_id: request.approval_id.clone(),
                contract_digest: request.contract_digest.clone(),
                decision: AnswerDecision::Allow { reach: GrantReach::Once },
                by: "user:lead".into(),
                confirmation: Confirmation::Chosen,
                at: SystemClock.now(),
            })
        };
        let yes = Callback::new(yes, Arc::new(SystemClock));
        let uses = SpentMarkers::of(&self.home);
        let with = Approving {
            approver: &yes,
            rights: &Everybody,
            uses: &uses,
            interrupt: &Uninterrupted,
            lifetimes: GrantLifetimes::default(),
        };
        self.manager.approve(&self.session, pending, &with, &mut self.log).unwrap()
    }

    /// What the journal says of the last call, a letter an event.
    fn letters(&self) -> String {
        let letter = |fact: &Fact| match fact {
            Fact::ToolCallRequested(_) => Some('R'),
            Fact::ToolPolicyChecked(_) => Some('P'),
            Fact::ToolSandboxPrepared(_) => Some('X'),
            Fact::ToolCallRehearsed(_) => Some('H'),
            Fact::ApprovalRequested(_) => Some('A'),
            Fact::ApprovalGranted(_) => Some('G'),
            Fact::ApprovalInvalidated(_) => Some('V'),
            Fact::ToolCallStarted(_) => Some('S'),
            Fact::ToolCallFinished(_) => Some('F'),
            Fact::ToolCallBlocked(_) => Some('B'),
            _ => None,
        };
        self.facts().iter().filter_map(letter).collect()
    }

    fn facts(&self) -> Vec<Fact> {
        let events = read_verified(&self.log.path()).unwrap();
        events.map(|event| event.unwrap().fresh.fact).collect()
    }
}

fn patch() -> Value {
    json!({ "path": "a.txt", "find": "two", "replace": "2" })
}

#[test]
fn what_was_approved_is_what_is_on_the_disk_or_nothing_is() {
    type Tamper = fn(&Path);
    type Row = (&'static str, &'static str, Value, Tamper, Result<&'static str, &'static str>);
    let edit: Tamper = |ws| std::fs::write(ws.join("a.txt"), "one\ntwo\nthree\nfour\n").unwrap();
    let rows: [Row; 7] = [
        ("nothing happens", "file.patch", patch(), |_| {}, Ok("one\n2\nthree\n")),
        (
            "another file changes",
            "file.patch",
            patch(),
            |ws| std::fs::write(ws.join("b"), "").unwrap(),
            Ok("one\n2\nthree\n"),
        ),
        ("it is edited elsewhere", "file.patch", patch(), edit, Err("one\ntwo\nthree\nfour\n")),
        (
            "other rights",
            "file.patch",
            patch(),
            |ws| std::fs::set_permissions(ws.join("a.txt"), std::fs::Permissions::from_mode(0o600)).unwrap(),
            Err("one\ntwo\nthree\n"),
        ),
        ("it is gone", "file.patch", patch(), |ws| std::fs::remove_file(ws.join("a.txt")).unwrap(), Err("")),
        (
            "it is a link now",
            "file.patch",
            patch(),
            |ws| {
                std::fs::rename(ws.join("a.txt"), ws.join("b.txt")).unwrap();
                std::os::unix::fs::symlink("b.txt", ws.join("a.txt")).unwrap();
            },
            Err("one\ntwo\nthree\n"),
        ),
        (
            "a folder is there by now",
            "file.move",
            json!({ "from": "a.txt", "to": "new/b.txt" }),
            |ws| std::fs::create_dir(ws.join("new")).unwrap(),
            Err("one\ntwo\nthree\n"),
        ),
    ];
    // Between the yes and the preparation of the run, and between that and the run itself.
    for late in [false, true] {
        for (what, tool, args, tamper, expected) in rows.clone() {
            let mut shop = Shop::open(|_| {});
            let pending = shop.ask(tool, args);
            let changes = pending.request().contract.changes_digest.clone();
            assert!(changes.is_some() && pending.request().diff.is_some(), "{what}");
            let Verdict::Allowed(authorized) = shop.approve(pending) else { panic!("{what}") };
            if !late {
                tamper(&shop.ws());
            }
            match shop.manager.prepare(authorized, &mut shop.log).unwrap() {
                Outcome::Next(prepared) => {
                    assert!(late || expected.is_ok(), "{what}: it was prepared");
                    if late {
                        tamper(&shop.ws());
                    }
                    let options = RunOptions { mode: RunMode::Real, interrupt: &Uninterrupted, attempt: 0 };
                    let ran = match shop.manager.start(prepared, &options, &mut shop.log).unwrap() {
                        Outcome::Next(executed) => executed.ran().clone(),
                        Outcome::Stop(stop) => panic!("{what}: {stop:?}"),
                    };
                    let code = ran.error.as_ref().map(|e| e.code.as_str());
                    assert_eq!(code.is_none(), expected.is_ok(), "{what}: {code:?}");
                    if expected.is_err() {
                        assert_eq!((ran.effects.writes, ran.effects.deletes), (vec![], vec![]), "{what}");
                    }
                }
                Outcome::Stop(stop) => {
                    assert!(!late && expected.is_err(), "{what}: {stop:?}");
                    assert_eq!(stop.reason.code, StopCode::ApprovalMismatch, "{what}");
                }
            }
            let (Ok(text) | Err(text)) = expected;
            assert_eq!(shop.text(), text, "{what}, late: {late}");
            let parts = std::fs::read_dir(shop.ws()).unwrap();
            assert_eq!(
                parts.filter(|e| e.as_ref().unwrap().file_name().as_encoded_bytes()[0] == b'.').count(),
                0
            );
        }
    }
}

#[test]
fn the_question_shows_the_diff_and_its_contract_is_bound_to_the_bytes() {
    let mut shop = Shop::open(|_| {});
    let pending = shop.ask("file.patch", patch());
    let request = pending.request();
    let diff = request.diff.as_ref().unwrap();
    assert_eq!(diff.head, "--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n");
    assert_eq!((diff.changed, diff.hidden(), &diff.uri), (1, 0, &None));
    assert!(request.preview.contains("\n  | -two\n  | +2\n"), "{}", request.preview);
    assert!(request.preview.contains("\nwrites      file:a.txt\n"), "{}", request.preview);
    // The same with other bytes is another contract, and the difference is named.
    let mut other = request.contract.clone();
    other.changes_digest = Some(Digest::of_bytes(Domain::Changes, b"other"));
    assert_ne!(other.digest().unwrap(), request.contract.digest().unwrap());
    assert_eq!(request.contract.difference(&other).unwrap().field, "changesDigest");
    other.changes_digest = None;
    assert_eq!(request.contract.difference(&other).unwrap().field, "changesDigest");
    // What is not logged is not shown in the journal either.
    let redacted = request.redacted();
    assert_eq!(redacted.diff.unwrap().head, "[redacted]");
    assert_eq!(shop.text(), "one\ntwo\nthree\n");
    assert_eq!(shop.letters(), "RPXHA");
}

#[test]
fn a_diff_that_is_too_long_for_a_question_is_kept_whole() {
    let mut shop = Shop::open(|_| {});
    let long: String = (0..5000).map(|n| format!("line {n}\n")).collect();
    let pending = shop.ask("file.write", json!({ "path": "long.txt", "content": long }));
    let diff = pending.request().diff.clone().unwrap();
    let uri = diff.uri.clone().unwrap();
    assert!(diff.hidden() > 20_000 && diff.head.len() + diff.tail.len() < 17_000);
    assert_eq!(uri, format!("artifact:{}", diff.digest));
    let whole = std::fs::read_to_string(shop.home.artifacts().join(diff.digest.as_str())).unwrap();
    assert!(whole.starts_with(&diff.head) && whole.ends_with(&diff.tail) && whole.contains("+line 2500\n"));
    assert!(pending.request().preview.contains(&format!("bytes not shown, all of it in {uri} …")));
    let told = shop.facts().iter().find_map(|fact| match fact {
        Fact::ToolCallRehearsed(told) => Some(told.diff_uri.clone()),
        _ => None,
    });
    assert_eq!(told, Some(Some(uri)));
}

#[test]
fn what_would_fail_or_do_what_it_may_not_is_told_before_anybody_is_asked() {
    type Row = (&'static str, fn(&mut ToolDescriptor), Value, &'static str);
    let rows: [Row; 2] = [
        ("it fails", |_| {}, json!({ "path": "a.txt", "find": "four", "replace": "4" }), "text_not_found"),
        (
            "it writes what it does not declare",
            |tool| tool.effects.writes = vec!["file:out/**".into()],
            patch(),
            "it writes `file:a.txt`, which its contract does not declare",
        ),
    ];
    for (what, change, args, reason) in rows {
        let mut shop = Shop::open(change);
        match shop.propose("file.patch", args) {
            Verdict::Stopped(stop) => {
                assert_eq!(stop.code, StopCode::RehearsalFailed, "{what}");
                assert!(stop.message.contains(reason), "{what}: {}", stop.message);
            }
            other => panic!("{what}: {other:?}"),
        }
        assert_eq!(shop.text(), "one\ntwo\nthree\n", "{what}");
        assert_eq!(shop.letters(), "RPXHB", "{what}");
    }
}

/// Cannot try, or says something else each time; counts what it is asked.
struct Fickle {
    tries: bool,
    asked: Mutex<String>,
}

impl Fickle {
    fn note(&self, letter: char) {
        self.asked.lock().unwrap().push(letter);
    }
}

impl Adapter for Fickle {
    fn word(&self) -> &'static str {
        "builtin"
    }

    fn settle(&self, _: &RunRequest<'_>) -> Result<Settled, StopReason> {
        settled()
    }

    fn invoke(&self, _: Ticket<'_>) -> Ran {
        self.note('i');
        Ran::failed(ToolError {
            code: "invoked".to_owned(),
            message: String::new(),
            retryable: false,
            safe_to_show_user: true,
        })
    }

    fn rehearsals(&self) -> Option<&dyn Rehearsals> {
        self.tries.then_some(self)
    }
}

impl Rehearsals for Fickle {
    fn rehearse(&self, _: &Rehearsal<'_>) -> Result<Rehearsed, ToolError> {
        self.note('r');
        let (changes, effects) = (Changes::default(), EffectsObserved::default());
        Ok(Rehearsed { changes, diff: String::new(), effects, latency_ms: 0 })
    }

    fn present(&self, _: &Rehearsal<'_>) -> Result<Digest, StopReason> {
        self.note('p');
        Ok(Changes::default().digest().unwrap())
    }

    fn commit(&self, ticket: Ticket<'_>, approved: &Digest) -> Ran {
        self.note('c');
        assert_eq!(*approved, Changes::default().digest().unwrap());
        Ran { error: None, ..self.invoke(ticket) }
    }

    fn forget(&self, _: &CallId) {
        self.note('f');
    }
}

#[test]
fn only_what_can_be_tried_without_effect_is_tried_and_nothing_is_left_of_what_is_not_made() {
    let all = |_: &mut ToolDescriptor| {};
    let outside = |tool: &mut ToolDescriptor| tool.effects.external_calls = true;
    type Change = fn(&mut ToolDescriptor);
    let rows: [(&str, bool, Change, bool, &str, &str); 4] = [
        ("tried and made", true, all, true, "rpci", "RPXHAGXSF"),
        ("tried and let go", true, all, false, "rf", "RPXHA"),
        ("it reaches outside", true, outside, true, "i", "RPAGXSF"),
        ("it cannot try", false, all, true, "i", "RPAGXSF"),
    ];
    for (what, tries, change, answered, asked, letters) in rows {
        let adapter = Arc::new(Fickle { tries, asked: Mutex::default() });
        let mut shop = Shop::running(change, |_| Arc::clone(&adapter) as Arc<dyn Adapter>);
        let pending = shop.ask("file.patch", patch());
        assert_eq!(pending.request().contract.changes_digest.is_some(), asked.starts_with('r'), "{what}");
        if answered {
            let Verdict::Allowed(authorized) = shop.approve(pending) else { panic!("{what}") };
            let options = RunOptions { mode: RunMode::Real, interrupt: &Uninterrupted, attempt: 0 };
            shop.manager.run(authorized, &options, &mut shop.log).unwrap();
        } else {
            shop.manager.withdraw(&pending);
        }
        assert_eq!(*adapter.asked.lock().unwrap(), asked, "{what}");
        assert_eq!(shop.letters(), letters, "{what}");
    }
    assert_eq!(MISMATCH, StopCode::ApprovalMismatch.as_str());
}

#[test]
fn nothing_is_tried_that_the_disk_does_not_know_of_and_nobody_is_asked_unrecorded() {
    for room in 0..20 {
        let adapter = Arc::new(Fickle { tries: true, asked: Mutex::default() });
        let shop = Shop::running(|_| {}, |_| Arc::clone(&adapter) as Arc<dyn Adapter>);
        let path = shop.folder.path().join("run.jsonl");
        let mut log = Failing { writer: writer(&path), left: u32::MAX };
        let turn = open(&shop.manager, &shop.session, &mut log);
        log.left = room;
        let decided = shop.manager.decide(&shop.session, &turn, call("file.patch", patch()), &mut log);
        drop(log);
        let kinds = kinds(&path);
        let has = |kind: &str| kinds.iter().any(|k| k == kind);
        let tried = adapter.asked.lock().unwrap().contains('r');
        assert!(!tried || has("ToolSandboxPrepared"), "{room}: {kinds:?}");
        assert!(!has("ToolCallStarted"), "{room}");
        match decided {
            Ok((_, Verdict::Asked(_))) => {
                // Request, validation, policy, sandbox and commit, rehearsal, question.
                assert_eq!(
                    (room, tried, has("ToolCallRehearsed"), has("ApprovalRequested")),
                    (7, true, true, true)
                );
                return;
            }
            Ok((_, other)) => panic!("{room}: {other:?}"),
            // The fifth write is the commit before anything is tried.
            Err(_) => assert_eq!(tried, room >= 5, "{room}"),
        }
    }
    panic!("nobody was ever asked");
}
