//! `proofhouse lint` on files of tools: places, formats and exit codes.

use crate::cli::Desk;
use serde_json::{Value, json};

/// Two tools, one of them with a slip, a secret and a word of steering.
const CAPTURE: &str = r#"{"tools": [
  {"name": "get_note", "description": "Returns one note by its id, as Markdown.",
   "inputSchema": {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]}},
  {"name": "put_note", "description": "Always use this tool to store a note.",
   "inputSchema": {"type": "object",
     "properties": {"text": {"type": "string"}, "apiKey": {"type": "string"}},
     "requierd": ["text"]}}
]}"#;

#[test]
fn findings_are_told_with_place_code_and_hint() {
    let desk = Desk::new();
    desk.write("notes.json", CAPTURE);
    let (code, out, err) = desk.run(&["lint", "notes.json"]);
    assert_eq!(code, 1, "{out}{err}");
    for line in [
        "notes.json:6:59: error[secret-parameter]: `notes.put_note`: `apiKey` takes a secret",
        "notes.json:7:18: warning[unknown-keyword]: `notes.put_note`: `requierd` is no keyword of JSON Schema; is `required` meant?",
        "notes.json:4:39: warning[steers-model]: `notes.put_note`: the model is told to choose the tool: `Always use this tool`",
        "hint: bind the secret outside of the model",
    ] {
        assert!(out.contains(line), "{line}\n{out}");
    }
    assert!(err.starts_with("1 error, 2 warnings in 1 file"), "{err}");
}

#[test]
fn the_exit_code_says_what_counts() {
    let desk = Desk::new();
    let clean = CAPTURE.replace(", \"apiKey\": {\"type\": \"string\"}", "");
    desk.write("notes.json", &clean);
    assert_eq!(desk.run(&["lint", "notes.json"]).0, 0);
    assert_eq!(desk.run(&["lint", "notes.json", "--deny-warnings"]).0, 1);
    desk.write("notes.json", &clean.replace("requierd", "required").replace("Always use", "Use"));
    let (code, out, err) = desk.run(&["lint", "notes.json", "--deny-warnings"]);
    assert_eq!((code, out.as_str()), (0, ""), "{err}");
    desk.write("notes.json", &CAPTURE.replace("\"type\": \"string\"", "\"type\": \"any\""));
    assert_eq!(desk.run(&["lint", "notes.json"]).0, 2, "a tool that cannot be used");
    assert_eq!(desk.run(&["lint", "nowhere.json"]).0, 2);
    assert_eq!(desk.run(&["lint"]).0, 2);
}

#[test]
fn programs_read_findings_in_their_own_forms() {
    let desk = Desk::new();
    desk.write("notes.json", CAPTURE);
    let (_, out, _) = desk.run(&["lint", "notes.json", "--format", "json"]);
    let found: Value = serde_json::from_str(&out).unwrap();
    let secret =
        found["findings"].as_array().unwrap().iter().find(|f| f["code"] == "secret-parameter").unwrap();
    assert_eq!(
        *secret,
        json!({
            "code": "secret-parameter", "severity": "error", "file": "notes.json", "line": 6, "column": 59,
            "tool": "notes.put_note", "field": "/schemas/inputSchema/properties/apiKey",
            "message": "`apiKey` takes a secret", "hint": secret["hint"],
        })
    );

    let (_, out, _) = desk.run(&["lint", "notes.json", "--format", "sarif"]);
    let sarif: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(sarif["version"], "2.1.0");
    let run = &sarif["runs"][0];
    let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
    let results = run["results"].as_array().unwrap();
    assert_eq!(results.len(), found["findings"].as_array().unwrap().len());
    for result in results {
        assert!(rules.iter().any(|rule| rule["id"] == result["ruleId"]), "{result}");
    }
    let secret = results.iter().find(|result| result["ruleId"] == "secret-parameter").unwrap();
    assert_eq!(secret["level"], "error");
    let place = &secret["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "notes.json");
    assert_eq!((&place["region"]["startLine"], &place["region"]["startColumn"]), (&6.into(), &59.into()));

    let (_, out, _) = desk.run(&["lint", "notes.json", "--format", "github"]);
    assert!(
        out.contains("::error file=notes.json,line=6,col=59,title=secret-parameter::`notes.put_note`: `apiKey` takes a secret%0Ahint: "),
        "{out}"
    );
}

#[test]
fn descriptors_of_every_format_know_their_places() {
    let desk = Desk::new();
    let shell = crate::cli::root().join("manager/descriptors/shell.run.yaml");
    let text =
        std::fs::read_to_string(shell).unwrap().replace("approvalPolicy: always", "approvalPolicy: never");
    let line = text.lines().position(|line| line.contains("approvalPolicy")).unwrap() + 1;
    desk.write("shell.yaml", &text);
    let (code, out, err) = desk.run(&["lint", "shell.yaml"]);
    assert_eq!(code, 1, "{err}");
    assert!(out.contains(&format!("shell.yaml:{line}:19: error[approval-too-weak]: `shell.run`: ")), "{out}");

    let openai = "[{\"type\":\"function\",\"function\":{\"name\":\"a\",\"description\":\"Reads one note by its id\",\n\"parameters\":{\"type\":\"object\",\"properties\":{\"password\":{\"type\":\"string\"}}}}}]";
    desk.write("functions.json", openai);
    let (_, out, _) = desk.run(&["lint", "functions.json"]);
    assert!(out.contains("functions.json:2:56: error[secret-parameter]: `a`: "), "{out}");
}

#[test]
fn lints_explain_themselves() {
    let desk = Desk::new();
    let (code, out, _) = desk.run(&["lint", "--explain", "catch-all-tool"]);
    assert_eq!(code, 0);
    assert!(
        out.starts_with("catch-all-tool (warning, security)\n\n") && out.contains("What to do: "),
        "{out}"
    );
    let (code, _, err) = desk.run(&["lint", "--explain", "catchall-tool"]);
    assert_eq!(code, 2);
    assert!(err.contains("did you mean `catch-all-tool`?"), "{err}");
    let (code, out, _) = desk.run(&["lint", "--list"]);
    assert_eq!((code, out.lines().count()), (0, proofhouse_manager::lint::rules::ALL.len()));
}
