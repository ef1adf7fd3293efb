//! `proofhouse journal` from a shell.

use crate::cli::Desk;
use proofhouse_manager::{
    adapters::{
        clock::SystemClock,
        home::Home,
        journal::{JournalOptions, JournalWriter},
    },
    event::{Fact, Scope, fact::UserPromptSubmitted},
    model::RunId,
};
use serde_json::Value;
use std::{fs, path::PathBuf, sync::Arc};

/// A home with a journal of six events.
fn home(desk: &Desk) -> (Home, PathBuf) {
    let home = Home::open(desk.path().join("agent")).unwrap();
    let path = home.run(&"run_1".into());
    let writer = open(&home, 1 << 20);
    for text in ["one", "two\u{1b}[31m\u{2028}\u{202e}red\nnext", "three", "four"] {
        say(&writer, text);
    }
    writer.close().unwrap();
    (home, path)
}

fn open(home: &Home, rotate_at: u64) -> JournalWriter {
    let options = JournalOptions::of_home(home, &RunId::new("run_1"), "test", Arc::new(SystemClock)).unwrap();
    options.rotate_at(rotate_at).open(&home.run(&"run_1".into())).unwrap()
}

fn say(writer: &JournalWriter, text: &str) {
    let scope = Scope { session_id: "s".into(), run_id: "run_1".into(), call_id: Some("tc_1".into()) };
    let fact: Fact = UserPromptSubmitted { prompt: text.to_owned() }.into();
    writer.record(&scope, None, fact).unwrap();
}

#[test]
fn verify_names_the_first_bad_line() {
    let desk = Desk::new();
    let (_, path) = home(&desk);
    let file = path.to_str().unwrap();
    let (code, out, err) = desk.run(&["journal", "verify", file]);
    assert_eq!(code, 0, "{out}{err}");
    assert!(
        out.starts_with("sound ") && out.contains("6 events") && out.contains("signed to its end"),
        "{out}"
    );

    let whole = fs::read_to_string(&path).unwrap();
    let l: Vec<&str> = whole.lines().collect();
    let changed = l[2].replace("red", "led");
    let rows = [
        ("one byte changed", vec![l[0], l[1], &changed, l[3], l[4], l[5]], "line 3: it was changed"),
        ("one line dropped", vec![l[0], l[1], l[3], l[4], l[5]], "line 3: event 3 is missing"),
        (
            "two lines swapped",
            vec![l[0], l[2], l[1], l[3], l[4], l[5]],
            "line 2: it holds event 3; event 2 stands at line 3",
        ),
        ("one line twice", vec![l[0], l[1], l[1], l[2], l[3], l[4], l[5]], "line 3: it repeats number 2"),
        ("the tail cut", vec![l[0], l[1], l[2], l[3]], "line 5: the end was cut off"),
    ];
    for (what, lines, expected) in rows {
        fs::write(&path, lines.join("\n") + "\n").unwrap();
        let (code, out, _) = desk.run(&["journal", "verify", file]);
        assert_eq!(code, 1, "{what}: {out}");
        assert!(out.starts_with("BROKEN") && out.contains(expected), "{what}: {out}");
        let (code, out, _) = desk.run(&["journal", "verify", file, "--format", "json"]);
        let document: Value = serde_json::from_str(&out).unwrap();
        assert_eq!((code, &document["journals"][0]["sound"]), (1, &Value::Bool(false)), "{what}");
        assert!(document["journals"][0]["line"].is_u64(), "{what}");
    }
}

#[test]
fn verify_says_what_it_cannot_know() {
    let desk = Desk::new();
    let (home, path) = home(&desk);
    let elsewhere = desk.write("elsewhere/run_1.jsonl", &fs::read_to_string(&path).unwrap());
    let file = elsewhere.to_str().unwrap();
    let (code, out, _) = desk.run(&["journal", "verify", file]);
    assert!(code == 0 && out.contains("no checkpoint: whether its end was cut off"), "{out}");
    let (code, out, _) = desk.run(&["journal", "verify", file, "--require-checkpoint"]);
    assert!(code == 1 && out.contains("one is demanded"), "{out}");
    let key = home.keys().join("journal.pub");
    let checkpoints = home.checkpoints();
    let given = ["--key", key.to_str().unwrap(), "--checkpoints", checkpoints.to_str().unwrap()];
    let (code, out, _) =
        desk.run(&[&["journal", "verify", file, "--require-checkpoint", "--strict"][..], &given].concat());
    assert!(code == 0 && out.contains("signed to its end"), "{out}");
}

#[test]
fn verify_checks_everything_in_a_home() {
    let desk = Desk::new();
    let (home, path) = home(&desk);
    let writer = open(&home, 1);
    say(&writer, "in another file");
    writer.close().unwrap();
    let root = home.root().to_str().unwrap();
    let (code, out, _) = desk.run(&["journal", "verify", "--home", root]);
    assert!(code == 0 && out.lines().count() == 1 && out.contains("in 2 files"), "{out}");
    fs::remove_file(path.with_file_name("run_1.2.jsonl")).unwrap();
    let (code, out, _) = desk.run(&["journal", "verify", "--home", root]);
    assert!(code == 1 && out.contains("run_1.2.jsonl` is missing"), "{out}");

    let empty = desk.path().join("empty");
    let (code, _, err) = desk.run(&["journal", "verify", "--home", empty.to_str().unwrap()]);
    assert!(code == 2 && err.contains("no journal"), "{err}");
    let (code, _, err) = desk.run(&["journal", "verify", "nowhere.jsonl"]);
    assert!(code == 2 && err.contains("nowhere.jsonl"), "{err}");
}

#[test]
fn tail_shows_one_line_an_event_and_nothing_that_a_terminal_obeys() {
    let desk = Desk::new();
    let (_, path) = home(&desk);
    let file = path.to_str().unwrap();
    let (code, out, err) = desk.run(&["journal", "tail", file]);
    assert_eq!((code, out.lines().count()), (0, 6), "{out}{err}");
    let line = out.lines().nth(2).unwrap();
    assert!(line.contains("UserPromptSubmitted") && line.contains("tc_1") && line.contains("red"), "{line}");
    assert!(!out.contains(['\u{1b}', '\u{2028}', '\u{202e}']), "{out:?}");

    let count = |arguments: &[&str]| {
        let (code, out, err) = desk.run(&[&["journal", "tail", file][..], arguments].concat());
        assert_eq!(code, 0, "{err}");
        out.lines().count()
    };
    assert_eq!(count(&["-n", "2"]), 2);
    assert_eq!(count(&["--type", "LogOpened", "--type", "LogClosed"]), 2);
    assert_eq!(count(&["--call", "tc_1"]), 4);
    assert_eq!(count(&["--call", "tc_2"]), 0);
    let (_, out, _) = desk.run(&["journal", "tail", file, "--format", "json", "-n", "6"]);
    assert_eq!(out, fs::read_to_string(&path).unwrap());
}

#[test]
fn tail_follows_a_journal_into_its_next_file() {
    use std::io::{BufRead as _, BufReader};
    let desk = Desk::new();
    let (home, path) = home(&desk);
    let mut child = std::process::Command::new(assert_cmd::cargo::cargo_bin!("proofhouse"))
        .args(["journal", "tail", "-f", "-n", "1", path.to_str().unwrap()])
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    assert!(lines.next().unwrap().contains("LogClosed"));
    let writer = open(&home, 1);
    say(&writer, "in another file");
    let seen: Vec<String> = lines.by_ref().take(3).collect();
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(
        seen[0].contains("goes on in")
            && seen[1].contains("continues")
            && seen[2].contains("in another file"),
        "{seen:?}"
    );
}
