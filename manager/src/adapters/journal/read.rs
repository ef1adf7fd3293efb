//! Reading a journal's events, one by one, across its files.

use super::links;
use crate::event::{
    Chain, ChainFault, DecodeError, Event, Fact, Fault, LineMemory, decode, fact::PreviousFile,
};
use std::{
    fs::File,
    io::{self, BufRead as _, BufReader},
    path::{Path, PathBuf},
};

const BUFFER: usize = 256 << 10;

/// A journal that cannot be read on.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The file system refuses.
    #[error("cannot read the journal `{path}`: {source}\nhint: check the path and its permissions")]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A line is no event.
    #[error("`{path}`, line {line}: {source}\nhint: `proofhouse journal verify` says more")]
    NoEvent {
        /// The file.
        path: PathBuf,
        /// The line, counted from 1.
        line: u64,
        /// What it is instead.
        source: DecodeError,
    },
    /// The chain is broken.
    #[error(
        "the journal `{path}` was changed, {fault}\nhint: nothing is concluded from it; keep it as evidence"
    )]
    Broken {
        /// The file.
        path: PathBuf,
        /// Where and how.
        fault: ChainFault,
    },
    /// The next file is not there: it was lost, or a writer is about to make it.
    #[error(
        "`{path}` goes on in `{next}`, which is missing\nhint: restore the file, or see `proofhouse journal verify`"
    )]
    Missing {
        /// The file that names the next.
        path: PathBuf,
        /// The next file, as it is named.
        next: String,
    },
    /// It does not hang together with its next file.
    #[error(
        "`{path}` goes on in `{next}`, {what}\nhint: restore the file, or see `proofhouse journal verify`"
    )]
    Link {
        /// The file that names the next.
        path: PathBuf,
        /// The next file, as it is named.
        next: String,
        /// What is wrong with it.
        what: &'static str,
    },
}

/// Streams the events of a journal, across its files, and trusts what it reads.
///
/// A last line without an end is not there yet: a writer is at it, or a crash tore it.
///
/// # Errors
/// [`ReadError`] if the file cannot be opened.
pub fn read(path: &Path) -> Result<Events, ReadError> {
    Events::open(path, None)
}

/// Streams the events of a journal, across its files, and checks each line and link on the way.
///
/// A fold over it has seen nothing but what the chain vouches for. Whether the chain is the one that was written, only
/// checkpoints say: see [`verify`](super::verify).
///
/// # Errors
/// [`ReadError`] if the file cannot be opened.
pub fn read_verified(path: &Path) -> Result<Events, ReadError> {
    Events::open(path, Some(Guard::default()))
}

/// The events of a journal, in order. Ends for good with the first fault; at the end of what is written it gives
/// `None`, and goes on if it is asked again after more was.
#[derive(Debug)]
pub struct Events {
    path: PathBuf,
    reader: BufReader<File>,
    line: Vec<u8>,
    number: u64,
    guard: Option<Guard>,
    /// Where the file before this one ended; taken by the first line.
    before: Option<PreviousFile>,
    /// The file that continues this one, once it has ended.
    next: Option<String>,
    /// That the next file is missing was told.
    missing: bool,
    over: bool,
}

#[derive(Debug, Default)]
struct Guard {
    chain: Chain,
    memory: LineMemory,
}

impl Events {
    fn open(path: &Path, guard: Option<Guard>) -> Result<Self, ReadError> {
        Ok(Self {
            path: path.to_owned(),
            reader: open(path)?,
            line: Vec::new(),
            number: 0,
            guard,
            before: None,
            next: None,
            missing: false,
            over: false,
        })
    }

    /// The file that the last event came from.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The line that the last event came from, as it stands in the file.
    pub fn line(&self) -> &[u8] {
        self.line.strip_suffix(b"\n").unwrap_or(&self.line)
    }

    fn advance(&mut self) -> Result<Option<Event>, ReadError> {
        loop {
            // A part of a line stays, until the rest of it is there.
            if self.line.last() == Some(&b'\n') {
                self.line.clear();
            }
            let path = &self.path;
            let io = |source| ReadError::Io { path: path.clone(), source };
            self.reader.read_until(b'\n', &mut self.line).map_err(io)?;
            if self.line.last() == Some(&b'\n') {
                return self.event().map(Some);
            }
            if self.next.is_none() || !self.line.is_empty() {
                return Ok(None);
            }
            self.go_on()?;
        }
    }

    fn event(&mut self) -> Result<Event, ReadError> {
        self.number += 1;
        let line = self.line.strip_suffix(b"\n").unwrap_or(&self.line);
        let number = self.number;
        let broken =
            |fault| ReadError::Broken { path: self.path.clone(), fault: ChainFault { line: number, fault } };
        if let Some(next) = self.next.take() {
            return Err(broken(Fault::AfterEnd { next }));
        }
        if let Some(Guard { chain, memory }) = &mut self.guard {
            chain.follow(line, memory).map_err(|fault| broken(fault.fault))?;
        }
        let no_event = |source| ReadError::NoEvent { path: self.path.clone(), line: number, source };
        let event = decode(line).map_err(no_event)?;
        if let Fact::LogOpened(opened) = &event.fresh.fact
            && opened.format != 1
        {
            return Err(broken(Fault::Format(opened.format)));
        }
        if let Some(before) = self.before.take() {
            let stated = links::opening(Some(&event)).and_then(|opened| opened.continues.as_ref());
            if !stated.is_some_and(|stated| stated.is(&before)) {
                let next = links::name(&self.path);
                let path = self.path.with_file_name(before.file);
                return Err(ReadError::Link { path, next, what: "which does not continue it where it ends" });
            }
        }
        self.next = links::closing(Some(&event)).and_then(|closed| closed.continued_in.clone());
        if self.next.is_some() {
            self.before = Some(PreviousFile::ended_by(links::name(&self.path), &event));
        }
        Ok(event)
    }

    fn go_on(&mut self) -> Result<(), ReadError> {
        let Some(next) = self.next.clone() else { return Ok(()) };
        let from = self.path.clone();
        let Some(path) = links::beside(&from, &next) else {
            return Err(ReadError::Link { path: from, next, what: "which is no file beside it" });
        };
        if !path.exists() {
            return Err(ReadError::Missing { path: from, next });
        }
        self.reader = open(&path)?;
        self.path = path;
        self.next = None;
        self.number = 0;
        self.guard = self.guard.as_ref().map(|_| Guard::default());
        Ok(())
    }
}

fn open(path: &Path) -> Result<BufReader<File>, ReadError> {
    let file = File::open(path).map_err(|source| ReadError::Io { path: path.to_owned(), source })?;
    Ok(BufReader::with_capacity(BUFFER, file))
}

impl Iterator for Events {
    type Item = Result<Event, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.over {
            return None;
        }
        let found = self.advance().transpose();
        match &found {
            None => {}
            Some(Ok(_)) => self.missing = false,
            // Told once, so that nobody who goes on after an error goes round for ever.
            Some(Err(ReadError::Missing { .. })) if std::mem::replace(&mut self.missing, true) => {
                return None;
            }
            Some(Err(ReadError::Missing { .. })) => {}
            Some(Err(_)) => self.over = true,
        }
        found
    }
}
