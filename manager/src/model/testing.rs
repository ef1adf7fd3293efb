//! A small descriptor that tests vary.

use super::ToolDescriptor;
use serde_json::json;

/// A first-party, read-only tool without parameters.
pub(crate) fn descriptor(id: &str) -> ToolDescriptor {
    serde_json::from_value(json!({
        "toolId": id,
        "canonicalName": id,
        "displayName": id,
        "version": "1.0.0",
        "source": { "type": "builtin", "sourceId": "test" },
        "description": { "summary": "A tool." },
        "intent": { "actionTypes": ["read"] },
        "schemas": { "inputSchema": { "type": "object" } },
        "effects": {
            "reads": [], "writes": [], "externalCalls": false, "sendsUserData": false,
            "mutatesState": false, "idempotent": true, "reversible": true, "dryRunSupported": false,
        },
        "risk": { "level": "low", "destructive": false, "openWorld": false },
        "permissions": { "approvalPolicy": "never", "requiredScopes": [] },
        "sandbox": { "mode": "read_only" },
        "credentials": { "strategy": "none", "scopeCheckRequired": false },
        "contextPolicy": {
            "exposeToModel": true, "exposeOutputToModel": "preview", "maxOutputPreviewTokens": 1000,
        },
        "execution": { "adapter": "builtin", "timeoutMs": 1000, "retryPolicy": { "maxRetries": 0 } },
        "provenance": { "trustLevel": "first_party" },
    }))
    .unwrap()
}
