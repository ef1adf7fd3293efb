//! Probes about the caller's side, and controls that one act outside does not show.

use super::acts;
use super::bench::{Bench, this_program};
use super::outside;
use proofhouse_sandbox::{Cancel, Digest, Executable, Helper, Outcome, Refused, Spec, Standing, Status};
use rustix::process::{Pid, Signal};
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Write};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

pub(crate) type Check = Result<(), String>;

pub(crate) fn run(spec: &Spec) -> Result<Outcome, Refused> {
    spec.prepare()?.run(&Cancel::new().expect("a descriptor"))
}

pub(crate) fn must(holds: bool, otherwise: impl Into<String>) -> Check {
    if holds { Ok(()) } else { Err(otherwise.into()) }
}

/// A run that must not have started, for a reason that holds these words.
pub(crate) fn refused(result: Result<Outcome, Refused>, words: &str) -> Check {
    match result {
        Ok(outcome) => Err(format!("it ran: {:?}", outcome.status)),
        Err(refused) => {
            let text = refused.to_string();
            must(text.contains(words), format!("refused, but with: {text}"))
        }
    }
}

pub(crate) fn ran(spec: &Spec) -> Check {
    match run(spec) {
        Ok(outcome) if outcome.stdout.head() == b"yes\n" => Ok(()),
        Ok(outcome) => {
            Err(format!("{:?}: {}", outcome.status, String::from_utf8_lossy(outcome.stdout.head())))
        }
        Err(refused) => Err(refused.to_string()),
    }
}

/// Outside, the race wins at least once.
pub(crate) fn race_reaches_outside(bench: &Bench) -> Check {
    let args =
        ["workspace/link", "workspace/file", "outside/victim"].map(|name| bench.at(name).into_os_string());
    outside(bench, "race", &args)?;
    must(bench.content("outside/victim") == "changed", "it was never written")
}

/// Swaps a folder for a link to outside and back, as long as something runs.
fn while_swapping(bench: &Bench, run: impl FnOnce() -> Check) -> Check {
    let stop = AtomicBool::new(false);
    let [folder, aside] = ["workspace/swapped", "workspace/aside"].map(|name| bench.at(name));
    fs::create_dir(&folder).map_err(|error| error.to_string())?;
    thread::scope(|scope| {
        scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                fs::rename(&folder, &aside).unwrap();
                symlink(bench.at("outside"), &folder).unwrap();
                thread::yield_now();
                fs::remove_file(&folder).unwrap();
                fs::rename(&aside, &folder).unwrap();
            }
        });
        let result = run();
        stop.store(true, Ordering::Relaxed);
        result
    })
}

pub(crate) fn swapped_folder(bench: &Bench) -> Check {
    let args = [bench.at("workspace/swapped/stray").into_os_string()];
    while_swapping(bench, || ran(&bench.spec("keep-writing", &args)))?;
    must(!bench.at("outside/stray").exists(), "a file came to be outside")?;
    let control = Bench::new();
    let args = [control.at("workspace/swapped/stray").into_os_string()];
    // a matter of luck, unlike the other side
    let reaches = || outside(&control, "keep-writing", &args).is_ok() && control.at("outside/stray").exists();
    while_swapping(&control, || must((0..50).any(|_| reaches()), "the control never wrote outside either"))
}

/// A copy of this program in the workspace, and what to run of it.
fn copied_program(bench: &Bench) -> Result<Spec, String> {
    let path = bench.at("workspace/program");
    fs::copy(this_program().path, &path).map_err(|error| error.to_string())?;
    let mut spec = bench.spec("nothing", &[]);
    spec.executable = Executable { digest: this_program().digest, path };
    Ok(spec)
}

pub(crate) fn changed_executable(bench: &Bench) -> Check {
    let spec = copied_program(bench)?;
    ran(&spec)?;
    let prepared = spec.prepare().map_err(|refused| refused.to_string())?;
    let mut file =
        File::options().append(true).open(&spec.executable.path).map_err(|error| error.to_string())?;
    file.write_all(b"x").map_err(|error| error.to_string())?;
    drop(file);
    refused(
        prepared.run(&Cancel::new().expect("a descriptor")),
        "it is not the file whose digest was checked",
    )?;
    refused(run(&spec), "has changed: its digest is")?;
    // the same path, another file
    fs::remove_file(&spec.executable.path).map_err(|error| error.to_string())?;
    let spec = copied_program(bench)?;
    let prepared = spec.prepare().map_err(|refused| refused.to_string())?;
    fs::rename(&spec.executable.path, bench.at("workspace/old")).map_err(|error| error.to_string())?;
    fs::copy(this_program().path, &spec.executable.path).map_err(|error| error.to_string())?;
    refused(prepared.run(&Cancel::new().expect("a descriptor")), "another file has taken its place")
}

pub(crate) fn changed_folder(bench: &Bench) -> Check {
    let spec = bench.spec("nothing", &[]);
    ran(&spec)?;
    let prepared = || spec.prepare().map_err(|refused| refused.to_string());
    let (gone, replaced) = (prepared()?, prepared()?);
    fs::rename(bench.at("workspace"), bench.at("elsewhere")).map_err(|error| error.to_string())?;
    let cancel = Cancel::new().expect("a descriptor");
    refused(gone.run(&cancel), "No such file or directory")?;
    symlink(bench.at("outside"), bench.at("workspace")).map_err(|error| error.to_string())?;
    refused(replaced.run(&cancel), "another file has taken its place")
}

pub(crate) fn odd_names(bench: &Bench) -> Check {
    let folder = bench.at("workspace").join(acts::odd_name());
    fs::create_dir(&folder).map_err(|error| error.to_string())?;
    let mut spec = bench.spec("write", &[acts::odd_name()]);
    spec.write_roots = vec![folder.clone()];
    spec.cwd.clone_from(&folder);
    ran(&spec)?;
    must(
        fs::read(folder.join(acts::odd_name())).is_ok_and(|bytes| bytes == b"changed"),
        "nothing was written",
    )
}

fn entries(folder: &Path) -> Vec<OsString> {
    let mut names: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    names
}

pub(crate) fn no_placeholders(bench: &Bench) -> Check {
    let before = entries(&bench.at("workspace"));
    let mut spec = bench.spec("nothing", &[]);
    spec.blocked = [".git/hooks", ".env", "nowhere/at/all"].map(String::from).into();
    ran(&spec)?;
    must(entries(&bench.at("workspace")) == before, "something stayed")?;
    let lock = bench.at("readable/lock");
    let mut caller = start_caller(bench, &lock)?;
    caller.kill().map_err(|error| error.to_string())?;
    caller.wait().map_err(|error| error.to_string())?;
    wait_until_free(&lock)?;
    must(entries(&bench.at("workspace")) == before, "something stayed after SIGKILL")
}

pub(crate) fn too_many_blocked(bench: &Bench) -> Check {
    for number in 0..1100 {
        fs::write(bench.at("workspace").join(format!("{number}.pem")), "")
            .map_err(|error| error.to_string())?;
    }
    let mut spec = bench.spec("nothing", &[]);
    ran(&spec)?;
    spec.blocked = vec!["**/*.pem".to_owned()];
    refused(run(&spec), "more than 1024 paths")
}

pub(crate) fn udp_arrives(bench: &Bench) -> Check {
    let port = bench.udp.local_addr().unwrap().port().to_string();
    outside(bench, "send-udp", &[port.into()])?;
    bench.udp.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
    bench.udp.recv(&mut [0]).map(drop).map_err(|error| error.to_string())
}

pub(crate) fn input_arrives(_: &Bench) -> Check {
    let mut child =
        act("read-stdin", &[]).stdin(Stdio::piped()).spawn().map_err(|error| error.to_string())?;
    child.stdin.take().expect("a pipe").write_all(b"x").map_err(|error| error.to_string())?;
    let output = child.wait_with_output().map_err(|error| error.to_string())?;
    must(output.stdout == b"yes\n", "nothing arrived")
}

fn act(name: &str, args: &[OsString]) -> Command {
    let mut command = Command::new(this_program().path);
    command.arg(acts::ROLE).arg(name).args(args).stdin(Stdio::null()).stdout(Stdio::piped());
    command
}

/// The process that wrote its number into a lock.
fn holder(lock: &Path) -> Result<Pid, String> {
    let text = fs::read_to_string(lock).map_err(|error| error.to_string())?;
    text.parse().ok().and_then(Pid::from_raw).ok_or_else(|| "nobody holds the lock".to_owned())
}

/// Outside, the child goes on after its parent, and keeps the output open.
pub(crate) fn child_survives_outside(bench: &Bench) -> Check {
    let lock = bench.at("workspace/lock");
    outside(bench, "leave-child", &[lock.clone().into()])?;
    let child = holder(&lock)?;
    let survived = must(!is_free(&lock), "it ended with its parent");
    rustix::process::kill_process(child, Signal::KILL).map_err(|error| error.to_string())?;
    survived
}

fn is_free(lock: &Path) -> bool {
    File::open(lock).is_ok_and(|file| file.try_lock().is_ok())
}

/// Waits for the end of whoever holds a lock; the kernel tells, and there is a bound.
fn wait_until_free(lock: &Path) -> Check {
    let (tell, told) = std::sync::mpsc::channel();
    let lock = lock.to_owned();
    thread::spawn(move || tell.send(File::open(&lock).and_then(|file| file.lock())));
    match told.recv_timeout(Duration::from_secs(5)) {
        Ok(result) => result.map_err(|error| error.to_string()),
        Err(_) => Err("a process still holds its lock".to_owned()),
    }
}

pub(crate) fn polite_signal_is_ignored(bench: &Bench) -> Check {
    let mut child = act("ignore-and-hold", &[bench.at("workspace/lock").into()])
        .spawn()
        .map_err(|error| error.to_string())?;
    let mut line = String::new();
    BufReader::new(child.stdout.take().expect("a pipe"))
        .read_line(&mut line)
        .map_err(|error| error.to_string())?;
    let pid = Pid::from_child(&child);
    rustix::process::kill_process(pid, Signal::TERM).map_err(|error| error.to_string())?;
    let alive = child.try_wait().map_err(|error| error.to_string())?.is_none();
    child.kill().and_then(|()| child.wait()).map_err(|error| error.to_string())?;
    must(alive, "it ended by a polite signal")
}

pub(crate) fn cancelled(bench: &Bench) -> Check {
    let lock = bench.at("workspace/lock");
    let prepared =
        bench.spec("hold", &[lock.clone().into()]).prepare().map_err(|refused| refused.to_string())?;
    let cancel = Cancel::new().expect("a descriptor");
    let outcome = thread::scope(|scope| {
        let running = scope.spawn(|| prepared.run(&cancel));
        let held = wait_until_held(&lock);
        cancel.cancel();
        let outcome = running.join().expect("no panic");
        held.and_then(|()| outcome.map_err(|refused| refused.to_string()))
    })?;
    must(outcome.status == Status::Cancelled, format!("{:?}", outcome.status))?;
    must(is_free(&lock), "a process still holds its lock")?;
    let again = bench.spec("nothing", &[]).prepare().map_err(|refused| refused.to_string())?.run(&cancel);
    must(
        matches!(again, Err(Refused::Cancelled)) || again.is_ok_and(|o| o.status == Status::Cancelled),
        "it ran",
    )
}

fn wait_until_held(lock: &Path) -> Check {
    let end = Instant::now() + Duration::from_secs(20);
    while fs::read(lock).map_or(0, |text| text.len()) == 0 {
        must(Instant::now() < end, "it never held its lock")?;
        thread::yield_now();
    }
    Ok(())
}

/// Starts another process of this program that runs a tool which holds a lock, and waits until it does.
fn start_caller(bench: &Bench, lock: &Path) -> Result<Child, String> {
    // the lock's folder is what the tool may write to, so that nothing of ours comes into the workspace
    let folder = lock.parent().expect("a folder");
    let args: [OsString; 2] = [folder.into(), lock.into()];
    let child =
        act("caller", &args).current_dir(bench.at("workspace")).spawn().map_err(|error| error.to_string())?;
    wait_until_held(lock)?;
    Ok(child)
}

/// The part of that process.
pub(crate) fn call(args: &[OsString]) -> io::Result<()> {
    let mut spec = Spec::new(this_program(), &args[0]);
    spec.write_roots = vec![args[0].clone().into()];
    spec.args = vec![acts::ROLE.into(), "hold".into(), args[1].clone()];
    spec.blocked = [".git/hooks", ".env"].map(String::from).into();
    run(&spec).map(drop).map_err(|refused| io::Error::other(refused.to_string()))
}

pub(crate) fn killed_caller(bench: &Bench) -> Check {
    let lock = bench.at("workspace/lock");
    let mut caller = start_caller(bench, &lock)?;
    must(!is_free(&lock), "nobody holds the lock")?;
    caller.kill().and_then(|()| caller.wait()).map_err(|error| error.to_string())?;
    wait_until_free(&lock)
}

pub(crate) fn no_helper(bench: &Bench) -> Check {
    let with = |helper: &str| {
        bench
            .spec("nothing", &[])
            .prepare_with(Helper::at(helper))
            .map(|p| p.run(&Cancel::new().expect("a descriptor")))
    };
    refused(with("/nowhere/helper").and_then(|result| result), "start its helper")?;
    refused(with("/bin/true").and_then(|result| result), "ended before the program started")?;
    refused(with("/bin/false").and_then(|result| result), "ended before the program started")
}

pub(crate) fn killed_helper(bench: &Bench) -> Check {
    let lock = bench.at("workspace/lock");
    let prepared =
        bench.spec("hold", &[lock.clone().into()]).prepare().map_err(|refused| refused.to_string())?;
    let cancel = Cancel::new().expect("a descriptor");
    let outcome = thread::scope(|scope| {
        let running = scope.spawn(|| prepared.run(&cancel));
        let killed = wait_until_held(&lock).and_then(|()| {
            children().into_iter().try_for_each(|pid| {
                rustix::process::kill_process(pid, Signal::KILL).map_err(|error| error.to_string())
            })
        });
        let outcome = running.join().expect("no panic");
        killed.and_then(|()| outcome.map_err(|refused| refused.to_string()))
    })?;
    must(matches!(outcome.status, Status::HelperFailed(_)), format!("{:?}", outcome.status))?;
    wait_until_free(&lock)
}

/// The children of all threads of this process.
fn children() -> Vec<Pid> {
    let threads = fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    threads
        .filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok())
        .flat_map(|text| {
            text.split_whitespace().filter_map(|pid| Pid::from_raw(pid.parse().ok()?)).collect::<Vec<_>>()
        })
        .collect()
}

pub(crate) fn no_namespaces(bench: &Bench) -> Check {
    let output = act("caller-without-namespaces", &[bench.at("workspace").into()])
        .output()
        .map_err(|error| error.to_string())?;
    let text = String::from_utf8_lossy(&output.stdout);
    must(text.contains("make a user namespace") && text.contains("`user.max_user_namespaces`"), text.trim())?;
    ran(&bench.spec("nothing", &[]))
}

/// Runs a tool where the machine grants no further user namespace.
#[expect(unsafe_code, reason = "the wrapper is unsafe because of a flag that is not given here")]
pub(crate) fn call_without_namespaces(args: &[OsString]) -> io::Result<()> {
    let (user, group) = (rustix::process::getuid().as_raw(), rustix::process::getgid().as_raw());
    // SAFETY: only `FILES` is dangerous.
    unsafe { rustix::thread::unshare_unsafe(rustix::thread::UnshareFlags::NEWUSER) }?;
    fs::write("/proc/self/setgroups", "deny")?;
    fs::write("/proc/self/uid_map", format!("1000 {user} 1"))?;
    fs::write("/proc/self/gid_map", format!("1000 {group} 1"))?;
    fs::write("/proc/sys/user/max_user_namespaces", "0")?;
    let mut spec = Spec::new(this_program(), &args[0]);
    spec.args = vec![acts::ROLE.into(), "nothing".into()];
    run(&spec).map(drop).map_err(|refused| io::Error::other(refused.to_string()))
}

pub(crate) fn no_program(bench: &Bench) -> Check {
    let path = bench.at("workspace/script");
    // a shell would run this
    fs::write(&path, "echo yes\n")
        .and_then(|()| fs::set_permissions(&path, fs::Permissions::from_mode(0o755)))
        .map_err(|error| error.to_string())?;
    let mut spec = bench.spec("nothing", &[]);
    spec.executable = Executable { digest: Digest::of_file(&path).map_err(|error| error.to_string())?, path };
    refused(run(&spec), "Exec format error")
}

pub(crate) fn impossible_arguments(bench: &Bench) -> Check {
    let with = |arg: OsString| {
        let mut spec = bench.spec("nothing", &[]);
        spec.args.push(arg);
        run(&spec)
    };
    refused(with("zero\0byte".into()), "zero byte")?;
    refused(with("x".repeat(200 << 10).into()), "longer than")?;
    let mut spec = bench.spec("nothing", &[]);
    spec.args.extend(std::iter::repeat_n(OsString::from("x".repeat(100 << 10)), 25));
    refused(run(&spec), "together they are longer")?;
    spec.args.truncate(12);
    ran(&spec)
}

/// Many runs at once disturb neither each other nor the caller.
pub(crate) fn many_at_once(bench: &Bench) -> Check {
    let open = || fs::read_dir("/proc/self/fd").map(Iterator::count).unwrap_or_default();
    let before = open();
    let results = thread::scope(|scope| {
        let run = |number: usize| {
            let name = bench.at("workspace").join(number.to_string());
            (0..5).try_for_each(|_| ran(&bench.spec("write", &[name.clone().into()])))
        };
        let threads: Vec<_> = (0..8).map(|number| scope.spawn(move || run(number))).collect();
        threads
            .into_iter()
            .map(|thread| thread.join().expect("no panic"))
            .collect::<Result<Vec<()>, String>>()
    });
    results?;
    must(open() == before, format!("{} descriptors were left open", open().saturating_sub(before)))?;
    must(children().is_empty(), "a helper was left behind")
}

/// What the caller names through links has the same name inside.
pub(crate) fn named_by_links(bench: &Bench) -> Check {
    let error = |error: io::Error| error.to_string();
    fs::create_dir(bench.at("links")).map_err(error)?;
    symlink("../workspace", bench.at("links/relative")).map_err(error)?;
    symlink(bench.at("links/relative"), bench.at("links/again")).map_err(error)?;
    symlink(this_program().path, bench.at("links/program")).map_err(error)?;
    let file = bench.at("links/again/file");
    let mut spec = bench.spec("read", &[file.clone().into()]);
    spec.write_roots = vec![bench.at("links/again")];
    spec.cwd = bench.at("links/again/sub");
    spec.executable.path = bench.at("links/program");
    ran(&spec)?;
    outside(bench, "read", &[file.into()])?;
    fs::remove_file(bench.at("links/program")).map_err(error)?;
    symlink("program", bench.at("links/program")).map_err(error)?;
    refused(run(&spec), "cannot be used")
}

/// Where all of this runs, the machine's own report says that every property holds.
pub(crate) fn machine_is_attested(bench: &Bench) -> Check {
    let helper = Helper::this_program().map_err(|refused| refused.to_string())?;
    let found = proofhouse_sandbox::probe(&helper, &bench.at("workspace"));
    let weak = found.attestation.iter().find(|(_, standing)| !matches!(standing, Standing::Enforced { .. }));
    must(weak.is_none() && found.refused.is_none(), format!("{weak:?}"))?;
    must(entries(&bench.at("workspace")) == ["file", "sub"], "the trial left something")?;
    let found = proofhouse_sandbox::probe(&Helper::at("/bin/false"), &bench.at("workspace"));
    let strong =
        found.attestation.iter().find(|(_, standing)| !matches!(standing, Standing::Unavailable { .. }));
    must(strong.is_none() && found.refused.is_some(), format!("without a helper: {strong:?}"))
}
