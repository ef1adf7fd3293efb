//! Whom the program runs as: never root, and never with a capability.
//!
//! Root becomes a user that owns nothing, one for each run, so that limits count and no file is its own; what it
//! may write is shown to it through mappings (see [`super::mounts`]). An ordinary user stays itself.

use crate::helper::kernel::{self, Side};
use crate::refused::Fault;
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::process::{DumpableBehavior, Gid, Pid, Signal, Uid};
use rustix::thread::{CapabilitySet, CapabilitySets, UnshareFlags};
use std::fs;
use std::io::{Read, Write};

/// First of the ids that runs started by root get, in a range that no system hands out.
const FIRST_ID: u32 = 0x7000_0000;
/// The id of nobody, where the others do not exist.
const NOBODY: u32 = 65_534;
/// The id that such a run sees itself as.
const SEEN_AS: u32 = 1000;

const NAMESPACES: &[(UnshareFlags, &str)] = &[
    (UnshareFlags::NEWNS, "mount"),
    (UnshareFlags::NEWPID, "PID"),
    (UnshareFlags::NEWIPC, "IPC"),
    (UnshareFlags::NEWUTS, "UTS"),
    (UnshareFlags::NEWNET, "network"),
    (UnshareFlags::NEWCGROUP, "cgroup"),
];

/// Whom a run belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Identity {
    /// The user who asked for it.
    Caller,
    /// A user of its own, with this id for user and group.
    OfItsOwn(u32),
}

impl Identity {
    /// Decides whom this run belongs to.
    pub(crate) fn decide() -> Result<Self, Fault> {
        if !rustix::process::geteuid().is_root() {
            return Ok(Self::Caller);
        }
        let wanted = FIRST_ID + std::process::id();
        let known = |file: &str| fs::read_to_string(file).map_err(Fault::at("read its own id mapping"));
        let (users, groups) = (known("/proc/self/uid_map")?, known("/proc/self/gid_map")?);
        [wanted, NOBODY]
            .into_iter()
            .find(|&id| maps(&users, id) && maps(&groups, id))
            .map(Self::OfItsOwn)
            .ok_or_else(|| Fault::new("stop being root", "no other user exists in this container"))
    }

    /// Becomes that user, for good.
    pub(crate) fn become_it(self) -> Result<(), Fault> {
        if let Self::OfItsOwn(id) = self {
            let (uid, gid) = (Uid::from_raw(id), Gid::from_raw(id));
            rustix::thread::set_thread_groups(&[]).map_err(Fault::at("leave root's groups"))?;
            rustix::thread::set_thread_res_gid(gid, gid, gid).map_err(Fault::at("leave root's group"))?;
            rustix::thread::set_thread_res_uid(uid, uid, uid).map_err(Fault::at("stop being root"))?;
            // a process that has changed its user may not write its own id mapping otherwise
            rustix::process::set_dumpable_behavior(DumpableBehavior::Dumpable)
                .map_err(Fault::at("own its own process files"))?;
        }
        if rustix::process::geteuid().is_root() {
            return Err(Fault::new("stop being root", "it still is"));
        }
        Ok(())
    }

    /// Enters namespaces of its own, as the one user in them.
    pub(crate) fn enter_namespaces(self) -> Result<(), Fault> {
        let (uid, gid) = (rustix::process::geteuid().as_raw(), rustix::process::getegid().as_raw());
        let (seen_uid, seen_gid) = match self {
            Self::Caller => (uid, gid),
            Self::OfItsOwn(_) => (SEEN_AS, SEEN_AS),
        };
        kernel::unshare(UnshareFlags::NEWUSER)
            .map_err(|error| Fault::new("make a user namespace", explain(&error)))?;
        let write = |file: &str, text: String| {
            let written = fs::write(format!("/proc/self/{file}"), text);
            written.map_err(|error| Fault::new(format!("write `{file}`"), explain(&error)))
        };
        write("setgroups", "deny".to_owned())?;
        write("uid_map", format!("{seen_uid} {uid} 1"))?;
        write("gid_map", format!("{seen_gid} {gid} 1"))?;
        // At once, which is quicker; one by one only to say which of them is not to be had.
        if kernel::unshare(NAMESPACES.iter().fold(UnshareFlags::empty(), |all, (flag, _)| all | *flag))
            .is_err()
        {
            for (flag, name) in NAMESPACES {
                let made = kernel::unshare(*flag);
                made.map_err(|error| Fault::new(format!("make a {name} namespace"), explain(&error)))?;
            }
        }
        Ok(())
    }
}

/// Settings that keep user namespaces from ordinary users, the value that does, and who sets them.
const SWITCHES: &[(&str, &str, &str)] = &[
    ("user/max_user_namespaces", "0", "the kernel grants none"),
    ("kernel/unprivileged_userns_clone", "0", "the distribution grants them to root alone"),
    (
        "kernel/apparmor_restrict_unprivileged_userns",
        "1",
        "AppArmor grants them only to programs with a profile that says `userns`",
    ),
];

/// Says what the kernel said, and which setting may be why.
fn explain(error: &std::io::Error) -> String {
    let set = SWITCHES.iter().find(|(name, value, _)| {
        fs::read_to_string(format!("/proc/sys/{name}")).is_ok_and(|now| now.trim() == *value)
    });
    match set {
        Some((name, value, why)) => {
            let name = name.replace('/', ".");
            format!(
                "{error}, since {why}\nhint: ask who runs this machine to change `{name}`, which is {value}"
            )
        }
        None => format!("{error}\nhint: in a container, it must be allowed to make user namespaces"),
    }
}

/// Whether an id exists, by the text of an id mapping.
fn maps(mapping: &str, id: u32) -> bool {
    mapping.lines().any(|line| {
        let mut numbers = line.split_whitespace().map(|number| number.parse::<u64>().ok());
        match (numbers.next().flatten(), numbers.next(), numbers.next().flatten()) {
            (Some(first), Some(_), Some(count)) => (first..first + count).contains(&id.into()),
            _ => false,
        }
    })
}

/// Gives up every capability, and the way back to one.
pub(crate) fn drop_capabilities() -> Result<(), Fault> {
    let step = "give up capabilities";
    for capability in 0..64 {
        // the first one that the kernel does not know ends the list
        let Some(set) = CapabilitySet::from_bits(1 << capability) else { break };
        match rustix::thread::remove_capability_from_bounding_set(set) {
            Ok(()) => {}
            Err(rustix::io::Errno::INVAL) => break,
            Err(error) => return Err(Fault::new(step, error)),
        }
    }
    rustix::thread::clear_ambient_capability_set().map_err(Fault::at(step))?;
    let none = CapabilitySets {
        effective: CapabilitySet::empty(),
        permitted: CapabilitySet::empty(),
        inheritable: CapabilitySet::empty(),
    };
    rustix::thread::set_capabilities(None, none).map_err(Fault::at(step))?;
    rustix::thread::set_no_new_privs(true).map_err(Fault::at("forbid new privileges"))
}

/// A user namespace that exists only to say which ids a mount shows as which.
#[derive(Debug)]
pub(crate) struct Mapping(OwnedFd);

impl Mapping {
    /// Shows what `owner` has on disk as belonging to `shown`. Needs root.
    pub(crate) fn new(owner: (u32, u32), shown: u32) -> Result<Self, Fault> {
        let step = || "make an id mapping";
        let (mut wait, ready) = std::io::pipe().map_err(Fault::at(step()))?;
        let (hold, mut release) = std::io::pipe().map_err(Fault::at(step()))?;
        let child = match kernel::fork().map_err(Fault::at(step()))? {
            Side::Child => {
                drop((wait, release));
                hold_namespace(ready, hold);
            }
            Side::Parent(child) => child,
        };
        drop((ready, hold));
        let made = wait.read_exact(&mut [0]).map_err(Fault::at(step()));
        let namespace = made.and_then(|()| write_mapping(child, owner, shown));
        // its end is told by the pipe; it cannot be waited for longer than it takes to read it
        release.write_all(&[0]).ok();
        rustix::process::waitpid(Some(child), rustix::process::WaitOptions::empty())
            .map_err(Fault::at(step()))?;
        namespace.map(Self)
    }

    pub(crate) fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

/// Makes a user namespace and keeps it until its mapping is written.
fn hold_namespace(mut ready: std::io::PipeWriter, mut hold: std::io::PipeReader) -> ! {
    let made = rustix::process::set_parent_process_death_signal(Some(Signal::KILL))
        .map_err(std::io::Error::from)
        .and_then(|()| kernel::unshare(UnshareFlags::NEWUSER))
        .and_then(|()| ready.write_all(&[0]))
        .and_then(|()| hold.read_exact(&mut [0]));
    std::process::exit(i32::from(made.is_err()));
}

fn write_mapping(child: Pid, owner: (u32, u32), shown: u32) -> Result<OwnedFd, Fault> {
    let folder = format!("/proc/{}", child.as_raw_nonzero());
    for (file, id) in [("uid_map", owner.0), ("gid_map", owner.1)] {
        fs::write(format!("{folder}/{file}"), format!("{id} {shown} 1"))
            .map_err(Fault::at(format!("write the `{file}` of a mount")))?;
    }
    Ok(fs::File::open(format!("{folder}/ns/user")).map_err(Fault::at("open an id mapping"))?.into())
}

#[cfg(test)]
mod tests {
    use super::maps;

    #[test]
    fn an_id_exists_where_the_mapping_says_so() {
        let whole = "         0          0 4294967295\n";
        let container = "         0     100000      65536\n";
        for (mapping, id, expected) in [
            (whole, 0x7000_0001, true),
            (container, 65_534, true),
            (container, 65_536, false),
            (container, 0x7000_0001, false),
            ("1000 1000 1\n", 65_534, false),
            ("", 0, false),
        ] {
            assert_eq!(maps(mapping, id), expected, "{mapping} {id}");
        }
    }
}
