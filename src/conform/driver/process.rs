//! A driver as a child process: one request, one answer, a line each, within a time and a size.

use super::{Driver, DriverError};
use crate::conform::protocol::METHOD_NOT_FOUND;
use serde_json::{Value, json};
use std::{
    io::{self, BufRead as _, BufReader, Read as _, Write as _},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    sync::{
        Arc, Mutex, PoisonError,
        mpsc::{Receiver, RecvTimeoutError, sync_channel},
    },
    thread,
    time::Duration,
};

/// A longer line is no answer.
const MAX_LINE: u64 = 64 << 20;
/// So much of what a driver says on standard error is shown when it dies.
const MAX_SAID: usize = 2000;

/// A driver that runs in a process of its own.
pub struct ChildDriver {
    child: Child,
    input: ChildStdin,
    answers: Receiver<io::Result<Vec<u8>>>,
    said: Arc<Mutex<Vec<u8>>>,
    listener: Option<thread::JoinHandle<()>>,
    patience: Duration,
    next: u64,
}

impl std::fmt::Debug for ChildDriver {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ChildDriver").field("pid", &self.child.id()).finish_non_exhaustive()
    }
}

impl ChildDriver {
    /// Starts a command, split as a shell would split it, and waits so long for each of its answers.
    ///
    /// # Errors
    /// [`DriverError::Start`] if it cannot be started.
    pub fn start(line: &str, patience: Duration) -> Result<Self, DriverError> {
        let failed = |reason: String| DriverError::Start { command: line.to_owned(), reason };
        let words = shlex::split(line).filter(|words| !words.is_empty());
        let words = words.ok_or_else(|| failed("it is no command line".to_owned()))?;
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = command.spawn().map_err(|error| failed(error.to_string()))?;
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(input), Some(output), Some(errors)) = pipes else {
            return Err(failed("it has no standard streams".to_owned()));
        };
        let (send, answers) = sync_channel(1);
        thread::spawn(move || {
            let mut output = BufReader::new(output);
            while let Some(line) = read_line(&mut output) {
                let ends = line.is_err();
                if send.send(line).is_err() || ends {
                    return;
                }
            }
        });
        let said = Arc::<Mutex<Vec<u8>>>::default();
        let tail = Arc::clone(&said);
        let listener = thread::spawn(move || listen(errors, &tail));
        Ok(Self { child, input, answers, said, listener: Some(listener), patience, next: 0 })
    }

    /// The driver is gone: what did it say at last?
    fn died(&mut self, method: &str) -> DriverError {
        self.end();
        let said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        let said = String::from_utf8_lossy(&said).trim().to_owned();
        let said = if said.is_empty() { String::new() } else { format!("; it said: {said}") };
        DriverError::Died { method: method.to_owned(), said }
    }

    /// Ends the process and everything that it has started.
    fn end(&mut self) {
        // Once it was waited for, its number may be another's.
        let Some(listener) = self.listener.take() else { return };
        #[cfg(unix)]
        if let Some(group) = rustix::process::Pid::from_raw(self.child.id().cast_signed()) {
            rustix::process::kill_process_group(group, rustix::process::Signal::KILL).ok();
        }
        self.child.kill().ok();
        self.child.wait().ok();
        listener.join().ok();
    }
}

impl Driver for ChildDriver {
    fn call(&mut self, method: &str, params: Value) -> Result<Value, DriverError> {
        self.next += 1;
        let request = json!({ "jsonrpc": "2.0", "id": self.next, "method": method, "params": params });
        // One that is dead is known by its missing answer.
        writeln!(self.input, "{request}").and_then(|()| self.input.flush()).ok();
        match self.answers.recv_timeout(self.patience) {
            Ok(Ok(line)) => read_answer(method, self.next, &line),
            Ok(Err(error)) => Err(DriverError::garbage(method, error.to_string())),
            Err(RecvTimeoutError::Disconnected) => Err(self.died(method)),
            Err(RecvTimeoutError::Timeout) => {
                let seconds = self.patience.as_secs();
                self.end();
                Err(DriverError::TimedOut { method: method.to_owned(), seconds })
            }
        }
    }
}

impl Drop for ChildDriver {
    fn drop(&mut self) {
        self.end();
    }
}

/// The next line; `None` at the end.
fn read_line(output: &mut BufReader<ChildStdout>) -> Option<io::Result<Vec<u8>>> {
    let mut line = Vec::new();
    match output.by_ref().take(MAX_LINE).read_until(b'\n', &mut line) {
        Ok(0) => None,
        Ok(_) if line.len() as u64 == MAX_LINE => {
            Some(Err(io::Error::other(format!("a line of more than {MAX_LINE} bytes"))))
        }
        Ok(_) => Some(Ok(line)),
        Err(error) => Some(Err(error)),
    }
}

/// Keeps the end of what is said, and lets nothing be blocked by it.
fn listen(mut errors: impl io::Read, tail: &Mutex<Vec<u8>>) {
    let mut part = [0; 1024];
    while let Ok(read @ 1..) = errors.read(&mut part) {
        let mut tail = tail.lock().unwrap_or_else(PoisonError::into_inner);
        tail.extend_from_slice(&part[..read]);
        let surplus = tail.len().saturating_sub(MAX_SAID);
        tail.drain(..surplus);
    }
}

fn read_answer(method: &str, id: u64, line: &[u8]) -> Result<Value, DriverError> {
    let garbage = |what: String| DriverError::garbage(method, what);
    let mut answer: Value = serde_json::from_slice(line).map_err(|e| garbage(e.to_string()))?;
    if answer["jsonrpc"] != "2.0" || answer["id"] != id {
        return Err(garbage(format!("it does not answer request {id} in JSON-RPC 2.0")));
    }
    if let Some(error) = answer.get("error") {
        let code = error["code"].as_i64().unwrap_or_default();
        let message = error["message"].as_str().unwrap_or_default().to_owned();
        return Err(match code {
            METHOD_NOT_FOUND => DriverError::NoMethod { method: method.to_owned() },
            code => DriverError::Failed { method: method.to_owned(), code, message },
        });
    }
    match answer.get_mut("result") {
        Some(result) => Ok(result.take()),
        None => Err(garbage("it has neither `result` nor `error`".to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Asks a shell script one thing.
    fn ask(script: &str, patience: Duration) -> Result<Value, DriverError> {
        let command = shlex::try_join(["/bin/sh", "-c", script]).unwrap();
        ChildDriver::start(&command, patience)?.call("discover", json!({}))
    }

    #[test]
    fn an_answer_is_the_result_and_everything_else_a_typed_error() {
        let long = Duration::from_secs(30);
        let answer = |text: &str| ask(&format!("read line; echo '{text}'"), long);
        assert_eq!(answer(r#"{"jsonrpc":"2.0","id":1,"result":{"a":1}}"#), Ok(json!({ "a": 1 })));
        let missing = answer(r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"?"}}"#);
        assert_eq!(missing, Err(DriverError::NoMethod { method: "discover".into() }));
        let failed = answer(r#"{"jsonrpc":"2.0","id":1,"error":{"code":5,"message":"no disk"}}"#);
        assert!(matches!(failed, Err(DriverError::Failed { code: 5, .. })), "{failed:?}");
        for garbage in
            ["hello", "[]", r#"{"jsonrpc":"2.0","id":7,"result":1}"#, r#"{"jsonrpc":"2.0","id":1}"#]
        {
            let found = answer(garbage);
            assert!(matches!(found, Err(DriverError::Garbage { .. })), "{garbage}: {found:?}");
        }
    }

    #[test]
    fn who_dies_says_why_and_who_never_answers_is_ended() {
        let died = ask("read line; echo out of luck >&2; exit 7", Duration::from_secs(30));
        let Err(DriverError::Died { said, .. }) = died else { panic!("{died:?}") };
        assert!(said.contains("out of luck"), "{said}");
        let silent = ask("read line; sleep 600 & wait", Duration::from_millis(50));
        assert!(matches!(silent, Err(DriverError::TimedOut { .. })), "{silent:?}");
    }

    #[test]
    fn an_endless_line_is_cut_off() {
        let endless = ask("read line; exec cat /dev/zero", Duration::from_secs(60));
        let Err(DriverError::Garbage { what, .. }) = endless else { panic!("{endless:?}") };
        assert!(what.contains("more than"), "{what}");
    }

    #[test]
    fn what_cannot_be_started_is_named() {
        let found = ChildDriver::start("/nowhere/driver --x", Duration::from_secs(1));
        assert!(matches!(found, Err(DriverError::Start { .. })));
        assert!(matches!(ChildDriver::start("", Duration::from_secs(1)), Err(DriverError::Start { .. })));
    }
}
