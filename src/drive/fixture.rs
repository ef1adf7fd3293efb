//! From a tool of the suite to a contract of ours.

use super::{outbox, skill};
use crate::conform::protocol::{Fixture, FixtureEffects, Risk, Source, SourceKind, WhenAsked};
use proofhouse_manager::model::ToolDescriptor;
use serde_json::{Value, json};
use std::path::Path;

/// The contract of a tool.
///
/// # Errors
/// Why it is none.
pub(super) fn descriptor(
    workspace: &Path,
    source: &Source,
    fixture: &Fixture,
) -> Result<ToolDescriptor, String> {
    let mut written = contract(source, fixture);
    // What a tool does not say about itself is not filled in: the contract is then none.
    if let Some(effects) = &fixture.effects {
        written["effects"] = effects_of(effects, fixture);
    }
    match source.kind {
        SourceKind::Cli => written["execution"]["command"] = command(fixture),
        SourceKind::Skill => {
            let folder = source.path.as_deref().unwrap_or_default();
            let script = fixture.command.first().map_or("", String::as_str);
            written["source"]["uri"] = skill::pin(workspace, folder, script)?.into();
            written["execution"]["command"] = command(fixture);
        }
        SourceKind::Builtin | SourceKind::Http | SourceKind::Mcp => {}
    }
    serde_json::from_value(written).map_err(|error| error.to_string())
}

fn contract(source: &Source, fixture: &Fixture) -> Value {
    let (kind, adapter, mode) = match source.kind {
        SourceKind::Builtin => ("builtin", "builtin", "none"),
        SourceKind::Cli => ("cli", "cli", "read_only"),
        SourceKind::Skill => ("skill", skill::WORD, "read_only"),
        SourceKind::Http => ("http", outbox::WORD, "remote_api"),
        SourceKind::Mcp => ("mcp", "mcp", "network_restricted"),
    };
    let local = matches!(source.kind, SourceKind::Cli | SourceKind::Skill);
    let roots = local.then(|| json!({ "readRoots": ["."], "writeRoots": [], "blockedPaths": [".env"] }));
    let mut sandbox = json!({ "mode": mode, "limits": { "timeoutMs": 20_000, "maxMemoryMb": 512, "maxOutputBytes": 1_048_576 } });
    if let Some(roots) = roots {
        sandbox["filesystem"] = roots;
        sandbox["network"] = json!({ "allowDomains": [], "denyDomains": [], "egressPolicy": "none" });
    }
    json!({
        "toolId": fixture.tool_id,
        "canonicalName": fixture.tool_id,
        "displayName": fixture.tool_id.replace('.', " "),
        "version": fixture.version,
        "source": { "type": kind, "sourceId": source.id },
        "description": { "summary": fixture.summary },
        "intent": { "actionTypes": [action(fixture)] },
        "schemas": { "inputSchema": fixture.input_schema },
        "risk": { "level": risk(fixture.risk), "destructive": fixture.destructive, "openWorld": false },
        "permissions": { "approvalPolicy": asked(fixture.approval), "requiredScopes": fixture.scopes },
        "sandbox": sandbox,
        "credentials": { "strategy": "none", "scopeCheckRequired": false },
        "contextPolicy": {
            "exposeToModel": true, "exposeOutputToModel": "preview",
            "maxOutputPreviewTokens": fixture.max_preview_tokens,
        },
        "execution": { "adapter": adapter, "timeoutMs": 20_000, "retryPolicy": { "maxRetries": 0, "retryOn": [] } },
        "provenance": { "trustLevel": "workspace" },
    })
}

fn effects_of(effects: &FixtureEffects, fixture: &Fixture) -> Value {
    let FixtureEffects { reads, writes, deletes, external_calls } = effects;
    let changes = !writes.is_empty() || !deletes.is_empty();
    json!({
        "reads": reads, "writes": writes, "deletes": deletes, "externalCalls": external_calls,
        "sendsUserData": *external_calls, "mutatesState": changes, "idempotent": !changes,
        "reversible": !changes, "dryRunSupported": fixture.destructive,
    })
}

/// The program is a file of the workspace, and each `{NAME}` a word of its own.
fn command(fixture: &Fixture) -> Value {
    let mut words = fixture.command.iter();
    let program = words.next().map(|program| format!("./{program}")).unwrap_or_default();
    let args: Vec<Value> = words
        .map(|word| match word.strip_prefix('{').and_then(|word| word.strip_suffix('}')) {
            Some(name) => json!({ "value": { "of": name } }),
            None => json!({ "literal": word }),
        })
        .collect();
    json!({ "program": program, "args": args })
}

fn action(fixture: &Fixture) -> &'static str {
    match fixture.level.as_str() {
        "L0" => "read",
        "L1" => "execute",
        "L2" => "write",
        "L3" => "search",
        "L4" => "external_send",
        _ => "delete",
    }
}

fn risk(risk: Risk) -> &'static str {
    match risk {
        Risk::Low => "low",
        Risk::Medium => "medium",
        Risk::High => "high",
    }
}

fn asked(when: WhenAsked) -> &'static str {
    match when {
        WhenAsked::Never => "never",
        WhenAsked::OnRisk => "on_risk",
        WhenAsked::Always => "always",
    }
}
