use super::*;
use crate::model::{RiskLevel, TrustLevel};
use serde_json::{Value, json};

fn normalized(raw: Value, trust: TrustLevel) -> Normalized {
    normalize(mcp::definition(raw).unwrap(), &Origin::mcp("srv", trust))
}

fn tool(name: &str, annotations: &Value) -> Value {
    json!({ "name": name, "description": "x", "inputSchema": { "type": "object" }, "annotations": annotations })
}

#[test]
fn levels_follow_the_table_for_a_trusted_source() {
    use EffectLevel as L;
    let closed = json!({ "readOnlyHint": true, "openWorldHint": false });
    let open = json!({ "readOnlyHint": true });
    let local = json!({ "destructiveHint": false, "openWorldHint": false });
    let mild = json!({ "destructiveHint": false });
    let both = json!({ "readOnlyHint": true, "destructiveHint": true });
    for (name, hints, level, risk) in [
        ("thing", &closed, L::PureRead, RiskLevel::Low),
        ("thing", &open, L::ExternalRead, RiskLevel::Medium),
        ("thing", &local, L::WorkspaceWrite, RiskLevel::Medium),
        ("thing", &mild, L::ExternalWrite, RiskLevel::High),
        ("thing", &json!({}), L::DestructiveOrAdmin, RiskLevel::High),
        ("thing", &both, L::DestructiveOrAdmin, RiskLevel::Critical),
        // The verb's floor raises, and does not lower.
        ("run_thing", &closed, L::LocalCompute, RiskLevel::Low),
        ("create_thing", &closed, L::WorkspaceWrite, RiskLevel::Medium),
        ("delete_thing", &local, L::DestructiveOrAdmin, RiskLevel::Critical),
        ("get_thing", &mild, L::ExternalWrite, RiskLevel::High),
    ] {
        let descriptor = normalized(tool(name, hints), TrustLevel::Workspace).descriptor;
        assert_eq!((descriptor.level(), descriptor.risk.level), (level, risk), "{name} {hints}");
        let asks = descriptor.permissions.approval_policy == ApprovalPolicy::Always;
        assert_eq!(asks, level >= L::ExternalWrite, "{name} {hints}");
    }
}

#[test]
fn no_hint_lowers_what_an_untrusted_source_says() {
    for bits in 0..81_u32 {
        let hint = |place: u32| match bits / 3_u32.pow(place) % 3 {
            0 => json!(true),
            1 => json!(false),
            _ => Value::Null,
        };
        let hints = json!({
            "readOnlyHint": hint(0), "destructiveHint": hint(1), "idempotentHint": hint(2), "openWorldHint": hint(3),
        });
        for trust in [TrustLevel::Untrusted, TrustLevel::ThirdParty] {
            let descriptor = normalized(tool("get_thing", &hints), trust).descriptor;
            assert_eq!(descriptor.level(), EffectLevel::DestructiveOrAdmin, "{hints}");
            let effects = &descriptor.effects;
            assert!(effects.external_calls && effects.mutates_state && !effects.idempotent, "{hints}");
            let critical = hints["destructiveHint"] == true;
            assert_eq!(descriptor.risk.level == RiskLevel::Critical, critical, "{hints}");
        }
    }
}

#[test]
fn what_nobody_stated_is_marked_and_what_does_not_count_is_noted() {
    let raw = tool("thing", &json!({ "readOnlyHint": true, "destructiveHint": "no", "openWorldHint": true }));
    let Normalized { descriptor, definition_digest, notes, .. } = normalized(raw, TrustLevel::Untrusted);
    let inferred = &descriptor.provenance.inferred;
    let marked = |pointer: &str| inferred.iter().any(|p| p == pointer);
    assert!(marked("/effects/mutatesState") && marked("/intent/actionTypes") && marked("/version"));
    assert!(!marked("/risk/openWorld"), "it was stated, and it is the worst case");
    let value = serde_json::to_value(&descriptor).unwrap();
    for pointer in inferred {
        assert!(value.pointer(pointer).is_some(), "`{pointer}` is no field of a descriptor");
    }
    assert_eq!(descriptor.provenance.manifest_hash, Some(definition_digest.clone()));
    assert_eq!(&*descriptor.version, format!("0.0.0+{}", definition_digest.short()));
    let told: Vec<_> = notes.iter().map(|n| n.message.as_str()).collect();
    assert_eq!(
        told,
        [
            "`destructiveHint` is `\"no\"`, which is neither true nor false: not counted",
            "`readOnlyHint: true` is claimed by a source that is not trusted: not counted",
        ]
    );
}

#[test]
fn every_field_of_a_definition_counts_in_its_digest() {
    let digest = |extra: &str| {
        let mut raw = tool("thing", &json!({}));
        raw[extra] = json!({ "changed": extra });
        normalized(raw, TrustLevel::Untrusted).definition_digest
    };
    assert_ne!(digest("_meta"), digest("annotations"));
    assert_ne!(digest("_meta"), digest("somethingNew"));
}

#[test]
fn definitions_of_each_format_are_read_or_refused_with_a_reason() {
    type Read = fn(Value) -> Result<Definition, DefinitionFault>;
    let schema = json!({ "type": "object" });
    for (read, raw, expected) in [
        (mcp::definition as Read, json!({ "name": "a", "inputSchema": schema }), Ok("a")),
        (mcp::definition, json!([]), Err("a tool definition is an object, and this is a list")),
        (mcp::definition, json!({ "inputSchema": schema }), Err("the tool has no `name`")),
        (
            mcp::definition,
            json!({ "name": "a\u{1b}", "inputSchema": schema }),
            Err("the name holds a control character"),
        ),
        (mcp::definition, json!({ "name": "a" }), Err("the tool has no `inputSchema`")),
        (
            mcp::definition,
            json!({ "name": "a", "inputSchema": true }),
            Err("`inputSchema` must be a schema object, and this is a boolean"),
        ),
        (openai::definition, json!({ "type": "function", "function": { "name": "a" } }), Ok("a")),
        (openai::definition, json!({ "type": "function", "name": "a", "parameters": schema }), Ok("a")),
        (
            openai::definition,
            json!({ "type": "web_search" }),
            Err("a tool of type `web_search` is run by its provider and has no definition to test"),
        ),
        (openai::definition, json!({ "type": "function", "function": {} }), Err("the tool has no `name`")),
        (anthropic::definition, json!({ "name": "a", "input_schema": schema }), Ok("a")),
        (anthropic::definition, json!({ "name": "a" }), Err("the tool has no `input_schema`")),
    ] {
        let found = read(raw).map(|d| d.name).map_err(|fault| fault.to_string());
        assert_eq!(found.as_deref().map_err(String::as_str), expected);
    }
}

#[test]
fn names_and_texts_are_kept() {
    let long = "d".repeat(40_000);
    let raw = json!({
        "name": "do.it", "description": long, "inputSchema": {}, "outputSchema": { "type": "object" },
        "annotations": { "title": "Do it" },
    });
    let descriptor = normalized(raw, TrustLevel::Untrusted).descriptor;
    assert_eq!(&*descriptor.tool_id, "srv.do.it");
    assert_eq!(descriptor.display_name, "Do it");
    assert_eq!(descriptor.description.summary, long);
    assert!(descriptor.schemas.output_schema.is_some());

    let raw = json!({ "name": "plain", "parameters": {} });
    let functions = Origin::functions("tools", TrustLevel::Untrusted);
    let plain = normalize(openai::definition(raw).unwrap(), &functions);
    assert_eq!(&*plain.descriptor.tool_id, "plain");
    assert_eq!(plain.descriptor.permissions.required_scopes, ["tools:use"]);
    assert_eq!(plain.notes[0].message, "the tool has no description");
}
