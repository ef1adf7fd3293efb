//! When a person must look at a tool before it may be used.

use crate::{
    event::fact::ToolNormalized,
    model::{EffectLevel, SourceType, TrustLevel},
};
use serde::Serialize;
use std::fmt;

/// Why a person must review a contract.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Demand {
    /// Its source is not trusted: what it does is its own word.
    Untrusted,
    /// It runs somebody else's code or words here, whoever vouches for the source.
    Foreign,
    /// Only what ships with the program may reach so far without a person's eyes.
    Reach,
    /// Security lints found something that only a person can judge.
    Findings,
    /// Its definition changed after it was enabled.
    Drift,
    /// It was blocked.
    Blocked,
    /// A person has rejected it.
    Rejected,
}

impl Demand {
    /// What trust and reach demand of a contract.
    pub(super) fn of(contract: &ToolNormalized) -> Option<Self> {
        if contract.trust < TrustLevel::Workspace {
            return Some(Self::Untrusted);
        }
        let foreign = match contract.source_type {
            SourceType::Mcp | SourceType::Skill | SourceType::Subagent => true,
            SourceType::Builtin | SourceType::Cli | SourceType::Http => false,
        };
        if contract.trust == TrustLevel::FirstParty {
            return None;
        }
        if foreign {
            return Some(Self::Foreign);
        }
        let far = contract.level >= EffectLevel::ExternalRead || contract.destructive;
        far.then_some(Self::Reach)
    }
}

impl fmt::Display for Demand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Untrusted => "its source is not trusted",
            Self::Foreign => "it comes from a server, a skill or an agent",
            Self::Reach => "it reaches beyond the workspace and does not ship with this program",
            Self::Findings => "security lints found something that a person must judge",
            Self::Drift => "its definition has changed since it was enabled",
            Self::Blocked => "it was blocked",
            Self::Rejected => "a person has rejected it",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        model::{Digest, testing::descriptor},
        registry::RegisteredTool,
    };

    #[test]
    fn trust_and_reach_decide() {
        use EffectLevel as L;
        use SourceType as S;
        use TrustLevel as T;
        let tool = RegisteredTool::new(descriptor("a")).unwrap();
        for (trust, source_type, level, expected) in [
            (T::FirstParty, S::Builtin, L::DestructiveOrAdmin, None),
            (T::FirstParty, S::Subagent, L::LocalCompute, None),
            (T::Workspace, S::Cli, L::WorkspaceWrite, None),
            (T::Workspace, S::Cli, L::ExternalRead, Some(Demand::Reach)),
            (T::Workspace, S::Mcp, L::PureRead, Some(Demand::Foreign)),
            (T::ThirdParty, S::Cli, L::PureRead, Some(Demand::Untrusted)),
            (T::Untrusted, S::Builtin, L::PureRead, Some(Demand::Untrusted)),
        ] {
            let contract =
                ToolNormalized { trust, source_type, level, ..ToolNormalized::of(&tool, Digest::zero()) };
            assert_eq!(Demand::of(&contract), expected, "{trust:?} {source_type:?} {level}");
        }
    }
}
