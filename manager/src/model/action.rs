//! §7 and §12: kinds of action, and the six effect levels.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::{fmt, str::FromStr};

/// The unified classification of actions (§7).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the specification's own words")]
pub enum ActionType {
    Read,
    Search,
    Inspect,
    Compute,
    Transform,
    Generate,
    Write,
    Patch,
    Execute,
    Deploy,
    ExternalSend,
    Purchase,
    Delete,
    Admin,
    Auth,
    MemoryRead,
    MemoryWrite,
    SubagentDelegate,
}

impl ActionType {
    /// Every action type, in the specification's order.
    pub const ALL: [Self; 18] = [
        Self::Read,
        Self::Search,
        Self::Inspect,
        Self::Compute,
        Self::Transform,
        Self::Generate,
        Self::Write,
        Self::Patch,
        Self::Execute,
        Self::Deploy,
        Self::ExternalSend,
        Self::Purchase,
        Self::Delete,
        Self::Admin,
        Self::Auth,
        Self::MemoryRead,
        Self::MemoryWrite,
        Self::SubagentDelegate,
    ];

    /// The lowest level that an action of this type can have, by the layering of §7.
    ///
    /// What a tool's effects say can only raise it ([`EffectLevel::of`](super::ToolDescriptor::level)).
    pub const fn floor(self) -> EffectLevel {
        use EffectLevel as L;
        match self {
            Self::Read | Self::Search | Self::Inspect | Self::MemoryRead => L::PureRead,
            Self::Compute | Self::Transform | Self::Generate | Self::Execute | Self::SubagentDelegate => {
                L::LocalCompute
            }
            Self::Write | Self::Patch | Self::MemoryWrite => L::WorkspaceWrite,
            Self::ExternalSend | Self::Auth => L::ExternalWrite,
            Self::Delete | Self::Admin | Self::Purchase | Self::Deploy => L::DestructiveOrAdmin,
        }
    }

    /// The specification's word for it, as in JSON.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Search => "search",
            Self::Inspect => "inspect",
            Self::Compute => "compute",
            Self::Transform => "transform",
            Self::Generate => "generate",
            Self::Write => "write",
            Self::Patch => "patch",
            Self::Execute => "execute",
            Self::Deploy => "deploy",
            Self::ExternalSend => "external_send",
            Self::Purchase => "purchase",
            Self::Delete => "delete",
            Self::Admin => "admin",
            Self::Auth => "auth",
            Self::MemoryRead => "memory_read",
            Self::MemoryWrite => "memory_write",
            Self::SubagentDelegate => "subagent_delegate",
        }
    }
}

impl fmt::Display for ActionType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// How far an action reaches (§12), ordered: a higher level asks for more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
pub enum EffectLevel {
    /// `pure_read`: read-only, no external effect.
    #[serde(rename = "L0")]
    PureRead,
    /// `local_compute`: computes locally, leaves the workspace as it was.
    #[serde(rename = "L1")]
    LocalCompute,
    /// `workspace_write`: changes the workspace.
    #[serde(rename = "L2")]
    WorkspaceWrite,
    /// `external_read`: reads external services or user data.
    #[serde(rename = "L3")]
    ExternalRead,
    /// `external_write`: visible effects in external systems.
    #[serde(rename = "L4")]
    ExternalWrite,
    /// `destructive_or_admin`: deletion, deployment, purchase, permission change.
    #[serde(rename = "L5")]
    DestructiveOrAdmin,
}

impl EffectLevel {
    /// Every level, lowest first.
    pub const ALL: [Self; 6] = [
        Self::PureRead,
        Self::LocalCompute,
        Self::WorkspaceWrite,
        Self::ExternalRead,
        Self::ExternalWrite,
        Self::DestructiveOrAdmin,
    ];

    /// 0 to 5.
    pub const fn number(self) -> u8 {
        self as u8
    }

    /// `L0` to `L5`.
    pub const fn code(self) -> &'static str {
        match self {
            Self::PureRead => "L0",
            Self::LocalCompute => "L1",
            Self::WorkspaceWrite => "L2",
            Self::ExternalRead => "L3",
            Self::ExternalWrite => "L4",
            Self::DestructiveOrAdmin => "L5",
        }
    }

    /// The specification's name, such as `external_write`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::PureRead => "pure_read",
            Self::LocalCompute => "local_compute",
            Self::WorkspaceWrite => "workspace_write",
            Self::ExternalRead => "external_read",
            Self::ExternalWrite => "external_write",
            Self::DestructiveOrAdmin => "destructive_or_admin",
        }
    }
}

impl fmt::Display for EffectLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}

impl FromStr for EffectLevel {
    type Err = UnknownLevel;

    fn from_str(text: &str) -> Result<Self, UnknownLevel> {
        Self::ALL
            .into_iter()
            .find(|l| l.code().eq_ignore_ascii_case(text) || l.name() == text)
            .ok_or_else(|| UnknownLevel(text.to_owned()))
    }
}

/// A text that names no effect level.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown effect level `{0}`; expected one of `L0` to `L5`")]
pub struct UnknownLevel(String);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_action_type_has_one_word_in_json_and_in_text() {
        for action in ActionType::ALL {
            assert_eq!(serde_json::to_value(action).unwrap(), action.as_str());
        }
    }

    #[test]
    fn levels_are_ordered_and_parse_back() {
        assert!(EffectLevel::ALL.is_sorted());
        for level in EffectLevel::ALL {
            assert_eq!(level.code().parse(), Ok(level));
            assert_eq!(level.name().parse(), Ok(level));
        }
        assert!("L6".parse::<EffectLevel>().is_err());
    }
}
