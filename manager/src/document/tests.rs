//! The readers and the decoder, through the module's face.

use super::*;
use serde::Deserialize;
use serde_json::{Value, json};

fn error_of(file: &str, text: &[u8], format: Format) -> String {
    match parse(file, text, format) {
        Ok(node) => format!("no error: {}", node.to_value()),
        Err(error) => error.to_string(),
    }
}

#[test]
fn broken_yaml_says_where_and_what_to_do() {
    for (text, expected) in [
        ("a: 1\na: 2\n", "f:2:1: `a`: the key `a` stands twice in one object\nhint: keep one of them"),
        ("a: [1, 2\nb: 3", "f:2:2: illegal placement of ':' indicator"),
        (
            "a:\n\t- b\n",
            "f:2:2: tabs disallowed within this context (block indentation)\nhint: indent with spaces",
        ),
        (
            "a: .nan",
            "f:1:4: `.nan` is not a finite number\nhint: write a finite number, or quote it if it is text",
        ),
        (
            "a: 1e999",
            "f:1:4: `1e999` is not a finite number\nhint: write a finite number, or quote it if it is text",
        ),
        (
            "a: 123456789012345678901",
            "f:1:4: `a`: the integer `123456789012345678901` would be rounded\n\
             hint: write it in quotes if it is an identifier, or with an exponent if it is a quantity",
        ),
        ("", "f:1:1: the file is empty"),
        (" \n\n", "f:1:1: the file is empty"),
        ("# nothing\n", "f:1:1: the file holds no value"),
        (
            "---\na: 1\n---\nb: 2\n",
            "f:4:1: a second document begins here\nhint: keep one document a file: remove the `---`",
        ),
        (
            "a: !foo 3",
            "f:1:9: unsupported tag `!foo`\nhint: remove the tag; quote the text if it begins with `!`",
        ),
        ("? [1,2]\n: 3\n", "f:1:3: a key must be text\nhint: write `key: value`, with a plain or quoted key"),
        ("a: *x", "f:1:4: alias references unknown anchor"),
        ("a: &x [*x]", "f:1:8: an alias stands inside its own anchor"),
        (
            "a: b: c",
            "f:1:5: mapping values are not allowed in this context\n\
             hint: quote the text if it holds `: `, and check the indentation",
        ),
        ("@x", "f:1:1: unexpected character: `@`\nhint: quote the text if it begins so"),
        ("a: 'x", "f:1:4: unclosed quote"),
    ] {
        assert_eq!(error_of("f", text.as_bytes(), Format::Yaml), expected, "{text:?}");
    }
}

#[test]
fn broken_json_says_where() {
    for (text, expected) in [
        ("{\"a\":1,\n\"a\":2}", "f:2:1: `a`: the key `a` stands twice in one object\nhint: keep one of them"),
        (
            "{\"x\":[{\"a\":1,\"a\":2}]}",
            "f:1:14: `x[0].a`: the key `a` stands twice in one object\nhint: keep one of them",
        ),
        ("[1,]", "f:1:3: trailing commas are not allowed"),
        ("[1 2]", "f:1:3: expected comma"),
        ("// x\n1", "f:1:1: comments are not allowed"),
        ("1e999", "f:1:1: `1e999` is no number that JSON knows\nhint: write text in double quotes"),
        ("NaN", "f:1:1: unexpected word"),
        (
            "[\"a\nb\"]",
            "f:1:2: `[0]`: the text holds a raw control character U+000A\n\
             hint: write it as an escape, such as `\\n` or `\\t`",
        ),
        ("{} {}", "f:1:4: text cannot contain more than one JSON value"),
        ("{\"a\" 1}", "f:1:6: expected colon after the string or word in object property"),
        ("\u{a0}1", "f:1:1: unexpected character outside of text"),
        ("  ", "f:1:1: the file is empty"),
    ] {
        assert_eq!(error_of("f", text.as_bytes(), Format::Json), expected, "{text:?}");
    }
}

#[test]
fn bytes_that_are_no_utf8_are_named() {
    let shown = error_of("f", b"a: 1\nb: \xff", Format::Yaml);
    assert_eq!(shown, "f:2:4: byte 0xFF is not valid UTF-8 here\nhint: save the file as UTF-8");
}

#[test]
fn bombs_end_in_an_error() {
    let aliases: String = (1..12)
        .map(|i| format!("a{i}: &a{i} [{}]\n", vec![format!("*a{}", i - 1); 9].join(",")))
        .fold("a0: &a0 [x,x,x,x,x,x,x,x,x]\n".to_owned(), |text, line| text + &line);
    let block: String = (0..3000).map(|i| format!("{}a:\n", " ".repeat(i))).collect();
    let lists = "[".repeat(100_000);
    let objects = "{\"a\":".repeat(100_000);
    for (text, format, expected) in [
        (&aliases, Format::Yaml, "the aliases of this file unfold to more than it may hold"),
        (&block, Format::Yaml, "nested more than 32 levels deep"),
        (&lists, Format::Yaml, "nested more than 32 levels deep"),
        (&lists, Format::Json, "nested more than 64 levels deep"),
        (&objects, Format::Json, "nested more than 64 levels deep"),
    ] {
        let shown = error_of("f", text.as_bytes(), format);
        assert!(shown.contains(expected), "{shown}");
    }
}

#[test]
fn both_readers_give_the_same_values() {
    let expected =
        json!({"a": [5, 5.0, -1, 18_446_744_073_709_551_615_u64], "b": {"c": null, "d": "😀"}, "e": true});
    let yaml = "a: [5, 5.0, -1, 18446744073709551615]\nb:\n  c: ~\n  d: 😀\ne: true\n";
    let json =
        r#"{"a": [5, 5.0, -1, 18446744073709551615], "b": {"c": null, "d": "\ud83d\ude00"}, "e": true}"#;
    for (text, format) in [(yaml, Format::Yaml), (json, Format::Json)] {
        let with_mark = format!("\u{feff}{text}");
        for text in [text, &with_mark] {
            let value = parse("f", text.as_bytes(), format).unwrap().to_value();
            assert_eq!(value, expected);
            assert_eq!(value.to_string(), expected.to_string(), "5 and 5.0 stay apart");
        }
    }
}

#[test]
fn yaml_words_and_codes_stay_text() {
    let node = parse("f", b"[no, on, 0755, 1_000, 2026-03-01, \"5\", &x y, *x]", Format::Yaml).unwrap();
    assert_eq!(node.to_value(), json!(["no", "on", "0755", "1_000", "2026-03-01", "5", "y", "y"]));
}

#[test]
fn every_value_and_key_knows_its_place() {
    let yaml = parse("f", b"a:\n  - x: 1\n    y: [p, q]\n", Format::Yaml).unwrap();
    let json = parse("f", b"{\"a\": [\n  {\"x\": 1,\n\"y\": [\"p\", \"q\"]}]}", Format::Json).unwrap();
    for (node, pointer, value, key) in [
        (&yaml, "/a/0/x", "f:2:8", "f:2:5"),
        (&yaml, "/a/0/y/1", "f:3:12", ""),
        (&json, "/a/0/x", "f:2:9", "f:2:4"),
        (&json, "/a/0/y/1", "f:3:12", ""),
    ] {
        assert_eq!(node.at(pointer).unwrap().place.to_string(), value, "{pointer}");
        if let Some((parent, name)) = pointer.rsplit_once('/').filter(|_| !key.is_empty()) {
            assert_eq!(node.at(parent).unwrap().member(name).unwrap().place.to_string(), key, "{pointer}");
        }
    }
    assert!(yaml.at("/a/1").is_none() && yaml.at("a").is_none() && yaml.at("/a/0/x/0").is_none());
    assert_eq!(yaml.nearest("/a/0/z/z").place, yaml.at("/a/0").unwrap().place);
}

#[test]
fn lines_keep_their_numbers_and_every_bad_line_is_told() {
    let nodes = parse_lines("f", b"\xEF\xBB\xBF{\"a\":1}\r\n\r\n  {\"a\":2}\n").unwrap();
    let shown: Vec<(String, Value)> = nodes.iter().map(|n| (n.place.to_string(), n.to_value())).collect();
    assert_eq!(shown, [("f:1:1".to_owned(), json!({"a": 1})), ("f:3:3".to_owned(), json!({"a": 2}))]);
    let wrong = parse_lines("f", b"{\n{\"a\":1}\n[1,]\n").unwrap_err();
    assert_eq!(wrong.to_string(), "f:1:1: unterminated object\nf:3:3: trailing commas are not allowed");
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Tool {
    #[serde(rename = "id")]
    _id: String,
    #[serde(rename = "risk")]
    _risk: Risk,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Risk {
    #[serde(rename = "level")]
    _level: Level,
    #[serde(rename = "maxCalls", default)]
    _max_calls: Option<u8>,
    #[serde(rename = "tags", default)]
    _tags: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
enum Level {
    Low,
    High,
}

#[test]
fn what_does_not_fit_points_at_its_place() {
    for (text, expected) in [
        ("id: a\nrisk: {level: low}", "fits"),
        (
            "id: a\nrisk:\n  levle: low",
            "f:3:3: `risk.levle`: unknown field `levle`\nhint: did you mean `level`?",
        ),
        (
            "id: a\nrisk: {level: low}\nzzzzzzz: 1",
            "f:3:1: `zzzzzzz`: unknown field `zzzzzzz`\nhint: expected one of `id`, `risk`",
        ),
        ("id: a\nrisk:\n  maxCalls: 3", "f:3:3: `risk.level`: this field is missing"),
        (
            "id: a\nrisk:\n  level: hihg",
            "f:3:10: `risk.level`: unknown word `hihg`\nhint: did you mean `high`?",
        ),
        (
            "id: a\nrisk: {level: low, maxCalls: x}",
            "f:2:30: `risk.maxCalls`: expected a whole number, 0 or more, found \"x\"",
        ),
        (
            "id: a\nrisk: {level: low, maxCalls: -1}",
            "f:2:30: `risk.maxCalls`: expected a whole number, 0 or more, found `-1`",
        ),
        ("id: a\nrisk: {level: low, tags: [a, [b]]}", "f:2:30: `risk.tags[1]`: expected text, found a list"),
        ("id:\nrisk: {level: low}", "f:1:3: `id`: expected text, found null"),
        ("id: 5\nrisk: {level: low}", "f:1:5: `id`: expected text, found `5`"),
        ("id: a\nrisk: 3", "f:2:7: `risk`: expected an object, found `3`"),
        ("3", "f:1:1: expected an object, found `3`"),
    ] {
        let node = parse("f", text.as_bytes(), Format::Yaml).unwrap();
        let shown = node.decode::<Tool>().map_or_else(|e| e.to_string(), |_| "fits".to_owned());
        assert_eq!(shown, expected, "{text}");
    }
}

#[test]
fn a_decoded_part_names_the_whole_path() {
    let node = parse("f", b"- id: a\n  rsk: 1", Format::Yaml).unwrap();
    let item = node.at("/0").unwrap();
    let error = item.decode_within::<Tool>(&Field::root().index(0)).unwrap_err();
    assert_eq!(error.to_string(), "f:2:3: `[0].rsk`: unknown field `rsk`\nhint: did you mean `risk`?");
}

#[test]
fn every_unknown_field_is_told() {
    let node = parse("f", b"id: a\nrsk: 1\nrisk: {level: low, tgs: []}\ncolour: 2\n", Format::Yaml).unwrap();
    let mut errors = Diagnostics::new();
    assert!(node.decode_into::<Tool>(&Field::root(), &mut errors).is_none());
    assert_eq!(
        errors.to_string(),
        "f:2:1: `rsk`: unknown field `rsk`\nhint: did you mean `risk`?\n\
         f:3:20: `risk.tgs`: unknown field `tgs`\nhint: did you mean `tags`?\n\
         f:4:1: `colour`: unknown field `colour`\nhint: expected one of `id`, `risk`"
    );
}
