use super::*;
use crate::model::{JsonSchema, testing::descriptor};
use serde_json::json;

fn tool(schema: &Value) -> RegisteredTool {
    let mut tool = descriptor("file.read");
    tool.schemas.input_schema = JsonSchema(schema.as_object().unwrap().clone());
    RegisteredTool::new(tool).unwrap()
}

fn compile(dialect: Dialect, schema: &Value) -> CompiledTool {
    let tool = tool(schema);
    let name = dialect.name_limits().wire(tool.id());
    dialect.tool(&tool, &name)
}

fn told(compiled: &CompiledTool) -> Vec<&str> {
    compiled.downgrades.iter().map(|d| d.message.as_str()).collect()
}

#[test]
fn every_file_of_a_dialect_is_in_the_table() {
    let shared =
        ["mod.rs", "tests.rs", "downgrade.rs", "keyword.rs", "names.rs", "root.rs", "schema.rs", "strict.rs"];
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/resolve/payload");
    let mut files: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| !shared.contains(&name.as_str()))
        .collect();
    files.sort();
    let mut listed = FILES.to_vec();
    listed.sort_unstable();
    assert_eq!(files, listed);
}

#[test]
fn a_tool_in_each_form() {
    let schema = || {
        json!({
            "$schema": "http://json-schema.org/draft-07/schema#",
            "type": "object",
            "properties": { "path": { "type": "string" } },
            "required": ["path"],
            "additionalProperties": false,
        })
    };
    let bare = json!({
        "type": "object",
        "properties": { "path": { "type": "string" } },
        "required": ["path"],
        "additionalProperties": false,
    });
    for (dialect, expected) in [
        (
            Dialect::OpenAi,
            json!({ "type": "function", "function": {
                "name": "file__read", "description": "A tool.", "parameters": bare, "strict": true,
            } }),
        ),
        (
            Dialect::OpenAiResponses,
            json!({
                "type": "function", "name": "file__read", "description": "A tool.",
                "parameters": bare, "strict": true,
            }),
        ),
        (Dialect::Anthropic, json!({ "name": "file__read", "description": "A tool.", "input_schema": bare })),
        (
            Dialect::Mcp,
            json!({
                "name": "file.read", "title": "file.read", "description": "A tool.", "inputSchema": schema(),
                "annotations": {
                    "readOnlyHint": true, "destructiveHint": false,
                    "idempotentHint": true, "openWorldHint": false,
                },
            }),
        ),
    ] {
        let compiled = compile(dialect, &schema());
        assert_eq!(compiled.payload.to_string(), expected.to_string(), "{}", dialect.as_str());
        let removed = dialect != Dialect::Mcp;
        assert_eq!(told(&compiled).len(), usize::from(removed), "{:?}", compiled.downgrades);
    }
}

#[test]
fn nothing_is_changed_in_silence() {
    check(
        &json!({ "properties": { "tags": { "type": "array", "optional": true } } }),
        &[
            (
                Dialect::OpenAi,
                &[
                    "`optional` at `/properties/tags` is no keyword of JSON Schema and is not sent",
                    "`\"type\": \"object\"` is added at the root",
                    "an empty `items` is added at `/properties/tags`",
                    "strict mode is off: the root does not say `\"additionalProperties\": false`",
                ],
            ),
            (
                Dialect::Anthropic,
                &[
                    "`optional` at `/properties/tags` is no keyword of JSON Schema and is not sent",
                    "`\"type\": \"object\"` is added at the root",
                ],
            ),
            (Dialect::Mcp, &["`\"type\": \"object\"` is added at the root"]),
        ],
    );
    check(
        &json!({ "type": "object", "properties": { "filter[id]": {}, "a": {} }, "required": ["filter[id]"] }),
        &[(
            Dialect::Anthropic,
            &["the property `filter[id]` is not sent, because its name is refused; it is required, so no \
               call can be valid without it"],
        )],
    );
    check(
        &json!({ "type": "object", "properties": { "a": {} }, "not": { "required": ["a"] } }),
        &[
            (
                Dialect::OpenAiResponses,
                &[
                    "`not` may not stand at the root and is not sent",
                    "strict mode is off: the root does not say `\"additionalProperties\": false`",
                ],
            ),
            (Dialect::Anthropic, &[]),
        ],
    );
}

fn check(schema: &Value, expected: &[(Dialect, &[&str])]) {
    for (dialect, messages) in expected {
        assert_eq!(told(&compile(*dialect, schema)), *messages, "{}", dialect.as_str());
    }
}

#[test]
fn a_property_named_like_a_keyword_is_left_alone() {
    let schema =
        json!({ "type": "object", "properties": { "$schema": { "type": "string" }, "optional": {} } });
    let compiled = compile(Dialect::Anthropic, &schema);
    assert_eq!(compiled.payload["input_schema"]["properties"]["optional"], json!({}));
    assert_eq!(compile(Dialect::OpenAi, &schema).payload["function"]["parameters"], schema);
}

#[test]
fn a_long_description_is_sent_whole_and_noted() {
    let mut tool = descriptor("a");
    tool.description.summary = "é".repeat(40_000);
    let tool = RegisteredTool::new(tool).unwrap();
    let compiled = Dialect::OpenAi.tool(&tool, "a");
    assert_eq!(compiled.payload["function"]["description"].as_str().map(str::len), Some(80_000));
    assert!(compiled.downgrades.iter().any(|d| d.code == DowngradeCode::DescriptionLong));
}

#[test]
fn the_digest_follows_the_bytes() {
    let of = |schema: &Value| payload_digest(&compile(Dialect::Anthropic, schema));
    let one = json!({ "type": "object", "properties": { "a": {}, "b": {} } });
    let other = json!({ "type": "object", "properties": { "b": {}, "a": {} } });
    assert_eq!(of(&one), of(&one));
    assert_ne!(of(&one), of(&other));
}
