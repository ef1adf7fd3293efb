//! `proofhouse conform` from a shell: what it prints, where it writes, and what its exit code says.

use std::{path::Path, process::Command};

fn conform(arguments: &[&str]) -> (i32, String, String) {
    let output = Command::new(assert_cmd::cargo::cargo_bin!("proofhouse"))
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .arg("conform")
        .args(arguments)
        .output()
        .unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap_or(-1), text(output.stdout), text(output.stderr))
}

const SESSION: [&str; 2] = [
    "golden/journals/conforming/ordinary-and-refused/registry.jsonl",
    "golden/journals/conforming/ordinary-and-refused/run.jsonl",
];
const BROKEN: &str = "golden/journals/violating/05-a-revoked-grant.jsonl";

#[test]
fn the_exit_code_is_the_answer() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.display().to_string()
    };
    let run = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(SESSION[1])).unwrap();
    let edited = write("edited.jsonl", &run.replacen("read my notes", "read her notes", 1));
    let foreign = write("foreign.jsonl", "{\"type\":\"ToolCallStarted\",\"toolCallId\":\"c\"}\n");
    let twice = write("twice.jsonl", "{\"type\":\"A\",\"type\":\"B\"}\n");
    let listed = write("listed", "R5.2 grants are not looked up again yet\n");
    let stale = write("stale", "R5.2 known\nR6.1 known\n");
    let vague = write("vague", "R5.2\n");
    let rows: [(&[&str], i32, &str); 13] = [
        (&["--journal", SESSION[0], SESSION[1]], 3, "not proven (version 1.0)"),
        (&["--journal", SESSION[0], SESSION[1], "--only", "1,2,3,4"], 0, "conforms (version 1.0): 4 hold"),
        (&["--journal", BROKEN], 1, "R5.2  call `"),
        (&["--journal", SESSION[0], &edited, "--only", "1,2,3,4"], 1, "its hash is not that of its content"),
        (&["--journal", &foreign, "--only", "2"], 3, "no line carries a hash"),
        (&["--journal", &twice], 2, "`type` stands twice"),
        (
            &["--journal", BROKEN, "--only", "5", "--expected", &listed],
            0,
            "expected      R5.2: grants are not",
        ),
        (&["--journal", BROKEN, "--expected", &listed], 3, "not exercised, 50 events"),
        (&["--journal", BROKEN, "--expected", &stale], 1, "R6.1 is expected to fail, and was not broken"),
        (&["--journal", SESSION[0], "--expected", &listed], 1, "remove its entry"),
        (&["--journal", BROKEN, "--expected", &vague], 2, "`R5.2` has no reason"),
        (&["--journal", BROKEN, "-o", "verdict.pdf"], 2, "no format goes with `verdict.pdf`"),
        (&["--journal", BROKEN, "--from", "smoke"], 2, "the formats are otel"),
    ];
    for (arguments, code, part) in rows {
        let (got, out, err) = conform(arguments);
        assert_eq!(got, code, "{arguments:?}\n{out}{err}");
        assert!((out.clone() + &err).contains(part), "{arguments:?}: no {part} in\n{out}{err}");
    }
}

#[test]
fn a_report_is_written_in_the_format_of_each_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let files = ["r.html", "r.xml", "r.json", "r.svg", "r.txt"].map(path);
    let mut arguments = vec!["--journal", BROKEN, "--format", "line"];
    files.iter().for_each(|file| arguments.extend(["-o", file]));
    let (code, out, err) = conform(&arguments);
    assert_eq!((code, out.lines().count(), err.as_str()), (1, 1, ""), "{out}");
    for (file, start) in files.iter().zip(["<!doctype html>", "<?xml", "{\"", "<svg", "holds"]) {
        let told = std::fs::read_to_string(file).unwrap();
        assert!(
            told.starts_with(start) && told.contains(if start == "<svg" { "1 of 16" } else { "R5.2" }),
            "{told}"
        );
    }
}

#[test]
fn mutants_of_a_log_are_found_again() {
    let folder = tempfile::tempdir().unwrap();
    let into = folder.path().display().to_string();
    let (code, out, err) = conform(&["--mutate", &into, "--journal", SESSION[0], SESSION[1]]);
    assert_eq!(code, 0, "{err}");
    assert!(
        out.contains("written        R1.1   01-nobody-asked.jsonl") && out.contains("no material    R7.1"),
        "{out}"
    );
    let mutant = folder.path().join("04-denied-and-executed.jsonl").display().to_string();
    let (code, out, _) = conform(&["--journal", &mutant]);
    assert!(code == 1 && out.contains("R4.2"), "{out}");
}

#[test]
fn requirements_are_told() {
    let (code, page, _) = conform(&["--requirements"]);
    assert!(
        code == 0 && page.starts_with("# Requirements, version 1.0") && page.contains("| R16.4 | MUST |")
    );
    let (code, out, _) = conform(&["--explain", "15"]);
    assert!(code == 0 && out.contains("R15.5  SHOULD a tool that was left out"), "{out}");
}

/// The words of a fault that a manager can be given on purpose are nowhere in the program; others are.
#[test]
fn no_fault_is_built_in() {
    let program = std::fs::read(assert_cmd::cargo::cargo_bin!("proofhouse")).unwrap();
    let holds = |text: &str| memchr::memmem::find(&program, text.as_bytes()).is_some();
    assert!(holds("every call references a registered tool version"));
    assert!(!holds("a denial is recorded, and the call goes on"));
}
