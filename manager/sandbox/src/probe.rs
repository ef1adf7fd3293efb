//! What this machine really keeps, found out by trying.
//!
//! A small hostile program, this one started again, runs in a sandbox and tries what each property forbids; the
//! same program outside must get what it tries, or the trial proves nothing. It says nothing about policies.

use crate::attest::{Attestation, Property, Standing};
use crate::helper_path::{ROLE, TRY};
use crate::{Cancel, Digest, Executable, Helper, Limits, Refused, Spec, Status};
use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

/// What this machine keeps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Capabilities {
    /// Each property, attested by what was tried.
    pub attestation: Attestation,
    /// Why no sandbox can be built at all, if so.
    pub refused: Option<String>,
}

/// Processes that the trial may have; it tries to have more.
const PROCESSES: u32 = 8;

/// Tries every property in `folder`, which must be writable and is left as it was.
///
/// Takes some tens of milliseconds; nothing is kept between calls.
pub fn probe(helper: &Helper, folder: &Path) -> Capabilities {
    let unavailable = |why: &str| Attestation::from_fn(|_| Standing::Unavailable { why: why.to_owned() });
    match Trial::new(helper, folder).and_then(|trial| trial.run()) {
        Ok(attestation) => Capabilities { attestation, refused: None },
        Err(refused) => {
            let why = refused.to_string();
            Capabilities { attestation: unavailable(&why), refused: Some(why) }
        }
    }
}

/// What the trial finds on the host.
struct Trial {
    spec: Spec,
    helper: Helper,
    place: Place,
    listener: TcpListener,
}

/// A folder that goes with this value.
struct Place(PathBuf);

impl Drop for Place {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).ok();
    }
}

impl Trial {
    fn new(helper: &Helper, folder: &Path) -> Result<Self, Refused> {
        let io = Refused::io("arrange a trial of itself");
        let folder = folder.canonicalize().map_err(&io)?;
        let place = Place(folder.join(format!(".sandbox-trial-{}", std::process::id())));
        let at = |name: &str| place.0.join(name);
        fs::create_dir_all(at("inside")).map_err(&io)?;
        fs::write(at("secret"), "secret").map_err(&io)?;
        let path = helper.path().canonicalize().map_err(&io)?;
        let executable = Executable { digest: Digest::of_file(&path).map_err(&io)?, path };
        let listener = TcpListener::bind("127.0.0.1:0").map_err(&io)?;
        let mut spec = Spec::new(executable, at("inside"));
        spec.write_roots = vec![at("inside")];
        spec.limits = Limits {
            timeout: Duration::from_secs(10),
            processes: PROCESSES,
            free_disk: 0,
            ..Limits::default()
        };
        let port = listener.local_addr().map_err(&io)?.port().to_string();
        spec.args = [ROLE, TRY].map(OsString::from).into();
        let pid = std::process::id();
        let process = format!("{pid}@{}", started(&pid.to_string()).map_err(&io)?);
        spec.args.extend([at("secret").into(), port.into(), process.into()]);
        spec.args.push(at("inside/lock").into());
        Ok(Self { spec, helper: helper.clone(), place, listener })
    }

    fn run(&self) -> Result<Attestation, Refused> {
        let cancel = Cancel::new().map_err(Refused::io("arrange a trial of itself"))?;
        let outcome = self.spec.prepare_with(self.helper.clone())?.run(&cancel)?;
        let inside = String::from_utf8_lossy(outcome.stdout.head()).into_owned();
        let outside = self.outside().map_err(Refused::io("try itself outside"))?;
        let survived =
            File::open(self.place.0.join("inside/lock")).is_ok_and(|lock| lock.try_lock().is_err());
        Ok(Attestation::from_fn(|property| {
            let no = |why: String| Standing::Unavailable { why };
            if outcome.status != Status::Exited(0) {
                return no(format!("the trial did not run to its end: {:?}", outcome.status));
            }
            if property == Property::Lifetime {
                let kept = outcome.attestation.of(property);
                return if survived { no("a process outlived its run".to_owned()) } else { kept };
            }
            let tried = TRIALS.iter().filter(|(of, ..)| *of == property);
            for (_, name, _) in tried {
                if line(&inside, name) != Some("refused") {
                    return no(format!("inside, a program can {name}"));
                }
                if line(&outside, name) != Some("done") {
                    return Standing::Degraded {
                        why: format!("not shown by trial: outside, a program cannot {name} either"),
                    };
                }
            }
            outcome.attestation.of(property)
        }))
    }

    /// The same program, without a sandbox.
    fn outside(&self) -> io::Result<String> {
        let output = Command::new(self.helper.path())
            .args(&self.spec.args[..self.spec.args.len() - 1])
            .env_clear()
            .env("UNDECLARED", "value")
            .stdin(Stdio::null())
            .stderr(Stdio::null())
            .output()?;
        // one is enough to be reached, and none may be left waiting
        self.listener.set_nonblocking(true)?;
        while self.listener.accept().is_ok() {}
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }
}

/// What was said of one trial.
fn line<'a>(said: &'a str, name: &str) -> Option<&'a str> {
    said.lines().find_map(|line| line.strip_suffix(name)?.strip_suffix(' '))
}

/// When a process began, in the kernel's ticks: the 22nd field of `proc_pid_stat(5)`, behind a name that may hold
/// anything.
fn started(pid: &str) -> io::Result<String> {
    let stat = fs::read_to_string(Path::new("/proc").join(pid).join("stat"))?;
    let begun = stat.rsplit(')').next().and_then(|rest| rest.split_whitespace().nth(19));
    begun.map(str::to_owned).ok_or_else(|| io::ErrorKind::InvalidData.into())
}

/// Arguments of a trial: a file outside, a port and a process of the host.
type Try = fn(&[OsString]) -> io::Result<()>;

const TRIALS: &[(Property, &str, Try)] = &[
    (Property::Filesystem, "read a file outside its roots", |args| fs::read(&args[0]).map(drop)),
    (Property::Filesystem, "change a file outside its roots", |args| {
        // not made anew, which the private `/tmp` would allow
        File::options().append(true).open(&args[0]).map(drop)
    }),
    (Property::Network, "reach the host's loopback", |args| {
        let port = args[1].to_str().and_then(|port| port.parse::<u16>().ok()).unwrap_or_default();
        TcpStream::connect(("127.0.0.1", port)).map(drop)
    }),
    (Property::Processes, "see the host's processes", |args| {
        // a process inside may have the same number, but not the same beginning
        let process = args[2].to_str().and_then(|process| process.split_once('@'));
        match process {
            Some((pid, begun)) if started(pid)? == begun => Ok(()),
            _ => Err(io::ErrorKind::NotFound.into()),
        }
    }),
    (Property::Syscalls, "get memory that no limit counts", |_| {
        Ok(rustix::fs::memfd_create("trial", rustix::fs::MemfdFlags::CLOEXEC).map(drop)?)
    }),
    (Property::Syscalls, "gain privileges by a program's file", |_| match rustix::thread::no_new_privs()? {
        true => Err(io::ErrorKind::PermissionDenied.into()),
        false => Ok(()),
    }),
    (Property::Environment, "see an undeclared variable", |_| match std::env::vars_os().next() {
        Some(_) => Ok(()),
        None => Err(io::ErrorKind::NotFound.into()),
    }),
    (Property::Resources, "have more processes than its limit", |_| {
        let mut threads = Vec::new();
        let result = (0..=PROCESSES).try_for_each(|_| {
            threads.push(std::thread::Builder::new().spawn(std::thread::park)?);
            Ok(())
        });
        threads.iter().for_each(|thread: &std::thread::JoinHandle<()>| thread.thread().unpark());
        result
    }),
];

/// Tries everything and says what came of it. With one argument more, leaves a process behind that holds a lock.
#[expect(clippy::print_stdout, reason = "the answer is read by the process that started this one")]
pub(crate) fn run_trials(args: &[OsString]) -> ! {
    if let [lock] = args {
        // the process that is left behind
        if let Ok(lock) = File::create(lock) {
            lock.lock().ok();
            println!();
            std::thread::sleep(Duration::from_secs(60));
        }
        std::process::exit(0);
    }
    // first, while there is room for a process
    let left = args.get(3).map(|lock| {
        let mut child =
            Command::new("/proc/self/exe").args([ROLE, TRY]).arg(lock).stdout(Stdio::piped()).spawn()?;
        // until it holds its lock
        let out = child.stdout.as_mut().ok_or(io::ErrorKind::BrokenPipe)?;
        io::Read::read_exact(out, &mut [0])
    });
    for (_, name, attempt) in TRIALS {
        println!("{} {name}", if attempt(args).is_ok() { "done" } else { "refused" });
    }
    std::process::exit(i32::from(left.is_some_and(|left: io::Result<()>| left.is_err())))
}
