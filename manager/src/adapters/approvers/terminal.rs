//! A person at a terminal.
//!
//! The terminal itself is read, never standard input: what a model or a program has written into a pipe is not
//! heard, and what was typed before the question is thrown away.

use super::{Kind, Setting, own_principal};
use crate::{
    event::GrantReach,
    model::{ApprovalRequest, PrincipalId},
    port::{Answer, AnswerDecision, Approver, Clock, Confirmation, Interrupt, Reply, Silence},
};
use chrono::{DateTime, Utc};
use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    termios::{QueueSelector, tcflush},
};
use std::{
    fs::{File, OpenOptions},
    io::{self, IsTerminal as _, Read as _, Write as _},
    path::PathBuf,
    sync::Arc,
    time::Duration,
};

pub(super) const KIND: Kind = Kind {
    word: "terminal",
    about: "the person at this terminal",
    open: |setting: &Setting| Arc::new(Terminal::new(setting.clock.clone())),
};

/// How long a wait for a key may overlook that the call was called off.
const ATTENTION: Duration = Duration::from_millis(100);
/// An unclear answer is asked again so many times.
const TRIES: usize = 3;
/// No answer is longer.
const MAX_LINE: usize = 1000;

/// Asks at a terminal.
pub struct Terminal {
    device: PathBuf,
    clock: Arc<dyn Clock>,
    by: PrincipalId,
}

impl std::fmt::Debug for Terminal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Terminal").field("device", &self.device).finish_non_exhaustive()
    }
}

impl Terminal {
    /// The terminal that controls this process; who types there is the user of this process.
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        Self { device: "/dev/tty".into(), clock, by: own_principal() }
    }

    fn open(&self) -> io::Result<File> {
        let file = OpenOptions::new().read(true).write(true).open(&self.device)?;
        if file.is_terminal() { Ok(file) } else { Err(io::Error::other("it is no terminal")) }
    }
}

enum Line {
    Typed(String),
    Ended,
    Silence(Silence),
}

impl Approver for Terminal {
    fn ask(&self, request: &ApprovalRequest, deadline: DateTime<Utc>, interrupt: &dyn Interrupt) -> Reply {
        let mut terminal = match self.open() {
            Ok(terminal) => terminal,
            Err(error) => {
                let hint = "use `--approver queue` and answer with `proofhouse approvals`";
                let why = format!("there is no terminal to ask at ({error})\nhint: {hint}");
                return Reply::Silence(Silence::Nobody(why));
            }
        };
        match self.converse(&mut terminal, request, deadline, interrupt) {
            Ok(reply) => reply,
            Err(error) => Reply::Silence(Silence::Failed(error.to_string())),
        }
    }
}

impl Terminal {
    fn converse(
        &self,
        terminal: &mut File,
        request: &ApprovalRequest,
        deadline: DateTime<Utc>,
        interrupt: &dyn Interrupt,
    ) -> io::Result<Reply> {
        write!(terminal, "\n{}\n", request.preview)?;
        for _ in 0..TRIES {
            write!(terminal, "{}", prompt(request))?;
            tcflush(&*terminal, QueueSelector::IFlush)?;
            let line = match self.line(terminal, deadline, interrupt)? {
                Line::Typed(line) => line,
                Line::Ended => {
                    return Ok(self.answer(request, deny("nothing was typed"), Confirmation::Chosen));
                }
                Line::Silence(silence) => return Ok(Reply::Silence(silence)),
            };
            if let Some((decision, confirmation)) = understand(request, &line) {
                return Ok(self.answer(request, decision, confirmation));
            }
            writeln!(terminal, "that is none of the answers")?;
        }
        Ok(self.answer(request, deny("no clear answer"), Confirmation::Chosen))
    }

    fn answer(
        &self,
        request: &ApprovalRequest,
        decision: AnswerDecision,
        confirmation: Confirmation,
    ) -> Reply {
        Reply::Answer(Answer {
            approval_id: request.approval_id.clone(),
            contract_digest: request.contract_digest.clone(),
            decision,
            by: self.by.clone(),
            confirmation,
            at: self.clock.now(),
        })
    }

    fn line(
        &self,
        terminal: &mut File,
        deadline: DateTime<Utc>,
        interrupt: &dyn Interrupt,
    ) -> io::Result<Line> {
        let mut typed = Vec::new();
        loop {
            if let Some(reason) = interrupt.reason() {
                return Ok(Line::Silence(Silence::Interrupted(reason)));
            }
            let left = (deadline - self.clock.now()).to_std().unwrap_or_default();
            if left.is_zero() {
                return Ok(Line::Silence(Silence::TimedOut));
            }
            if !readable(terminal, ATTENTION.min(left))? {
                continue;
            }
            let mut buffer = [0; 256];
            let read = terminal.read(&mut buffer)?;
            typed.extend_from_slice(&buffer[..read]);
            if let Some(end) = typed.iter().position(|b| *b == b'\n') {
                return Ok(Line::Typed(String::from_utf8_lossy(&typed[..end]).trim().to_owned()));
            }
            if read == 0 || typed.len() > MAX_LINE {
                return Ok(Line::Ended);
            }
        }
    }
}

fn readable(terminal: &File, time: Duration) -> io::Result<bool> {
    let mut fds = [PollFd::new(terminal, PollFlags::IN)];
    let time = Timespec::try_from(time).map_err(io::Error::other)?;
    match poll(&mut fds, Some(&time)) {
        Ok(ready) => Ok(ready > 0),
        Err(rustix::io::Errno::INTR) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

fn prompt(request: &ApprovalRequest) -> String {
    if let Some(phrase) = &request.typed_confirmation {
        return format!("type `{phrase}` to allow it once, or `no`: ");
    }
    let options = &request.options;
    let mut words = vec!["[o]nce"];
    if options.allow_for_session {
        words.push("for this [s]ession");
    }
    if options.always_allow_this_tool == Some(true) {
        words.push("[a]lways, with exactly these arguments");
    }
    words.push("[n]o");
    format!("allow it {}? ", words.join(", "))
}

/// What a typed line says; `None` where it says nothing clear. Nothing typed at all is no answer.
fn understand(request: &ApprovalRequest, line: &str) -> Option<(AnswerDecision, Confirmation)> {
    let word = line.to_ascii_lowercase();
    if matches!(word.as_str(), "n" | "no" | "d" | "deny") {
        return Some((deny(""), Confirmation::Chosen));
    }
    if let Some(phrase) = &request.typed_confirmation {
        let typed = Confirmation::Typed { phrase: line.to_owned() };
        return (line == phrase).then_some((AnswerDecision::Allow { reach: GrantReach::Once }, typed));
    }
    let options = &request.options;
    let reach = match word.as_str() {
        "o" | "once" | "y" | "yes" => GrantReach::Once,
        "s" | "session" if options.allow_for_session => GrantReach::Session,
        "a" | "always" if options.always_allow_this_tool == Some(true) => GrantReach::Always,
        _ => return None,
    };
    Some((AnswerDecision::Allow { reach }, Confirmation::Chosen))
}

fn deny(reason: &str) -> AnswerDecision {
    AnswerDecision::Deny { reason: reason.to_owned() }
}
