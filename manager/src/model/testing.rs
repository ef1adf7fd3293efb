//! A small descriptor that tests vary.

use super::ToolDescriptor;
use serde_json::{Value, json};

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

/// A tool that makes this request to `api.example`, with one required argument, `id`.
pub(crate) fn requesting(id: &str, request: Value) -> ToolDescriptor {
    let mut tool = serde_json::to_value(descriptor(id)).unwrap();
    tool["schemas"]["inputSchema"] = json!({
        "type": "object", "required": ["id"], "properties": { "id": { "type": "string" } },
    });
    tool["effects"]["externalCalls"] = json!(true);
    tool["sandbox"] = json!({
        "mode": "remote_api",
        "network": { "allowDomains": ["api.example"], "denyDomains": [], "egressPolicy": "allowlist" },
    });
    tool["execution"]["adapter"] = json!("http");
    tool["execution"]["request"] = request;
    serde_json::from_value(tool).unwrap()
}
