//! Exit codes, and errors on their way to the person.

use crate::report::terminal::{Layout, Paint};
use std::{fmt::Display, io::Write as _, process::ExitCode};

/// What the exit code says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Exit {
    /// 0: it holds.
    Holds,
    /// 1: a gate, a case or an invariant fails.
    Fails,
    /// 2: usage, or a bad file.
    Usage,
    /// 3: undecided, or the surroundings failed.
    Undecided,
    /// 70: our bug.
    Bug,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(match exit {
            Exit::Holds => 0,
            Exit::Fails => 1,
            Exit::Usage => 2,
            Exit::Undecided => 3,
            Exit::Bug => 70,
        })
    }
}

/// An error with the exit code that fits.
#[derive(Debug)]
pub struct CliError {
    exit: Exit,
    message: String,
}

impl CliError {
    /// What the user gave cannot be used.
    pub fn usage(message: impl Display) -> Self {
        Self { exit: Exit::Usage, message: message.to_string() }
    }

    /// What was asked about does not hold.
    pub fn fails(message: impl Display) -> Self {
        Self { exit: Exit::Fails, message: message.to_string() }
    }

    /// The surroundings failed: disk, network, another process.
    pub fn surroundings(message: impl Display) -> Self {
        Self { exit: Exit::Undecided, message: message.to_string() }
    }

    /// Tells the person on standard error.
    pub(super) fn report(self) -> Exit {
        talk(&format!("error: {}", self.message));
        self.exit
    }
}

/// Writes a result to standard output. A closed pipe is the reader's choice and no error.
pub(super) fn say(text: &str) {
    std::io::stdout().write_all(text.as_bytes()).ok();
}

/// Writes a line of talk to standard error.
pub(super) fn talk(text: &str) {
    writeln!(std::io::stderr(), "{text}").ok();
}

/// How the table of a run is laid out on this standard output.
pub(super) fn layout(report: Option<String>) -> Layout {
    let terminal = console::Term::stdout();
    let (width, paint) = match terminal.features().is_attended() {
        true => (Some(terminal.size().1), console::colors_enabled()),
        false => (None, false),
    };
    let paint = if paint { Paint::Ansi } else { Paint::Plain };
    Layout { width, paint, failures: 20, report }
}
