//! From the end of a run to what it came to.

use super::{
    Fault,
    parse::{self, Said},
};
use crate::{
    adapters::egress::{Contact, Contacts},
    model::CommandTemplate,
    port::Interrupt,
};
use proofhouse_sandbox::{Captured, Outcome, Status, Tree};
use serde_json::Value;

/// More of a program's last words are not in an error's message.
const LAST_WORDS: usize = 400;

/// The structure that a run came to.
///
/// # Errors
/// [`Fault`] if it did not end as its contract says success is, or its output is not what it should be.
pub(super) fn structure(
    outcome: &Outcome,
    template: &CommandTemplate,
    interrupt: &dyn Interrupt,
) -> Result<Value, Fault> {
    let name = template.program.rsplit('/').next().unwrap_or_default();
    let seconds = outcome.duration.as_secs_f64();
    let code = match &outcome.status {
        Status::Exited(code) => *code,
        Status::Signalled(signal) => {
            return Err(Fault::new("signalled", format!("`{name}` was ended by signal {signal}")));
        }
        Status::TimedOut => {
            return Err(Fault::new("timeout", format!("`{name}` was ended after {seconds:.1} s")));
        }
        Status::OutOfMemory => {
            return Err(Fault::new("out_of_memory", format!("`{name}` held more memory than it may")));
        }
        Status::DiskFull => {
            return Err(Fault::new(
                "disk_full",
                format!("`{name}` left less of the disk than must stay free"),
            ));
        }
        Status::OutputLimit => {
            let said = outcome.stdout.total() + outcome.stderr.total();
            return Err(Fault::new(
                "output_limit",
                format!("`{name}` was ended after {said} bytes of output"),
            ));
        }
        Status::Cancelled => {
            let why = interrupt
                .reason()
                .map_or_else(|| "it was called off".to_owned(), |reason| reason.to_string());
            return Err(Fault::new("cancelled", why));
        }
        Status::HelperFailed(why) => {
            return Err(Fault::new("outcome_unknown", format!("its sandbox ended before it did: {why}")));
        }
    };
    if outcome.tree == Tree::Dying {
        return Err(Fault::new("outcome_unknown", "its processes were killed, and are not all gone yet"));
    }
    if let Some(path) = outcome.strayed.first() {
        let message = format!("it made `{}`, which its contract blocks; nothing was kept", path.display());
        return Err(Fault::new("undeclared_effects", message));
    }
    let (stdout, stderr) = (text(&outcome.stdout), text(&outcome.stderr));
    let last = last_words(&stderr, &stdout);
    if !template.success_codes.contains(&code) {
        return Err(Fault::new("exit_status", format!("`{name}` ended with exit code {code}{last}")));
    }
    let said = Said { code, stdout: &stdout, stderr: &stderr };
    parse::parse(template.output, &said).map_err(|why| {
        Fault::new("output_unusable", format!("`{name}` ended with exit code {code}, and {why}{last}"))
    })
}

/// Everything that was said: standard output, and after a mark what was said on standard error, and whom it could not
/// reach.
pub(super) fn output(outcome: &Outcome, contacts: &Contacts) -> Vec<u8> {
    let mut bytes = Vec::new();
    put(&mut bytes, &outcome.stdout);
    if outcome.stderr.total() > 0 {
        if bytes.last().is_some_and(|last| *last != b'\n') {
            bytes.push(b'\n');
        }
        bytes.extend_from_slice(b"[standard error]\n");
        put(&mut bytes, &outcome.stderr);
    }
    for Contact { host, port, refused, .. } in contacts.refused() {
        let why = refused.as_deref().unwrap_or_default();
        bytes.extend_from_slice(format!("[not reached: {host}:{port}, {why}]\n").as_bytes());
    }
    bytes
}

fn put(bytes: &mut Vec<u8>, stream: &Captured) {
    bytes.extend_from_slice(stream.head());
    if stream.omitted() > 0 {
        let mark = format!("\n[… {} of {} bytes were not kept …]\n", stream.omitted(), stream.total());
        bytes.extend_from_slice(mark.as_bytes());
    }
    bytes.extend(stream.tail());
}

fn text(stream: &Captured) -> String {
    let mut bytes = Vec::new();
    put(&mut bytes, stream);
    String::from_utf8_lossy(&bytes).into_owned()
}

/// What a program said last, of its errors where there are some.
fn last_words(stderr: &str, stdout: &str) -> String {
    let said = if stderr.trim().is_empty() { stdout } else { stderr };
    let said = said.trim();
    let from = said.char_indices().rev().nth(LAST_WORDS).map_or(0, |(at, _)| at);
    match &said[from..] {
        "" => String::new(),
        words if from == 0 => format!(": {words}"),
        words => format!(": …{words}"),
    }
}
