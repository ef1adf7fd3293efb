//! Attributes whose words are known: a policy that compares them with another word can never match.

use super::{
    labels,
    question::{approval_word, source_word},
    vocabulary::Vocabulary,
};
use crate::model::{ActionType, ApprovalPolicy, RiskLevel, SourceType, TargetKind, TrustLevel};

/// The words that an attribute can hold, if they are known.
pub(super) fn of(path: &str, vocabulary: &Vocabulary<'_>) -> Option<Vec<String>> {
    let owned = |words: &[&str]| words.iter().map(|w| (*w).to_owned()).collect();
    Some(match path {
        "resource.level" => (0..=5).map(|level: u8| level.to_string()).collect(),
        "resource.actionTypes" | "context.intent.actionTypes" => {
            owned(&ActionType::ALL.map(ActionType::as_str))
        }
        "resource.trust" => owned(&TRUST.map(TrustLevel::as_str)),
        "resource.risk" => owned(&RISK.map(RiskLevel::as_str)),
        "resource.source" => owned(&SOURCE.map(source_word)),
        "resource.approvalPolicy" => owned(&APPROVAL.map(approval_word)),
        "resource.labels" => owned(&[labels::READ_PRIVATE, labels::READ_UNTRUSTED]),
        "resource.id" => vocabulary.ids().map(ToOwned::to_owned).collect(),
        "resource.requiredScopes" => vocabulary.scopes().into_iter().map(ToOwned::to_owned).collect(),
        "context.intent.target.kind" => owned(&TargetKind::ALL.map(TargetKind::as_str)),
        _ => return None,
    })
}

const TRUST: [TrustLevel; 4] =
    [TrustLevel::Untrusted, TrustLevel::ThirdParty, TrustLevel::Workspace, TrustLevel::FirstParty];
const RISK: [RiskLevel; 4] = [RiskLevel::Low, RiskLevel::Medium, RiskLevel::High, RiskLevel::Critical];
const SOURCE: [SourceType; 6] = [
    SourceType::Builtin,
    SourceType::Cli,
    SourceType::Skill,
    SourceType::Mcp,
    SourceType::Http,
    SourceType::Subagent,
];
const APPROVAL: [ApprovalPolicy; 4] =
    [ApprovalPolicy::Never, ApprovalPolicy::OnRequest, ApprovalPolicy::OnRisk, ApprovalPolicy::Always];
