//! The first process inside: it builds, gives up all rights, starts the program, watches it, and ends everything.

use crate::attest::{Attestation, Property, Standing};
use crate::blocked::{self, Rules};
use crate::helper::child::{self, Confirmed};
use crate::helper::kernel::{self, Side};
use crate::helper::mounts::Piece;
use crate::helper::outer::Stdio;
use crate::helper::{identity, landlock, tree, watch};
use crate::refused::Fault;
use crate::spec::Network;
use crate::wire::{self, Access, End, Order, Refusal, Report, Stamp};
use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::fd::{AsFd, OwnedFd};
use rustix::fs::{Mode, OFlags};
use rustix::process::{Pid, PidfdFlags, Signal, WaitOptions, WaitStatus};
use std::net::{Ipv4Addr, TcpListener};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// How often memory and disks are looked at.
const TICK: Duration = Duration::from_millis(20);

/// Runs the order to its end, and tells. When this process ends, the kernel kills all others inside.
pub(crate) fn run(order: &Order, pieces: &[Piece], stdio: Stdio, control: &mut UnixStream) -> ! {
    let report = match start(order, pieces, stdio, control) {
        Ok(running) => running.watch(order, control),
        Err(refusal) => Report::Refused(refusal),
    };
    wire::send(control, &report).ok();
    std::process::exit(0)
}

/// A started program.
struct Running {
    tool: Pid,
    ended: OwnedFd,
    deadline: Instant,
    disks: Vec<OwnedFd>,
    rules: Rules,
    hidden: Vec<PathBuf>,
}

fn start(
    order: &Order,
    pieces: &[Piece],
    stdio: Stdio,
    control: &mut UnixStream,
) -> Result<Running, Refusal> {
    rustix::process::set_parent_process_death_signal(Some(Signal::KILL))
        .map_err(Fault::at("tie the first process's life to the helper's"))?;
    rustix::system::sethostname(b"sandbox").map_err(Fault::at("take a name of its own"))?;
    start_network(order.network, control)?;
    let rules = blocked::compile(&order.blocked).map_err(Fault::at("read the blocked paths"))?;
    tree::build(order, pieces)?;
    let hidden = tree::hide(order, &rules)?;
    let disks = disks(order)?;
    identity::drop_capabilities()?;
    // INVARIANT: nobody inside, though the same user, may look into or trace this process: it was closed before
    // it was forked, and only `execve` opens it again
    let (ties, mut waiting) = child::ties().map_err(Fault::at("make a pipe"))?;
    let deadline = Instant::now() + order.limits.timeout;
    let tool = match kernel::fork().map_err(Fault::at("start the program's process"))? {
        Side::Child => {
            drop(waiting);
            child::run(order, pieces, &stdio, ties)
        }
        Side::Parent(tool) => tool,
    };
    drop((ties, stdio));
    let ended =
        rustix::process::pidfd_open(tool, PidfdFlags::empty()).map_err(Fault::at("watch the program"))?;
    let attestation = attest(order, &waiting.until_ready()?)?;
    // INVARIANT: told before it can be true, so that a caller who has not heard it knows that nothing ran
    wire::send(control, &Report::Starting(attestation)).map_err(Fault::at("tell that the program starts"))?;
    waiting.release()?;
    Ok(Running { tool, ended, deadline, disks, rules, hidden })
}

/// Starts what there is of a network. The proxy's listening socket is made here, where only the program can reach
/// it, and given to the caller, who alone can answer on it: nothing stands between the two.
fn start_network(network: Network, control: &UnixStream) -> Result<(), Fault> {
    if network == Network::None {
        return Ok(());
    }
    kernel::start_loopback().map_err(Fault::at("start a loopback device of its own"))?;
    if let Network::Proxy(port) = network {
        let listener =
            TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map_err(Fault::at("listen for the proxy"))?;
        wire::send_with(control, &Report::Listening, listener.as_fd())
            .map_err(Fault::at("hand over the proxy"))?;
    }
    Ok(())
}

/// The disks on which room must stay.
fn disks(order: &Order) -> Result<Vec<OwnedFd>, Fault> {
    let writable = order.roots.iter().filter(|root| root.access == Access::Write);
    writable
        .map(|root| {
            let path = root.place.path();
            let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
            rustix::fs::open(path, flags, Mode::empty())
                .map_err(Fault::at(format!("watch the disk of `{}`", path.display())))
        })
        .collect()
}

/// What holds, by what was put in force.
fn attest(order: &Order, confirmed: &Confirmed) -> Result<Attestation, Refusal> {
    let enforced = |by: String| Standing::Enforced { by };
    let tree = "mount namespace with a root of its own".to_owned();
    let attestation = Attestation::from_fn(|property| match property {
        Property::Filesystem => match &confirmed.landlock {
            landlock::Applied::Version(version) => enforced(format!("{tree}, Landlock ABI {version}")),
            landlock::Applied::Absent(why) => Standing::Degraded { why: format!("{tree}, but {why}") },
        },
        Property::Network => enforced(match order.network {
            Network::None => "network namespace without a device, no sockets by seccomp".to_owned(),
            Network::Loopback => {
                "network namespace with its own loopback, socket kinds by seccomp".to_owned()
            }
            Network::Proxy(port) => format!(
                "network namespace that only the caller's proxy on port {port} leads out of, socket kinds by seccomp"
            ),
        }),
        Property::Processes => {
            enforced("PID, IPC and user namespaces, fresh /proc, no ptrace by seccomp".to_owned())
        }
        Property::Syscalls => enforced("seccomp filters, no new privileges, no capabilities".to_owned()),
        Property::Environment => enforced("execve with the declared list, only stdio kept".to_owned()),
        Property::Resources => enforced(format!(
            "rlimits, sized tmpfs, and a watch over memory and disks every {} ms",
            TICK.as_millis()
        )),
        Property::Lifetime => enforced("init of a PID namespace, tied to the caller's process".to_owned()),
    });
    for (property, standing) in attestation.iter() {
        match standing {
            Standing::Enforced { .. } => {}
            Standing::Degraded { .. } if order.accept_degraded.contains(&property) => {}
            Standing::Degraded { why } | Standing::Unavailable { why } => {
                return Err(Refusal::Lacking { property, why: why.clone() });
            }
        }
    }
    Ok(attestation)
}

impl Running {
    fn watch(&self, order: &Order, control: &UnixStream) -> Report {
        let end = self.wait(order, control);
        kernel::kill_all_others();
        while rustix::process::wait(WaitOptions::empty()).is_ok() {}
        match self.strayed(order) {
            Ok(strayed) => Report::Ended { end, strayed: strayed.into_iter().map(Into::into).collect() },
            Err(why) => Report::Ended { end: End::Failed(why), strayed: Vec::new() },
        }
    }

    fn wait(&self, order: &Order, control: &UnixStream) -> End {
        if Stamp::of_path(order.executable.path()).ok() != Some(order.stamp) {
            return End::Failed("the executable changed while it was started".to_owned());
        }
        loop {
            if let Some(end) = self.reap() {
                return end;
            }
            let left = self.deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return End::TimedOut;
            }
            if watch::memory(order.limits.memory) > order.limits.memory {
                return End::OutOfMemory;
            }
            if self.disks.iter().any(|disk| watch::is_full(disk, order.limits.free_disk)) {
                return End::DiskFull;
            }
            let mut events = [
                PollFd::new(&self.ended, PollFlags::IN),
                // only its end is awaited
                PollFd::new(control, PollFlags::RDHUP),
            ];
            let wait = Timespec::try_from(left.min(TICK)).ok();
            rustix::event::poll(&mut events, wait.as_ref()).ok();
            let [_, caller] = events;
            if !caller.revents().is_empty() {
                return End::Failed("the caller ended the run".to_owned());
            }
        }
    }

    /// Buries what has died. Says how the program ended once it did.
    fn reap(&self) -> Option<End> {
        while let Ok(Some((pid, status))) = rustix::process::wait(WaitOptions::NOHANG) {
            if pid == self.tool {
                return Some(how(status));
            }
        }
        None
    }

    /// Blocked paths in write roots that were not there before.
    fn strayed(&self, order: &Order) -> Result<Vec<PathBuf>, String> {
        let mut strayed = Vec::new();
        for root in order.roots.iter().filter(|root| root.access == Access::Write) {
            let found = self.rules.find(root.place.path())?;
            strayed.extend(found.into_iter().filter(|path| !self.hidden.contains(path)));
        }
        Ok(strayed)
    }
}

fn how(status: WaitStatus) -> End {
    match (status.exit_status(), status.terminating_signal()) {
        (Some(code), _) => End::Exited(code),
        (None, Some(signal)) => End::Signalled(signal),
        (None, None) => End::Failed(format!("the program ended in an unknown way ({status:?})")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::helper::landlock::Applied;
    use crate::{Digest, Executable, Helper, Spec};

    #[test]
    fn a_property_without_its_second_line_is_refused_unless_that_is_accepted() {
        let folder = tempfile::tempdir_in("/var/tmp").unwrap();
        let path = std::env::current_exe().unwrap();
        let mut spec = Spec::new(Executable { digest: Digest::of_file(&path).unwrap(), path }, folder.path());
        for accepted in [vec![], vec![Property::Filesystem]] {
            spec.accept_degraded.clone_from(&accepted);
            let order = spec.prepare_with(Helper::at("/nowhere")).unwrap().order;
            for (landlock, whole) in [
                (Applied::Version(7), true),
                (Applied::Version(1), true),
                (Applied::Absent("the kernel is built without Landlock".to_owned()), false),
            ] {
                let attested = attest(&order, &Confirmed { landlock: landlock.clone() });
                assert_eq!(attested.is_ok(), whole || !accepted.is_empty(), "{landlock:?} {accepted:?}");
                if let Ok(attestation) = attested {
                    let enforced = matches!(attestation.of(Property::Filesystem), Standing::Enforced { .. });
                    assert_eq!(enforced, whole, "{landlock:?}");
                }
            }
        }
    }
}
