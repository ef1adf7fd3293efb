//! The tools of the house.

use super::world::merge;
use proofhouse_manager::model::ToolDescriptor;
use serde_json::{Value, json};

/// A tool that reads, and what is different about it.
fn tool(id: &str, different: Value) -> ToolDescriptor {
    let mut descriptor = json!({
        "toolId": id, "canonicalName": id, "displayName": id, "version": "1.0.0",
        "source": { "type": "builtin", "sourceId": "house" },
        "description": {
            "summary": format!("Does what {id} says, in the workspace of the shop."),
            "useWhen": [format!("somebody asks for {id} by what it does")],
            "doNotUseWhen": ["something else is asked for"],
            "examples": [{ "userRequest": format!("Please use {id}"), "expectedArgs": { "path": "notes.txt" } }],
        },
        "intent": { "actionTypes": ["read"], "domains": ["notes"] },
        "schemas": { "inputSchema": {
            "type": "object", "additionalProperties": false, "required": ["path"],
            "properties": {
                "path": { "type": "string", "minLength": 1, "description": "What it is about." },
                "only": { "type": "string", "description": "Only this part of it." },
            },
        } },
        "effects": {
            "reads": ["file:**"], "writes": [], "externalCalls": false, "sendsUserData": false,
            "mutatesState": false, "idempotent": true, "reversible": true, "dryRunSupported": false,
        },
        "risk": { "level": "low", "destructive": false, "openWorld": false },
        "permissions": { "approvalPolicy": "never", "requiredScopes": ["workspace:read"] },
        "sandbox": {
            "mode": "read_only",
            "filesystem": { "readRoots": ["."], "writeRoots": [], "blockedPaths": [] },
            "network": { "allowDomains": [], "denyDomains": [], "egressPolicy": "none" },
            "limits": { "timeoutMs": 10000, "maxOutputBytes": 1048576 },
        },
        "credentials": { "strategy": "none", "scopeCheckRequired": false },
        "contextPolicy": {
            "exposeToModel": true, "exposeOutputToModel": "preview", "maxOutputPreviewTokens": 50,
        },
        "execution": { "adapter": "builtin", "timeoutMs": 10000, "retryPolicy": { "maxRetries": 0, "retryOn": [] } },
        "hooks": {},
        "observability": { "logArgs": true, "logResultPreview": true, "auditLevel": "basic" },
        "provenance": { "trustLevel": "first_party" },
    });
    merge(&mut descriptor, different);
    serde_json::from_value(descriptor).unwrap()
}

/// Reads; another one under each name.
pub(crate) fn reads(id: &str) -> ToolDescriptor {
    tool(id, json!({}))
}

/// Changes the workspace, and is asked about each time.
pub(crate) fn writes() -> ToolDescriptor {
    let different = json!({
        "intent": { "actionTypes": ["write"] },
        "effects": { "reads": [], "writes": ["file:**"], "mutatesState": true },
        "risk": { "level": "medium" },
        "permissions": { "approvalPolicy": "always", "requiredScopes": ["workspace:write"] },
        "sandbox": { "mode": "workspace_write", "filesystem": { "writeRoots": ["."] } },
    });
    tool("notes.write", different)
}

/// Destroys what lies elsewhere.
pub(crate) fn destroys() -> ToolDescriptor {
    let different = json!({
        "source": { "type": "http", "uri": "https://db.example.com/api" },
        "intent": { "actionTypes": ["delete"], "domains": ["database"] },
        "effects": {
            "reads": ["db:**"], "deletes": ["db:**"], "externalCalls": true, "mutatesState": true,
            "reversible": false, "dryRunSupported": true,
        },
        "risk": { "level": "critical", "destructive": true },
        "permissions": { "approvalPolicy": "always", "requiredScopes": ["db:admin"] },
        "sandbox": {
            "mode": "remote_api",
            "network": { "allowDomains": ["db.example.com"], "egressPolicy": "allowlist" },
        },
        "execution": { "adapter": "http" },
    });
    tool("table.drop", different)
}

/// Runs a program here.
pub(crate) fn runs() -> ToolDescriptor {
    let different = json!({
        "source": { "type": "cli", "command": "make test" },
        "intent": { "actionTypes": ["execute"], "domains": ["tests"] },
        "execution": { "adapter": "cli" },
    });
    tool("tests.run", different)
}

/// Is served by an MCP server on this machine; what it says of itself may change.
pub(crate) fn served(summary: &str) -> ToolDescriptor {
    let different = json!({
        "source": { "type": "mcp", "sourceId": "tickets", "serverId": "tickets" },
        "description": { "summary": summary },
        "intent": { "domains": ["tickets"] },
        "permissions": { "requiredScopes": ["tickets:read"] },
        "execution": { "adapter": "mcp-stdio" },
    });
    tool("tickets.search", different)
}

/// A script of a skill.
pub(crate) fn scripted() -> ToolDescriptor {
    let different = json!({
        "source": { "type": "skill", "sourceId": "pdf" },
        "intent": { "domains": ["documents"] },
        "execution": { "adapter": "skill-script" },
    });
    tool("pdf.fill", different)
}

/// Reads what no model may see, with arguments that no log may hold.
pub(crate) fn hides() -> ToolDescriptor {
    let different = json!({
        "contextPolicy": { "exposeOutputToModel": "none" },
        "observability": { "logArgs": false, "logResultPreview": true },
    });
    tool("vault.read", different)
}

/// Is for those with a scope that Ada lacks.
pub(crate) fn of_others() -> ToolDescriptor {
    tool("payroll.read", json!({ "permissions": { "requiredScopes": ["payroll:read"] } }))
}
