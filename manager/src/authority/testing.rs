//! A question that tests vary.

use super::preview;
use crate::model::{ApprovalRequest, Digest, Domain};
use chrono::{DateTime, TimeDelta, Utc};
use serde_json::json;

pub(crate) fn digest(of: &str) -> Digest {
    Digest::of_bytes(Domain::Plain, of.as_bytes())
}

pub(crate) fn now() -> DateTime<Utc> {
    "2026-01-01T00:00:00Z".parse().unwrap()
}

/// Whether somebody may send a mail, once or in this session.
pub(crate) fn request(id: &str) -> ApprovalRequest {
    let contract = json!({
        "approvalId": id, "toolCallId": "tc_1", "sessionId": "ses_1", "principal": "user:dev",
        "toolId": "mail.send", "toolVersion": "1.0.0", "descriptorDigest": digest("contract"),
        "argsDigest": digest("args"), "policySet": digest("p"), "riskLevel": "high", "effectLevel": "L4",
        "scopes": [], "credentials": [], "sandboxDigest": digest("sandbox"),
        "previewDigest": digest("preview"), "expiresAt": now() + TimeDelta::minutes(10),
    });
    let mut request: ApprovalRequest = serde_json::from_value(json!({
        "approvalId": id, "toolCallId": "tc_1", "summary": "s", "rationaleSummary": "r",
        "tool": { "name": "mail.send", "version": "1.0.0" }, "argsPreview": { "to": "a@example.com" },
        "argsDigest": digest("args"),
        "effectsPreview": { "reads": [], "writes": [], "externalCalls": [], "userVisibleSideEffect": true },
        "credentialPreview": { "principal": "user:dev", "scopes": [] },
        "risk": { "level": "high", "effectLevel": "L4", "reasons": [] },
        "options": { "allowOnce": true, "allowForSession": true, "deny": true },
        "expiresAt": now() + TimeDelta::minutes(10), "contract": contract, "contractDigest": digest("c"),
    }))
    .unwrap();
    request.preview = preview(&request);
    request
}
