//! In which surroundings a call is decided: where, with what left to spend, after having read what.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// What policy is told beside who, what and why. Recorded with a decision, so that it can be decided again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct Surroundings {
    /// What this environment is called, such as `development`. Where nobody says, it is `production`: the
    /// one in which the least is allowed.
    #[serde(skip_serializing_if = "is_production")]
    pub environment: String,
    /// The workspace that the session works in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workspace: Option<String>,
    /// What may still be spent.
    #[serde(skip_serializing_if = "BudgetLeft::is_unlimited")]
    pub budget: BudgetLeft,
    /// What the session has read so far, such as `read-private`.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub labels: BTreeSet<String>,
}

/// What may still be spent; what is absent has no limit.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct BudgetLeft {
    /// Calls.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub calls: Option<u64>,
    /// Money in US dollars.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
}

const PRODUCTION: &str = "production";

fn is_production(environment: &str) -> bool {
    environment == PRODUCTION
}

impl BudgetLeft {
    /// Whether nothing limits it.
    pub fn is_unlimited(&self) -> bool {
        *self == Self::default()
    }
}

impl Default for Surroundings {
    fn default() -> Self {
        Self {
            environment: PRODUCTION.to_owned(),
            workspace: None,
            budget: BudgetLeft::default(),
            labels: BTreeSet::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_nobody_says_is_strict_and_is_not_written() {
        let nothing = Surroundings::default();
        assert_eq!(serde_json::to_value(&nothing).unwrap(), json!({}));
        assert_eq!(serde_json::from_value::<Surroundings>(json!({})).unwrap().environment, "production");
    }
}
