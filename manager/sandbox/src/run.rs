//! Running an order: starting the helper, draining what the program writes, and seeing to the end of all of it.

use crate::attest::{Attestation, Standing};
use crate::cancel::Cancel;
use crate::capture::Captured;
use crate::helper_path::{ROLE, RUN};
use crate::outcome::{Outcome, Status, Tree};
use crate::prepare::Prepared;
use crate::refused::Refused;
use crate::spec::Network;
use crate::wire::{self, End, Refusal, Report};
use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::process::{Pid, PidfdFlags};
use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpListener};
use std::os::unix::net::UnixStream;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// How long the end of a run may take after it was asked for.
const END_BOUND: Duration = Duration::from_secs(2);

impl Prepared {
    /// Runs the program to its end.
    ///
    /// Blocks the calling thread, whose own end would end the run. No thread is started.
    ///
    /// # Errors
    /// When the program was not started; then nothing ran.
    pub fn run(self, cancel: &Cancel) -> Result<Outcome, Refused> {
        if let Network::Proxy(_) = self.order.network {
            return Err(Refused::value("network", "there is no proxy that could answer"));
        }
        self.run_with_proxy(cancel, |_| {})
    }

    /// Runs the program to its end, with a proxy of the caller's as its only way out.
    ///
    /// For [`Network::Proxy`], `proxy` gets the listening socket before the program starts: it is inside, where only
    /// the program connects to it, and whoever accepts on it is outside. It must not block; what it decides, such
    /// as which names may be reached, is the caller's. When it is gone, connections fail: there is no other way.
    ///
    /// # Errors
    /// See [`Prepared::run`].
    pub fn run_with_proxy(
        self,
        cancel: &Cancel,
        proxy: impl FnOnce(TcpListener),
    ) -> Result<Outcome, Refused> {
        let begin = Instant::now();
        let (mut ours, theirs) = UnixStream::pair().map_err(Refused::io("make a socket"))?;
        let child = Command::new(self.helper.path())
            .args([ROLE, RUN])
            .env_clear()
            .stdin(Stdio::from(OwnedFd::from(theirs)))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(Refused::io("start its helper"))?;
        let mut helper = Started(child);
        let pidfd = helper.pidfd().map_err(Refused::io("watch its helper"))?;
        ours.set_write_timeout(Some(self.order.limits.timeout)).map_err(Refused::io("write its order"))?;
        // A helper that ends without having read everything says why, which is worth more than our failed write.
        let order = wire::frame(&self.order).map_err(Refused::io("write its order"))?;
        ours.write_all(&order).and_then(|()| ours.write_all(&self.stdin)).ok();
        ours.set_nonblocking(true).map_err(Refused::io("read from its helper"))?;
        let mut session = Session::new(&self, ours, begin, Box::new(proxy));
        let drained = session.drain(&mut helper, &pidfd, cancel).and_then(|()| session.hear());
        session.conclude(&mut helper, drained)
    }
}

/// The helper's process; it never outlives this value.
struct Started(Child);

impl Started {
    fn pidfd(&self) -> io::Result<OwnedFd> {
        let pid =
            i32::try_from(self.0.id()).ok().and_then(Pid::from_raw).ok_or(io::ErrorKind::InvalidData)?;
        Ok(rustix::process::pidfd_open(pid, PidfdFlags::empty())?)
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        // all of it dies with the helper; both are no-ops when it has ended
        self.0.kill().ok();
        self.0.wait().ok();
    }
}

/// Why the caller's side ended a run.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stop {
    Cancelled,
    OutputLimit,
    TimedOut,
}

struct Session<'p> {
    control: UnixStream,
    arrived: Vec<u8>,
    proxy: Option<Box<dyn FnOnce(TcpListener) + 'p>>,
    /// The proxy's listening socket, from its arrival until the message that it came with.
    listener: Option<OwnedFd>,
    refusal: Option<Refusal>,
    attestation: Option<Attestation>,
    ended: Option<(End, Vec<OsString>)>,
    stdout: Captured,
    stderr: Captured,
    begin: Instant,
    most: u64,
    /// When the helper should long have ended the run by itself.
    late: Instant,
    stop: Option<(Stop, Instant)>,
    tree: Tree,
}

impl<'p> Session<'p> {
    fn new(
        prepared: &Prepared,
        control: UnixStream,
        begin: Instant,
        proxy: Box<dyn FnOnce(TcpListener) + 'p>,
    ) -> Self {
        let limits = &prepared.order.limits;
        let captured = || Captured::new(limits.head, limits.tail);
        Self {
            control,
            arrived: Vec::new(),
            proxy: Some(proxy),
            listener: None,
            refusal: None,
            attestation: None,
            ended: None,
            stdout: captured(),
            stderr: captured(),
            begin,
            most: limits.output,
            late: begin + limits.timeout + 2 * END_BOUND,
            stop: None,
            tree: Tree::Gone,
        }
    }

    /// Reads everything until the helper has ended, and with it the whole tree.
    fn drain(&mut self, helper: &mut Started, pidfd: &OwnedFd, cancel: &Cancel) -> io::Result<()> {
        let mut stdout = helper.0.stdout.take();
        let mut stderr = helper.0.stderr.take();
        let mut buffer = vec![0; 64 << 10];
        loop {
            let ready = self.poll(stdout.as_ref(), stderr.as_ref(), pidfd, cancel)?;
            if ready.control {
                self.hear()?;
            }
            for (is_ready, pipe, captured) in [
                (ready.stdout, &mut stdout as &mut dyn Pipe, &mut self.stdout),
                (ready.stderr, &mut stderr, &mut self.stderr),
            ] {
                if is_ready {
                    pipe.read_into(&mut buffer, captured)?;
                }
            }
            if self.stdout.total() + self.stderr.total() > self.most {
                self.end(Stop::OutputLimit);
            }
            if ready.cancel {
                self.end(Stop::Cancelled);
            }
            if Instant::now() > self.late {
                self.end(Stop::TimedOut);
            }
            if ready.ended && !ready.stdout && !ready.stderr {
                return Ok(());
            }
            if self.stop.is_some_and(|(_, since)| since.elapsed() > END_BOUND) {
                self.tree = Tree::Dying;
                return Ok(());
            }
        }
    }

    fn poll(
        &self,
        stdout: Option<&impl AsFd>,
        stderr: Option<&impl AsFd>,
        pidfd: &OwnedFd,
        cancel: &Cancel,
    ) -> io::Result<Ready> {
        let mut fds: Vec<(Source, BorrowedFd<'_>)> = vec![(Source::Helper, pidfd.as_fd())];
        fds.extend(stdout.map(|fd| (Source::Stdout, fd.as_fd())));
        fds.extend(stderr.map(|fd| (Source::Stderr, fd.as_fd())));
        if self.stop.is_none() {
            fds.push((Source::Control, self.control.as_fd()));
            fds.push((Source::Cancel, cancel.as_fd()));
        }
        let mut polled: Vec<_> =
            fds.iter().map(|(_, fd)| PollFd::from_borrowed_fd(*fd, PollFlags::IN)).collect();
        let until = self.stop.map_or(self.late, |(_, since)| since + END_BOUND);
        let wait = until.saturating_duration_since(Instant::now()) + Duration::from_millis(1);
        match rustix::event::poll(&mut polled, Timespec::try_from(wait).ok().as_ref()) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        let is = |source: Source| {
            fds.iter().zip(&polled).any(|((of, _), fd)| *of == source && !fd.revents().is_empty())
        };
        Ok(Ready {
            ended: is(Source::Helper),
            stdout: is(Source::Stdout),
            stderr: is(Source::Stderr),
            control: is(Source::Control),
            cancel: is(Source::Cancel),
        })
    }

    /// Takes what the helper tells.
    fn hear(&mut self) -> io::Result<()> {
        let mut buffer = [0; 4096];
        loop {
            match wire::read_with(&self.control, &mut buffer) {
                Ok((0, _)) => break,
                Ok((n, fd)) => {
                    self.arrived.extend_from_slice(&buffer[..n]);
                    self.listener = fd.or(self.listener.take());
                }
                Err(error) => match error.kind() {
                    io::ErrorKind::WouldBlock | io::ErrorKind::ConnectionReset => break,
                    io::ErrorKind::Interrupted => {}
                    _ => return Err(error),
                },
            }
        }
        while let Some(report) = wire::take(&mut self.arrived)? {
            match report {
                Report::Refused(refusal) => self.refusal = Some(refusal),
                Report::Starting(held) => self.attestation = Some(held),
                Report::Ended { end, strayed } => self.ended = Some((end, strayed)),
                Report::Listening => {
                    if let (Some(proxy), Some(listener)) = (self.proxy.take(), self.listener.take()) {
                        proxy(TcpListener::from(listener));
                    }
                }
            }
        }
        Ok(())
    }

    /// Asks the first process inside to end everything: it does when this socket ends.
    fn end(&mut self, why: Stop) {
        if self.stop.is_none() {
            self.stop = Some((why, Instant::now()));
            // what was told before is still read at the end
            self.control.shutdown(Shutdown::Write).ok();
        }
    }

    fn conclude(mut self, helper: &mut Started, drained: io::Result<()>) -> Result<Outcome, Refused> {
        let exit = match self.tree {
            Tree::Gone => helper.0.wait().map_or_else(|error| error.to_string(), |status| status.to_string()),
            Tree::Dying => "it did not end in time".to_owned(),
        };
        // Not to have heard is not to know: only a helper that was heard to its end can say that nothing ran.
        let unheard = match (drained, self.tree) {
            (Err(error), _) => Some(format!("the helper cannot be heard: {error}")),
            (Ok(()), Tree::Dying) if self.attestation.is_none() => Some(exit.clone()),
            (Ok(()), _) => None,
        };
        if let Some(why) = unheard {
            self.attestation = Some(Attestation::from_fn(|_| Standing::Unavailable { why: why.clone() }));
            self.ended = Some((End::Failed(why), Vec::new()));
            self.tree = Tree::Dying;
        } else if let Some(refusal) = self.refusal {
            return Err(refusal.into());
        }
        let stop = self.stop.map(|(why, _)| why);
        let Some(attestation) = self.attestation else {
            return Err(if stop == Some(Stop::Cancelled) {
                Refused::Cancelled
            } else {
                Refused::HelperEnded(exit)
            });
        };
        let (end, strayed) =
            self.ended.unwrap_or_else(|| (End::Failed(format!("the helper ended: {exit}")), Vec::new()));
        let status = match (stop, end) {
            (Some(Stop::Cancelled), _) => Status::Cancelled,
            (Some(Stop::OutputLimit), _) => Status::OutputLimit,
            (Some(Stop::TimedOut), _) | (None, End::TimedOut) => Status::TimedOut,
            (None, End::Exited(code)) => Status::Exited(code),
            (None, End::Signalled(signal)) => Status::Signalled(signal),
            (None, End::OutOfMemory) => Status::OutOfMemory,
            (None, End::DiskFull) => Status::DiskFull,
            (None, End::Failed(why)) => Status::HelperFailed(why),
        };
        Ok(Outcome {
            status,
            stdout: self.stdout,
            stderr: self.stderr,
            duration: self.begin.elapsed(),
            attestation,
            strayed: wire::paths(strayed),
            tree: self.tree,
        })
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Source {
    Helper,
    Stdout,
    Stderr,
    Control,
    Cancel,
}

/// What has something to say.
struct Ready {
    ended: bool,
    stdout: bool,
    stderr: bool,
    control: bool,
    cancel: bool,
}

/// One of the program's outputs, until it ends.
trait Pipe {
    fn read_into(&mut self, buffer: &mut [u8], captured: &mut Captured) -> io::Result<()>;
}

impl<R: Read> Pipe for Option<R> {
    fn read_into(&mut self, buffer: &mut [u8], captured: &mut Captured) -> io::Result<()> {
        let Some(pipe) = self else { return Ok(()) };
        match pipe.read(buffer) {
            Ok(0) => *self = None,
            Ok(n) => captured.push(&buffer[..n]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
        Ok(())
    }
}
