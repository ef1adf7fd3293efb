//! A host for hostile tools: folders, sockets and descriptors that they must not reach.

use proofhouse_sandbox::{Digest, Executable, Limits, Spec};
use std::ffi::OsString;
use std::fs::{self, File};
use std::net::{TcpListener, UdpSocket};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram, UnixListener};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Duration;

/// What one probe finds on the host; made anew for each.
pub(crate) struct Bench {
    pub(crate) folder: tempfile::TempDir,
    pub(crate) tcp: TcpListener,
    pub(crate) udp: UdpSocket,
    pub(crate) _stream: UnixListener,
    pub(crate) _datagram: UnixDatagram,
    pub(crate) abstract_name: String,
    pub(crate) _abstract_stream: UnixListener,
    /// In the host's `/tmp` and `/dev/shm`.
    pub(crate) shared: Vec<tempfile::NamedTempFile>,
}

impl Bench {
    pub(crate) fn new() -> Self {
        let folder = tempfile::Builder::new().prefix("probe").tempdir_in(base()).unwrap();
        let at = |name: &str| folder.path().join(name);
        for name in ["workspace/sub", "readable", "outside"] {
            fs::create_dir_all(at(name)).unwrap();
        }
        for name in
            ["workspace/file", "workspace/sub/.env", "readable/file", "outside/secret", "outside/victim"]
        {
            fs::write(at(name), "as it was").unwrap();
        }
        let abstract_name = format!("probe-{}", at("").display());
        let address = SocketAddr::from_abstract_name(&abstract_name).unwrap();
        Self {
            tcp: TcpListener::bind("127.0.0.1:0").unwrap(),
            udp: UdpSocket::bind("127.0.0.1:0").unwrap(),
            _stream: UnixListener::bind(at("readable/stream")).unwrap(),
            _datagram: UnixDatagram::bind(at("readable/datagram")).unwrap(),
            _abstract_stream: UnixListener::bind_addr(&address).unwrap(),
            abstract_name,
            shared: ["/tmp", "/dev/shm"].map(|at| tempfile::NamedTempFile::new_in(at).unwrap()).into(),
            folder,
        }
    }

    pub(crate) fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A path in `/tmp` that is the host's outside and private inside.
    pub(crate) fn private(&self) -> PathBuf {
        self.folder.path().with_extension("private")
    }

    /// A file's content, as the host sees it.
    pub(crate) fn content(&self, name: &str) -> String {
        fs::read_to_string(self.at(name)).unwrap_or_else(|_| "(gone)".to_owned())
    }

    /// Whether nobody holds the lock.
    pub(crate) fn is_free(&self, name: &str) -> bool {
        File::create(self.at(name)).unwrap().try_lock().is_ok()
    }

    /// An act with everything that a workspace tool gets.
    pub(crate) fn spec(&self, act: &str, args: &[OsString]) -> Spec {
        let mut spec = Spec::new(this_program(), self.at("workspace"));
        spec.write_roots = vec![self.at("workspace")];
        spec.read_roots = vec![self.at("readable")];
        spec.args =
            [super::acts::ROLE, act].map(OsString::from).into_iter().chain(args.iter().cloned()).collect();
        spec.limits = Limits { timeout: Duration::from_secs(20), free_disk: 0, ..Limits::default() };
        spec
    }
}

impl Drop for Bench {
    fn drop(&mut self) {
        fs::remove_file(self.private()).ok();
    }
}

/// A folder that whoever runs the probes may write to.
fn base() -> &'static Path {
    static BASE: OnceLock<PathBuf> = OnceLock::new();
    BASE.get_or_init(|| std::env::temp_dir().canonicalize().unwrap())
}

/// This program, pinned.
pub(crate) fn this_program() -> Executable {
    static PINNED: OnceLock<Executable> = OnceLock::new();
    PINNED
        .get_or_init(|| {
            let path = std::env::current_exe().unwrap();
            Executable { digest: Digest::of_file(&path).unwrap(), path }
        })
        .clone()
}
