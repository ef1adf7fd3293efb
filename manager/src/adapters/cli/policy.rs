//! From a contract to the whole policy of one sandbox, with no default left open.

use super::{Caller, Fault, program::utf8};
use crate::adapters::egress::{EgressRules, Gate, SystemResolver};
use crate::model::{
    Egress, FilesystemRules, NetworkRules, SandboxAudit, SandboxEnvironment, SandboxId, SandboxMode,
    SandboxPolicy, SandboxProcess, ToolDescriptor, WorkspaceWrites,
};
use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

/// The variables that every program gets.
pub(super) const OWN_VARIABLES: [&str; 4] = ["HOME", "LANG", "PATH", "TMPDIR"];
/// The private scratch folder of each run, which is its home too.
pub(super) const TEMP: &str = "/tmp";
/// A program whose contract does not say may hold so much.
const UNSAID_MEMORY_MB: u64 = 1024;

/// Where a tool of this contract may be, and what it may do there.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place<'a> {
    /// The workspace, with no link left in its path.
    pub(super) workspace: &'a Path,
    /// The tool's own cache, if it has one.
    pub(super) cache: Option<&'a Path>,
    /// The manager's folder, which no tool sees.
    pub(super) home: &'a Path,
    pub(super) caller: &'a Caller,
}

/// Works out the policy.
///
/// # Errors
/// [`Fault`] if the contract contradicts itself, or names what is not there.
pub(super) fn policy(tool: &ToolDescriptor, place: Place<'_>) -> Result<SandboxPolicy, Fault> {
    let process = process(tool);
    Ok(SandboxPolicy {
        sandbox_id: SandboxId::new("unnumbered"),
        mode: tool.sandbox.mode,
        filesystem: filesystem(tool, place)?,
        network: network(tool)?,
        environment: environment(tool, place.caller),
        process,
        audit: SandboxAudit {
            // The words follow from the arguments and the contract, where those are recorded.
            record_command: tool.observability.log_args,
            record_file_access: true,
            record_network_access: true,
        },
    })
}

/// How a contract treats what is written in the workspace.
pub(super) fn writes(tool: &ToolDescriptor) -> WorkspaceWrites {
    tool.execution.command.as_ref().map_or_else(WorkspaceWrites::default, |command| command.workspace)
}

fn filesystem(tool: &ToolDescriptor, place: Place<'_>) -> Result<FilesystemRules, Fault> {
    let stated = tool.sandbox.filesystem.clone().unwrap_or_default();
    let mut read_roots = resolve(&stated.read_roots, place)?;
    let mut write_roots = resolve(&stated.write_roots, place)?;
    if tool.sandbox.mode == SandboxMode::ReadOnly && !write_roots.is_empty() {
        return Err(contradiction("a `read_only` sandbox has no write roots"));
    }
    if let Some(outside) = write_roots.iter().find(|root| !root.starts_with(place.workspace)) {
        return Err(contradiction(&format!(
            "the write root `{}` is not in the workspace",
            outside.display()
        )));
    }
    if writes(tool) == WorkspaceWrites::Scratch {
        if tool.sandbox.mode == SandboxMode::ReadOnly || !write_roots.is_empty() {
            return Err(contradiction(
                "a scratch workspace is for tools that have no write roots and may write",
            ));
        }
        let (inside, outside) = read_roots.into_iter().partition(|root| root.starts_with(place.workspace));
        (write_roots, read_roots) = (inside, outside);
    }
    let cwd = match tool.execution.command.as_ref().and_then(|command| command.working_directory.as_ref()) {
        None => place.workspace.to_owned(),
        Some(folder) => real(&place.workspace.join(folder), folder)?,
    };
    if !cwd.starts_with(place.workspace) {
        return Err(contradiction("its working folder leads out of the workspace"));
    }
    let mut blocked_paths = stated.blocked_paths;
    if write_roots.iter().any(|root| place.home.starts_with(root)) {
        let home = place.home.display();
        return Err(contradiction(&format!("what it may write holds the manager's own folder `{home}`")));
    }
    if read_roots.iter().any(|root| place.home.starts_with(root)) {
        if place.cache.is_some() {
            let home = place.home.display();
            return Err(contradiction(&format!("what it may read holds the manager's own folder `{home}`")));
        }
        blocked_paths.push(utf8(place.home)?.to_owned());
    }
    write_roots.extend(place.cache.map(Path::to_owned));
    Ok(FilesystemRules {
        cwd: utf8(&cwd)?.to_owned(),
        read_roots: texts(&read_roots)?,
        write_roots: texts(&write_roots)?,
        blocked_paths,
        temp_dir: TEMP.to_owned(),
        persist_outputs: writes(tool) == WorkspaceWrites::Declared,
    })
}

/// Roots are beneath the workspace, or absolute, or beneath the caller's home; of the last, those that are not there
/// grant nothing.
fn resolve(stated: &[String], place: Place<'_>) -> Result<Vec<PathBuf>, Fault> {
    let mut roots = Vec::new();
    for root in stated {
        let folder = root.strip_suffix("/**").unwrap_or(root);
        if folder.split('/').any(|part| part == "..") {
            return Err(contradiction(&format!("the root `{root}` leads upwards")));
        }
        let path = match folder.strip_prefix("~/") {
            Some(beneath) => match place.caller.at_home(beneath) {
                Some(path) => path,
                None => continue,
            },
            None => place.workspace.join(folder),
        };
        let real = real(&path, root)?;
        if !folder.starts_with(['/', '~']) && !real.starts_with(place.workspace) {
            return Err(contradiction(&format!("the root `{root}` leads out of the workspace")));
        }
        roots.push(real);
    }
    Ok(roots)
}

fn real(path: &Path, stated: &str) -> Result<PathBuf, Fault> {
    path.canonicalize().map_err(|why| contradiction(&format!("`{stated}` cannot be used: {why}")))
}

fn texts(paths: &[PathBuf]) -> Result<Vec<String>, Fault> {
    paths.iter().map(|path| utf8(path).map(str::to_owned)).collect()
}

fn network(tool: &ToolDescriptor) -> Result<NetworkRules, Fault> {
    let stated = tool.sandbox.network.as_ref();
    let egress = stated.map_or(Egress::None, |network| network.egress_policy);
    let allow_domains = stated.map(|network| network.allow_domains.clone()).unwrap_or_default();
    let rules = NetworkRules { egress, allow_domains, deny_private_networks: true };
    match (tool.sandbox.mode, egress) {
        (_, Egress::Open) => {
            return Err(contradiction("an open network is not given to a program\nhint: list its hosts"));
        }
        (SandboxMode::ReadOnly | SandboxMode::WorkspaceWrite, Egress::Allowlist) => {
            return Err(contradiction("hosts are reached only in the mode `network_restricted`"));
        }
        (_, Egress::Allowlist) => drop(gate(&rules, tool)?),
        (_, Egress::None) => {}
    }
    Ok(rules)
}

/// By what the network is held to its rules, where it is more than none at all.
pub(super) fn way_out(policy: &SandboxPolicy) -> Option<&'static str> {
    match (policy.mode, policy.network.egress) {
        (_, Egress::Allowlist) => {
            Some("network namespace that only a proxy leads out of, which judges each host and address")
        }
        (SandboxMode::NetworkRestricted, _) => {
            Some("network namespace with its own loopback, socket kinds by seccomp")
        }
        (_, Egress::None | Egress::Open) => None,
    }
}

/// What judges where a program gets to.
///
/// # Errors
/// [`Fault`] if a rule cannot be kept.
pub(super) fn gate(rules: &NetworkRules, tool: &ToolDescriptor) -> Result<Gate, Fault> {
    let denied = tool.sandbox.network.as_ref().map(|network| network.deny_domains.as_slice());
    let rules =
        EgressRules::of(rules, denied.unwrap_or_default()).map_err(|why| contradiction(&why.to_string()))?;
    Ok(Gate::new(rules, Arc::new(SystemResolver)))
}

fn environment(tool: &ToolDescriptor, caller: &Caller) -> SandboxEnvironment {
    let declared = tool.execution.command.as_ref().map(|command| command.environment.clone());
    let declared = declared.unwrap_or_default();
    let mut injected_env: Vec<String> = OWN_VARIABLES.map(str::to_owned).into();
    injected_env
        .extend(declared.names().filter(|(field, _)| *field != "inherit").map(|(_, name)| name.to_owned()));
    let mut inherited_env = declared.inherit;
    inherited_env.retain(|name| caller.variable(name).is_some());
    for names in [&mut injected_env, &mut inherited_env] {
        names.sort();
        names.dedup();
    }
    let secret_env_allowed = !tool.credentials.required_secrets.is_empty();
    SandboxEnvironment { inherited_env, injected_env, secret_env_allowed }
}

/// The contract's bounds; a program is never without one on its memory.
fn process(tool: &ToolDescriptor) -> SandboxProcess {
    let stated = SandboxProcess::of(tool);
    let max_memory_mb = if stated.max_memory_mb == 0 { UNSAID_MEMORY_MB } else { stated.max_memory_mb };
    SandboxProcess { max_memory_mb, ..stated }
}

fn contradiction(message: &str) -> Fault {
    Fault::new("sandbox_unavailable", message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{FilesystemLimits, NetworkLimits, testing::descriptor};

    struct Bench(tempfile::TempDir);

    impl Bench {
        fn new() -> Self {
            let bench = Self(tempfile::tempdir().unwrap());
            for folder in ["ws/src", "user/.cargo", "agent/caches/c"] {
                std::fs::create_dir_all(bench.at(folder)).unwrap();
            }
            std::os::unix::fs::symlink("/etc", bench.at("ws/out")).unwrap();
            bench
        }

        fn at(&self, path: &str) -> PathBuf {
            self.0.path().canonicalize().unwrap().join(path)
        }

        fn policy(&self, change: impl FnOnce(&mut ToolDescriptor)) -> Result<SandboxPolicy, Fault> {
            let mut tool = descriptor("t");
            tool.sandbox.mode = SandboxMode::WorkspaceWrite;
            tool.execution.command = Some(serde_json::from_str(r#"{"program":"t"}"#).unwrap());
            tool.sandbox.filesystem =
                Some(FilesystemLimits { read_roots: vec![".".into()], ..Default::default() });
            change(&mut tool);
            let home = self.at("user").display().to_string();
            let caller = Caller::new(move |name| (name == "HOME").then(|| home.clone()));
            let place = Place {
                workspace: &self.at("ws"),
                cache: Some(&self.at("agent/caches/c")),
                home: &self.at("agent"),
                caller: &caller,
            };
            policy(&tool, place)
        }
    }

    fn roots(tool: &mut ToolDescriptor, read: &[&str], write: &[&str]) {
        let texts = |roots: &[&str]| roots.iter().map(|&root| root.to_owned()).collect();
        let files = tool.sandbox.filesystem.get_or_insert_default();
        (files.read_roots, files.write_roots) = (texts(read), texts(write));
    }

    #[test]
    fn roots_become_paths_and_nothing_is_left_open() {
        let bench = Bench::new();
        let text = |path: &str| bench.at(path).display().to_string();
        let files = bench.policy(|t| roots(t, &[".", "~/.cargo", "~/.nvm"], &["src/**"])).unwrap().filesystem;
        assert_eq!(files.read_roots, [text("ws"), text("user/.cargo")]);
        assert_eq!(files.write_roots, [text("ws/src"), text("agent/caches/c")]);
        assert!(files.persist_outputs && files.cwd == text("ws"));
        let scratch = bench.policy(|t| {
            roots(t, &[".", "~/.cargo"], &[]);
            t.execution.command.as_mut().unwrap().workspace = WorkspaceWrites::Scratch;
        });
        let files = scratch.unwrap().filesystem;
        assert_eq!(files.read_roots, [text("user/.cargo")]);
        assert_eq!(files.write_roots, [text("ws"), text("agent/caches/c")]);
        assert!(!files.persist_outputs);
    }

    #[test]
    fn a_contract_that_contradicts_itself_is_refused() {
        type Change = fn(&mut ToolDescriptor);
        let network = |egress| {
            Some(NetworkLimits { allow_domains: Vec::new(), deny_domains: Vec::new(), egress_policy: egress })
        };
        let bench = Bench::new();
        let rows: [(Change, &str); 6] = [
            (|t| roots(t, &["../agent"], &[]), "leads upwards"),
            (|t| roots(t, &["out"], &[]), "leads out of the workspace"),
            (|t| roots(t, &["missing"], &[]), "No such file"),
            (|t| roots(t, &["."], &["/etc"]), "is not in the workspace"),
            (
                |t| {
                    roots(t, &["."], &["src"]);
                    t.sandbox.mode = SandboxMode::ReadOnly;
                },
                "has no write roots",
            ),
            (|t| t.execution.command.as_mut().unwrap().working_directory = Some("out".into()), "leads out"),
        ];
        for (change, words) in rows {
            let fault = bench.policy(change).unwrap_err();
            assert!(
                fault.code == "sandbox_unavailable" && fault.message.contains(words),
                "{}",
                fault.message
            );
        }
        for (egress, words) in [(Egress::Open, "open network"), (Egress::Allowlist, "network_restricted")] {
            let fault = bench.policy(|t| t.sandbox.network = network(egress)).unwrap_err();
            assert!(fault.message.contains(words), "{}", fault.message);
        }
        let parent = bench.at("").display().to_string();
        let fault = bench.policy(|t| roots(t, &[&parent], &[])).unwrap_err();
        assert!(fault.message.contains("the manager's own folder"), "{}", fault.message);
    }
}
