//! The last of the helper's processes: it binds itself and becomes the program.

use crate::helper::mounts::Piece;
use crate::helper::outer::Stdio;
use crate::helper::{kernel, landlock, seccomp};
use crate::refused::Fault;
use crate::spec::Limits;
use crate::wire::{Order, Stamp};
use rustix::fs::Mode;
use rustix::process::{Resource, Rlimit};
use std::ffi::{CString, OsStr};
use std::io::{PipeReader, PipeWriter, Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;

/// What was in force when the program started.
pub(crate) struct Confirmed {
    pub(crate) landlock: landlock::Applied,
}

/// The child's ends of what ties it to the first process inside.
pub(crate) struct Ties {
    confirm: PipeWriter,
    go: PipeReader,
}

/// The first process's ends.
pub(crate) struct Waiting {
    confirmed: PipeReader,
    go: PipeWriter,
}

/// Makes both.
pub(crate) fn ties() -> std::io::Result<(Ties, Waiting)> {
    let (confirmed, confirm) = std::io::pipe()?;
    let (ours, go) = std::io::pipe()?;
    Ok((Ties { confirm, go: ours }, Waiting { confirmed, go }))
}

/// Becomes the program when it is told to, or tells why not.
pub(crate) fn run(order: &Order, pieces: &[Piece], stdio: &Stdio, mut ties: Ties) -> ! {
    let Err(fault) = become_program(order, pieces, stdio, &mut ties);
    let told = serde_json::to_vec(&fault).unwrap_or_default();
    ties.confirm.write_all(&[FAULT]).and_then(|()| ties.confirm.write_all(&told)).ok();
    std::process::exit(127)
}

/// First byte of what the child writes, before its details: Landlock rules were applied, or there are none, or a step failed.
const APPLIED: u8 = b'l';
const ABSENT: u8 = b'a';
const FAULT: u8 = b'!';

impl Waiting {
    /// Waits until everything is in force and only the program itself is missing.
    pub(crate) fn until_ready(&mut self) -> Result<Confirmed, Fault> {
        let step = || "hear from the program's process";
        let mut kind = [0];
        self.confirmed.read_exact(&mut kind).map_err(Fault::at(step()))?;
        if kind == [FAULT] {
            return Err(self.fault());
        }
        let mut version = [0; 4];
        self.confirmed.read_exact(&mut version).map_err(Fault::at(step()))?;
        let version = i32::from_le_bytes(version);
        let landlock = match kind {
            [APPLIED] => landlock::Applied::Version(version),
            _ => landlock::Applied::Absent("the kernel keeps no Landlock rules".to_owned()),
        };
        Ok(Confirmed { landlock })
    }

    /// Lets the program start, and waits until it has.
    pub(crate) fn release(mut self) -> Result<(), Fault> {
        self.go.write_all(&[0]).map_err(Fault::at("let the program start"))?;
        let mut kind = [0];
        // the end without a word is what a successful `execve` leaves
        match self.confirmed.read(&mut kind).map_err(Fault::at("hear from the program's process"))? {
            0 => Ok(()),
            _ => Err(self.fault()),
        }
    }

    fn fault(&mut self) -> Fault {
        let mut told = Vec::new();
        let read = self.confirmed.read_to_end(&mut told);
        read.map_err(|error| error.to_string())
            .and_then(|_| serde_json::from_slice(&told).map_err(|error| error.to_string()))
            .unwrap_or_else(Fault::at("read why the program did not start"))
    }
}

enum Never {}

fn become_program(order: &Order, pieces: &[Piece], stdio: &Stdio, ties: &mut Ties) -> Result<Never, Fault> {
    rustix::process::setsid().map_err(Fault::at("start a session of its own"))?;
    rustix::process::umask(Mode::WGRP | Mode::WOTH);
    enter(order)?;
    check_program(order)?;
    let step = || "hand the program its input and output";
    rustix::stdio::dup2_stdin(&stdio.stdin).map_err(Fault::at(step()))?;
    rustix::stdio::dup2_stdout(&stdio.stdout).map_err(Fault::at(step()))?;
    rustix::stdio::dup2_stderr(&stdio.stderr).map_err(Fault::at(step()))?;
    let filters = seccomp::compile(order.network)?;
    let texts = Texts::new(order)?;
    let applied = landlock::apply(pieces, order.network)?;
    let (kind, version) = match applied {
        landlock::Applied::Version(version) => (APPLIED, version),
        landlock::Applied::Absent(_) => (ABSENT, 0),
    };
    let word = [&[kind][..], &version.to_le_bytes()].concat();
    ties.confirm.write_all(&word).map_err(Fault::at("tell what is in force"))?;
    ties.go.read_exact(&mut [0]).map_err(Fault::at("be told to start"))?;
    kernel::close_all_but_stdio_on_exec().map_err(Fault::at("keep only standard input and output"))?;
    kernel::reset_signals();
    limit(&order.limits)?;
    seccomp::apply(&filters)?;
    Err(texts.execute(order))
}

/// Goes to the working folder, which must be the one that was checked.
fn enter(order: &Order) -> Result<(), Fault> {
    let path = order.cwd.path();
    let step = || format!("enter `{}`", path.display());
    rustix::process::chdir(path).map_err(Fault::at(step()))?;
    let here = std::fs::metadata(".").map_err(Fault::at(step()))?;
    // A layered folder has numbers of its own; that it was the right one was seen before it was layered.
    let layered = order.roots.iter().any(|root| root.layer.is_some() && path.starts_with(root.place.path()));
    if layered || (here.dev(), here.ino()) == (order.cwd.dev, order.cwd.ino) {
        Ok(())
    } else {
        Err(Fault::new(format!("enter `{}`", path.display()), "another folder has taken its place"))
    }
}

/// The caller's name for the program must lead to the pinned file, unchanged, in here too.
fn check_program(order: &Order) -> Result<(), Fault> {
    let path = std::path::Path::new(&order.program);
    let step = || format!("find the program `{}`", path.display());
    let stamp = Stamp::of_path(path).map_err(Fault::at(step()))?;
    if stamp == order.stamp {
        Ok(())
    } else {
        Err(Fault::new(step(), "it is not the file whose digest was checked"))
    }
}

fn limit(limits: &Limits) -> Result<(), Fault> {
    const GIB: u64 = 1 << 30;
    let seconds = limits.timeout.as_secs().saturating_add(1);
    for (resource, wanted) in [
        // the helper and init are two more of this user
        (Resource::Nproc, u64::from(limits.processes) + 2),
        (Resource::Nofile, limits.open_files.into()),
        (Resource::Fsize, limits.file_size),
        (Resource::Cpu, seconds),
        (Resource::Core, 0),
        // What a process may write to is bounded a little above what the watch allows, so that a burst between
        // two looks is bounded too, and the watch can still say why the run ended.
        (Resource::Data, limits.memory.saturating_mul(2).saturating_add(64 << 20)),
        // Reserving address space is common and free; page tables for it are not.
        (Resource::As, limits.memory.saturating_add(64 * GIB)),
        (Resource::Memlock, 64 << 10),
        (Resource::Msgqueue, 64 << 10),
        (Resource::Stack, 8 << 20),
    ] {
        let now = rustix::process::getrlimit(resource);
        let bound = Some(now.maximum.map_or(wanted, |hard| hard.min(wanted)));
        rustix::process::setrlimit(resource, Rlimit { current: bound, maximum: bound })
            .map_err(Fault::at(format!("limit {resource:?}")))?;
    }
    Ok(())
}

/// Everything that `execve` takes, made while there may still be allocated.
struct Texts {
    program: CString,
    args: Vec<CString>,
    env: Vec<CString>,
}

impl Texts {
    fn new(order: &Order) -> Result<Self, Fault> {
        let text = |bytes: &[u8]| CString::new(bytes).map_err(Fault::at("read the program's arguments"));
        let program = text(order.program.as_bytes())?;
        let args = std::iter::once(&order.program).chain(&order.args).map(|arg| text(arg.as_bytes()));
        let pair = |(name, value): &(_, _)| -> Result<CString, Fault> {
            let (name, value): (&std::ffi::OsString, &std::ffi::OsString) = (name, value);
            text(&[name.as_bytes(), b"=", value.as_bytes()].concat())
        };
        Ok(Self {
            program,
            args: args.collect::<Result<_, _>>()?,
            env: order.env.iter().map(pair).collect::<Result<_, _>>()?,
        })
    }

    fn execute(&self, order: &Order) -> Fault {
        let args: Vec<_> = self.args.iter().map(CString::as_c_str).collect();
        let env: Vec<_> = self.env.iter().map(CString::as_c_str).collect();
        let error = kernel::execute(&self.program, &args, &env);
        let name: &OsStr = &order.program;
        Fault::new(format!("start `{}`", name.to_string_lossy()), error)
    }
}
