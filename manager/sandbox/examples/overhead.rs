//! Measures what a sandbox adds to a program: `cargo run --release -p proofhouse-sandbox --example overhead -- [RUNS]`.
//!
//! Runs `/bin/true` bare, in a sandbox, and by bubblewrap with the same view if that is installed; in turn, so that a
//! busy machine disturbs all of them alike.
#![expect(clippy::print_stdout, reason = "what is asked for")]

use proofhouse_sandbox::{Cancel, Digest, Executable, Spec, Status, maybe_run_helper};
use std::error::Error;
use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

fn main() -> Result<(), Box<dyn Error>> {
    maybe_run_helper();
    let runs = std::env::args().nth(1).map_or(Ok(200), |text| text.parse())?;
    let folder = std::env::temp_dir().canonicalize()?.join(format!("overhead-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let path = Path::new("/bin/true").canonicalize()?;
    let mut spec = Spec::new(Executable { digest: Digest::of_file(&path)?, path: path.clone() }, &folder);
    spec.write_roots = vec![folder.clone()];
    let bubblewrap = Path::new("/usr/bin/bwrap");
    let (mut bare, mut ours, mut theirs) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..runs {
        bare.push(time(|| status(Command::new(&path)))?);
        ours.push(time(|| match spec.prepare()?.run(&Cancel::new()?)?.status {
            Status::Exited(0) => Ok(()),
            other => Err(format!("{other:?}").into()),
        })?);
        if bubblewrap.exists() {
            theirs.push(time(|| status(like_ours(bubblewrap, &folder, path.as_os_str())))?);
        }
    }
    std::fs::remove_dir_all(&folder)?;
    println!("{:12} {:>9} {:>9} {:>9}   (ms, {runs} runs)", "", "median", "p90", "least");
    for (name, times) in [("bare", &mut bare), ("sandbox", &mut ours), ("bubblewrap", &mut theirs)] {
        if !times.is_empty() {
            times.sort();
            let [median, p90, least] = [times.len() / 2, times.len() * 9 / 10, 0].map(|at| ms(times[at]));
            println!("{name:12} {median:9.2} {p90:9.2} {least:9.2}");
        }
    }
    let median = |times: &[Duration]| ms(times[times.len() / 2]);
    println!("added by the sandbox: {:.2} ms (median)", median(&ours) - median(&bare));
    Ok(())
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

fn time(run: impl FnOnce() -> Result<(), Box<dyn Error>>) -> Result<Duration, Box<dyn Error>> {
    let begin = Instant::now();
    run()?;
    Ok(begin.elapsed())
}

fn status(mut command: Command) -> Result<(), Box<dyn Error>> {
    let output = command.stdin(Stdio::null()).output()?;
    if output.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&output.stderr).into()) }
}

/// Bubblewrap with the namespaces and the view of our sandbox; it knows no Landlock, limits or watch.
fn like_ours(bubblewrap: &Path, folder: &Path, program: &OsStr) -> Command {
    let mut command = Command::new(bubblewrap);
    command.args(["--unshare-all", "--die-with-parent", "--new-session", "--clearenv"]);
    for path in [
        "/usr",
        "/bin",
        "/sbin",
        "/lib",
        "/lib64",
        "/etc/ld.so.cache",
        "/etc/passwd",
        "/etc/group",
        "/etc/ssl",
    ] {
        command.args(["--ro-bind-try", path, path]);
    }
    command.args(["--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp"]);
    command.arg("--bind").args([folder, folder]).arg("--chdir").arg(folder).arg(program);
    command
}
