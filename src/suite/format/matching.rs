//! Whose rules say whether an answer is right.

use crate::matcher::bfcl::Rules;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Whose rules say whether an answer is right; a case's fields go before those of its suite.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "Match")]
pub(in crate::suite) struct MatchFile {
    /// `default` if left out.
    #[serde(default)]
    pub(in crate::suite) profile: Option<ProfileName>,
    /// The part of the leaderboard that a case belongs to, such as `simple_java`; it decides what is asked for, and
    /// in which language. Only for the profiles of the leaderboard.
    #[serde(default)]
    pub(in crate::suite) category: Option<String>,
}

/// Some rules by their name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(in crate::suite) enum ProfileName {
    /// Ours: `args` are patterns.
    #[default]
    Default,
    /// The Berkeley Function Calling Leaderboard of August 2024: `args` are lists of allowed values.
    #[serde(rename = "bfcl-2024")]
    Bfcl2024,
    /// The same leaderboard, version 4.
    BfclV4,
}

impl ProfileName {
    /// The edition of the leaderboard's rules; none for ours.
    pub(in crate::suite) fn edition(self) -> Option<Rules> {
        match self {
            Self::Default => None,
            Self::Bfcl2024 => Some(Rules::V2024),
            Self::BfclV4 => Some(Rules::V4),
        }
    }
}

impl MatchFile {
    /// These fields over those of the suite.
    pub(in crate::suite) fn over(&self, outer: &Self) -> Self {
        Self {
            profile: self.profile.or(outer.profile),
            category: self.category.clone().or_else(|| outer.category.clone()),
        }
    }
}
