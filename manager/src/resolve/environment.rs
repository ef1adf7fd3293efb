//! What can be used where this session runs.

use crate::model::{CredentialStrategy, SandboxMode, ToolDescriptor};

/// Which things of a kind there are.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Available<T> {
    /// Nobody has said that anything is missing.
    #[default]
    Everything,
    /// Only these.
    Only(Vec<T>),
}

impl<T: PartialEq> Available<T> {
    fn has(&self, thing: &T) -> bool {
        match self {
            Self::Everything => true,
            Self::Only(things) => things.contains(thing),
        }
    }
}

/// What can be used where this session runs. By default nothing is missing.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Environment {
    /// Names of the secrets that the broker can bind for this principal.
    pub secrets: Available<String>,
    /// Sandbox modes that this machine can enforce.
    pub sandboxes: Available<SandboxMode>,
}

impl Environment {
    /// The first secret that a tool needs and that cannot be bound.
    pub fn missing_secret<'t>(&self, tool: &'t ToolDescriptor) -> Option<&'t str> {
        if tool.credentials.strategy == CredentialStrategy::None {
            return None;
        }
        let missing = tool.credentials.required_secrets.iter().find(|s| !self.secrets.has(s));
        missing.map(String::as_str)
    }

    /// Whether the tool's sandbox can be enforced here. A tool that needs none can run anywhere.
    pub fn can_sandbox(&self, tool: &ToolDescriptor) -> bool {
        tool.sandbox.mode == SandboxMode::None || self.sandboxes.has(&tool.sandbox.mode)
    }
}
