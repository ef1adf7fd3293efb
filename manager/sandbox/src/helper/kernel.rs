//! The few calls to the kernel that no safe library makes. The only unsafe code there is.

use rustix::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::ffi::CStr;
use std::io;

/// Closes every descriptor from the third on.
#[expect(unsafe_code, reason = "there is no safe wrapper, because it closes descriptors that others may own")]
pub(crate) fn close_all_but_stdio() -> io::Result<()> {
    // SAFETY: called first thing in the helper, before it owns any descriptor but the first three.
    check(unsafe { libc::syscall(libc::SYS_close_range, 3, u32::MAX, 0) }).map(drop)
}

/// Makes every descriptor from the third on end at the next `execve`.
#[expect(unsafe_code, reason = "there is no safe wrapper")]
pub(crate) fn close_all_but_stdio_on_exec() -> io::Result<()> {
    // SAFETY: with this flag the call closes nothing; it only sets the descriptors' close-on-exec flag.
    check(unsafe { libc::syscall(libc::SYS_close_range, 3, u32::MAX, libc::CLOSE_RANGE_CLOEXEC) }).map(drop)
}

/// Which side of a fork this is.
pub(crate) enum Side {
    Child,
    Parent(rustix::process::Pid),
}

/// Makes a second process of this one.
///
/// INVARIANT: the helper has one thread, so the child may go on as if nothing had happened.
#[expect(unsafe_code, reason = "a fork cannot be safe in general")]
pub(crate) fn fork() -> io::Result<Side> {
    // SAFETY: the helper never starts a thread, so no lock is held by one that does not exist in the child.
    let pid = unsafe { libc::fork() };
    check(pid.into())?;
    Ok(rustix::process::Pid::from_raw(pid).map_or(Side::Child, Side::Parent))
}

/// Enters new namespaces.
#[expect(unsafe_code, reason = "the wrapper is unsafe because of a flag that is never given here")]
pub(crate) fn unshare(flags: rustix::thread::UnshareFlags) -> io::Result<()> {
    debug_assert!(!flags.contains(rustix::thread::UnshareFlags::FILES));
    // SAFETY: only `FILES` is dangerous, and there is one thread.
    Ok(unsafe { rustix::thread::unshare_unsafe(flags) }?)
}

/// What is changed of a mount and those below it.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Change<'a> {
    /// Attributes that are set; none is ever cleared.
    pub(crate) set: u64,
    /// The user namespace whose mapping the mount shows.
    pub(crate) idmap: Option<BorrowedFd<'a>>,
    /// Whether mounts below it change too.
    pub(crate) recursive: bool,
}

/// Changes a mount.
#[expect(unsafe_code, reason = "there is no safe wrapper")]
pub(crate) fn change_mount(mount: impl AsFd, change: Change<'_>) -> io::Result<()> {
    let attributes = libc::mount_attr {
        attr_set: change.set | if change.idmap.is_some() { libc::MOUNT_ATTR_IDMAP } else { 0 },
        attr_clr: 0,
        propagation: libc::MS_PRIVATE,
        userns_fd: change.idmap.map_or(0, |fd| fd.as_raw_fd().cast_unsigned().into()),
    };
    let flags = libc::AT_EMPTY_PATH | if change.recursive { libc::AT_RECURSIVE } else { 0 };
    // SAFETY: the path is a literal, and the attributes live until the call returns; their true size is given.
    check(unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            mount.as_fd().as_raw_fd(),
            c"".as_ptr(),
            flags,
            &raw const attributes,
            size_of::<libc::mount_attr>(),
        )
    })
    .map(drop)
}

/// Starts the loopback device of this network namespace.
#[expect(unsafe_code, reason = "there is no safe wrapper")]
pub(crate) fn start_loopback() -> io::Result<()> {
    let socket: OwnedFd = rustix::net::socket_with(
        rustix::net::AddressFamily::INET,
        rustix::net::SocketType::DGRAM,
        rustix::net::SocketFlags::CLOEXEC,
        None,
    )?;
    // SAFETY: all bytes of an `ifreq` may be zero.
    let mut request: libc::ifreq = unsafe { std::mem::zeroed() };
    for (to, from) in request.ifr_name.iter_mut().zip(*b"lo") {
        *to = from.cast_signed();
    }
    request.ifr_ifru.ifru_flags =
        i16::try_from(libc::IFF_UP | libc::IFF_RUNNING).map_err(io::Error::other)?;
    // SAFETY: this request reads an `ifreq`, whose name ends with a zero byte.
    check(unsafe { libc::ioctl(socket.as_raw_fd(), libc::SIOCSIFFLAGS, &raw const request) }.into()).map(drop)
}

/// Gives every signal its default effect, and blocks none.
#[expect(unsafe_code, reason = "there is no safe wrapper")]
pub(crate) fn reset_signals() {
    for signal in 1..=64 {
        // SAFETY: the default action needs no handler. Signals that cannot be changed answer with an error, which
        // is right for them.
        unsafe { libc::signal(signal, libc::SIG_DFL) };
    }
    // SAFETY: an empty set is made before it is used, and no handler exists that could run.
    unsafe {
        let mut none: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&raw mut none);
        libc::sigprocmask(libc::SIG_SETMASK, &raw const none, std::ptr::null_mut());
    }
}

/// Kills every process of this PID namespace but its init, which must be the caller.
#[expect(unsafe_code, reason = "there is no safe wrapper for all processes at once")]
pub(crate) fn kill_all_others() {
    // INVARIANT: checked here, because outside of a PID namespace of ours this would end the user's session.
    if std::process::id() != 1 {
        return;
    }
    // SAFETY: no memory is involved. "No such process" is the wanted state.
    unsafe { libc::kill(-1, libc::SIGKILL) };
}

/// Becomes another program; returns only if that fails. A file that the kernel does not execute is not handed to
/// a shell.
#[expect(unsafe_code, reason = "there is no safe wrapper that takes an environment and tries no shell")]
pub(crate) fn execute(program: &CStr, args: &[&CStr], env: &[&CStr]) -> io::Error {
    let pointers = |texts: &[&CStr]| -> Vec<*const libc::c_char> {
        texts.iter().map(|text| text.as_ptr()).chain([std::ptr::null()]).collect()
    };
    let (args, env) = (pointers(args), pointers(env));
    // SAFETY: both arrays end with a null pointer, and all texts outlive the call.
    unsafe { libc::execve(program.as_ptr(), args.as_ptr(), env.as_ptr()) };
    io::Error::last_os_error()
}

fn check(returned: libc::c_long) -> io::Result<libc::c_long> {
    if returned == -1 { Err(io::Error::last_os_error()) } else { Ok(returned) }
}
