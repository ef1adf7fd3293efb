//! What is left after a run is killed, stopped or has no room: everything that was done.

use crate::cli::{Desk, suite};
use serde_json::Value;
use std::{
    fs,
    process::{Child, Command, Stdio},
    time::Duration,
};

/// Many cases, and a model that takes its time over each.
fn slow_desk(cases: usize) -> Desk {
    let desk = Desk::new();
    let cases: String = (0..cases)
        .map(|n| {
            format!(
                "  - {{ id: c{n}, kind: golden, prompt: show me n{n}.md, expect: [{{ tool: file.read, args: {{ path: n{n}.md }} }}] }}\n"
            )
        })
        .collect();
    suite(&desk, "[\"script:slow.yaml\"]", &cases);
    desk.write(
        "slow.yaml",
        "script: slow\notherwise: perfect\nanswers:\n  - case: \"c*[13579]\"\n    reply: [{ http: 500 }, { text: no }]\n",
    );
    desk
}

fn start(desk: &Desk, arguments: &[&str]) -> Child {
    let command = desk.command();
    let program = command.get_program().to_owned();
    Command::new(program)
        .args(arguments)
        .current_dir(desk.path())
        .env_clear()
        .env("XDG_CACHE_HOME", desk.path().join("cache"))
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// The only run of a desk that has no `latest` yet.
fn only_run(desk: &Desk) -> String {
    let runs = fs::read_dir(desk.path().join(".proofhouse/runs")).unwrap();
    let names: Vec<String> = runs.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    assert_eq!(names.len(), 1, "{names:?}");
    names[0].clone()
}

/// Waits until some trials, and not yet all, are in the folder.
fn wait_for_trials(desk: &Desk, at_least: usize) {
    for _ in 0..2_000 {
        std::thread::sleep(Duration::from_millis(5));
        let Ok(runs) = fs::read_dir(desk.path().join(".proofhouse/runs")) else { continue };
        for run in runs {
            let trials = fs::read_to_string(run.unwrap().path().join("trials.jsonl")).unwrap_or_default();
            if trials.lines().count() >= at_least {
                return;
            }
        }
    }
    panic!("no trial was written");
}

/// The metrics without what time alone decides.
fn timeless(mut metrics: Value) -> Value {
    fn strip(value: &mut Value) {
        match value {
            Value::Object(map) => {
                map.remove("latency");
                map.values_mut().for_each(strip);
            }
            Value::Array(items) => items.iter_mut().for_each(strip),
            _ => {}
        }
    }
    strip(&mut metrics);
    metrics
}

#[test]
fn a_killed_run_resumes_to_the_metrics_of_an_undisturbed_one() {
    let desk = slow_desk(40);
    let mut child = start(&desk, &["run", "suite.yaml", "-j", "1"]);
    wait_for_trials(&desk, 3);
    child.kill().unwrap();
    child.wait().unwrap();
    let run = only_run(&desk);
    let folder = desk.path().join(".proofhouse/runs").join(&run);
    let done = fs::read_to_string(folder.join("trials.jsonl")).unwrap().lines().count();
    assert!(done < 40, "killed too late to show anything");
    assert!(!folder.join("metrics.json").exists() && !desk.path().join(".proofhouse/latest").exists());
    // A crash may also leave half a line.
    let mut text = fs::read_to_string(folder.join("trials.jsonl")).unwrap();
    text.push_str("{\"suite\":\"sma");
    fs::write(folder.join("trials.jsonl"), text).unwrap();

    let (code, out, err) = desk.run(&["run", "--resume", &run, "-j", "4"]);
    assert_eq!(code, 1, "{out}{err}");
    let resumed = timeless(desk.latest_json("metrics.json"));
    let journal = fs::read(desk.latest().join("events.jsonl")).unwrap();
    proofhouse_manager::event::verify(&journal).unwrap();

    let undisturbed = slow_desk(40);
    undisturbed.run(&["run", "suite.yaml"]);
    assert_eq!(resumed, timeless(undisturbed.latest_json("metrics.json")));
}

#[test]
fn an_interrupt_keeps_what_was_done_and_says_how_to_go_on() {
    let desk = slow_desk(40);
    let child = start(&desk, &["run", "suite.yaml", "-j", "1"]);
    wait_for_trials(&desk, 2);
    let signalled = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(signalled.success());
    let output = child.wait_with_output().unwrap();
    let err = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(3), "{err}");
    let run = only_run(&desk);
    assert!(err.contains(&format!("proofhouse run --resume {run}")), "{err}");
    let (code, _, err) = desk.run(&["report", &run]);
    assert_eq!(code, 2);
    assert!(err.contains("of 40 trials"), "{err}");
    let (code, out, err) = desk.run(&["run", "--resume", &run]);
    assert_eq!(code, 1, "{out}{err}");
    assert_eq!(desk.latest_json("metrics.json")["models"][0]["overall"]["trials"]["pass"], 20);
}

#[test]
fn a_changed_suite_is_not_resumed() {
    let desk = slow_desk(10);
    let mut child = start(&desk, &["run", "suite.yaml", "-j", "1"]);
    wait_for_trials(&desk, 1);
    child.kill().unwrap();
    child.wait().unwrap();
    let path = desk.path().join("suite.yaml");
    let text = fs::read_to_string(&path).unwrap().replace("show me n0.md", "now show me n0.md");
    fs::write(&path, text).unwrap();
    let (code, _, err) = desk.run(&["run", "--resume", &only_run(&desk)]);
    assert_eq!(code, 2, "{err}");
    assert!(err.contains("have changed since it began"), "{err}");
}

#[test]
#[expect(clippy::print_stderr, reason = "a skipped test says so")]
fn a_full_disk_stops_the_run_and_nothing_is_lost() {
    let desk = slow_desk(400);
    let small = desk.path().join(".proofhouse");
    fs::create_dir(&small).unwrap();
    let mount = |arguments: &[&str]| Command::new(arguments[0]).args(&arguments[1..]).output();
    let target = small.to_str().unwrap();
    let mounted = mount(&["mount", "-t", "tmpfs", "-o", "size=600k", "tmpfs", target]);
    if !mounted.is_ok_and(|output| output.status.success()) {
        eprintln!("SKIPPED: a full disk needs a small file system, and this user cannot mount one");
        return;
    }
    let (code, out, err) = desk.run(&["run", "suite.yaml", "-m", "script:perfect"]);
    let run = only_run(&desk);
    let grown = mount(&["mount", "-o", "remount,size=64m", target]).unwrap().status.success();
    let resumed = desk.run(&["run", "--resume", &run]);
    let ends = fs::read(small.join("latest")).is_ok().then(|| desk.latest_json("metrics.json"));
    let unmounted = mount(&["umount", target]).unwrap().status.success();
    assert!(grown && unmounted);
    assert_eq!(code, 3, "{out}{err}");
    assert!(err.contains("No space left") && err.contains("--resume"), "{err}");
    assert_eq!(resumed.0, 0, "{}{}", resumed.1, resumed.2);
    assert_eq!(ends.unwrap()["models"][0]["overall"]["trials"]["pass"], 400);
}
