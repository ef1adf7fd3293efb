//! Tools that are functions of the runtime: files of one workspace, read, searched and changed.
//!
//! They start no process and open no socket; what they touch is decided on open descriptors beneath the
//! workspace's root, never on the text of a path. A tool is one file here and its line in `ALL`.

mod code_search;
mod fault;
mod file_delete;
mod file_list;
mod file_move;
mod file_patch;
mod file_read;
mod file_write;
mod job;
mod places;
mod walk;
mod workspace;

pub use workspace::{Workspace, WorkspaceError};

use crate::{
    event::fact::FinishStatus,
    model::{
        ArtifactKind, Egress, FilesystemRules, NetworkRules, SandboxAudit, SandboxEnvironment, SandboxId,
        SandboxPolicy, SandboxProcess, StopCode, StopReason, ToolDescriptor,
    },
    port::{Adapter, Ran, RunRequest, Settled},
    stage::Ticket,
};
use fault::Fault;
use job::{Done, Job};
use std::{collections::BTreeMap, time::Instant};

/// A function of the runtime.
trait Tool: Sync {
    /// The tool that it is.
    fn id(&self) -> &'static str;

    /// Does it. The arguments satisfy the tool's schema.
    fn run(&self, job: &Job<'_>) -> Result<Done, Fault>;
}

/// Every builtin tool.
const ALL: &[&dyn Tool] = &[
    &file_read::FileRead,
    &file_list::FileList,
    &code_search::CodeSearch,
    &file_write::FileWrite,
    &file_patch::FilePatch,
    &file_move::FileMove,
    &file_delete::FileDelete,
];

/// Runs the builtin tools in one workspace.
#[derive(Debug)]
pub struct Builtin {
    workspace: Workspace,
}

impl Builtin {
    /// In this workspace.
    pub fn new(workspace: Workspace) -> Self {
        Self { workspace }
    }
}

fn find(tool: &ToolDescriptor) -> Result<&'static dyn Tool, StopReason> {
    ALL.iter().copied().find(|t| t.id() == tool.tool_id.as_str()).ok_or_else(|| {
        let message = format!("`{}` names the adapter `builtin`, which has no such tool", tool.tool_id);
        StopReason::new(StopCode::AdapterUnavailable, message)
    })
}

impl Adapter for Builtin {
    fn word(&self) -> &'static str {
        "builtin"
    }

    fn settle(&self, run: &RunRequest<'_>) -> Result<Settled, StopReason> {
        let tool = run.tool;
        find(tool)?;
        let policy = self.policy(tool);
        // A rule that cannot be read would block nothing.
        self.workspace.places(&policy.filesystem).and_then(|p| p.probe()).map_err(|fault| {
            StopReason::new(
                StopCode::SandboxUnavailable,
                format!("its sandbox cannot be set up: {}", fault.message),
            )
        })?;
        Settled::new(policy, enforced(), None, Vec::new())
    }

    fn invoke(&self, ticket: Ticket<'_>) -> Ran {
        let begun = Instant::now();
        let ran = find(ticket.tool()).map_err(|reason| Fault::new("unknown_tool", reason.message)).and_then(
            |tool| {
                let places = self.workspace.places(&ticket.settled().sandbox.filesystem)?;
                tool.run(&Job::new(&ticket, places, begun))
            },
        );
        let latency_ms = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
        match ran {
            Ok(done) => Ran {
                status: FinishStatus::Success,
                output: done.output,
                kind: done.kind,
                structured: Some(done.structured),
                effects: done.effects,
                error: None,
                latency_ms,
            },
            Err(fault) => Ran {
                status: fault.status(),
                output: Vec::new(),
                kind: ArtifactKind::ToolOutput,
                structured: None,
                effects: (*fault.effects).clone(),
                error: Some(fault.into()),
                latency_ms,
            },
        }
    }
}

impl Builtin {
    fn policy(&self, tool: &ToolDescriptor) -> SandboxPolicy {
        let limits = tool.sandbox.limits.as_ref();
        let output = limits.and_then(|l| l.max_output_bytes).unwrap_or(1 << 20);
        let stated = tool.sandbox.filesystem.clone().unwrap_or_default();
        SandboxPolicy {
            sandbox_id: SandboxId::new("unnumbered"),
            mode: tool.sandbox.mode,
            filesystem: FilesystemRules {
                cwd: self.workspace.path().display().to_string(),
                read_roots: stated.read_roots,
                write_roots: stated.write_roots,
                blocked_paths: stated.blocked_paths,
                temp_dir: String::new(),
                persist_outputs: true,
            },
            network: NetworkRules {
                egress: Egress::None,
                allow_domains: Vec::new(),
                deny_private_networks: true,
            },
            environment: SandboxEnvironment {
                inherited_env: Vec::new(),
                injected_env: Vec::new(),
                secret_env_allowed: false,
            },
            process: SandboxProcess {
                timeout_ms: limits
                    .map_or(tool.execution.timeout_ms, |l| l.timeout_ms.min(tool.execution.timeout_ms)),
                max_memory_mb: limits.and_then(|l| l.max_memory_mb).unwrap_or(0),
                max_stdout_bytes: output,
                max_stderr_bytes: 0,
            },
            audit: SandboxAudit {
                record_command: false,
                record_file_access: true,
                record_network_access: false,
            },
        }
    }
}

fn enforced() -> BTreeMap<String, String> {
    [
        ("filesystem", "every path is opened beneath the workspace root by the kernel, and judged once open"),
        ("network", "a function of the runtime that opens no socket"),
        ("processes", "a function of the runtime that starts no process"),
        ("environment", "no variable is read"),
    ]
    .map(|(property, by)| (property.to_owned(), by.to_owned()))
    .into()
}

#[cfg(test)]
mod tests;
