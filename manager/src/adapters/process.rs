//! Runs a program of the owner's own: no shell, bounded in time and in what it says.
//!
//! For programs that the owner names in the home, such as a vault's client. Tools run in a sandbox, not here.

use rustix::process::{Pid, Signal, kill_process_group};
use std::{
    io::{Read as _, Write as _},
    os::unix::process::CommandExt as _,
    process::{Child, Command, Stdio},
    sync::mpsc::{self, Receiver},
    thread,
    time::{Duration, Instant},
};

/// What is to run, and how much it may take.
#[derive(Debug)]
pub(super) struct Program<'a> {
    /// The program and its arguments.
    pub(super) argv: &'a [String],
    /// What it reads.
    pub(super) stdin: Vec<u8>,
    /// How long it may take.
    pub(super) timeout: Duration,
    /// How many bytes it may say.
    pub(super) most: u64,
}

impl Program<'_> {
    /// Runs it to its end, and returns what it said. What it says of errors is not kept: that may be secret too.
    ///
    /// # Errors
    /// Why it said nothing that counts, without a word of its own.
    pub(super) fn run(self) -> Result<Vec<u8>, String> {
        let deadline = Instant::now() + self.timeout;
        let [program, arguments @ ..] = self.argv else { return Err("no program is named".to_owned()) };
        let mut child = Command::new(program)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn()
            .map_err(|e| format!("`{program}` cannot be started: {e}"))?;
        let group = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
        let said = listen(&mut child, self.stdin, self.most);
        let heard = within(&said, deadline);
        let ended = ended(child);
        let status = heard.as_ref().and_then(|_| within(&ended, deadline));
        // Whatever is left of it ends with it.
        if let Some(group) = group {
            kill_process_group(group, Signal::KILL).ok();
        }
        let (Some(said), Some(status)) = (heard, status) else {
            return Err(format!("`{program}` took longer than {} ms", self.timeout.as_millis()));
        };
        let said = said.map_err(|e| format!("`{program}` cannot be heard: {e}"))?;
        match status {
            _ if said.len() as u64 > self.most => {
                Err(format!("`{program}` said more than {} bytes", self.most))
            }
            Ok(status) if status.success() => Ok(said),
            Ok(status) => Err(format!("`{program}` failed: {status}")),
            Err(error) => Err(format!("nobody knows how `{program}` ended: {error}")),
        }
    }
}

type Heard<T> = Receiver<std::io::Result<T>>;

/// Tells a program what it reads, and hears what it says.
fn listen(child: &mut Child, stdin: Vec<u8>, most: u64) -> Heard<Vec<u8>> {
    let (sender, receiver) = mpsc::channel();
    let (input, output) = (child.stdin.take(), child.stdout.take());
    thread::spawn(move || {
        // A program that does not read what it is told may say something all the same.
        input.map(|mut input| input.write_all(&stdin).ok());
    });
    thread::spawn(move || {
        let mut said = Vec::new();
        let read = output.map_or(Ok(0), |output| output.take(most + 1).read_to_end(&mut said));
        sender.send(read.map(|_| said)).ok();
    });
    receiver
}

fn ended(mut child: Child) -> Heard<std::process::ExitStatus> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || sender.send(child.wait()).ok());
    receiver
}

fn within<T>(heard: &Receiver<T>, deadline: Instant) -> Option<T> {
    heard.recv_timeout(deadline.saturating_duration_since(Instant::now())).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_bounded_and_its_errors_are_not_told() {
        let rows: [(&[&str], &str, Result<&str, &str>); 7] = [
            (&["/bin/echo", "a b", ";", "$HOME"], "", Ok("a b ; $HOME\n")),
            (&["/bin/cat"], "heard", Ok("heard")),
            (&["/bin/sh", "-c", "echo sk-secret >&2; exit 3"], "", Err("failed: exit status: 3")),
            (&["/bin/sleep", "60"], "", Err("took longer than 300 ms")),
            (&["/bin/sh", "-c", "exec >&-; sleep 60"], "", Err("took longer than 300 ms")),
            (
                &["/bin/sh", "-c", "while :; do echo yyyyyyyyyyyyyyyy; done"],
                "",
                Err("said more than 100 bytes"),
            ),
            (&["/no/such"], "", Err("`/no/such` cannot be started")),
        ];
        for (argv, stdin, expected) in rows {
            let argv: Vec<String> = argv.iter().map(|a| (*a).to_owned()).collect();
            let timeout = Duration::from_millis(if expected.is_err_and(|e| e.contains("longer")) {
                300
            } else {
                60_000
            });
            let program = Program { argv: &argv, stdin: stdin.into(), timeout, most: 100 };
            match (program.run(), expected) {
                (Ok(said), Ok(expected)) => assert_eq!(String::from_utf8_lossy(&said), expected),
                (Err(error), Err(part)) => {
                    assert!(error.contains(part) && !error.contains("sk-secret"), "{error}");
                }
                (got, _) => panic!("{argv:?}: {got:?}"),
            }
        }
        assert!(Program { argv: &[], stdin: vec![], timeout: Duration::ZERO, most: 0 }.run().is_err());
    }
}
