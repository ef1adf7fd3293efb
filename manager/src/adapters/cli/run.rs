//! One run of a program in its sandbox: what it is given, and what ends it.

use super::{Caller, Fault, argv, policy, program};
use crate::{
    adapters::{
        egress::{Contacts, Gate, ProxyBounds, proxy_variables, serve_proxy},
        sandbox::Sandbox,
    },
    model::{CommandTemplate, SandboxMode},
    port::{Injection, Interrupt, Leased, Settled},
};
use proofhouse_sandbox::{
    Cancel, Digest, Executable, Limits, Network, Outcome, Prepared, Refused, Spec, Stdin, Variable, Writes,
};
use serde_json::Value;
use std::{
    path::{Path, PathBuf},
    sync::mpsc::{RecvTimeoutError, channel},
    time::Duration,
};

/// How often it is asked whether a run must stop.
const WATCH: Duration = Duration::from_millis(100);
const MIB: u64 = 1 << 20;

/// What is to run.
pub(super) struct Job<'a> {
    pub(super) template: &'a CommandTemplate,
    pub(super) args: &'a Value,
    pub(super) settled: &'a Settled,
    pub(super) interrupt: &'a dyn Interrupt,
    pub(super) workspace: &'a Path,
    pub(super) caller: &'a Caller,
    /// The tool's cache, which is there.
    pub(super) cache: Option<&'a Path>,
    /// Where what it writes in the workspace is kept.
    pub(super) store: &'a Path,
    /// Secrets, lent to this run.
    pub(super) leased: &'a [Leased],
    /// How it gets out, if it does.
    pub(super) gate: Option<Gate>,
}

/// The port of the proxy, on a loopback device that only the program is on.
const PROXY_PORT: u16 = 3128;

impl Job<'_> {
    /// Runs it to its end; tells whom it reached, too.
    ///
    /// # Errors
    /// [`Fault`] if it was not started, or had no way out though it should.
    pub(super) fn run(&self, sandbox: &Sandbox) -> Result<(Outcome, Contacts), Fault> {
        let spec = self.spec()?;
        let prepared = sandbox.helper().and_then(|helper| spec.prepare_with(helper)).map_err(refused)?;
        let cancel =
            Cancel::new().map_err(|why| Fault::new("system", format!("a run cannot be watched: {why}")))?;
        self.watched(prepared, &cancel)
    }

    /// Whether what it writes in the workspace goes to a view of its own.
    pub(super) fn has_view(&self) -> bool {
        !self.workspace_roots().is_empty()
    }

    /// The write roots, less the cache.
    fn workspace_roots(&self) -> Vec<PathBuf> {
        let roots = self.settled.sandbox.filesystem.write_roots.iter().map(PathBuf::from);
        roots.filter(|root| Some(root.as_path()) != self.cache).collect()
    }

    /// Everything that the program may see, use and leave: what was settled, and nothing else.
    fn spec(&self) -> Result<Spec, Fault> {
        let policy = &self.settled.sandbox;
        let executable = self.executable()?;
        let mut spec = Spec::new(executable, &policy.filesystem.cwd);
        spec.args = argv::words(self.template, self.args)?.into_iter().map(Into::into).collect();
        spec.env = self.environment(&spec.executable.path)?;
        spec.read_roots = policy.filesystem.read_roots.iter().map(PathBuf::from).collect();
        spec.write_roots = self.workspace_roots();
        if self.has_view() {
            spec.writes = Writes::Aside(self.store.to_owned());
        }
        spec.through_roots = self.cache.map(Path::to_owned).into_iter().collect();
        spec.blocked.clone_from(&policy.filesystem.blocked_paths);
        spec.network = self.network();
        if let Some(bytes) = argv::stdin(self.template, self.args) {
            spec.stdin = Stdin::Bytes(bytes);
        }
        spec.limits = self.limits();
        Ok(spec)
    }

    /// The program as it was settled: by the same name the same file, and in it the same bytes.
    fn executable(&self) -> Result<Executable, Fault> {
        let changed =
            |what: &str| Fault::new("program_changed", format!("the program {what} since it was settled"));
        let settled = self.settled.terms.executable.as_ref().ok_or_else(|| changed("is not known"))?;
        let found = program::find(&self.template.program, self.caller.folders(), self.workspace)?;
        if found.file != *settled {
            return Err(changed(&format!("`{}` has changed", settled.path)));
        }
        let digest: Digest = settled.digest.as_str().parse().map_err(|_| changed("has no digest"))?;
        Ok(Executable { path: found.path, digest })
    }

    fn environment(&self, program: &Path) -> Result<Vec<Variable>, Fault> {
        let declared = &self.template.environment;
        let mut variables = vec![
            Variable::new("HOME", policy::TEMP),
            Variable::new("LANG", "C.UTF-8"),
            Variable::new("PATH", Caller::path_for(program)),
            Variable::new("TMPDIR", policy::TEMP),
        ];
        let mut add = |name: &str, value: &std::ffi::OsStr| {
            variables.retain(|variable| variable.name != name);
            variables.push(Variable::new(name, value));
        };
        for name in &self.settled.sandbox.environment.inherited_env {
            if let Some(value) = self.caller.variable(name) {
                add(name, value.as_ref());
            }
        }
        if self.gate.is_some() {
            proxy_variables(PROXY_PORT).iter().for_each(|(name, value)| add(name, value.as_ref()));
        }
        declared.set.iter().for_each(|(name, value)| add(name, value.as_ref()));
        for (name, folder) in &declared.cache {
            let cache = self.cache.ok_or_else(|| Fault::new("system", "the tool's cache is missing"))?;
            let folder = cache.join(folder);
            std::fs::create_dir_all(&folder)
                .map_err(|why| Fault::new("system", format!("the tool's cache cannot be used: {why}")))?;
            add(name, folder.as_os_str());
        }
        for (name, folder) in &declared.home {
            if let Some(path) = self.caller.at_home(folder) {
                add(name, path.as_os_str());
            }
        }
        for lease in self.leased {
            match &lease.injection {
                Injection::Variable(name) => add(name, lease.secret.expose().as_ref()),
                Injection::Descriptor(_) | Injection::Header { .. } => {
                    let message = format!(
                        "`{}` is handed over in a way that a program here does not take\nhint: bind it as a variable",
                        lease.name
                    );
                    return Err(Fault::new("credential_unavailable", message));
                }
            }
        }
        Ok(variables)
    }

    fn limits(&self) -> Limits {
        let process = &self.settled.sandbox.process;
        let memory = process.max_memory_mb.saturating_mul(MIB);
        let output = process.max_stdout_bytes.max(process.max_stderr_bytes);
        // Both halves together hold all that a run may say before it is ended.
        let half = usize::try_from(output.div_ceil(2)).unwrap_or(usize::MAX);
        Limits {
            timeout: Duration::from_millis(process.timeout_ms),
            memory,
            processes: 1024,
            open_files: 4096,
            file_size: memory.max(1024 * MIB),
            temp: memory,
            output,
            head: half,
            tail: half,
            ..Limits::default()
        }
    }

    /// What of the network there is inside.
    fn network(&self) -> Network {
        match (&self.gate, self.settled.sandbox.mode) {
            (Some(_), _) => Network::Proxy(PROXY_PORT),
            // A loopback device that nobody else is on is no way out: servers under test need it.
            (None, SandboxMode::NetworkRestricted) => Network::Loopback,
            (None, _) => Network::None,
        }
    }

    /// Runs on this thread, whose end would be the program's, while another asks whether it must stop.
    fn watched(&self, prepared: Prepared, cancel: &Cancel) -> Result<(Outcome, Contacts), Fault> {
        let (over, running) = channel::<()>();
        std::thread::scope(|scope| {
            let watch = scope.spawn(move || {
                while running.recv_timeout(WATCH) == Err(RecvTimeoutError::Timeout) {
                    if self.interrupt.reason().is_some() {
                        cancel.cancel();
                        return;
                    }
                }
            });
            let ended = match &self.gate {
                None => prepared.run(cancel).map_err(refused).map(|outcome| (outcome, Contacts::default())),
                Some(gate) => self.proxied(prepared, cancel, gate),
            };
            drop(over);
            // it only watched
            watch.join().ok();
            ended
        })
    }

    /// Runs it with the gate as its only way out, which is shut when it ends.
    fn proxied(
        &self,
        prepared: Prepared,
        cancel: &Cancel,
        gate: &Gate,
    ) -> Result<(Outcome, Contacts), Fault> {
        let total = Duration::from_millis(self.settled.sandbox.process.timeout_ms);
        let bounds = ProxyBounds { total, ..ProxyBounds::default() };
        let mut proxy = None;
        let opened = |listener| proxy = Some(serve_proxy(listener, gate.clone(), bounds));
        let outcome = prepared.run_with_proxy(cancel, opened).map_err(refused)?;
        let contacts = match proxy {
            None => Contacts::default(),
            Some(Ok(proxy)) => proxy.stop(),
            Some(Err(why)) => {
                return Err(Fault::new(
                    "network_unavailable",
                    format!("its way out could not be opened: {why}"),
                ));
            }
        };
        Ok((outcome, contacts))
    }
}

/// Why nothing ran.
#[expect(clippy::needless_pass_by_value, reason = "errors are handed over whole")]
fn refused(why: Refused) -> Fault {
    let code = match &why {
        Refused::DigestMismatch { .. } => "program_changed",
        Refused::Value { .. } => "invalid_arguments",
        Refused::Cancelled => "cancelled",
        Refused::NoHelper
        | Refused::Path { .. }
        | Refused::Property { .. }
        | Refused::Setup(_)
        | Refused::HelperEnded(_)
        | Refused::Io { .. } => "sandbox_unavailable",
    };
    Fault::new(code, why.to_string())
}
