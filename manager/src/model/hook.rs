//! When the hooks of a contract are asked.

use super::ToolDescriptor;
use serde::{Deserialize, Serialize};

/// When a hook is asked, by the contract's words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Moment {
    /// Before somebody is asked, and before it runs. A no stops the call.
    PreCall,
    /// When it has run. A no makes the result an error.
    Verifier,
    /// When the result is verified. A no is recorded.
    PostCall,
    /// When it failed, or its result was not accepted. A no is recorded.
    OnError,
}

impl Moment {
    /// The word in contracts.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::PreCall => "preCall",
            Self::Verifier => "verifier",
            Self::PostCall => "postCall",
            Self::OnError => "onError",
        }
    }

    /// The hooks that a contract names for it.
    pub fn hooks(self, tool: &ToolDescriptor) -> &[String] {
        match self {
            Self::PreCall => &tool.hooks.pre_call,
            Self::Verifier => &tool.hooks.verifier,
            Self::PostCall => &tool.hooks.post_call,
            Self::OnError => &tool.hooks.on_error,
        }
    }
}
