//! The first of the helper's processes: still on the host, until it enters namespaces and forks.

use crate::helper::identity::Identity;
use crate::helper::kernel::{self, Side};
use crate::helper::{init, mounts};
use crate::refused::Fault;
use crate::wire::{self, Order, Refusal, Report};
use rustix::fd::{AsFd, OwnedFd};
use rustix::fs::{MemfdFlags, Mode, OFlags, SealFlags};
use rustix::process::{DumpableBehavior, Signal, WaitOptions};
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;

/// The descriptors that become the program's.
pub(crate) struct Stdio {
    pub(crate) stdin: OwnedFd,
    pub(crate) stdout: OwnedFd,
    pub(crate) stderr: OwnedFd,
}

/// Builds a sandbox by the order that comes on standard input; the answer goes the same way.
pub(crate) fn run() -> ! {
    let control = kernel::close_all_but_stdio()
        .and_then(|()| io::stdin().as_fd().try_clone_to_owned())
        .map(UnixStream::from);
    // Without the socket nobody can be told; the caller reads its end as a failed helper.
    let Ok(mut control) = control else { std::process::exit(1) };
    if let Err(refusal) = prepare(&mut control) {
        wire::send(&mut control, &Report::Refused(refusal)).ok();
    }
    std::process::exit(0)
}

fn prepare(control: &mut UnixStream) -> Result<(), Refusal> {
    // keys typed at the caller's terminal are the caller's to act on
    rustix::process::setsid().map_err(Fault::at("leave the caller's terminal"))?;
    let order: Order = wire::receive(control).map_err(Fault::at("read its order"))?;
    let identity = Identity::decide()?;
    let mut pieces = None;
    if identity != Identity::Caller {
        pieces = Some(mounts::take(&order, identity)?);
    }
    identity.become_it()?;
    // INVARIANT: made after the change of user, whose own it has to be
    let stdio = stdio(&order, control)?;
    // a machine short of memory takes this before anything else of it
    std::fs::write("/proc/self/oom_score_adj", "1000")
        .map_err(Fault::at("offer itself when memory is short"))?;
    identity.enter_namespaces()?;
    // its mapping is written; now nobody of the same user looks into it either
    rustix::process::set_dumpable_behavior(DumpableBehavior::NotDumpable)
        .map_err(Fault::at("close its memory to others"))?;
    die_with(order.parent)?;
    let pieces = match pieces {
        Some(pieces) => pieces,
        None => mounts::take(&order, identity)?,
    };
    match kernel::fork().map_err(Fault::at("start the first process inside"))? {
        Side::Child => init::run(&order, &pieces, stdio, control),
        Side::Parent(init) => {
            drop((stdio, pieces));
            // how it went is told by the other; only its end matters here
            while let Err(rustix::io::Errno::INTR) =
                rustix::process::waitpid(Some(init), WaitOptions::empty())
            {}
            Ok(())
        }
    }
}

/// Ends with the caller's process. Changing users and namespaces forgets this, so it comes after them.
fn die_with(parent: i32) -> Result<(), Fault> {
    rustix::process::set_parent_process_death_signal(Some(Signal::KILL))
        .map_err(Fault::at("tie its life to the caller's"))?;
    let now = rustix::process::getppid().map(rustix::process::Pid::as_raw_nonzero);
    if now.map(std::num::NonZero::get) == Some(parent) {
        Ok(())
    } else {
        Err(Fault::new("tie its life to the caller's", "the caller is gone"))
    }
}

/// Takes the caller's pipes away from where our own words would go, and the program's input out of the socket.
fn stdio(order: &Order, control: &mut UnixStream) -> Result<Stdio, Fault> {
    let step = || "arrange the program's input and output";
    let stdout = io::stdout().as_fd().try_clone_to_owned().map_err(Fault::at(step()))?;
    let stderr = io::stderr().as_fd().try_clone_to_owned().map_err(Fault::at(step()))?;
    let null = rustix::fs::open("/dev/null", OFlags::RDWR | OFlags::CLOEXEC, Mode::empty())
        .map_err(Fault::at(step()))?;
    rustix::stdio::dup2_stdin(&null).map_err(Fault::at(step()))?;
    rustix::stdio::dup2_stdout(&null).map_err(Fault::at(step()))?;
    rustix::stdio::dup2_stderr(&null).map_err(Fault::at(step()))?;
    let stdin = match order.stdin {
        None => rustix::fs::open("/dev/null", OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())
            .map_err(Fault::at(step()))?,
        Some(length) => input(control, length as u64).map_err(Fault::at(step()))?,
    };
    Ok(Stdio { stdin, stdout, stderr })
}

/// A file in memory that holds the program's input, and can only be read.
fn input(control: &mut UnixStream, length: u64) -> io::Result<OwnedFd> {
    let flags = MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING;
    let mut memory = File::from(rustix::fs::memfd_create("stdin", flags)?);
    if io::copy(&mut Read::by_ref(control).take(length), &mut memory)? != length {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    memory.flush()?;
    rustix::fs::fcntl_add_seals(
        &memory,
        SealFlags::WRITE | SealFlags::GROW | SealFlags::SHRINK | SealFlags::SEAL,
    )?;
    let path = format!("/proc/self/fd/{}", rustix::fd::AsRawFd::as_raw_fd(&memory));
    Ok(File::open(path)?.into())
}
