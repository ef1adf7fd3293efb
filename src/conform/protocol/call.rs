//! The road of one call, from its arguments to its result.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Proposes a call as a model would, and holds its arguments against the schema.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ValidateArgs {
    /// The tool, by any name at all.
    pub tool_id: String,
    /// The arguments.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub args: Option<Value>,
    /// The arguments as the text that a model wrote, in place of `args`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub args_text: Option<String>,
}

/// A call whose arguments are valid.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Validated {
    /// By which it is named from here on. The manager keeps the arguments: no later method repeats them.
    pub call_id: String,
}

/// Asks policy about a call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Authorize {
    /// The call.
    pub call_id: String,
}

/// What policy says of a call that it does not deny.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Authorized {
    /// Whether it may go on, or somebody must be asked.
    pub decision: Decision,
    /// The question, where somebody must be asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approval: Option<ApprovalOffered>,
}

/// What policy says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the specification's own words")]
pub enum Decision {
    Allow,
    Ask,
    Deny,
}

/// A question about exactly one call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ApprovalOffered {
    /// By which an answer names it.
    pub approval_id: String,
    /// Digest of everything that the answer is bound to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contract_digest: Option<String>,
    /// What must be typed to say yes, where choosing is not enough.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phrase: Option<String>,
}

/// Answers the question of a call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Approve {
    /// The call.
    pub call_id: String,
    /// The answer.
    pub reply: Reply,
    /// Who gives it; the manager has to check their right.
    pub by: String,
    /// What they typed; absent where they chose.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phrase: Option<String>,
    /// How far a yes is to reach.
    #[serde(default)]
    pub reach: Reach,
    /// The question that it answers; the call's own where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approval_id: Option<String>,
    /// The contract that it says yes to; the call's own where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contract_digest: Option<String>,
}

/// An answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Reply {
    /// Yes.
    Allow,
    /// No.
    Deny,
    /// None: nobody answers.
    Silence,
}

/// How far a yes reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Reach {
    /// This call alone.
    #[default]
    Once,
    /// The session.
    Session,
    /// Until it is taken back.
    Always,
}

/// A yes that counts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Approved {
    /// The grant that follows, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grant_id: Option<String>,
}

/// Settles where and with what a call runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Prepare {
    /// The call.
    pub call_id: String,
}

/// A call that only needs to be started.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Prepared {
    /// Its sandbox, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sandbox_id: Option<String>,
}

/// Runs a call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Execute {
    /// The call.
    pub call_id: String,
    /// What somebody claims the arguments to be by now. A manager runs what it holds, or refuses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub args: Option<Value>,
}

/// A call that has run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Executed {
    /// The manager's word for how it ended, such as `success` or `error`.
    pub outcome: String,
}

/// Holds a result against its contract, keeps the evidence, and gives what a model may see.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Verify {
    /// The call.
    pub call_id: String,
}

/// What goes back to the model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Verified {
    /// The words that the model sees.
    #[serde(default)]
    pub preview: String,
    /// Why the call failed, as it is told to the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Where the whole output is kept.
    #[serde(default)]
    pub artifacts: Vec<ArtifactKept>,
}

/// An output that is kept.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ArtifactKept {
    /// Its id.
    pub artifact_id: String,
}

/// Asks for all that is known of a call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Explain {
    /// The call.
    pub call_id: String,
}

/// The account of a call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Explained {
    /// The types of its events, in their order.
    pub steps: Vec<String>,
}

/// Takes a grant back.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Revoke {
    /// The grant.
    pub grant_id: String,
}
