//! Facts of one turn: what was said, meant, found, shown and answered.

use super::{Summary, shorten};
use crate::model::{Digest, Dropped, ExposedTool, IntentId, Principal, Surroundings, ToolIntent, ViewId};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A user said something.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct UserPromptSubmitted {
    /// The words.
    pub prompt: String,
}

/// The planner's reading of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct IntentRecorded {
    /// The intent.
    pub intent: ToolIntent,
}

/// Candidates were found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolsResolved {
    /// For which intent.
    pub intent_id: IntentId,
    /// Tools that were looked at.
    pub known: usize,
    /// Tools that passed every filter.
    pub candidates: usize,
    /// Digest of the policy set that was asked.
    pub policy_set: Digest,
    /// Who was decided about; absent in journals of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub principal: Option<Arc<Principal>>,
    /// The surroundings that it was decided in; absent where they are the default ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub surroundings: Option<Arc<Surroundings>>,
}

/// A view was compiled.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolViewCompiled {
    /// The view.
    pub view_id: ViewId,
    /// For which intent.
    pub intent_id: IntentId,
    /// Digest of the view.
    pub view_digest: Digest,
    /// Every exposed tool, with reason and policy decision.
    pub tools: Vec<ExposedTool>,
    /// Every other tool, with the filter that dropped it.
    pub dropped: Vec<Dropped>,
    /// Estimated tokens of the exposed tools.
    pub tokens: u64,
}

/// What a model did, as the journal says it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProposedOutcome {
    /// It proposed at least one call.
    Called,
    /// It answered in words.
    Abstained,
    /// It declined.
    Refused,
    /// It tried to call something, and that cannot be read.
    Unparsable,
    /// It was cut off.
    Truncated,
}

/// A model answered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ModelOutputReceived {
    /// Who answered.
    pub model: String,
    /// What it did.
    pub outcome: ProposedOutcome,
    /// How many calls it proposes.
    pub calls: usize,
    /// Its words, cut to a bound.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// A skill's instructions entered the context. It grants nothing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SkillLoaded {
    /// The skill's name.
    pub skill: String,
    /// Where it lies.
    pub source: String,
    /// Digest of its whole tree.
    pub tree_digest: Digest,
    /// Bytes that entered the context.
    pub bytes: u64,
}

impl Summary for UserPromptSubmitted {
    fn summary(&self) -> String {
        shorten(&self.prompt)
    }
}

impl Summary for IntentRecorded {
    fn summary(&self) -> String {
        let actions: Vec<_> = self.intent.action_types.iter().map(|a| a.as_str()).collect();
        let actions = if actions.is_empty() { "any action".to_owned() } else { actions.join(", ") };
        format!("{actions}: {}", shorten(&self.intent.rationale_summary))
    }
}

impl Summary for ToolsResolved {
    fn summary(&self) -> String {
        format!("{} of {} tools may be used", self.candidates, self.known)
    }
}

impl Summary for ToolViewCompiled {
    fn summary(&self) -> String {
        let Self { tools, dropped, tokens, .. } = self;
        format!("{} tools shown, {} left out, about {tokens} tokens", tools.len(), dropped.len())
    }
}

impl Summary for ModelOutputReceived {
    fn summary(&self) -> String {
        let Self { model, calls, text, .. } = self;
        match text {
            Some(text) if *calls == 0 => format!("{model}: {}", shorten(text)),
            _ => format!("{model} proposes {calls} {}", if *calls == 1 { "call" } else { "calls" }),
        }
    }
}

impl Summary for SkillLoaded {
    fn summary(&self) -> String {
        format!("skill `{}` loaded, {} bytes", self.skill, self.bytes)
    }
}
