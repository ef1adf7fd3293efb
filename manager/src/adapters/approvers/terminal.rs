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
            tcflush(&*terminal, QueueSelector::IFlush)?;
            write!(terminal, "{}", prompt(request))?;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        adapters::clock::SystemClock,
        authority::testing,
        model::{StopCode, StopReason},
        port::Uninterrupted,
    };
    use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

    /// A terminal, and the other end of it, where somebody types.
    fn terminal() -> (Terminal, File) {
        let person = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&person).unwrap();
        unlockpt(&person).unwrap();
        let device = ptsname(&person, Vec::new()).unwrap().into_string().unwrap().into();
        (Terminal { device, clock: Arc::new(SystemClock), by: "user:ada".into() }, File::from(person))
    }

    /// Reads until a question mark or colon that ends a prompt, then types.
    fn converse(request: &ApprovalRequest, typed: &[&str]) -> (Reply, String) {
        let (terminal, mut person) = terminal();
        // Typed before anything was asked: it must not count.
        let open = terminal.open().unwrap();
        person.write_all(b"once\n").unwrap();
        let mut seen = String::new();
        let reply = std::thread::scope(|scope| {
            let asked = scope.spawn(|| {
                terminal.ask(request, SystemClock.now() + chrono::TimeDelta::seconds(60), &Uninterrupted)
            });
            for line in typed {
                let mut buffer = [0; 4096];
                let before = seen.len();
                while !(seen[before..].ends_with("? ") || seen[before..].ends_with("`no`: ")) {
                    let read = person.read(&mut buffer).unwrap();
                    seen.push_str(&String::from_utf8_lossy(&buffer[..read]));
                }
                person.write_all(line.as_bytes()).unwrap();
            }
            asked.join().unwrap()
        });
        drop(open);
        (reply, seen)
    }

    #[test]
    fn a_person_answers_and_what_was_typed_before_does_not_count() {
        let plain = testing::request("apr_1");
        let mut destructive = testing::request("apr_1");
        destructive.typed_confirmation = Some("db.drop".to_owned());
        let allow = |reach| AnswerDecision::Allow { reach };
        let rows: [(&ApprovalRequest, &[&str], AnswerDecision); 8] = [
            (&plain, &["once\n"], allow(GrantReach::Once)),
            (&plain, &["S\n"], allow(GrantReach::Session)),
            (&plain, &["n\n"], deny("")),
            (&plain, &["what?\n", "\n", "y\n"], allow(GrantReach::Once)),
            // Not offered, three times unclear.
            (&plain, &["always\n", "maybe\n", "perhaps\n"], deny("no clear answer")),
            (&destructive, &["y\n", "yes\n", "DB.DROP\n"], deny("no clear answer")),
            (&destructive, &["db.drop\n"], allow(GrantReach::Once)),
            // The end of the input: nobody is there any more.
            (&plain, &["\u{4}"], deny("nothing was typed")),
        ];
        for (request, typed, expected) in rows {
            let (reply, seen) = converse(request, typed);
            let Reply::Answer(answer) = reply else { panic!("{typed:?}: {reply:?}") };
            assert_eq!(answer.decision, expected, "{typed:?}");
            assert_eq!((answer.by.as_str(), &answer.contract_digest), ("user:ada", &request.contract_digest));
            let typed_out = matches!(answer.confirmation, Confirmation::Typed { .. });
            assert_eq!(
                typed_out,
                request.typed_confirmation.is_some() && expected == allow(GrantReach::Once)
            );
            assert!(seen.contains(request.preview.lines().next().unwrap()), "{seen}");
        }
    }

    struct CalledOff;

    impl Interrupt for CalledOff {
        fn reason(&self) -> Option<StopReason> {
            Some(StopReason::new(StopCode::Revoked, "revoked"))
        }
    }

    #[test]
    fn without_a_terminal_a_time_or_a_need_there_is_no_answer() {
        let request = testing::request("apr_1");
        let (asked, person) = terminal();
        let none = Terminal { device: "/dev/null".into(), ..terminal().0 };
        let reply = none.ask(&request, SystemClock.now(), &Uninterrupted);
        let Reply::Silence(Silence::Nobody(why)) = reply else { panic!("{reply:?}") };
        assert!(why.contains("no terminal") && why.contains("--approver queue"), "{why}");
        let late = asked.ask(&request, SystemClock.now(), &Uninterrupted);
        assert_eq!(late, Reply::Silence(Silence::TimedOut));
        let off = asked.ask(&request, SystemClock.now() + chrono::TimeDelta::seconds(60), &CalledOff);
        assert!(matches!(off, Reply::Silence(Silence::Interrupted(_))), "{off:?}");
        drop(person);
    }
}
