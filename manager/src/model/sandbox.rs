//! §13: where a tool may run and what it may touch there.

use super::{CanonicalError, Digest, Domain, SandboxId, ToolDescriptor, digest_of};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How strongly an execution is isolated, weakest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SandboxMode {
    /// Not isolated: only for code that is the runtime itself.
    None,
    /// May read its roots.
    ReadOnly,
    /// May also write its write roots.
    WorkspaceWrite,
    /// May also reach the hosts it is allowed.
    NetworkRestricted,
    /// Runs in a container.
    Container,
    /// Runs in a virtual machine.
    Vm,
    /// Runs elsewhere: what is limited is the request.
    RemoteApi,
}

/// What reaches the network.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the specification's own words")]
pub enum Egress {
    None,
    Allowlist,
    Open,
}

/// What a descriptor demands of its sandbox (§6).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SandboxRequirement {
    /// How strongly it is isolated.
    pub mode: SandboxMode,
    /// Which parts of the file system it sees.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub filesystem: Option<FilesystemLimits>,
    /// Which hosts it reaches.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub network: Option<NetworkLimits>,
    /// Time, memory, output and cost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limits: Option<ResourceLimits>,
}

/// Roots as a descriptor names them.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[expect(missing_docs, reason = "the specification's own words")]
pub struct FilesystemLimits {
    pub read_roots: Vec<String>,
    pub write_roots: Vec<String>,
    pub blocked_paths: Vec<String>,
}

/// Hosts as a descriptor names them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[expect(missing_docs, reason = "the specification's own words")]
pub struct NetworkLimits {
    #[serde(default)]
    pub allow_domains: Vec<String>,
    #[serde(default)]
    pub deny_domains: Vec<String>,
    pub egress_policy: Egress,
}

/// Bounds of one execution.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ResourceLimits {
    /// Wall time in milliseconds.
    pub timeout_ms: u64,
    /// Memory in MiB.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_memory_mb: Option<u64>,
    /// Output in bytes, standard output and error together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_output_bytes: Option<u64>,
    /// Money in US dollars.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_cost_usd: Option<f64>,
}

/// The resolved policy of one sandbox: no default left open.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "the specification's own words")]
pub struct SandboxPolicy {
    pub sandbox_id: SandboxId,
    pub mode: SandboxMode,
    pub filesystem: FilesystemRules,
    pub network: NetworkRules,
    pub environment: SandboxEnvironment,
    pub process: SandboxProcess,
    pub audit: SandboxAudit,
}

impl SandboxPolicy {
    /// Digest of what the policy demands: everything but the identity and scratch folder of this one sandbox.
    ///
    /// # Errors
    /// [`CanonicalError`] if it has no canonical form.
    pub fn demands(&self) -> Result<Digest, CanonicalError> {
        let mut demanded = self.clone();
        demanded.sandbox_id = SandboxId::new("");
        demanded.filesystem.temp_dir = String::new();
        digest_of(Domain::Sandbox, &demanded)
    }
}

/// The file system as it will be seen.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "the specification's own words")]
pub struct FilesystemRules {
    pub cwd: String,
    pub read_roots: Vec<String>,
    pub write_roots: Vec<String>,
    pub blocked_paths: Vec<String>,
    pub temp_dir: String,
    pub persist_outputs: bool,
}

/// The network as it will be reached.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "the specification's own words")]
pub struct NetworkRules {
    pub egress: Egress,
    pub allow_domains: Vec<String>,
    pub deny_private_networks: bool,
}

/// Which variables the process gets.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "the specification's own words")]
pub struct SandboxEnvironment {
    pub inherited_env: Vec<String>,
    pub injected_env: Vec<String>,
    pub secret_env_allowed: bool,
}

/// Bounds on the process.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "the specification's own words")]
pub struct SandboxProcess {
    pub timeout_ms: u64,
    pub max_memory_mb: u64,
    pub max_stdout_bytes: u64,
    pub max_stderr_bytes: u64,
}

/// A call whose contract does not say may put out so many bytes.
const UNSAID_OUTPUT: u64 = 1 << 20;

impl SandboxProcess {
    /// The bounds that a tool's contract sets: the smaller one where it sets two. A memory of 0 is not bounded.
    pub fn of(tool: &ToolDescriptor) -> Self {
        let limits = tool.sandbox.limits.as_ref();
        let timeout_ms = tool.execution.timeout_ms;
        let output = limits.and_then(|l| l.max_output_bytes).unwrap_or(UNSAID_OUTPUT);
        Self {
            timeout_ms: limits.map_or(timeout_ms, |limits| limits.timeout_ms.min(timeout_ms)),
            max_memory_mb: limits.and_then(|l| l.max_memory_mb).unwrap_or(0),
            max_stdout_bytes: output,
            max_stderr_bytes: output,
        }
    }
}

/// What the sandbox writes down.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "the specification's own words")]
pub struct SandboxAudit {
    pub record_command: bool,
    pub record_file_access: bool,
    pub record_network_access: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smaller_bound_counts_and_each_reaches_the_sandbox() {
        let limits = |timeout_ms, max_memory_mb, max_output_bytes| {
            Some(ResourceLimits { timeout_ms, max_memory_mb, max_output_bytes, max_cost_usd: None })
        };
        let rows = [
            (None, 5000, (5000, 0, 1 << 20)),
            (limits(1000, None, None), 5000, (1000, 0, 1 << 20)),
            (limits(9000, Some(64), Some(10)), 5000, (5000, 64, 10)),
        ];
        for (limits, timeout_ms, expected) in rows {
            let mut tool = crate::model::testing::descriptor("t");
            tool.sandbox.limits = limits;
            tool.execution.timeout_ms = timeout_ms;
            let found = SandboxProcess::of(&tool);
            assert_eq!((found.timeout_ms, found.max_memory_mb, found.max_stdout_bytes), expected);
            assert_eq!(found.max_stderr_bytes, found.max_stdout_bytes);
        }
    }
}
