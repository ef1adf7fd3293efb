//! One limit: what it counts, for whom, and how much is allowed.

use super::Money;
use crate::model::{PrincipalId, ToolId};
use chrono::TimeDelta;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One limit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limit {
    /// Its name; a refused call is told it.
    pub id: String,
    /// The tools that it is about; empty: all.
    pub tools: Vec<ToolId>,
    /// The principals that it is about; empty: all.
    pub principals: Vec<PrincipalId>,
    /// What has a counter of its own; empty: one counter for everything.
    pub per: Vec<Per>,
    /// How much is allowed.
    pub most: Most,
    /// In any stretch of this length; `None`: for good.
    pub window: Option<TimeDelta>,
}

/// What has a counter of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Per {
    /// Each principal.
    Principal,
    /// Each tool.
    Tool,
    /// Each session.
    Session,
}

/// How much is allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Most {
    /// So many calls.
    Calls(u64),
    /// So much money.
    Cost(Money),
}

impl Limit {
    pub(super) fn is_about(&self, principal: &PrincipalId, tool: &ToolId) -> bool {
        (self.tools.is_empty() || self.tools.contains(tool))
            && (self.principals.is_empty() || self.principals.contains(principal))
    }
}
