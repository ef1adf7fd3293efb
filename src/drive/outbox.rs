//! The service that the suite's messages go to: it takes each one, and writes it down in a folder of the workspace.

use proofhouse_manager::{
    event::fact::FinishStatus,
    model::{
        ArtifactKind, EffectsObserved, Egress, FilesystemRules, NetworkRules, ResourceRef, SandboxAudit,
        SandboxEnvironment, SandboxId, SandboxMode, SandboxPolicy, SandboxProcess, StopReason, ToolError,
    },
    port::{Adapter, Ran, RunRequest, Settled},
    stage::{RunMode, Ticket},
};
use serde_json::json;
use std::{io, path::PathBuf};

/// Its word in descriptors.
pub(super) const WORD: &str = "suite";

/// The service.
pub(super) struct Outbox(pub(super) PathBuf);

impl Adapter for Outbox {
    fn word(&self) -> &'static str {
        WORD
    }

    fn settle(&self, run: &RunRequest<'_>) -> Result<Settled, StopReason> {
        let by = [("request", "the suite's own service, in this process")];
        let enforced = by.map(|(what, by)| (what.to_owned(), by.to_owned())).into();
        Settled::new(policy(run.tool.execution.timeout_ms), enforced, None, Vec::new())
    }

    fn invoke(&self, ticket: Ticket<'_>) -> Ran {
        let text = |name: &str| ticket.args()[name].as_str().unwrap_or_default().to_owned();
        let (to, message) = (text("to"), text("text"));
        let sent = match ticket.mode() {
            RunMode::Real => self.take(&to, &message),
            RunMode::DryRun => Ok(()),
        };
        let effects = EffectsObserved {
            writes: vec![ResourceRef(format!("outbox:{to}"))],
            external_calls: vec!["suite".to_owned()],
            ..EffectsObserved::default()
        };
        match sent {
            Ok(()) => Ran {
                status: FinishStatus::Success,
                output: b"sent".to_vec(),
                kind: ArtifactKind::ToolOutput,
                structured: Some(json!({ "sent": true })),
                effects,
                error: None,
                latency_ms: 0,
            },
            Err(error) => Ran {
                status: FinishStatus::Error,
                output: Vec::new(),
                kind: ArtifactKind::ToolOutput,
                structured: None,
                effects: EffectsObserved::default(),
                error: Some(ToolError {
                    code: "not_sent".to_owned(),
                    message: error.to_string(),
                    retryable: false,
                    safe_to_show_user: true,
                }),
                latency_ms: 0,
            },
        }
    }
}

impl Outbox {
    fn take(&self, to: &str, message: &str) -> io::Result<()> {
        if to.contains('/') {
            return Err(io::Error::other(format!("`{to}` is no address")));
        }
        std::fs::create_dir_all(&self.0)?;
        std::fs::write(self.0.join(to), message)
    }
}

fn policy(timeout_ms: u64) -> SandboxPolicy {
    SandboxPolicy {
        sandbox_id: SandboxId::new("unnumbered"),
        mode: SandboxMode::RemoteApi,
        filesystem: FilesystemRules {
            cwd: String::new(),
            read_roots: Vec::new(),
            write_roots: Vec::new(),
            blocked_paths: Vec::new(),
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
        process: SandboxProcess { timeout_ms, max_memory_mb: 0, max_stdout_bytes: 0, max_stderr_bytes: 0 },
        audit: SandboxAudit { record_command: false, record_file_access: false, record_network_access: true },
    }
}
