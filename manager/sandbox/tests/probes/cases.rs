//! The table: which act must come to what, inside and outside.

use super::bench::Bench;
use super::{customs, proxies, writes};
use proofhouse_sandbox::{Network, Outcome, Spec, Status, Stdin, Variable};
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::time::Duration;

/// A probe.
pub(crate) struct Case {
    /// The fault's number, with a letter when it has several probes.
    pub(crate) id: &'static str,
    pub(crate) what: &'static str,
    pub(crate) probe: Probe,
}

pub(crate) enum Probe {
    /// An act, run inside and outside.
    Act(Act),
    /// Something about the caller's side, which brings its own control.
    Custom(fn(&Bench) -> Result<(), String>),
    /// The same, about what only root can do.
    CustomOfRoot(fn(&Bench) -> Result<(), String>),
}

pub(crate) struct Act {
    pub(crate) name: &'static str,
    pub(crate) args: fn(&Bench) -> Vec<OsString>,
    pub(crate) arrange: fn(&mut Spec, &Bench),
    pub(crate) expect: Expect,
    /// What the host must find after the run inside.
    pub(crate) check: fn(&Bench, &Outcome) -> Result<(), String>,
    pub(crate) control: Control,
}

/// What must come of an act inside.
pub(crate) enum Expect {
    /// It says no.
    Refused,
    /// It says yes, and the host is as the check says.
    Contained,
    /// The run ends so.
    Ends(fn(&Status) -> bool),
}

/// What must come of the same act outside.
pub(crate) enum Control {
    /// It says yes.
    Yes,
    /// It says yes to root; others are refused by the kernel already.
    YesToRoot,
    /// The same, if this kernel has the call at all.
    YesToRootIfThere,
    /// With these smaller arguments it says yes.
    YesWith(fn(&Bench) -> Vec<OsString>),
    /// Something else is shown.
    Custom(fn(&Bench) -> Result<(), String>),
    /// None, for this reason.
    Without(&'static str),
}

impl Case {
    fn custom(id: &'static str, what: &'static str, run: fn(&Bench) -> Result<(), String>) -> Self {
        Self { id, what, probe: Probe::Custom(run) }
    }

    fn new(
        id: &'static str,
        what: &'static str,
        name: &'static str,
        args: fn(&Bench) -> Vec<OsString>,
    ) -> Self {
        let probe = Probe::Act(Act {
            name,
            args,
            arrange: |_, _| {},
            expect: Expect::Refused,
            check: unchanged,
            control: Control::Yes,
        });
        Self { id, what, probe }
    }

    fn map(mut self, change: impl FnOnce(&mut Act)) -> Self {
        if let Probe::Act(act) = &mut self.probe {
            change(act);
        }
        self
    }

    fn arrange(self, arrange: fn(&mut Spec, &Bench)) -> Self {
        self.map(|act| act.arrange = arrange)
    }

    fn contained(self) -> Self {
        self.map(|act| act.expect = Expect::Contained)
    }

    fn ends(self, expect: fn(&Status) -> bool) -> Self {
        self.map(|act| act.expect = Expect::Ends(expect))
    }

    fn check(self, check: fn(&Bench, &Outcome) -> Result<(), String>) -> Self {
        self.map(|act| act.check = check)
    }

    fn control(self, control: Control) -> Self {
        self.map(|act| act.control = control)
    }

    fn root(self) -> Self {
        self.control(Control::YesToRoot)
    }

    fn loopback(self) -> Self {
        self.arrange(|spec, _| spec.network = Network::Loopback)
    }
}

/// Whatever a tool did, what is outside is as it was.
fn unchanged(bench: &Bench, _: &Outcome) -> Result<(), String> {
    for name in ["outside/secret", "outside/victim", "readable/file"] {
        let content = bench.content(name);
        if content != "as it was" {
            return Err(format!("`{name}` is {content}"));
        }
    }
    let entries = fs::read_dir(bench.at("outside")).map(Iterator::count).unwrap_or(0);
    if entries == 2 { Ok(()) } else { Err(format!("outside there are {entries} files")) }
}

fn paths<const N: usize>(bench: &Bench, names: [&str; N]) -> Vec<OsString> {
    names.map(|name| bench.at(name).into_os_string()).into()
}

fn texts<const N: usize>(texts: [&str; N]) -> Vec<OsString> {
    texts.map(OsString::from).into()
}

fn call(number: i64) -> Vec<OsString> {
    vec![number.to_string().into()]
}

/// A file of the prober's own process, which outside may be looked into.
fn own(name: &str) -> Vec<OsString> {
    vec![format!("/proc/{}/{name}", std::process::id()).into()]
}

fn link(bench: &Bench, link: &str, to: impl AsRef<Path>) {
    symlink(to, bench.at(link)).unwrap();
}

fn blocks(spec: &mut Spec, rules: &[&str]) {
    spec.blocked = rules.iter().map(|&rule| rule.to_owned()).collect();
}

fn lock_is_free(bench: &Bench, _: &Outcome) -> Result<(), String> {
    if bench.is_free("workspace/lock") { Ok(()) } else { Err("a process still holds its lock".to_owned()) }
}

/// Every probe.
pub(crate) fn all() -> Vec<Case> {
    let mut all = files();
    all.extend(hidden());
    all.extend(disks());
    all.extend(network());
    all.extend(resources());
    all.extend(lives());
    all.extend(entries());
    all
}

fn files() -> Vec<Case> {
    vec![
        Case::new("FS-00", "write in the workspace, which is granted", "write", |b| {
            paths(b, ["workspace/new"])
        })
        .contained()
        .check(|b, _| if b.content("workspace/new") == "changed" { Ok(()) } else { Err("nothing".into()) }),
        Case::new("FS-01", "write through a link to outside", "write", |b| paths(b, ["workspace/link"]))
            .arrange(|_, b| link(b, "workspace/link", b.at("outside/victim"))),
        Case::new("FS-01b", "read through a link to outside", "read", |b| paths(b, ["workspace/link"]))
            .arrange(|_, b| link(b, "workspace/link", b.at("outside/secret"))),
        Case::new("FS-01c", "write in a read root", "write", |b| paths(b, ["readable/file"])),
        Case::new("FS-02", "swap a link while writing through it", "race", |b| {
            paths(b, ["workspace/link", "workspace/file", "outside/victim"])
        })
        .contained()
        .control(Control::Custom(customs::race_reaches_outside)),
        Case::custom(
            "FS-03",
            "a folder swapped for a link by the host, during the run",
            customs::swapped_folder,
        ),
        Case::new("FS-04", "hard link to a file outside, then write", "link-and-write", |b| {
            paths(b, ["outside/victim", "workspace/hard"])
        }),
        Case::new("FS-04b", "hard link to a file of a read root, then write", "link-and-write", |b| {
            paths(b, ["readable/file", "workspace/hard"])
        }),
        Case::new("FS-05", "`..` to outside", "write", |b| paths(b, ["workspace/sub/../../outside/victim"])),
        Case::new("FS-05b", "doubled slashes and dots to outside", "write", |b| {
            paths(b, ["workspace//.//..//outside/./victim"])
        }),
        Case::new("FS-06", "a file outside through /proc/self/root", "read", |b| {
            vec![format!("/proc/self/root{}", b.at("outside/secret").display()).into()]
        }),
        Case::new("FS-06b", "the host's processes in /proc", "read", |_| {
            vec![format!("/proc/{}/status", std::process::id()).into()]
        }),
        Case::new("FS-06c", "the root of the first process", "read", |_| texts(["/proc/1/root/etc/passwd"]))
            .control(Control::YesWith(|_| own("root/etc/passwd"))),
        Case::new("FS-07", "a mount in namespaces of its own", "mount", |_| vec![]),
        Case::new("FS-07b", "the mount call itself", "call", |_| call(libc::SYS_mount)),
        Case::new("FS-07c", "a mount by the new calls", "mount-by-new-calls", |_| vec![]).root(),
        Case::new("FS-07d", "another root", "call", |_| call(libc::SYS_chroot)),
        Case::new("FS-13", "a device", "device", |b| paths(b, ["workspace/device"])).root(),
        Case::new("FS-13b", "a named pipe in the workspace", "fifo", |b| paths(b, ["workspace/pipe"])),
        Case::new("FS-13c", "a socket file in the workspace", "socket-file", |b| {
            paths(b, ["workspace/socket"])
        }),
        Case::new("FS-13d", "a set-user-id bit", "set-user-id", |b| paths(b, ["workspace/file"])),
        Case::new("FS-13e", "a file made with a set-user-id bit", "create-set-user-id", |b| {
            paths(b, ["workspace/set"])
        }),
        Case::new("FS-14", "a file of the host's /tmp", "read", |b| vec![b.shared[0].path().into()]),
        Case::new("FS-14b", "a file of the host's /dev/shm", "read", |b| vec![b.shared[1].path().into()]),
        Case::new("FS-14c", "a file in /tmp stays in the run", "write", |b| vec![b.private().into()])
            .contained()
            .check(|b, _| if b.private().exists() { Err("it is on the host".into()) } else { Ok(()) }),
        Case::new("FS-17", "a program of the workspace reads outside", "copy-and-run", |b| {
            let [program, secret] = ["workspace/copy", "outside/secret"].map(|name| b.at(name).into());
            vec![program, "read".into(), secret]
        }),
        Case::custom("FS-18", "the executable changed after it was pinned", customs::changed_executable),
        Case::custom(
            "FS-19",
            "the working folder removed or replaced before the start",
            customs::changed_folder,
        ),
        Case::custom("FS-20b", "roots and a program named through links", customs::named_by_links),
        Case::custom("FS-20", "names that are no text", customs::odd_names),
        Case::new("FS-21", "another owner", "change-owner", |b| paths(b, ["workspace/file"])).root(),
        Case::new("FS-21b", "a set-group-id bit on a folder", "set-group-id", |b| {
            paths(b, ["workspace/sub"])
        }),
        Case::new("FS-22", "a member named `../..`, as an archive may have", "write", |_| {
            texts(["../outside/victim"])
        }),
        Case {
            id: "FS-21c",
            what: "root runs a tool in another's folder",
            probe: Probe::CustomOfRoot(writes::of_another),
        },
        Case::custom(
            "ASIDE",
            "what is written aside is known, applied as shown, and taken back",
            writes::written_aside,
        ),
        Case::custom("ASIDE-b", "a workspace that changed since is left alone", writes::changed_since_shown),
        Case::custom(
            "ASIDE-d",
            "a cache is written for real beside a view that is not",
            writes::through_beside_aside,
        ),
    ]
}

fn hidden() -> Vec<Case> {
    let dot_env: fn(&mut Spec, &Bench) = |spec, _| blocks(spec, &[".env"]);
    vec![
        Case::new("FS-08", "read a blocked file", "read", |b| paths(b, ["workspace/sub/.env"]))
            .arrange(dot_env),
        Case::new("FS-08b", "rename a blocked file, then read it", "rename-and-read", |b| {
            paths(b, ["workspace/sub/.env", "workspace/plain", "workspace/plain"])
        })
        .arrange(dot_env),
        Case::new("FS-08c", "rename its folder, then read it", "rename-and-read", |b| {
            paths(b, ["workspace/sub", "workspace/other", "workspace/other/.env"])
        })
        .arrange(dot_env),
        Case::new("FS-08d", "write a blocked file", "write", |b| paths(b, ["workspace/sub/.env"]))
            .arrange(dot_env),
        Case::new("FS-08e", "remove a blocked file", "remove", |b| paths(b, ["workspace/sub/.env"]))
            .arrange(dot_env),
        Case::new("FS-08f", "read it by another name", "read", |b| paths(b, ["workspace/alias"])).arrange(
            |spec, b| {
                fs::hard_link(b.at("workspace/sub/.env"), b.at("workspace/alias")).unwrap();
                blocks(spec, &[".env"]);
            },
        ),
        Case::new("FS-09", "make a blocked file that is not there", "write", |b| {
            paths(b, ["workspace/.env"])
        })
        .arrange(dot_env),
        Case::new("FS-09b", "a blocked file that was made is told", "write", |b| {
            paths(b, ["workspace/.env"])
        })
        .arrange(dot_env)
        .contained()
        .check(|b, outcome| {
            let expected = b.at("workspace/.env").canonicalize().unwrap();
            if outcome.strayed == [expected] { Ok(()) } else { Err(format!("told: {:?}", outcome.strayed)) }
        }),
        Case::custom("FS-09c", "a blocked file that was made aside is not applied", writes::blocked_aside),
        Case::custom("FS-10", "no placeholder stays, even after SIGKILL", customs::no_placeholders),
        Case::new("FS-11", "a blocked folder that is a file", "read", |b| paths(b, ["workspace/.ssh"]))
            .arrange(|spec, b| {
                fs::write(b.at("workspace/.ssh"), "x").unwrap();
                blocks(spec, &["**/.ssh/**"]);
            }),
        Case::new("FS-11b", "a blocked name that is a link", "read", |b| paths(b, ["workspace/.env"]))
            .arrange(|spec, b| {
                link(b, "workspace/.env", "file");
                blocks(spec, &[".env"]);
            }),
        Case::custom("FS-12", "a rule that matches thousands of files", customs::too_many_blocked),
    ]
}

fn disks() -> Vec<Case> {
    vec![
        Case::new("FS-15", "an endless file", "append", |b| vec![b.at("workspace/long").into(), "4".into()])
            .arrange(|spec, _| spec.limits.file_size = 1 << 20)
            .ends(|status| *status == Status::Signalled(libc::SIGXFSZ)),
        Case::new("FS-15b", "a sparse file", "extend", |b| {
            vec![b.at("workspace/long").into(), (1_u64 << 30).to_string().into()]
        })
        .arrange(|spec, _| spec.limits.file_size = 1 << 20)
        .ends(|status| *status == Status::Signalled(libc::SIGXFSZ)),
        Case::new("FS-15c", "less room on the disk than must stay", "spin", |_| texts(["10000"]))
            .arrange(|spec, _| spec.limits.free_disk = u64::MAX)
            .ends(|status| *status == Status::DiskFull)
            .control(Control::YesWith(|_| texts(["1"]))),
        Case::new("FS-15d", "a full /tmp", "append", |_| texts(["/tmp/long", "4"]))
            .arrange(|spec, _| spec.limits.temp = 2 << 20)
            .control(Control::YesWith(|b| vec![b.at("workspace/long").into(), "4".into()])),
        Case::new("FS-16", "thousands of files in /tmp", "many-files", |_| texts(["/tmp", "200"]))
            .arrange(|spec, _| spec.limits.temp_files = 100)
            .control(Control::YesWith(|b| vec![b.at("workspace").into(), "200".into()])),
        Case::new("FS-16b", "thousands of files in the workspace", "many-files", |b| {
            vec![b.at("workspace/sub").into(), "200".into()]
        })
        .arrange(|spec, _| spec.limits.temp_files = 100),
    ]
}

fn network() -> Vec<Case> {
    let tcp: fn(&Bench) -> Vec<OsString> = |b| call(b.tcp.local_addr().unwrap().port().into());
    let udp: fn(&Bench) -> Vec<OsString> = |b| call(b.udp.local_addr().unwrap().port().into());
    vec![
        Case::new("NET-01", "a TCP service of the host", "connect", tcp),
        Case::new("NET-05", "a UDP service of the host, as for names", "send-udp", udp),
        Case::new("NET-05b", "the same with a loopback device of its own", "send-udp", udp)
            .loopback()
            .contained()
            .check(|b, _| {
                b.udp.set_nonblocking(true).unwrap();
                if b.udp.recv(&mut [0]).is_ok() { Err("it arrived".into()) } else { Ok(()) }
            })
            .control(Control::Custom(customs::udp_arrives)),
        Case::new("NET-06", "a netlink socket", "socket", |_| texts(["16", "3", "0"])),
        Case::new("NET-06b", "a netlink socket, with loopback", "socket", |_| texts(["16", "3", "0"]))
            .loopback(),
        Case::new("NET-06c", "a raw socket", "socket", |_| texts(["2", "3", "1"])).loopback().root(),
        Case::new("NET-06d", "a packet socket", "socket", |_| texts(["17", "3", "0"])).loopback().root(),
        Case::new("NET-07", "a socket file in a read root", "connect-unix", |b| {
            paths(b, ["readable/stream"])
        }),
        Case::new("NET-07b", "the same, with loopback", "connect-unix", |b| paths(b, ["readable/stream"]))
            .loopback(),
        Case::new("NET-08", "an abstract socket", "connect-abstract", |b| {
            vec![b.abstract_name.clone().into()]
        }),
        Case::new("NET-08b", "the same, with loopback", "connect-abstract", |b| {
            vec![b.abstract_name.clone().into()]
        })
        .loopback(),
        Case::new("NET-09", "a datagram to a socket file", "send-unix", |b| paths(b, ["readable/datagram"])),
        Case::new("NET-09b", "the same from one of a pair", "send-unix-by-pair", |b| {
            paths(b, ["readable/datagram"])
        }),
        Case::new("NET-09c", "a pair of streams, which is granted", "stream-pair", |_| vec![]).contained(),
        Case::new("NET-10", "a TCP service of the host, with loopback", "connect", tcp).loopback(),
        Case::new("NET-10b", "its own loopback, which is granted", "talk-to-itself", |_| vec![])
            .loopback()
            .contained(),
        Case::custom("NET-10c", "the caller's proxy, which is granted", proxies::proxy_answers),
        Case::custom("NET-17", "the proxy dies, and there is no other way", proxies::proxy_is_the_only_way),
        Case::new("NET-15", "a descriptor that the caller left open", "inherited", |_| vec![]),
        Case::new("NET-16", "a listening socket", "listen", |_| vec![]),
    ]
}

fn resources() -> Vec<Case> {
    let oom: fn(&Status) -> bool = |status| *status == Status::OutOfMemory;
    let small: fn(&mut Spec, &Bench) = |spec, _| spec.limits.memory = 64 << 20;
    vec![
        Case::new("PR-01", "a bounded fork bomb", "forks", |_| texts(["100"]))
            .arrange(|spec, _| spec.limits.processes = 16),
        Case::new("PR-01b", "as many processes as are granted", "forks", |_| texts(["15"]))
            .arrange(|spec, _| spec.limits.processes = 16)
            .contained(),
        Case::new("PR-02", "memory", "memory", |_| texts(["120"])).arrange(small).ends(oom),
        Case::new("PR-02b", "shared memory", "shared-memory", |_| texts(["120"])).arrange(small).ends(oom),
        Case::new("PR-02c", "memory of many processes", "memory-of-many", |_| texts(["4", "24"]))
            .arrange(small)
            .ends(oom),
        Case::new("PR-02d", "a burst of memory", "memory", |_| texts(["250"])).arrange(small),
        Case::new("PR-02e", "memory that no limit counts", "call", |_| call(libc::SYS_memfd_create)),
        Case::new("PR-03", "a spin", "spin", |_| texts(["20000"]))
            .arrange(|spec, _| spec.limits.timeout = Duration::from_millis(200))
            .ends(|status| *status == Status::TimedOut)
            .control(Control::YesWith(|_| texts(["1"]))),
        Case::new("PR-06", "endless output on one line", "flood", |_| texts(["64"]))
            .arrange(|spec, _| {
                spec.limits.output = 4 << 20;
                (spec.limits.head, spec.limits.tail) = (1000, 1000);
            })
            .ends(|status| *status == Status::OutputLimit)
            .check(|_, outcome| {
                let out = &outcome.stdout;
                let kept = (out.head().len(), out.tail().len());
                let told = out.total() > 4 << 20 && out.omitted() == out.total() - 2000;
                if kept == (1000, 1000) && told {
                    Ok(())
                } else {
                    Err(format!("{kept:?} of {}", out.total()))
                }
            })
            .control(Control::YesWith(|_| texts(["1"]))),
    ]
}

fn lives() -> Vec<Case> {
    vec![
        Case::new("PR-04", "a child in another session, holding the output", "leave-child", |b| {
            paths(b, ["workspace/lock"])
        })
        .contained()
        .check(lock_is_free)
        .control(Control::Custom(customs::child_survives_outside)),
        Case::new("PR-08", "waits on its input", "read-stdin", |_| vec![])
            .control(Control::Custom(customs::input_arrives)),
        Case::new("PR-08b", "the terminal", "terminal", |_| vec![])
            .control(Control::Without("the probes may run without a terminal")),
        Case::new("PR-08c", "the caller's session", "own-session", |_| vec![]),
        Case::new("PR-09", "ignores polite signals", "ignore-and-hold", |b| paths(b, ["workspace/lock"]))
            .arrange(|spec, _| spec.limits.timeout = Duration::from_millis(300))
            .ends(|status| *status == Status::TimedOut)
            .check(lock_is_free)
            .control(Control::Custom(customs::polite_signal_is_ignored)),
        Case::custom("PR-09b", "a cancelled run", customs::cancelled),
        Case::custom("PR-26", "many runs at once", customs::many_at_once),
        Case::custom("PR-10", "the caller is killed during the run", customs::killed_caller),
        Case::custom("PR-18", "the helper is missing or another program", customs::no_helper),
        Case::custom("PR-18b", "the helper is killed", customs::killed_helper),
        Case::custom("PR-19", "no user namespace is to be had", customs::no_namespaces),
        Case::custom("PR-19b", "what the machine says it keeps", customs::machine_is_attested),
        Case::custom("PR-20", "a program that the kernel does not execute", customs::no_program),
        Case::custom("PR-22", "arguments that no program can get", customs::impossible_arguments),
    ]
}

fn entries() -> Vec<Case> {
    vec![
        Case::new("PR-11", "typing into the terminal", "type", |_| vec![]),
        Case::new("PR-11b", "the same with bits that the kernel ignores", "type-with-high-bits", |_| vec![]),
        Case::new("PR-12", "tracing", "trace", |_| vec![]),
        Case::new("PR-12b", "another process's memory", "call", |_| call(libc::SYS_process_vm_readv)),
        Case::new("PR-12c", "the memory of the first process inside", "open", |_| texts(["/proc/1/mem"]))
            .control(Control::YesWith(|_| own("mem"))),
        Case::new("PR-12d", "the environment of the first process inside", "read", |_| {
            texts(["/proc/1/environ"])
        })
        .control(Control::YesWith(|_| own("environ"))),
        Case::new("PR-12e", "a signal to the host", "signal", |_| {
            vec![std::process::id().to_string().into()]
        }),
        Case::new("PR-12f", "another process's descriptors", "call", |_| call(libc::SYS_pidfd_getfd)),
        Case::new("PR-13", "io_uring", "call", |_| call(libc::SYS_io_uring_setup)),
        Case::new("PR-13b", "bpf", "call", |_| call(libc::SYS_bpf)).root(),
        Case::new("PR-13c", "userfaultfd", "call", |_| call(libc::SYS_userfaultfd)).root(),
        Case::new("PR-13d", "perf_event_open", "call", |_| call(libc::SYS_perf_event_open)),
        Case::new("PR-13e", "keyctl", "call", |_| call(libc::SYS_keyctl)),
        Case::new("PR-13f", "kexec_load", "call", |_| call(libc::SYS_kexec_file_load))
            .control(Control::YesToRootIfThere),
        Case::new("PR-13g", "a kernel module", "call", |_| call(libc::SYS_finit_module))
            .control(Control::YesToRootIfThere),
        Case::new("PR-14", "a user namespace by unshare", "unshare", |_| vec![]),
        Case::new("PR-14b", "a user namespace by clone", "clone", |_| vec![]),
        Case::new("PR-14c", "clone3", "clone3", |_| vec![]),
        Case::new("PR-14d", "another's namespace", "call", |_| call(libc::SYS_setns)),
        #[cfg(target_arch = "x86_64")]
        Case::new("PR-15", "the 32-bit entry", "i386", |_| vec![])
            .ends(|status| *status == Status::Signalled(libc::SIGSYS)),
        #[cfg(target_arch = "x86_64")]
        Case::new("PR-15b", "the x32 entry", "x32", |_| vec![])
            .ends(|status| *status == Status::Signalled(libc::SIGSYS)),
        Case::new("PR-15c", "a call of tomorrow", "call", |_| call(100_000))
            .control(Control::Without("no kernel has it yet")),
        Case::new("PR-16", "new privileges by a set-user-id program", "new-privileges", |_| vec![]),
        Case::new("PR-17", "a program without a file", "file-less-exec", |_| vec![]),
        Case::new("PR-21", "variables that were not declared", "environment", |_| texts(["DECLARED"]))
            .arrange(|spec, _| spec.env = vec![Variable::new("DECLARED", "value")]),
        Case::new("PR-25", "input that is granted", "read-stdin", |_| vec![])
            .arrange(|spec, _| spec.stdin = Stdin::Bytes(b"hello".to_vec()))
            .contained()
            .control(Control::Custom(customs::input_arrives)),
    ]
}
