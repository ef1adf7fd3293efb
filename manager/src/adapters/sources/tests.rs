use super::*;
use crate::{
    model::EffectLevel,
    port::{Discovery, SourceError},
    registry::RegisteredTool,
    resolve::payload::Dialect,
};
use std::{path::Path, sync::LazyLock};

fn discover(format: &str, name: &str, text: &str) -> Result<Discovery, SourceError> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, text).unwrap();
    FileFormat::named(format).unwrap().open(path, TrustLevel::Untrusted).discover()
}

/// Tools, rejected tools with reason, and problems, each as one line without the folder.
fn told(format: &str, name: &str, text: &str) -> Vec<String> {
    let shorten = |text: String| match text.rsplit_once(&format!("/{name}")) {
        Some((_, rest)) => format!("{name}{rest}"),
        None => text,
    };
    match discover(format, name, text) {
        Err(error) => vec![shorten(error.to_string())],
        Ok(found) => {
            let tools = found.tools.iter().map(|t| format!("+ {}", t.descriptor.tool_id));
            let rejected =
                found.rejected.iter().map(|r| format!("- {}: {}", r.name, shorten(r.problem.to_string())));
            let problems = found.problems.iter().map(|p| format!("! {}", shorten(p.to_string())));
            tools.chain(rejected).chain(problems).collect()
        }
    }
}

#[test]
fn every_file_of_a_format_is_in_the_table() {
    // The tools that ship are a source, and no format of a file.
    let shared = ["mod.rs", "tests.rs", "file.rs", "harvest.rs", "standard.rs"];
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/adapters/sources");
    let names = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap());
    let formats = names.filter(|name| !shared.contains(&name.as_str())).count();
    assert_eq!(formats, FORMATS.len());
    for format in FORMATS {
        assert_eq!(FileFormat::named(format.word).map(|f| f.about), Some(format.about));
    }
}

#[test]
fn an_mcp_list_is_read_in_every_form() {
    let tool = r#"{"name":"do","inputSchema":{}}"#;
    for text in [
        format!(r#"{{"jsonrpc":"2.0","id":1,"result":{{"tools":[{tool}]}}}}"#),
        format!(r#"{{"tools":[{tool}]}}"#),
        format!("[{tool}]"),
        format!(r#"{{"id":"x","package":"p","version":"1.2.3","tools":[{tool}]}}"#),
    ] {
        assert_eq!(told("mcp", "srv.json", &text), ["+ srv.do"], "{text}");
    }
    let found =
        discover("mcp", "s.json", r#"{"version":"1.2.3","tools":[{"name":"a","inputSchema":{}}]}"#).unwrap();
    assert_eq!(&*found.tools[0].descriptor.version, "1.2.3");
}

#[test]
fn a_file_with_many_bad_tools_is_placed_in_one_reading() {
    let list = format!("[{}]", vec!["{}"; 20_000].join(","));
    assert_eq!(discover("mcp", "s.json", &list).unwrap().rejected.len(), 20_000);
}

#[test]
fn functions_keep_their_plain_names() {
    let nested =
        r#"[{"type":"function","function":{"name":"a","parameters":{}}},{"type":"function","name":"b"}]"#;
    assert_eq!(told("openai", "t.json", nested), ["+ a", "+ b"]);
    assert_eq!(told("anthropic", "t.json", r#"{"tools":[{"name":"a","input_schema":{}}]}"#), ["+ a"]);
}

#[test]
fn one_bad_tool_loses_no_other() {
    let functions = r#"[{"type":"function","function":{"name":"a","parameters":1}},{"type":"mcp"}]"#;
    assert_eq!(
        told("openai", "t.json", functions),
        [
            "- a: t.json:1:57: `[0].function.parameters`: `parameters` must be a schema object, and this is a number",
            "- tool 2: t.json:1:69: `[1].type`: a tool of type `mcp` is run by its provider and has no definition to test",
        ]
    );
    let list = "[\n {\"name\":\"a\",\"inputSchema\":{}},\n {\"name\":\"b\"},\n {\"name\":\"a\",\"inputSchema\":{}},\n 7,\n {\"name\":\"c\",\"inputSchema\":{}}]";
    assert_eq!(
        told("mcp", "s.json", list),
        [
            "+ s.a",
            "+ s.c",
            "- b: s.json:3:2: `[1].inputSchema`: the tool has no `inputSchema`",
            "- a: s.json:4:10: `[2].name`: another tool of this list is called `a` already",
            "- tool 4: s.json:5:2: `[3]`: a tool definition is an object, and this is a number",
        ]
    );
}

#[test]
fn what_is_no_list_is_told_with_a_hint() {
    for (text, expected) in [
        ("{", "s.json:1:1: "),
        ("{}", "s.json:1:1: no list of MCP tools is in here\nhint: expected an answer to tools/list"),
        (
            r#"{"error":{"message":"no"}}"#,
            "s.json:1:10: `error`: the server answered with an error: no\nhint: ",
        ),
    ] {
        let told = told("mcp", "s.json", text);
        assert!(told.len() == 1 && told[0].starts_with(expected), "{told:?}");
    }
    assert_eq!(
        told("mcp", "s.json", r#"{"tools":[],"nextCursor":"2"}"#),
        [
            "! s.json:1:26: `nextCursor`: the list goes on: this is one page of it\nhint: save every page, with the tools in one list"
        ]
    );
    let missing = FORMATS[1].open("/nowhere/x.json", TrustLevel::Untrusted).discover().unwrap_err();
    assert!(missing.to_string().starts_with("cannot read `/nowhere/x.json`: "), "{missing}");
}

#[test]
fn a_descriptor_that_is_wrong_says_where() {
    let good = std::fs::read_to_string(shipped().join("file.read.yaml")).unwrap();
    let line_of = |what: &str| good.lines().position(|line| line.contains(what)).unwrap() + 1;
    assert_eq!(told("descriptors", "d.yaml", &good), ["+ file.read"]);
    for (from, to, expected) in [
        ("version: ", "verison: ", "did you mean `version`?"),
        ("actionTypes: [", "actionTypes: [raed, ", "unknown word `raed`"),
    ] {
        let told = told("descriptors", "d.yaml", &good.replacen(from, to, 1));
        let line = format!("d.yaml:{}:", line_of(from));
        assert!(told.last().unwrap().contains(expected), "{told:?}");
        assert!(told.last().unwrap().contains(&line), "{told:?}");
    }
}

fn shipped() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/descriptors"))
}

fn files_in(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    files.sort();
    files
}

#[test]
fn the_shipped_descriptors_are_sound_and_each_tool_has_one() {
    let mut paths = files_in(shipped());
    let count = paths.len();
    let found = Descriptors { paths: paths.clone() }.discover().unwrap();
    assert_eq!(found.problems.to_string(), "");
    assert_eq!((found.tools.len(), found.rejected.len()), (count, 0), "{:?}", found.rejected);

    paths.push(paths[0].clone());
    let twice = Descriptors { paths }.discover().unwrap();
    assert_eq!((twice.tools.len(), twice.rejected.len()), (count, 1));
    assert!(twice.rejected[0].reason().contains("is described in"), "{}", twice.rejected[0].problem);
}

/// What 155 real servers serve, if it lies beside the repository.
#[expect(clippy::print_stderr, reason = "a skipped test says so")]
static REAL: LazyLock<Option<Discovery>> = LazyLock::new(|| {
    let above = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
    let Some(folder) = above.map(|f| f.join("shared/data/mcp/servers")).find(|f| f.is_dir()) else {
        eprintln!("SKIPPED: no shared/data/mcp/servers beside the repository");
        return None;
    };
    let mut all = Discovery::default();
    for path in files_in(&folder) {
        all.extend(McpCapture { path, trust: TrustLevel::default() }.discover().unwrap());
    }
    Some(all)
});

#[test]
fn every_tool_of_every_real_server_is_normalized_by_the_worst_case() {
    let Some(found) = &*REAL else { return };
    assert_eq!((found.tools.len(), found.rejected.len()), (4318, 0), "{:?}", found.rejected);
    assert_eq!(found.problems.to_string(), "");
    for tool in &found.tools {
        assert_eq!(tool.descriptor.level(), EffectLevel::DestructiveOrAdmin, "{}", tool.descriptor.tool_id);
    }
    let silent = found.tools.iter().filter(|t| t.descriptor.intent.action_types.is_empty()).count();
    assert!(silent * 10 < found.tools.len(), "{silent} names speak of no known action");
}

#[test]
fn all_real_tools_fit_into_one_view_of_every_dialect() {
    let Some(found) = &*REAL else { return };
    let ids: Vec<_> = found.tools.iter().map(|t| t.descriptor.tool_id.clone()).collect();
    for dialect in Dialect::ALL {
        let names = dialect.names(&ids);
        for id in &ids {
            let wire = names.wire(id).unwrap();
            assert!(dialect.name_limits().allows(wire), "{wire}");
            assert_eq!(wire, dialect.name_limits().wire(id), "nobody forged a mark");
            assert_eq!(names.canonical(wire), Some(id));
        }
    }
}

#[test]
fn a_sample_of_real_tools_compiles_into_every_dialect() {
    let Some(found) = &*REAL else { return };
    for tool in found.tools.iter().step_by(40) {
        let tool = RegisteredTool::new(tool.descriptor.clone()).unwrap();
        for dialect in Dialect::ALL {
            let name = dialect.name_limits().wire(tool.id());
            let compiled = dialect.tool(&tool, &name);
            let schemas = ["/function/parameters", "/parameters", "/input_schema", "/inputSchema"];
            let schema = schemas.iter().find_map(|pointer| compiled.payload.pointer(pointer)).unwrap();
            assert_eq!(schema["type"], "object", "{name}");
            let refused = ["oneOf", "anyOf", "allOf", "$schema"].iter().any(|k| schema.get(k).is_some());
            assert!(!refused || *dialect == Dialect::Mcp, "{name}");
            assert_eq!(compiled, dialect.tool(&tool, &name));
        }
    }
}
