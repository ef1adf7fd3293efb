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
mod plan;
mod walk;
mod workspace;

pub use workspace::{Workspace, WorkspaceError};

use crate::{
    event::fact::FinishStatus,
    model::{
        CallId, Digest, EffectsObserved, Egress, FilesystemRules, NetworkRules, SandboxAudit,
        SandboxEnvironment, SandboxId, SandboxPolicy, SandboxProcess, StopCode, StopReason, ToolDescriptor,
        ToolError,
    },
    port::{Adapter, MISMATCH, Ran, Rehearsal, Rehearsals, Rehearsed, RunRequest, Settled},
    stage::{RunMode, Ticket},
};
use fault::Fault;
use job::{Done, Job};
use plan::{Keep, Plan};
use std::{collections::BTreeMap, time::Instant};

/// A function of the runtime.
trait Tool: Sync {
    /// The tool that it is.
    fn id(&self) -> &'static str;

    /// Finds out what was asked for, or works out what would change. It changes nothing itself. The arguments
    /// satisfy the tool's schema.
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
        self.perform(&ticket, None)
    }

    fn rehearsals(&self) -> Option<&dyn Rehearsals> {
        Some(self)
    }
}

/// What would change is worked out anew whenever it is asked for: nothing is kept, and nothing has to be forgotten.
impl Rehearsals for Builtin {
    fn rehearse(&self, rehearsal: &Rehearsal<'_>) -> Result<Rehearsed, ToolError> {
        let begun = Instant::now();
        let Done { effects, plan, .. } = self.work_out(*rehearsal, RunMode::DryRun, begun)?.1;
        let Plan { changes, diff, .. } = plan;
        Ok(Rehearsed { changes, diff, effects, latency_ms: since(begun) })
    }

    fn present(&self, rehearsal: &Rehearsal<'_>) -> Result<Digest, StopReason> {
        let no = |what: String| {
            let message = format!("what was approved can no longer be done: {what}");
            StopReason::new(StopCode::ApprovalMismatch, message)
        };
        let (_, done) =
            self.work_out(*rehearsal, RunMode::Real, Instant::now()).map_err(|f| no(f.message))?;
        done.plan.changes.digest().map_err(|e| no(e.to_string()))
    }

    fn commit(&self, ticket: Ticket<'_>, approved: &Digest) -> Ran {
        self.perform(&ticket, Some(approved))
    }

    fn forget(&self, _: &CallId) {}
}

impl Builtin {
    /// What a call would do, with the job that can do it.
    fn work_out<'a>(
        &'a self,
        what: Rehearsal<'a>,
        mode: RunMode,
        begun: Instant,
    ) -> Result<(Job<'a>, Done), Fault> {
        let tool = find(what.run.tool).map_err(|reason| Fault::new("unknown_tool", reason.message))?;
        let places = self.workspace.places(&what.settled.sandbox.filesystem)?;
        let job = Job::new(what, mode, places, begun);
        let done = tool.run(&job)?;
        Ok((job, done))
    }

    /// Does what a ticket is for; of changes, only those that were approved, where they were.
    fn perform(&self, ticket: &Ticket<'_>, approved: Option<&Digest>) -> Ran {
        let begun = Instant::now();
        let ran = self.attempt(ticket, approved, begun);
        let latency_ms = since(begun);
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
                effects: (*fault.effects).clone(),
                latency_ms,
                ..Ran::failed(fault.into())
            },
        }
    }

    fn attempt(&self, ticket: &Ticket<'_>, approved: Option<&Digest>, begun: Instant) -> Result<Done, Fault> {
        let what = Rehearsal {
            call: ticket.call(),
            run: ticket.run_request(),
            settled: ticket.settled(),
            interrupt: ticket.interrupt(),
        };
        let (job, mut done) = self.work_out(what, ticket.mode(), begun)?;
        if ticket.mode() == RunMode::DryRun {
            done.effects = EffectsObserved { reads: done.effects.reads, ..Default::default() };
            return Ok(done);
        }
        if let Some(approved) = approved {
            let found = done.plan.changes.digest().ok();
            if found.as_ref() != Some(approved) {
                return Err(Fault::new(MISMATCH, "a file is not what it was when the change was approved"));
            }
        }
        let root = self.workspace.path();
        let keep: Keep<'_> = &|changes, before| ticket.keep(root, changes, before).map_err(Fault::from);
        done.plan.make(&job, keep).map_err(|fault| match (fault.code, approved) {
            // Nothing was written: what was approved cannot be done any more.
            ("changed_meanwhile", Some(_)) if *fault.effects == EffectsObserved::default() => {
                Fault { code: MISMATCH, ..fault }
            }
            _ => fault,
        })?;
        Ok(done)
    }
}

fn since(begun: Instant) -> u64 {
    u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX)
}

impl Builtin {
    fn policy(&self, tool: &ToolDescriptor) -> SandboxPolicy {
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
            process: SandboxProcess { max_stderr_bytes: 0, ..SandboxProcess::of(tool) },
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
pub(in crate::adapters) mod tests;
