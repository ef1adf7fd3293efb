//! The faults that a sandbox must survive, each tried inside and outside.
//!
//! Every probe has a positive control: the same act succeeds outside, so that a typo cannot pass as a refusal.
//! Started by root, the probes run twice: as root, and as an ordinary user. What does not hold is in `KNOWN-GAPS`.
#![expect(clippy::print_stdout, reason = "the table is what is asked for, and an act answers there")]

mod acts;
mod bench;
mod cases;
mod customs;
mod proxies;
mod writes;

use bench::{Bench, this_program};
use cases::{Act, Case, Control, Expect, Probe};
use proofhouse_sandbox::Outcome;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::Read;
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode, Stdio};

/// Says that root has started this process as an ordinary user.
const AS_ORDINARY: &str = "--as-ordinary";
/// The ordinary user.
const NOBODY: u32 = 65_534;
const KNOWN_GAPS: &str = include_str!("KNOWN-GAPS");

pub(crate) fn main() -> ExitCode {
    proofhouse_sandbox::maybe_run_helper();
    acts::maybe_act();
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.iter().any(|argument| argument == "--list") {
        return ExitCode::SUCCESS;
    }
    let filters: Vec<&str> = arguments.iter().filter(|a| !a.starts_with('-')).map(String::as_str).collect();
    leave_descriptor_open();
    let is_root = rustix::process::geteuid().is_root();
    let mut failed = probe_all(if is_root { "root" } else { "an ordinary user" }, is_root, &filters);
    if is_root && !arguments.iter().any(|argument| argument == AS_ORDINARY) {
        let status = Command::new(this_program().path)
            .arg(AS_ORDINARY)
            .args(&filters)
            .uid(NOBODY)
            .gid(NOBODY)
            .current_dir("/")
            // what a caller has must not matter
            .env("LD_AUDIT", "")
            .env("BASH_ENV", "/nowhere")
            .status();
        failed |= !status.is_ok_and(|status| status.success());
    }
    if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

/// A descriptor that a careless caller would hand to every process it starts.
fn leave_descriptor_open() {
    let file = std::fs::File::open("/etc/passwd").unwrap();
    rustix::io::fcntl_setfd(&file, rustix::io::FdFlags::empty()).unwrap();
    std::mem::forget(file);
}

/// Runs every probe, prints the table, and says whether it disagrees with the known gaps.
fn probe_all(who: &str, is_root: bool, filters: &[&str]) -> bool {
    let gaps: BTreeMap<&str, &str> = KNOWN_GAPS
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| line.split_once(' '))
        .collect();
    let cases = cases::all();
    let mut wrong = inconsistencies(&cases, &gaps);
    println!("\nprobes as {who}\n");
    let wanted = |case: &&Case| {
        let of_root = matches!(case.probe, Probe::CustomOfRoot(_));
        (is_root || !of_root) && (filters.is_empty() || filters.iter().any(|filter| case.id.contains(filter)))
    };
    for case in cases.iter().filter(wanted) {
        let begin = std::time::Instant::now();
        let result = run(case, is_root);
        let took = begin.elapsed().as_millis();
        let (mark, text) = match (&result, gaps.get(case.id)) {
            (Ok(control), None) => ("holds", (*control).to_owned()),
            (Err(_), Some(reason)) => ("gap", (*reason).to_owned()),
            (Ok(_), Some(_)) => ("WRONG", "it holds, but is listed as a known gap".to_owned()),
            (Err(why), None) => ("FAILS", why.clone()),
        };
        println!(
            "{:8} {:6} {took:5} ms  {}{}",
            case.id,
            mark,
            case.what,
            if text.is_empty() { text } else { format!(" ({text})") }
        );
        if mark.chars().all(char::is_uppercase) {
            wrong.push(case.id.to_owned());
        }
    }
    if !wrong.is_empty() {
        println!("\nwrong: {}", wrong.join(", "));
    }
    !wrong.is_empty()
}

/// What is wrong with the tables themselves.
fn inconsistencies(cases: &[Case], gaps: &BTreeMap<&str, &str>) -> Vec<String> {
    let unknown = gaps.keys().filter(|id| !cases.iter().any(|case| case.id == **id));
    let mut wrong: Vec<String> = unknown.map(|id| format!("gap {id} without a probe")).collect();
    for (at, case) in cases.iter().enumerate() {
        if cases[..at].iter().any(|other| other.id == case.id) {
            wrong.push(format!("two probes {}", case.id));
        }
        if let Probe::Act(act) = &case.probe
            && !acts::exists(act.name)
        {
            wrong.push(format!("probe {} without an act", case.id));
        }
    }
    wrong
}

/// Runs one probe. Returns a word about its control.
fn run(case: &Case, is_root: bool) -> Result<&'static str, String> {
    let bench = Bench::new();
    match &case.probe {
        Probe::Custom(probe) | Probe::CustomOfRoot(probe) => probe(&bench).map(|()| ""),
        Probe::Act(act) => {
            inside(act, &bench)?;
            control(act, is_root).map_err(|why| format!("control: {why}"))
        }
    }
}

fn inside(act: &Act, bench: &Bench) -> Result<(), String> {
    let mut spec = bench.spec(act.name, &(act.args)(bench));
    (act.arrange)(&mut spec, bench);
    let outcome = customs::run(&spec).map_err(|refused| refused.to_string())?;
    let said =
        answer(&outcome.stdout.head().iter().copied().chain(outcome.stdout.tail()).collect::<Vec<_>>());
    match &act.expect {
        Expect::Ends(status) if !status(&outcome.status) => Err(format!("{:?}, {said:?}", outcome.status)),
        Expect::Ends(_) => Ok(()),
        Expect::Refused => match said {
            Some(Err(_)) => Ok(()),
            _ => Err(told(&outcome, &said)),
        },
        Expect::Contained => match said {
            Some(Ok(())) => Ok(()),
            _ => Err(told(&outcome, &said)),
        },
    }?;
    (act.check)(bench, &outcome)
}

fn told(outcome: &Outcome, said: &Option<Result<(), String>>) -> String {
    let error = String::from_utf8_lossy(outcome.stderr.head()).into_owned();
    format!("it said {said:?} and ended with {:?} {error}", outcome.status)
}

fn control(act: &Act, is_root: bool) -> Result<&'static str, String> {
    let bench = Bench::new();
    // the same arrangement of files; the limits are for nobody
    (act.arrange)(&mut bench.spec(act.name, &[]), &bench);
    match &act.control {
        Control::Yes => outside(&bench, act.name, &(act.args)(&bench)).map(|()| ""),
        Control::YesToRoot if is_root => outside(&bench, act.name, &(act.args)(&bench)).map(|()| ""),
        Control::YesToRootIfThere if is_root => match outside(&bench, act.name, &(act.args)(&bench)) {
            Err(why) if why.contains("Function not implemented") => {
                Ok("no control: this kernel does not have it")
            }
            result => result.map(|()| ""),
        },
        Control::YesToRoot | Control::YesToRootIfThere => {
            Ok("no control: the kernel grants it to root alone")
        }
        Control::YesWith(args) => outside(&bench, act.name, &args(&bench)).map(|()| ""),
        Control::Custom(control) => control(&bench).map(|()| ""),
        Control::Without(why) => Ok(why),
    }
}

/// Does an act outside, where it must succeed.
pub(crate) fn outside(bench: &Bench, name: &str, args: &[OsString]) -> Result<(), String> {
    let mut child = Command::new(this_program().path)
        .arg(acts::ROLE)
        .arg(name)
        .args(args)
        .env_clear()
        .env("UNDECLARED", "value")
        .current_dir(bench.at("workspace"))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| error.to_string())?;
    let mut out = child.stdout.take().expect("a pipe");
    let (mut text, mut buffer) = (Vec::new(), vec![0; 64 << 10]);
    // not to the end: a child that is left behind may keep it open
    let said = loop {
        match out.read(&mut buffer).map_err(|error| error.to_string())? {
            0 => break answer(&text),
            n => text.extend_from_slice(&buffer[..n]),
        }
        if let Some(said) = answer(&text) {
            break Some(said);
        }
    };
    drop(out);
    let status = child.wait().map_err(|error| error.to_string())?;
    match said {
        Some(Ok(())) => Ok(()),
        Some(Err(why)) => Err(format!("outside it is refused too: {why}")),
        None => Err(format!("it did not run outside: {status}")),
    }
}

/// What an act said; nothing when it did not come to say anything.
fn answer(text: &[u8]) -> Option<Result<(), String>> {
    let last = text.strip_suffix(b"\n")?.rsplit(|&byte| byte == b'\n').find(|line| *line != b"holding")?;
    if last.ends_with(b"yes") {
        return Some(Ok(()));
    }
    last.strip_prefix(b"no: ").map(|why| Err(String::from_utf8_lossy(why).into_owned()))
}
