//! Runs a program once: what goes in, what comes out, and that nothing of it stays behind.

use crate::provider::{
    Fault,
    http::{MAX_ANSWER, cut},
    redact::Redactor,
};
use std::{io, process::Stdio};
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWriteExt},
    process::{Child, Command},
};

/// What is kept of the error stream.
const MAX_STDERR: usize = 64 << 10;

/// Runs the program with `input` and returns what it prints.
pub(super) async fn run(words: &[String], input: String, redactor: &Redactor) -> Result<String, Fault> {
    let mut group = Group::spawn(words).map_err(|e| {
        let program = redactor.redact(words[0].clone());
        Fault::Setup(format!(
            "`{program}` cannot be started: {e}\nhint: no shell runs it; give a program in PATH or a path"
        ))
    })?;
    let (stdin, stdout, stderr) = (group.0.stdin.take(), group.0.stdout.take(), group.0.stderr.take());
    let feed = async {
        if let Some(mut stdin) = stdin {
            // A program need not read: one that closes its input early has not failed by that.
            let _ = stdin.write_all(input.as_bytes()).await;
        }
    };
    let ((), output, errors) =
        tokio::join!(feed, read(stdout, MAX_ANSWER, true), read(stderr, MAX_STDERR, false));
    let output = output?;
    let status = group.0.wait().await.map_err(|e| Fault::Connection(e.to_string()))?;
    let errors = redactor.redact(String::from_utf8_lossy(&errors?).trim().to_owned());
    let said = if errors.is_empty() { String::new() } else { format!(": {}", last_words(&errors)) };
    if !status.success() {
        return Err(Fault::Setup(format!("the program ended with {status}{said}")));
    }
    let output = String::from_utf8(output).map_err(|_| Fault::Protocol("it is not UTF-8".into()))?;
    if output.trim().is_empty() {
        return Err(Fault::Protocol(format!("the program printed nothing{said}")));
    }
    Ok(output)
}

/// Reads a stream to its end; what is beyond the bound fails, or is thrown away.
async fn read(stream: Option<impl AsyncRead + Unpin>, limit: usize, fail: bool) -> Result<Vec<u8>, Fault> {
    let mut bytes = Vec::new();
    let Some(mut stream) = stream else { return Ok(bytes) };
    let broken = |e: io::Error| Fault::Connection(e.to_string());
    (&mut stream).take(limit as u64 + 1).read_to_end(&mut bytes).await.map_err(broken)?;
    if bytes.len() > limit {
        if fail {
            return Err(Fault::Protocol(format!("it is larger than {} MB", limit >> 20)));
        }
        tokio::io::copy(&mut stream, &mut tokio::io::sink()).await.map_err(broken)?;
    }
    Ok(bytes)
}

/// The end of an error stream, where the reason stands.
fn last_words(errors: &str) -> String {
    let skip = errors.chars().count().saturating_sub(400);
    cut(errors.chars().skip(skip).collect::<String>().trim_start())
}

/// A program and all that it starts. Dropped, it is killed: a caller's timeout drops the future that holds it.
struct Group(Child);

impl Group {
    fn spawn(words: &[String]) -> io::Result<Self> {
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.kill_on_drop(true);
        #[cfg(unix)]
        command.process_group(0);
        command.spawn().map(Self)
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        // `id` is none once the program was waited for, and its number may be another's by then.
        #[cfg(unix)]
        if let Some(pid) = self.0.id().and_then(|id| rustix::process::Pid::from_raw(id.cast_signed())) {
            // Whoever is gone already cannot be killed, and need not be.
            let _ = rustix::process::kill_process_group(pid, rustix::process::Signal::KILL);
        }
    }
}
