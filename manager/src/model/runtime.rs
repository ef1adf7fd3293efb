//! Where and with what a call would run, settled before anybody is asked about it.

use super::{Digest, ExecutableRef};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What of the surroundings an approval is bound to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RuntimeTerms {
    /// Where it would run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub working_directory: Option<String>,
    /// The program it would run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub executable: Option<ExecutableRef>,
    /// What its sandbox would demand.
    pub sandbox_digest: Digest,
    /// References of the credentials it would use.
    pub credentials: Vec<String>,
}
