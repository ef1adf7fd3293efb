//! Files to verdicts: order, numbering, bad input.

use super::*;
use crate::matcher::bfcl::{Names, Rules};
use flate2::{Compression, write::GzEncoder};
use std::{
    io::Write as _,
    path::{Path, PathBuf},
    sync::atomic::{AtomicU32, Ordering},
};

const CASES: &str = r#"{"id":"a","category":"simple","v4_id":"b","functions":[{"name":"m.f","parameters":{"properties":{"x":{"type":"integer"}},"required":["x"]}}],"ground_truth":[{"m.f":{"x":[1]}}]}
{"id":"b","category":"simple_python","functions":[{"name":"m.f","parameters":{"properties":{"x":{"type":"integer"}},"required":["x"]}}],"ground_truth":[{"m.f":{"x":[2]}}]}
{"id":"none","category":"relevance","functions":[],"ground_truth":[]}
"#;

/// A folder of its own, gone at the end.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!("proofhouse-bfcl-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        Self(folder)
    }

    fn file(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.0.join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.0).ok();
    }
}

fn gzip(text: &str) -> Vec<u8> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(text.as_bytes()).unwrap();
    packed.finish().unwrap()
}

/// The verdicts on some files; an error as it is told, without the folder.
fn judged(folder: &Folder, rules: Rules, names: Names, outputs: &[PathBuf]) -> Result<String, String> {
    let plain = |error: ImportError| error.to_string().replace(&format!("{}/", folder.0.display()), "");
    let cases = folder.file("cases", CASES.as_bytes());
    let cases = CaseBook::read(&[cases], rules).map_err(plain)?;
    let mut out = Vec::new();
    judge(&cases, outputs, rules, names, &mut out).map_err(plain)?;
    Ok(String::from_utf8(out).unwrap())
}

fn row(id: &str, name: &str, x: &str) -> String {
    format!(
        r#"{{"id":"{id}","decode":"ok","calls":[{{"name":"{name}","arguments":{{"x":{x}}}}}],"raw":{{"a":["\"]"]}}}}"#
    )
}

#[test]
fn rows_are_numbered_through_all_files_plain_or_packed() {
    let folder = Folder::new();
    let mut members = gzip(&format!("{}\n", row("a", "m.f", "1")));
    members.extend(gzip(&row("a", "m.f", "3")));
    let outputs = [
        folder
            .file("one.gz", format!("{}\n\n{}\n", row("a", "m.f", "1"), row("none", "m.f", "1")).as_bytes()),
        folder.file("empty", b""),
        folder.file("two", &members),
        folder.file("three", br#"{"calls":null,"id":"none","x":1}"#),
    ];
    let expected = r#"{"row":1,"id":"a","verdict":true,"errorType":null}
{"row":2,"id":"none","verdict":false,"errorType":"relevance_error:decoder_success"}
{"row":3,"id":"a","verdict":true,"errorType":null}
{"row":4,"id":"a","verdict":false,"errorType":"value_error:others"}
{"row":5,"id":"none","verdict":true,"errorType":null}
"#;
    assert_eq!(judged(&folder, Rules::V2024, Names::Dotted, &outputs).as_deref(), Ok(expected));
}

#[test]
fn version_4_judges_by_the_successor_of_a_case() {
    let folder = Folder::new();
    let outputs =
        [folder.file("o", format!("{}\n{}", row("a", "m.f", "1"), row("a", "m.f", "2")).as_bytes())];
    let check = |rules, first: &str, second: &str| {
        let found = judged(&folder, rules, Names::Dotted, &outputs).unwrap();
        let lines: Vec<_> = found.lines().map(|line| line.contains("true")).collect();
        assert_eq!(lines, [first == "right", second == "right"], "{rules:?}");
    };
    check(Rules::V2024, "right", "wrong");
    check(Rules::V4, "wrong", "right");
}

#[test]
fn an_answer_says_itself_how_names_were_offered() {
    let folder = Folder::new();
    let own = |value: &str| {
        row("a", "m_f", "1").replace("\"raw\"", &format!("\"dot_to_underscore\":{value},\"raw\""))
    };
    let text = [row("a", "m_f", "1"), own("true"), own("false"), own("null")].join("\n");
    let outputs = [folder.file("o", text.as_bytes())];
    let check = |names, expected: [bool; 4]| {
        let found = judged(&folder, Rules::V2024, names, &outputs).unwrap();
        let found: Vec<_> = found.lines().map(|line| line.contains("true")).collect();
        assert_eq!(found, expected, "{names:?}");
    };
    check(Names::Dotted, [false, true, false, false]);
    check(Names::Underscored, [true, true, false, true]);
}

#[test]
fn bad_input_is_told_with_its_place() {
    let folder = Folder::new();
    let check = |bytes: &[u8], expected: &str| {
        let outputs = [folder.file("good", row("a", "m.f", "1").as_bytes()), folder.file("bad", bytes)];
        let error = judged(&folder, Rules::V2024, Names::Dotted, &outputs).unwrap_err();
        assert_eq!(error.lines().next(), Some(expected));
    };
    let good = row("a", "m.f", "1");
    check(
        format!("{good}\n\n{{\"id\":\"a\"").as_bytes(),
        "`bad` line 3: no JSON: the text ends early at byte 9",
    );
    check(format!("{good}\nnone").as_bytes(), "`bad` line 2: no JSON: expected an object at byte 0");
    check(
        format!("{good} {good}").as_bytes(),
        &format!("`bad` line 1: no JSON: expected the end at byte {}", good.len() + 1),
    );
    check(br#"{"id":"a","calls":null,"raw":[1 2]}"#, "`bad` line 1: no JSON: expected `,` or `]` at byte 32");
    check(br#"{"id":"a","calls":null,"raw":"\x"}"#, "`bad` line 1: no JSON: an unknown escape at byte 30");
    check(br#"{"id":"z","calls":null}"#, "`bad` line 1: there is no case `z`");
    check(br#"{"calls":null}"#, "`bad` line 1: an answer without `id`");
    check(br#"{"id":"a"}"#, "`bad` line 1: an answer without `calls`");
    check(br#"{"id":7,"calls":null}"#, "`bad` line 1: `id` is `7`");
    check(br#"{"id":"a","calls":null,"decode":"maybe"}"#, "`bad` line 1: `decode` is `\"maybe\"`");
    check(b"{\"id\":\"a\",\"calls\":null}\n{\"id\":\"\xff\"}", "`bad` line 2: it is not UTF-8");
    let packed = gzip(&good);
    let cut = &packed[..packed.len() - 5];
    let outputs = [folder.file("cut.gz", cut)];
    let error = judged(&folder, Rules::V2024, Names::Dotted, &outputs).unwrap_err();
    assert!(error.starts_with("cannot read `cut.gz` behind line 0: "), "{error}");
    let outputs = [folder.0.join("missing")];
    let error = judged(&folder, Rules::V2024, Names::Dotted, &outputs).unwrap_err();
    assert!(error.starts_with("cannot open `missing`: "), "{error}");
}

#[test]
fn cases_need_a_ground_truth_and_a_name_of_their_own() {
    let folder = Folder::new();
    let check = |text: &str, expected: &str| {
        let error = CaseBook::read(&[folder.file("c", text.as_bytes())], Rules::V4).unwrap_err();
        assert_eq!(error.to_string().replace(&format!("{}/", folder.0.display()), ""), expected);
    };
    check(&format!("{CASES}{CASES}"), "`c` line 4: there are two cases `a`");
    let none = r#"{"id":"q","category":"simple","functions":[{"name":"f"}]}"#;
    check(&format!("{CASES}{none}"), "`c` line 4: case `q`: it has no `ground_truth`");
}

#[test]
fn long_lines_and_many_blocks_keep_their_order() {
    let folder = Folder::new();
    let mut text = String::new();
    for number in 0..3000 {
        let padding = "\\\"]}".repeat(if number == 1500 { 1 << 19 } else { number % 700 });
        let x = number % 2;
        text.push_str(&row("a", "m.f", &x.to_string()).replace("\"]\"", &format!("\"{padding}\"")));
        text.push('\n');
    }
    let outputs = [folder.file("o", text.as_bytes())];
    let found = judged(&folder, Rules::V2024, Names::Dotted, &outputs).unwrap();
    assert_eq!(found.lines().count(), 3000);
    for (number, line) in found.lines().enumerate() {
        assert!(line.starts_with(&format!("{{\"row\":{},", number + 1)), "{line}");
        assert_eq!(line.contains("\"verdict\":true"), number % 2 == 1, "{line}");
    }
}

#[test]
fn what_looks_bad_and_is_an_answer_gets_the_right_verdict() {
    let folder = Folder::new();
    let answer = |calls: &str| format!(r#"{{"id":"a","calls":{calls}}}"#);
    let call =
        |name: &str, arguments: &str| answer(&format!(r#"[{{"name":"{name}","arguments":{arguments}}}]"#));
    let rows = [
        // A tool that is not offered.
        (call("other", r#"{"x":1}"#), "simple_function_checker:wrong_func_name"),
        // 5 and 5.0, and what only differs beyond 2^53.
        (call("m.f", r#"{"x":1}"#), "null"),
        (call("m.f", r#"{"x":1.0}"#), "type_error:simple"),
        (call("m.f", r#"{"x":9007199254740993}"#), "value_error:others"),
        (call("m.f", r#"{"x":100000000000000000000000001}"#), "value_error:others"),
        // Arguments that are no object.
        (call("m.f", "20"), "simple_function_checker:missing_required"),
        (call("m.f", r#""{\"x\":1}""#), "simple_function_checker:missing_required"),
        (call("m.f", "null"), "simple_function_checker:missing_required"),
        (answer("{}"), "ast_decoder:decoder_wrong_output_format"),
        (answer("[1]"), "ast_decoder:decoder_wrong_output_format"),
        (answer("null"), "ast_decoder:decoder_failed"),
    ];
    let text: String = rows.iter().map(|(row, _)| format!("{row}\n")).collect();
    let found = judged(&folder, Rules::V2024, Names::Dotted, &[folder.file("o", text.as_bytes())]).unwrap();
    for ((row, expected), line) in rows.iter().zip(found.lines()) {
        let said = line.split_once("\"errorType\":").unwrap().1.trim_end_matches('}').trim_matches('"');
        assert_eq!(said, *expected, "{row}");
    }
    // The same integers, one of them allowed.
    let case = r#"{"id":"a","category":"simple","functions":[{"name":"f","parameters":{"properties":{"x":{"type":"integer"}}}}],"ground_truth":[{"f":{"x":[9007199254740993]}}]}"#;
    let book = CaseBook::read(&[folder.file("c", case.as_bytes())], Rules::V4).unwrap();
    for (x, right) in [("9007199254740993", true), ("9007199254740992", false)] {
        let outputs = [folder.file("o", call("f", &format!(r#"{{"x":{x}}}"#)).as_bytes())];
        let mut out = Vec::new();
        let summary = judge(&book, &outputs, Rules::V4, Names::Dotted, &mut out).unwrap();
        assert_eq!(summary.valid == 1, right, "{x}");
    }
}

#[test]
fn a_line_of_fifty_megabytes_is_a_line_like_any_other() {
    let folder = Folder::new();
    let long = row("a", "m.f", "1").replace("\"]\"", &format!("\"{}\"", "x\\\"]".repeat(50 << 18)));
    assert!(long.len() > 50 << 20);
    let text = format!("{}\n{long}\n{}\n{{", row("a", "m.f", "2"), row("a", "m.f", "1"));
    let outputs = [folder.file("o", text.as_bytes())];
    let cases = CaseBook::read(&[folder.file("c", CASES.as_bytes())], Rules::V2024).unwrap();
    let mut out = Vec::new();
    let error = judge(&cases, &outputs, Rules::V2024, Names::Dotted, &mut out).unwrap_err().to_string();
    let verdicts = String::from_utf8(out).unwrap();
    let right: Vec<bool> = verdicts.lines().map(|line| line.contains("\"verdict\":true")).collect();
    assert_eq!(right, [false, true, true]);
    assert!(error.contains("/o` line 4: no JSON: "), "{error}");
}

#[test]
fn bookmarks_never_change_who_judges() {
    let folder = Folder::new();
    for rules in [Rules::V2024, Rules::V4] {
        let cases = CaseBook::read(&[folder.file("c", CASES.as_bytes())], rules).unwrap();
        let mut bookmark = cases::Bookmark::default();
        for id in ["a", "b", "none", "none", "a", "z", "b", "a", "a", "none", "b"] {
            let (next, plain) = (cases.get_next(id, &mut bookmark), cases.get(id));
            assert_eq!(next.map(|case| case.id()), plain.map(|case| case.id()), "{rules:?} {id}");
        }
    }
}

#[test]
fn a_missing_models_file_is_told() {
    let folder = Folder::new();
    folder.file("outputs-2024-08-11-m.jsonl", b"");
    let error = parity(Path::new(&folder.0), Rules::V2024).unwrap_err();
    assert!(error.to_string().contains("models.json"), "{error}");
}
