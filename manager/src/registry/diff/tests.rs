use super::*;
use crate::model::testing::descriptor;
use serde_json::{Value, json};

/// A contract with a part of everything, so that every field can be taken away as well as added.
fn full() -> Value {
    let mut value = serde_json::to_value(descriptor("file.read")).unwrap();
    value["description"] = json!({ "summary": "Reads one file.", "useWhen": ["a"], "doNotUseWhen": ["b"] });
    value["schemas"] = json!({
        "inputSchema": {
            "type": "object", "required": ["path"], "additionalProperties": false,
            "properties": {
                "path": { "type": "string", "maxLength": 100, "pattern": "^a" },
                "mode": { "enum": ["r", "w"] },
                "lines": { "type": "array", "items": { "type": "integer", "minimum": 1 } },
            },
        },
        "outputSchema": { "type": "object" },
    });
    value["effects"]["reads"] = json!(["file:**"]);
    value["permissions"] = json!({
        "approvalPolicy": "on_risk", "requiredScopes": ["a"], "allowedPrincipals": ["user:a"],
        "blockedPrincipals": ["user:b"], "tenantBoundary": "user",
    });
    value["sandbox"] = json!({
        "mode": "workspace_write",
        "filesystem": { "readRoots": ["."], "writeRoots": ["."], "blockedPaths": [".env"] },
        "network": { "allowDomains": ["a.example"], "denyDomains": ["b.example"], "egressPolicy": "allowlist" },
        "limits": { "timeoutMs": 1000, "maxMemoryMb": 10 },
    });
    value["credentials"] = json!({ "strategy": "user_oauth", "requiredSecrets": ["k"], "tokenAudience": "x", "scopeCheckRequired": true });
    value["hooks"] = json!({ "preCall": ["check"] });
    value["observability"] = json!({ "logArgs": true, "logResultPreview": true, "auditLevel": "full" });
    value
}

fn changes(pointer: &str, new: Option<Value>) -> Vec<Change> {
    let before = full();
    let mut after = before.clone();
    let (parent, key) = pointer.rsplit_once('/').unwrap();
    let parent = after.pointer_mut(parent).and_then(Value::as_object_mut).unwrap();
    match new {
        Some(value) => drop(parent.insert(key.to_owned(), value)),
        None => drop(parent.remove(key).unwrap()),
    }
    diff(&serde_json::from_value(before).unwrap(), &serde_json::from_value(after).unwrap())
}

#[test]
fn each_change_has_its_direction() {
    use Direction::{Narrowing as N, Neutral as O, Widening as W};
    let input = |rest: &str| format!("/schemas/inputSchema{rest}");
    let rows: Vec<(String, Option<Value>, Direction, &str)> = vec![
        ("/effects/reads".into(), Some(json!(["file:**", "http:**"])), W, "gains `http:**`"),
        ("/effects/reads".into(), Some(json!([])), N, "loses `file:**`"),
        ("/effects/writes".into(), Some(json!(["file:src"])), W, "gains `file:src`"),
        ("/effects/externalCalls".into(), Some(json!(true)), W, "false → true"),
        ("/effects/reversible".into(), Some(json!(false)), W, "true → false"),
        (input("/required"), Some(json!([])), W, "no longer asks for `path`"),
        (input("/required"), Some(json!(["path", "mode"])), N, "asks for `mode`"),
        (input("/additionalProperties"), Some(json!(true)), W, "false → true"),
        (input("/additionalProperties"), None, W, "false → nothing"),
        (input("/properties/extra"), Some(json!({})), W, "`extra` is new"),
        (input("/properties/mode"), None, N, "`mode` is gone"),
        (input("/properties/mode/enum"), Some(json!(["r", "w", "x"])), W, "also takes `x`"),
        (input("/properties/mode/enum"), Some(json!(["r"])), N, "no longer takes `w`"),
        (input("/properties/mode/enum"), Some(json!(["w", "r"])), O, "another order"),
        (input("/properties/mode/enum"), None, W, "→ nothing"),
        (input("/properties/path/maxLength"), Some(json!(200)), W, "100 → 200"),
        (input("/properties/path/maxLength"), Some(json!(50)), N, "100 → 50"),
        (input("/properties/path/maxLength"), None, W, "100 → nothing"),
        (input("/properties/path/minLength"), Some(json!(1)), N, "nothing → 1"),
        (input("/properties/path/pattern"), Some(json!("^b")), W, "`^a` → `^b`"),
        (input("/properties/path/type"), Some(json!(["string", "null"])), W, "null"),
        (input("/properties/path/description"), Some(json!("x")), O, "nothing → `x`"),
        (input("/properties/lines/items/type"), Some(json!("number")), W, "`integer` → `number`"),
        (input("/properties/lines/items/minimum"), Some(json!(0)), W, "1 → 0"),
        ("/schemas/outputSchema".into(), None, W, "no longer says"),
        ("/permissions/approvalPolicy".into(), Some(json!("never")), W, "`on_risk` → `never`"),
        ("/permissions/approvalPolicy".into(), Some(json!("always")), N, "`on_risk` → `always`"),
        ("/permissions/requiredScopes".into(), Some(json!([])), W, "loses `a`"),
        ("/permissions/allowedPrincipals".into(), Some(json!([])), W, "every principal"),
        ("/permissions/allowedPrincipals".into(), Some(json!(["user:a", "user:c"])), W, "gains `user:c`"),
        ("/permissions/blockedPrincipals".into(), Some(json!([])), W, "loses `user:b`"),
        ("/permissions/tenantBoundary".into(), None, W, "`user` → nothing"),
        ("/sandbox/mode".into(), Some(json!("none")), W, "→ `none`"),
        ("/sandbox/mode".into(), Some(json!("read_only")), N, "→ `read_only`"),
        ("/sandbox/mode".into(), Some(json!("container")), W, "→ `container`"),
        ("/sandbox/filesystem/writeRoots".into(), Some(json!([".", "/"])), W, "gains `/`"),
        ("/sandbox/filesystem/blockedPaths".into(), Some(json!([])), W, "loses `.env`"),
        ("/sandbox/network/egressPolicy".into(), Some(json!("open")), W, "→ `open`"),
        ("/sandbox/limits/timeoutMs".into(), Some(json!(2000)), W, "1000 → 2000"),
        ("/sandbox/limits/maxMemoryMb".into(), None, W, "10 → nothing"),
        ("/risk/level".into(), Some(json!("high")), N, "`low` → `high`"),
        ("/risk/openWorld".into(), Some(json!(true)), N, "false → true"),
        ("/credentials/strategy".into(), Some(json!("none")), N, "→ `none`"),
        ("/credentials/requiredSecrets".into(), Some(json!(["k", "l"])), W, "gains `l`"),
        ("/credentials/scopeCheckRequired".into(), Some(json!(false)), W, "true → false"),
        ("/contextPolicy/exposeOutputToModel".into(), Some(json!("full")), W, "→ `full`"),
        ("/hooks/preCall".into(), Some(json!([])), W, "loses `check`"),
        ("/observability/auditLevel".into(), Some(json!("none")), W, "`full` → `none`"),
        ("/execution/adapter".into(), Some(json!("http")), W, "`builtin` → `http`"),
        ("/source/command".into(), Some(json!("sh")), W, "nothing → `sh`"),
        ("/provenance/trustLevel".into(), Some(json!("untrusted")), N, "→ `untrusted`"),
        ("/description/summary".into(), Some(json!("Reads any file.")), O, "Reads [-one-]{+any+} file."),
        ("/displayName".into(), Some(json!("Other")), O, "`file.read` → `Other`"),
        ("/version".into(), Some(json!("2.0.0")), O, "`1.0.0` → `2.0.0`"),
    ];
    for (pointer, new, direction, word) in rows {
        let changes = changes(&pointer, new.clone());
        let found = changes.iter().find(|c| c.pointer.starts_with(&*pointer));
        let found = found.unwrap_or_else(|| panic!("{pointer} {new:?}: {changes:?}"));
        assert_eq!(found.direction, direction, "{found}");
        assert!(found.message.contains(word), "{found}, expected {word}");
    }
}

/// Every leaf of a full contract, taken away or replaced: whatever changes the digest is told.
#[test]
fn no_change_of_a_contract_is_passed_over() {
    fn leaves(pointer: String, value: &Value, out: &mut Vec<String>) {
        match value {
            Value::Object(map) => {
                out.push(pointer.clone());
                map.iter().for_each(|(key, value)| leaves(format!("{pointer}/{key}"), value, out));
            }
            _ => out.push(pointer),
        }
    }
    let before: ToolDescriptor = serde_json::from_value(full()).unwrap();
    let mut pointers = Vec::new();
    leaves(String::new(), &full(), &mut pointers);
    let mut told = 0;
    for pointer in pointers.iter().filter(|p| !p.is_empty()) {
        for new in [None, Some(json!("changed")), Some(json!(7)), Some(json!(["x"])), Some(json!({}))] {
            let mut after = full();
            let (parent, key) = pointer.rsplit_once('/').unwrap();
            let parent = after.pointer_mut(parent).unwrap().as_object_mut().unwrap();
            match &new {
                Some(value) => drop(parent.insert(key.to_owned(), value.clone())),
                None => drop(parent.remove(key)),
            }
            let Ok(after) = serde_json::from_value::<ToolDescriptor>(after) else { continue };
            if after.digest() != before.digest() {
                assert!(!diff(&before, &after).is_empty(), "{pointer} {new:?}");
                told += 1;
            }
        }
    }
    assert!(told > 60, "{told}");
    assert!(diff(&before, &before).is_empty());
}

#[test]
fn the_summary_names_the_widening_first() {
    let before: ToolDescriptor = serde_json::from_value(full()).unwrap();
    let mut after = before.clone();
    after.effects.writes = vec!["file:src".into()];
    after.description.summary = "Reads and writes.".into();
    let summary = summary(&diff(&before, &after));
    assert!(summary.starts_with("2 widening, 1 neutral (/effects: level"), "{summary}");
}
