//! What a hostile tool tries, one function an act, run inside by starting this program again.
//!
//! An act says `yes` when it got what it wanted and `no` with the reason when not. Anything else means that it did
//! not run, which is never taken for a refusal.

use rustix::fd::AsRawFd;
use std::ffi::{CString, OsString};
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream, UdpSocket};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::os::unix::net::{SocketAddr, UnixDatagram, UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

pub(crate) const ROLE: &str = "__act";

type Act = fn(&[OsString]) -> io::Result<()>;

const ALL: &[(&str, Act)] = &[
    ("nothing", |_| Ok(())),
    ("caller", |args| super::customs::call(args)),
    ("caller-without-namespaces", |args| super::customs::call_without_namespaces(args)),
    ("read", |args| fs::read(path(args, 0)).map(drop)),
    ("open", |args| File::open(path(args, 0)).map(drop)),
    ("write", |args| fs::write(path(args, 0), "changed")),
    ("remove", |args| fs::remove_file(path(args, 0))),
    ("rename", |args| fs::rename(path(args, 0), path(args, 1))),
    ("rename-and-read", |args| {
        fs::rename(path(args, 0), path(args, 1))?;
        fs::read(path(args, 2)).map(drop)
    }),
    ("link-and-write", |args| {
        fs::hard_link(path(args, 0), path(args, 1))?;
        fs::write(path(args, 1), "changed")
    }),
    ("rework", |_| rework()),
    ("race", race),
    ("keep-writing", keep_writing),
    ("mount", |_| mount_something()),
    ("mount-by-new-calls", |_| raw(libc::SYS_fsopen, [c"tmpfs".as_ptr() as i64, 0, 0, 0, 0])),
    ("device", |args| make_node(&path(args, 0), libc::S_IFCHR, libc::makedev(1, 3))),
    ("fifo", |args| make_node(&path(args, 0), libc::S_IFIFO, 0)),
    ("socket-file", |args| UnixListener::bind(path(args, 0)).map(drop)),
    ("set-user-id", |args| mode(&path(args, 0), 0o4755)),
    ("set-group-id", |args| mode(&path(args, 0), 0o2755)),
    ("create-set-user-id", |args| {
        use std::os::unix::fs::OpenOptionsExt;
        fs::OpenOptions::new().write(true).create_new(true).mode(0o4755).open(path(args, 0))?;
        is(fs::metadata(path(args, 0))?.mode() & 0o4000 != 0, "the bit is gone")
    }),
    ("change-owner", |args| std::os::unix::fs::chown(path(args, 0), Some(12345), None)),
    ("extend", |args| File::create(path(args, 0))?.set_len(number(args, 1))),
    ("append", |args| {
        let mut file = File::create(path(args, 0))?;
        (0..number(args, 1)).try_for_each(|_| file.write_all(&[7; 1 << 20]))
    }),
    ("many-files", |args| {
        (0..number(args, 1)).try_for_each(|n| fs::write(path(args, 0).join(n.to_string()), ""))
    }),
    ("copy-and-run", |args| {
        fs::copy("/proc/self/exe", path(args, 0))?;
        run_again(&path(args, 0), &args[1..])
    }),
    ("connect", |args| TcpStream::connect(("127.0.0.1", port(args))).map(drop)),
    ("ask", |args| {
        let mut answer = String::new();
        TcpStream::connect(("127.0.0.1", port(args)))?.read_to_string(&mut answer)?;
        is(answer == "yes\n", "nobody answers")
    }),
    ("listen", |_| TcpListener::bind("0.0.0.0:0").map(drop)),
    ("talk-to-itself", |_| {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        TcpStream::connect(listener.local_addr()?).map(drop)
    }),
    ("send-udp", |args| UdpSocket::bind("127.0.0.1:0")?.send_to(b"x", ("127.0.0.1", port(args))).map(drop)),
    ("connect-unix", |args| UnixStream::connect(path(args, 0)).map(drop)),
    ("connect-abstract", |args| {
        UnixStream::connect_addr(&SocketAddr::from_abstract_name(args[0].as_bytes())?).map(drop)
    }),
    ("send-unix", |args| UnixDatagram::unbound()?.send_to(b"x", path(args, 0)).map(drop)),
    ("send-unix-by-pair", |args| UnixDatagram::pair()?.0.send_to(b"x", path(args, 0)).map(drop)),
    ("stream-pair", |_| UnixStream::pair().map(drop)),
    ("socket", |args| {
        let n = |at| i64::try_from(number(args, at)).unwrap();
        raw(libc::SYS_socket, [n(0), n(1), n(2), 0, 0])
    }),
    ("inherited", |_| inherited()),
    ("environment", |args| {
        let names: Vec<OsString> = std::env::vars_os().map(|(name, _)| name).collect();
        is(names != args, "it is what was declared")
    }),
    ("forks", |args| forks(number(args, 0))),
    ("memory", |args| memory(number(args, 0), libc::MAP_PRIVATE)),
    ("shared-memory", |args| memory(number(args, 0), libc::MAP_SHARED)),
    ("memory-of-many", |args| {
        let children = (0..number(args, 0))
            .map(|_| again(&["memory".into(), args[1].clone()]).stdout(Stdio::null()).spawn());
        let children = children.collect::<io::Result<Vec<_>>>()?;
        children.into_iter().try_for_each(|mut child| child.wait().map(drop))
    }),
    ("spin", |args| {
        let end = Instant::now() + Duration::from_millis(number(args, 0));
        while Instant::now() < end {}
        Ok(())
    }),
    ("leave-child", leave_child),
    ("hold", |args| hold(&path(args, 0), Duration::from_secs(30))),
    ("ignore-and-hold", |args| {
        ignore_polite_signals();
        hold(&path(args, 0), Duration::from_secs(30))
    }),
    ("flood", |args| {
        let mut out = io::stdout().lock();
        (0..number(args, 0)).try_for_each(|_| out.write_all(&[b'x'; 1 << 20]))
    }),
    ("read-stdin", |_| {
        let mut text = String::new();
        io::stdin().read_to_string(&mut text)?;
        is(!text.is_empty(), "nothing is there")
    }),
    ("terminal", |_| File::open("/dev/tty").map(drop)),
    ("own-session", |_| is(!leads_its_session()?, "it leads its own session")),
    ("type", |_| not_filtered(libc::SYS_ioctl, [0, libc::TIOCSTI as i64, c"x".as_ptr() as i64, 0, 0])),
    ("type-with-high-bits", |_| {
        not_filtered(libc::SYS_ioctl, [0, (1 << 32) | libc::TIOCSTI as i64, c"x".as_ptr() as i64, 0, 0])
    }),
    ("trace", |_| raw(libc::SYS_ptrace, [libc::PTRACE_TRACEME.into(), 0, 0, 0, 0])),
    ("signal", |args| {
        let pid = i32::try_from(number(args, 0)).unwrap();
        Ok(rustix::process::test_kill_process(rustix::process::Pid::from_raw(pid).unwrap())?)
    }),
    ("call", |args| not_filtered(number(args, 0).try_into().unwrap(), [0, 0, 0, 0, 0])),
    ("unshare", |_| raw(libc::SYS_unshare, [libc::CLONE_NEWUSER.into(), 0, 0, 0, 0])),
    ("clone", |_| clone_namespace()),
    ("clone3", |_| not_filtered(libc::SYS_clone3, [0, 0, 0, 0, 0])),
    ("i386", |_| i386()),
    ("x32", |_| {
        // the kernel may not have it; what counts is to come back
        raw(0x4000_0000 | libc::SYS_getpid, [0; 5]).ok();
        Ok(())
    }),
    ("new-privileges", |_| is(!rustix::thread::no_new_privs()?, "no new privileges")),
    ("file-less-exec", |_| {
        let memory = rustix::fs::memfd_create("x", rustix::fs::MemfdFlags::empty())?;
        io::copy(&mut File::open("/proc/self/exe")?, &mut File::from(memory.try_clone()?))?;
        run_again(Path::new(&format!("/proc/self/fd/{}", memory.as_raw_fd())), &["nothing".into()])
    }),
];

/// Runs the named act, if this process was started for one.
pub(crate) fn maybe_act() {
    let args: Vec<OsString> = std::env::args_os().skip(1).collect();
    let [role, name, args @ ..] = args.as_slice() else { return };
    if role != ROLE {
        return;
    }
    let Some((_, act)) = ALL.iter().find(|(known, _)| name == known) else {
        println!("there is no act {}", name.display());
        std::process::exit(3);
    };
    match act(args) {
        Ok(()) => println!("yes"),
        Err(error) => println!("no: {error}"),
    }
    std::process::exit(0);
}

/// Whether there is an act of this name.
pub(crate) fn exists(name: &str) -> bool {
    ALL.iter().any(|(known, _)| *known == name)
}

fn path(args: &[OsString], at: usize) -> PathBuf {
    PathBuf::from(&args[at])
}

fn number(args: &[OsString], at: usize) -> u64 {
    args[at].to_str().and_then(|text| text.parse().ok()).expect("a number")
}

fn port(args: &[OsString]) -> u16 {
    number(args, 0).try_into().expect("a port")
}

fn is(holds: bool, otherwise: &str) -> io::Result<()> {
    if holds { Ok(()) } else { Err(io::Error::other(otherwise.to_owned())) }
}

fn again(args: &[OsString]) -> Command {
    let mut command = Command::new("/proc/self/exe");
    command.arg(ROLE).args(args);
    command
}

/// Runs another act of this program from another file, and takes over its answer.
fn run_again(program: &Path, args: &[OsString]) -> io::Result<()> {
    let output = Command::new(program).arg(ROLE).args(args).output()?;
    match output.stdout.as_slice() {
        b"yes\n" => Ok(()),
        other => Err(io::Error::other(String::from_utf8_lossy(other).trim().to_owned())),
    }
}

/// Does everything to the workspace that can be done to one.
fn rework() -> io::Result<()> {
    fs::write("created", "new")?;
    fs::write("file", "changed")?;
    File::options().append(true).open("opened")?;
    fs::remove_file("removed")?;
    fs::rename("named", "renamed")?;
    fs::remove_dir_all("tree")?;
    fs::remove_dir_all("replaced")?;
    fs::create_dir("replaced")?;
    fs::write("replaced/new", "new")?;
    fs::remove_dir_all("folder-to-file")?;
    fs::write("folder-to-file", "new")?;
    fs::remove_file("file-to-folder")?;
    fs::create_dir("file-to-folder")?;
    fs::write("file-to-folder/inside", "new")?;
    symlink("file", "link")?;
    fs::set_permissions("mode", fs::Permissions::from_mode(0o755))?;
    fs::create_dir_all("deep/er")?;
    fs::write("deep/er/still", "new")?;
    fs::write("passing", "x")?;
    fs::remove_file("passing")
}

/// Swaps a link between a file inside and one outside while writing through it.
fn race(args: &[OsString]) -> io::Result<()> {
    let (link, inside, outside) = (path(args, 0), path(args, 1), path(args, 2));
    for _ in 0..50 {
        for target in [&inside, &outside] {
            fs::remove_file(&link).ok();
            symlink(target, &link)?;
            fs::write(&link, "changed").ok();
        }
    }
    Ok(())
}

/// Writes below a folder that somebody else swaps.
fn keep_writing(args: &[OsString]) -> io::Result<()> {
    let end = Instant::now() + Duration::from_millis(100);
    while Instant::now() < end {
        fs::write(path(args, 0), "changed").ok();
    }
    Ok(())
}

fn mode(path: &Path, mode: u32) -> io::Result<()> {
    fs::set_permissions(path, fs::Permissions::from_mode(mode))?;
    is(fs::metadata(path)?.mode() & 0o7777 == mode, "the bit is gone")
}

/// Whatever is open besides standard input and output, and the folder that is being listed.
fn inherited() -> io::Result<()> {
    let open: Vec<_> = fs::read_dir("/proc/self/fd")?
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok()?.parse::<i32>().ok())
        .filter(|&fd| fd > 2)
        .collect();
    is(open.len() > 1, "only standard input and output are open")
}

fn hold(lock: &Path, time: Duration) -> io::Result<()> {
    let mut file = File::options().create(true).truncate(false).write(true).open(lock)?;
    file.lock()?;
    write!(file, "{}", std::process::id())?;
    println!("holding");
    std::thread::sleep(time);
    Ok(())
}

/// Leaves a child in a session of its own that holds a lock and the output, once it does.
fn leave_child(args: &[OsString]) -> io::Result<()> {
    if args.get(1).is_some() {
        rustix::process::setsid().ok();
        return hold(&path(args, 0), Duration::from_secs(30));
    }
    again(&["leave-child".into(), args[0].clone(), "child".into()]).spawn()?;
    while fs::read_to_string(path(args, 0)).unwrap_or_default().is_empty() {
        std::thread::yield_now();
    }
    Ok(())
}

/// A call that is refused by no filter, whatever the kernel thinks of its arguments.
fn not_filtered(number: libc::c_long, args: [i64; 5]) -> io::Result<()> {
    match raw(number, args) {
        Err(error) if [Some(libc::EPERM), Some(libc::ENOSYS)].contains(&error.raw_os_error()) => Err(error),
        _ => Ok(()),
    }
}

#[expect(unsafe_code, reason = "probes make calls that no safe library offers")]
fn raw(number: libc::c_long, args: [i64; 5]) -> io::Result<()> {
    let [a, b, c, d, e] = args;
    // SAFETY: numbers are those of probes, whose pointers are null or to static texts.
    match unsafe { libc::syscall(number, a, b, c, d, e) } {
        -1 => Err(io::Error::last_os_error()),
        _ => Ok(()),
    }
}

/// Asked by the kernel's own call: a session whose leader lives outside our process namespace is 0 there, which
/// no safe library's type holds.
#[expect(unsafe_code, reason = "probes make calls that no safe library offers")]
fn leads_its_session() -> io::Result<bool> {
    // SAFETY: both calls take and give numbers alone.
    match unsafe { (libc::getsid(0), libc::getpid()) } {
        (-1, _) => Err(io::Error::last_os_error()),
        (session, me) => Ok(session == me),
    }
}

#[expect(unsafe_code, reason = "probes make calls that no safe library offers")]
fn make_node(path: &Path, kind: libc::mode_t, device: libc::dev_t) -> io::Result<()> {
    let path = CString::new(path.as_os_str().as_bytes())?;
    // SAFETY: the path outlives the call.
    match unsafe { libc::mknod(path.as_ptr(), kind | 0o600, device) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

fn mount_something() -> io::Result<()> {
    // never in the host's own tree
    raw(libc::SYS_unshare, [(libc::CLONE_NEWUSER | libc::CLONE_NEWNS).into(), 0, 0, 0, 0])?;
    Ok(rustix::mount::mount("tmpfs", "/tmp", "tmpfs", rustix::mount::MountFlags::empty(), None)?)
}

/// Makes this many processes, and ends them.
#[expect(unsafe_code, reason = "probes make calls that no safe library offers")]
fn forks(most: u64) -> io::Result<()> {
    let mut children = Vec::new();
    let mut result = Ok(());
    for _ in 0..most {
        // SAFETY: the child only waits.
        match unsafe { libc::fork() } {
            -1 => {
                result = Err(io::Error::last_os_error());
                break;
            }
            // SAFETY: it ends by the signal below, or with its parent's namespace.
            0 => loop {
                unsafe { libc::pause() };
            },
            pid => children.push(pid),
        }
    }
    for pid in children {
        // SAFETY: our own children.
        unsafe {
            libc::kill(pid, libc::SIGKILL);
            libc::waitpid(pid, std::ptr::null_mut(), 0);
        }
    }
    result
}

/// Takes and touches this many mebibytes, and keeps them for a moment.
#[expect(unsafe_code, reason = "probes make calls that no safe library offers")]
fn memory(mebibytes: u64, kind: i32) -> io::Result<()> {
    let size = usize::try_from(mebibytes << 20).unwrap();
    // SAFETY: a new mapping, whose size is given to every use of it.
    unsafe {
        let flags = kind | libc::MAP_ANONYMOUS;
        let start = libc::mmap(std::ptr::null_mut(), size, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0);
        if start == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        libc::memset(start, 1, size);
    }
    std::thread::sleep(Duration::from_millis(400));
    Ok(())
}

#[expect(unsafe_code, reason = "probes make calls that no safe library offers")]
fn ignore_polite_signals() {
    for signal in [libc::SIGTERM, libc::SIGINT, libc::SIGHUP, libc::SIGQUIT] {
        // SAFETY: ignoring needs no handler.
        unsafe { libc::signal(signal, libc::SIG_IGN) };
    }
}

#[expect(unsafe_code, reason = "probes make calls that no safe library offers")]
fn clone_namespace() -> io::Result<()> {
    let flags = libc::CLONE_NEWUSER | libc::SIGCHLD;
    // SAFETY: like a fork; the child ends at once.
    match unsafe { libc::syscall(libc::SYS_clone, flags, 0, 0, 0, 0) } {
        -1 => Err(io::Error::last_os_error()),
        // SAFETY: the child shares nothing that would have to be cleaned up.
        0 => unsafe { libc::_exit(0) },
        _ => Ok(()),
    }
}

/// Enters the kernel as a 32-bit program would.
#[expect(unsafe_code, reason = "probes make calls that no safe library offers")]
#[cfg(target_arch = "x86_64")]
fn i386() -> io::Result<()> {
    let mut number: i64 = 20;
    // SAFETY: `getpid` touches no memory; the registers that the entry changes are named.
    unsafe {
        std::arch::asm!("int 0x80", inout("rax") number, out("r8") _, out("r9") _, out("r10") _, out("r11") _);
    }
    is(number > 0, "the entry is closed")
}

#[cfg(not(target_arch = "x86_64"))]
fn i386() -> io::Result<()> {
    Err(io::Error::other("this machine has no such entry"))
}

/// A name that is no text.
pub(crate) fn odd_name() -> OsString {
    OsString::from_vec(b"line\nand \xff\xfe".to_vec())
}
