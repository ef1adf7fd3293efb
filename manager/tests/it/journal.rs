//! Processes that are killed while they write a journal. The child is this test binary, started again.

use proofhouse_manager::{
    adapters::{
        clock::SystemClock,
        home::Home,
        journal::{
            Demand, JournalOptions, JournalWriter, OpenError, PublicKey, Trust, read_verified, verify,
        },
    },
    event::{Fact, Scope, fact::FinishStatus},
    model::RunId,
};
use std::{
    collections::{BTreeMap, BTreeSet},
    env,
    io::{BufRead as _, BufReader, Write as _},
    path::Path,
    process::{Command, Stdio},
    sync::Arc,
    time::Duration,
};

/// Names the home of the child.
const HOME: &str = "PROOFHOUSE_TEST_JOURNAL_HOME";

fn options(home: &Home) -> JournalOptions {
    let run = RunId::new("run_1");
    let options = JournalOptions::of_home(home, &run, "test", Arc::new(SystemClock)).unwrap();
    options.rotate_at(8_000).checkpoint_every(5).wait(Duration::ZERO)
}

fn fact(json: &str) -> Fact {
    let fact = serde_json::from_str(json).unwrap();
    assert!(!matches!(fact, Fact::Unknown(_)));
    fact
}

/// Not a test but the process that is killed: four threads that run calls, and tell what was acknowledged.
#[test]
#[ignore = "started by the test that kills it"]
fn child() {
    #[expect(clippy::disallowed_methods, reason = "a test binary takes no arguments of ours")]
    let Ok(home) = env::var(HOME) else { panic!("started by the test that kills it alone") };
    let home = Home::open(home).unwrap();
    let writer = options(&home).open(&home.run(&"run_1".into())).unwrap();
    std::thread::scope(|threads| {
        for thread in 0..4 {
            let writer = writer.clone();
            threads.spawn(move || call_for_ever(thread, &writer));
        }
    });
}

fn call_for_ever(thread: u32, writer: &JournalWriter) {
    let started = fact(
        r#"{"type":"ToolCallStarted","toolId":"t","toolVersion":"1","descriptorDigest":"d","argsDigest":"a",
        "scopes":[],"riskLevel":"low","level":"L0","principal":"p","adapter":"cli","policyIds":[]}"#,
    );
    let finished = fact(
        r#"{"type":"ToolCallFinished","status":"success","outputBytes":0,"latencyMs":0,
        "effectsObserved":{"reads":[],"writes":[],"externalCalls":[]}}"#,
    );
    for n in 0.. {
        let call_id = Some(format!("tc_{}_{thread}_{n}", std::process::id()).into());
        let scope = Scope { session_id: "s".into(), run_id: "run_1".into(), call_id };
        for fact in [&started, &finished] {
            let id = writer.record(&scope, None, fact.clone()).unwrap();
            writer.commit().unwrap();
            // One write a line, so that what is told is whole.
            std::io::stdout().write_all(format!("acknowledged {id}\n").as_bytes()).unwrap();
        }
    }
}

/// Starts the child, reads until it has acknowledged `after` events, kills it, and gives all that it told.
fn kill_after(home: &Path, after: usize) -> BTreeSet<String> {
    let mut child = Command::new(env::current_exe().unwrap())
        .args(["--exact", "journal::child", "--ignored", "--nocapture", "--test-threads=1"])
        .env(HOME, home)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    let id = |line: String| line.split_once("acknowledged ").map(|(_, id)| id.to_owned());
    let mut told: BTreeSet<String> = lines.by_ref().filter_map(id).take(after).collect();
    assert_eq!(told.len(), after, "the child ended by itself");
    let home = Home::open(home).unwrap();
    // It still lives and still has the lock.
    assert!(matches!(options(&home).open(&home.run(&"run_1".into())), Err(OpenError::Locked(_))));
    child.kill().unwrap();
    child.wait().unwrap();
    told.extend(lines.filter_map(id));
    told
}

#[test]
fn a_killed_process_loses_nothing_that_it_acknowledged() {
    let folder = tempfile::tempdir().unwrap();
    let home = Home::open(folder.path().join("agent")).unwrap();
    let path = home.run(&"run_1".into());
    let mut told = BTreeSet::new();
    // The same journal again and again: each child takes up what the one before it left.
    for after in [1, 2, 3, 8, 25] {
        told.extend(kill_after(home.root(), after));
    }
    options(&home).open(&path).unwrap().close().unwrap();

    let key = PublicKey::of_folder(&home.keys()).unwrap();
    let trust =
        Trust { key, checkpoints: Some(home.checkpoints()), demand: Demand::Checkpoint, ..Trust::default() };
    let report = verify(&path, &trust).unwrap();
    assert!(report.files.len() > 1, "it was rotated on the way");
    assert_eq!(report.files.last().unwrap().open_calls, 0);
    let mut ends: BTreeMap<String, Vec<FinishStatus>> = BTreeMap::new();
    for event in read_verified(&path).unwrap() {
        let event = event.unwrap().fresh;
        told.remove(event.event_id.as_str());
        let Some(call) = event.scope.call_id else { continue };
        match event.fact {
            Fact::ToolCallStarted(_) => {
                assert_eq!(ends.insert(call.to_string(), Vec::new()), None, "{call} ran twice");
            }
            Fact::ToolCallFinished(end) => ends.get_mut(call.as_str()).unwrap().push(end.status),
            _ => {}
        }
    }
    assert!(told.is_empty(), "acknowledged and lost: {told:?}");
    assert!(ends.values().all(|ends| ends.len() == 1), "{ends:?}");
}
