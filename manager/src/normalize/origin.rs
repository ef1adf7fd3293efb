//! Who serves a definition, as whoever read it knows.

use crate::model::{
    Egress, NetworkLimits, ResourceLimits, SandboxMode, SandboxRequirement, ServerId, SourceType, ToolSource,
    ToolVersion, TrustLevel,
};

/// Where a definition comes from and how far it is trusted.
#[derive(Debug, Clone, PartialEq)]
pub struct Origin {
    /// In which form it arrived.
    pub kind: SourceType,
    /// The source's name, such as the server's.
    pub source_id: String,
    /// Whether a tool's id is `SOURCE.TOOL` rather than `TOOL`.
    pub qualified: bool,
    /// The package that was started, if known.
    pub package_name: Option<String>,
    /// The command that was started, if known.
    pub command: Option<String>,
    /// The released version, if known.
    pub version: Option<ToolVersion>,
    /// How far it is trusted.
    pub trust: TrustLevel,
    /// Where a call would run.
    pub reach: Reach,
    /// The adapter that would run it.
    pub adapter: &'static str,
}

/// Where a call would run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// In a process on this machine.
    Process,
    /// Behind an interface elsewhere.
    Remote,
}

impl Origin {
    /// An MCP server, whose tools are called `SERVER.TOOL`.
    pub fn mcp(server: impl Into<String>, trust: TrustLevel) -> Self {
        Self { qualified: true, ..Self::plain(SourceType::Mcp, server.into(), trust, Reach::Process, "mcp") }
    }

    /// A list of functions in a provider's format, which says nothing on who runs them.
    pub fn functions(source: impl Into<String>, trust: TrustLevel) -> Self {
        Self::plain(SourceType::Http, source.into(), trust, Reach::Remote, "http")
    }

    fn plain(
        kind: SourceType,
        source_id: String,
        trust: TrustLevel,
        reach: Reach,
        adapter: &'static str,
    ) -> Self {
        Self {
            kind,
            source_id,
            qualified: false,
            package_name: None,
            command: None,
            version: None,
            trust,
            reach,
            adapter,
        }
    }

    pub(super) fn source(&self) -> ToolSource {
        ToolSource {
            kind: self.kind,
            source_id: self.source_id.clone(),
            package_name: self.package_name.clone(),
            server_id: (self.kind == SourceType::Mcp).then(|| ServerId::from(self.source_id.as_str())),
            command: self.command.clone(),
            uri: None,
        }
    }
}

impl Reach {
    /// The strictest sandbox in which such a call can still be told what it may reach: no host until one is
    /// allowed.
    pub(super) fn sandbox(self, timeout_ms: u64) -> SandboxRequirement {
        let (mode, network) = match self {
            Self::Process => {
                let network = NetworkLimits {
                    allow_domains: Vec::new(),
                    deny_domains: Vec::new(),
                    egress_policy: Egress::Allowlist,
                };
                (SandboxMode::NetworkRestricted, Some(network))
            }
            Self::Remote => (SandboxMode::RemoteApi, None),
        };
        let limits =
            ResourceLimits { timeout_ms, max_memory_mb: None, max_output_bytes: None, max_cost_usd: None };
        SandboxRequirement { mode, filesystem: None, network, limits: Some(limits) }
    }
}
