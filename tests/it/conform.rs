//! The conformance suite from outside: on our own manager in process and as a child, on a naive one in Python, and on
//! drivers that fail.

use crate::cli::{Desk, root};
use serde_json::Value;
use std::{path::Path, process::Command};

/// Runs `proofhouse conform` with the JSON report.
fn conform(arguments: &[&str]) -> (i32, Value, String) {
    let desk = Desk::new();
    let mut all = vec!["conform", "--format", "json"];
    all.extend(arguments);
    let (code, out, err) = desk.run(&all);
    (code, serde_json::from_str(&out).unwrap_or_default(), err)
}

/// The invariants of a standing.
fn of(report: &Value, standing: &str) -> Vec<u64> {
    let rulings = report["report"]["rulings"].as_array().unwrap();
    let of = rulings.iter().filter(|r| r["standing"] == standing);
    of.map(|r| r["invariant"].as_u64().unwrap()).collect()
}

/// What keeps invariants from holding, for people who read a failed test.
fn troubles(report: &Value) -> String {
    let rulings = report["report"]["rulings"].as_array().cloned().unwrap_or_default();
    let not = rulings.iter().filter(|r| r["standing"] != "holds");
    not.map(|r| format!("{}: {} {}\n", r["invariant"], r["findings"], r["remarks"])).collect()
}

#[cfg(target_os = "linux")]
#[test]
fn our_own_manager_shows_all_sixteen() {
    let (code, report, err) = conform(&[]);
    assert_eq!((code, &report["conforms"]), (0, &Value::Bool(true)), "{}{err}", troubles(&report));
    assert_eq!(of(&report, "holds"), (1..=16).collect::<Vec<u64>>());
}

#[cfg(target_os = "linux")]
#[test]
fn as_a_child_it_answers_the_same() {
    let driver = format!("{} conform-driver", assert_cmd::cargo::cargo_bin!("proofhouse").display());
    let (code, report, err) = conform(&["--driver", &driver, "--only", "1,6,14"]);
    assert_eq!(code, 0, "{}{err}", troubles(&report));
    assert_eq!(of(&report, "holds"), [1, 6, 14]);
}

/// The command of the driver over `tools[name](args)`; nothing where there is no Python.
#[expect(clippy::print_stderr, reason = "a skipped test says so")]
fn naive() -> Option<String> {
    let python = Command::new("python3").arg("--version").output().is_ok_and(|o| o.status.success());
    if !python {
        eprintln!("SKIPPED: there is no python3 here, and the naive driver is written in it");
    }
    python.then(|| format!("python3 {}", root().join("tests/conform/naive_driver.py").display()))
}

#[test]
fn a_map_of_functions_is_no_tool_manager() {
    let Some(driver) = naive() else { return };
    let (code, report, err) = conform(&["--driver", &driver]);
    assert_eq!(code, 1, "{err}");
    let violated: Vec<u64> = (1..=16).filter(|n| *n != 9).collect();
    assert_eq!(of(&report, "violated"), violated, "{}", troubles(&report));
    assert_eq!(of(&report, "not_exercised"), [9]);
    for ruling in report["report"]["rulings"].as_array().unwrap() {
        for finding in ruling["findings"].as_array().unwrap() {
            assert!(finding["sentence"].as_str().is_some_and(|s| s.len() > 10), "{finding}");
        }
    }
    // What it has no method for is told, and never a pass.
    let scenarios = report["report"]["scenarios"].as_array().unwrap();
    let untested = scenarios.iter().find(|s| s["scenario"] == "06-expired").unwrap();
    assert_ne!(untested["standing"], "holds");
}

/// The page shows the first sentence of each invariant; a table made of the report, so that it stays true.
#[test]
fn the_page_shows_what_the_suite_finds() {
    let Some(driver) = naive() else { return };
    let (_, report, _) = conform(&["--driver", &driver]);
    let mut table = "| | it demands | what happened |\n| --- | --- | --- |\n".to_owned();
    for ruling in report["report"]["rulings"].as_array().unwrap() {
        let sentence = ruling["findings"][0]["sentence"].as_str();
        let what = sentence.unwrap_or("not exercised: it keeps no artifact");
        let title = ruling["title"].as_str().unwrap();
        table.push_str(&format!("| {} | {title} | {what} |\n", ruling["invariant"]));
    }
    let page = std::fs::read_to_string(root().join("docs/conformance.md")).unwrap();
    let (_, rest) = page.split_once("<!-- naive verdict -->\n").unwrap();
    let (shown, _) = rest.split_once("<!-- end -->").unwrap();
    assert_eq!(shown, table, "put the right side into docs/conformance.md");
}

#[test]
fn who_cannot_be_asked_has_no_verdict() {
    let sh = |script: &str| shlex::try_join(["/bin/sh", "-c", script]).unwrap();
    let hello =
        r#"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"1","manager":"m","capabilities":[]}}"#;
    let old = hello.replace("\"1\"", "\"0\"");
    let table = [
        (sh("exit 0"), "ended at `initialize`"),
        (sh("read line; echo nonsense"), "no answer"),
        (sh("sleep 600"), "within 1 s"),
        (sh(&format!("read line; echo '{old}'; cat")), "speaks protocol `0`"),
        ("/nowhere/driver".to_owned(), "cannot be started"),
    ];
    for (driver, word) in table {
        let (code, _, err) =
            conform(&["--driver", &driver, "--driver-timeout", "1", "--scenario", "01-ordinary"]);
        assert!(code == 3 && err.contains(word) && err.contains("01-ordinary"), "{driver}: {code} {err}");
    }
    // One that has no method at all is no failure, and no pass either.
    let bare = sh(&format!("read line; echo '{hello}'; cat >/dev/null"));
    let (code, report, err) = conform(&["--driver", &bare, "--only", "1,5"]);
    assert_eq!(code, 3, "{err}");
    assert_eq!(of(&report, "cannot_test"), [1, 5]);
}

#[test]
fn the_protocol_is_a_document_and_every_scenario_has_a_name() {
    let desk = Desk::new();
    let (code, out, _) = desk.run(&["conform", "--describe-driver"]);
    let document: Value = serde_json::from_str(&out).unwrap();
    assert!(code == 0 && document["methods"].as_array().is_some_and(|m| m.len() > 15));
    let (code, out, _) = desk.run(&["conform", "--list"]);
    assert!(code == 0 && out.contains("06-approval-replayed"), "{out}");
    let (code, _, err) = desk.run(&["conform", "--scenario", "06-nothing"]);
    assert!(code == 2 && err.contains("there is no scenario `06-nothing`"), "{err}");
    assert!(Path::new(root()).join("docs/conformance.md").is_file());
}
