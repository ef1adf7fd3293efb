//! What happens to arguments that an expectation does not name.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How strictly arguments are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ArgsMode {
    /// An argument that is not named fails, except one that equals its schema default.
    #[default]
    Exact,
    /// More arguments are allowed.
    Partial,
    /// Arguments are not looked at.
    Ignore,
}
