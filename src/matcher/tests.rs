//! The pattern language, through its face: what matches, what a mismatch says, what is no pattern.

use super::*;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

#[expect(clippy::needless_pass_by_value, reason = "rows are written where they are used")]
fn compile(args: Value, mode: ArgsMode) -> Result<ArgsPattern, PatternError> {
    ArgsPattern::compile(&args, mode, &Normalize::default())
}

/// Mismatches as `path: expected | actual`, or nothing.
fn check(pattern: &ArgsPattern, args: &Value, schema: Option<&Value>) -> Vec<String> {
    let args = args.as_object().unwrap();
    let found = pattern.matches(args, schema);
    assert_eq!(found.is_empty(), pattern.accepts(args, schema), "{args:?}");
    found.iter().map(|m| format!("{}: {} | {}", m.path, m.expected, m.actual)).collect()
}

/// Holds one pattern for the argument `x` against one value of it.
#[expect(clippy::needless_pass_by_value, reason = "rows are written where they are used")]
fn value(pattern: Value, value: Value) -> String {
    let pattern = compile(json!({ "x": pattern }), ArgsMode::Exact).unwrap();
    check(&pattern, &json!({ "x": value }), None).join("; ")
}

#[test]
fn every_matcher_matches_what_it_says_and_says_what_it_misses() {
    for (pattern, found, expected) in [
        // literals
        (json!("auth"), json!("auth"), ""),
        (json!("auth"), json!("Auth"), "/x: \"auth\" | \"Auth\""),
        (json!(1), json!(1.0), ""),
        (json!(1), json!("1"), "/x: 1 | \"1\""),
        (json!(true), json!(1), "/x: true | 1"),
        (json!(null), json!(null), ""),
        (json!([1, 2]), json!([1, 2]), ""),
        (json!([1, 2]), json!([2, 1]), "/x/0: 1 | 2; /x/1: 2 | 1"),
        (json!([1, 2]), json!([1]), "/x: [1, 2] | [1]"),
        (json!({"a": {"b": 1}}), json!({"a": {"b": 2}}), "/x/a/b: 1 | 2"),
        (json!({"a": 1}), json!({"a": 1, "b": 2}), "/x/b: no such argument | 2"),
        (json!({"a": 1}), json!(3), "/x: {a: 1} | 3"),
        // $equals
        (json!({"$equals": {"$any": 1}}), json!({"$any": 1}), ""),
        (json!({"$equals": {"$any": 1}}), json!(5), "/x: {\"$any\":1} | 5"),
        // $oneOf, $anyOf
        (json!({"$oneOf": ["a", "b"]}), json!("b"), ""),
        (json!({"$oneOf": ["a", "b"]}), json!("c"), "/x: one of \"a\", \"b\" | \"c\""),
        (json!({"$anyOf": [{"$regex": "^a"}, 3]}), json!(3), ""),
        (json!({"$anyOf": [{"$regex": "^a"}, 3]}), json!("b"), "/x: one of matching /^a/, 3 | \"b\""),
        // $not
        (json!({"$not": "a"}), json!("b"), ""),
        (json!({"$not": "a"}), json!("a"), "/x: anything but \"a\" | \"a\""),
        // $contains
        (json!({"$contains": "ell"}), json!("hello"), ""),
        (json!({"$contains": "ell"}), json!("halo"), "/x: containing \"ell\" | \"halo\""),
        (json!({"$contains": "a"}), json!(["b", "a"]), ""),
        (json!({"$contains": {"id": 2}}), json!([{"id": 1}, {"id": 2}]), ""),
        (json!({"$contains": 3}), json!([1]), "/x: a list containing 3 | [1]"),
        (json!({"$contains": "a"}), json!(5), "/x: containing \"a\" | 5"),
        // $startsWith
        (json!({"$startsWith": "fix: "}), json!("fix: x"), ""),
        (json!({"$startsWith": "fix: "}), json!("Fix: x"), "/x: starting with \"fix: \" | \"Fix: x\""),
        // $regex
        (json!({"$regex": "b+"}), json!("abbc"), ""),
        (json!({"$regex": "^b+$"}), json!("abbc"), "/x: matching /^b+$/ | \"abbc\""),
        (json!({"$regex": "(?=.*b)(?=.*a)"}), json!("xab"), ""),
        (json!({"$regex": "node_modules"}), json!(["node_modules"]), ""),
        (
            json!({"$regex": "^(?:(a+)\\1?)+(?=b)"}),
            json!("a".repeat(40) + "c"),
            "/x: matching /^(?:(a+)\\1?)+(?=b)/ | the search took too long",
        ),
        // $range
        (json!({"$range": {"min": 3, "max": 10}}), json!(10.0), ""),
        (json!({"$range": {"min": 3, "max": 10}}), json!(11), "/x: a number from 3 to 10 | 11"),
        (json!({"$range": {"min": 3}}), json!(2.5), "/x: a number of at least 3 | 2.5"),
        (json!({"$range": {"max": 3}}), json!("2"), "/x: a number of at most 3 | \"2\""),
        // $approx
        (json!({"$approx": {"value": 99.5, "tolerance": 0.2}}), json!(99.7), ""),
        (
            json!({"$approx": {"value": 99.5, "tolerance": 0.2}}),
            json!(99.71),
            "/x: a number within 0.2 of 99.5 | 99.71",
        ),
        // $schema
        (json!({"$schema": {"type": "string", "format": "date"}}), json!("2026-03-01"), ""),
        (
            json!({"$schema": {"type": "string"}}),
            json!(3),
            "/x: accepted by the schema {\"type\":\"string\"} | 3 is not of type \"string\"",
        ),
        // $any
        (json!({"$any": true}), json!(null), ""),
        // $absent
        (json!({"$absent": true}), json!(null), "/x: nothing | null"),
        // $length
        (json!({"$length": 2}), json!("é→"), ""),
        (json!({"$length": 2}), json!([1, 2]), ""),
        (json!({"$length": 2}), json!({"a": 1}), "/x: a length of 2 | {\"a\":1}"),
        (json!({"$length": {"min": 1, "max": 2}}), json!(""), "/x: a length of 1 to 2 | \"\""),
        (json!({"$length": {"min": 1}}), json!(7), "/x: a length of at least 1 | 7"),
        // $unordered
        (json!({"$unordered": [1, 2, 2]}), json!([2, 1, 2]), ""),
        (json!({"$unordered": [{"$any": true}, "b", {"$regex": "^a"}]}), json!(["a", "b", "a"]), ""),
        (json!({"$unordered": [1, 2]}), json!([1, 1]), "/x: in any order [1, 2] | [1,1]"),
        (json!({"$unordered": [1, 2]}), json!([1, 2, 2]), "/x: in any order [1, 2] | [1,2,2]"),
        // $each
        (json!({"$each": {"$startsWith": "docs"}}), json!(["docs/a", "docs"]), ""),
        (
            json!({"$each": {"$startsWith": "docs"}}),
            json!(["docs/a", "src"]),
            "/x/1: starting with \"docs\" | \"src\"",
        ),
        (json!({"$each": 1}), json!({}), "/x: a list, each item 1 | {}"),
        // $allOf
        (json!({"$allOf": [{"$contains": "a"}, {"$length": 2}]}), json!("ab"), ""),
        (
            json!({"$allOf": [{"$contains": "a"}, {"$length": 2}]}),
            json!("xyz"),
            "/x: containing \"a\" | \"xyz\"; /x: a length of 2 | \"xyz\"",
        ),
    ] {
        assert_eq!(value(pattern.clone(), found.clone()), expected, "{pattern} {found}");
    }
}

#[test]
fn an_absent_argument_matches_absent_alone() {
    let everything = json!({
        "a": {"$absent": true},
        "b": {"$oneOf": [{"$absent": true}, 1]},
        "c": {"$allOf": [{"$absent": true}]},
    });
    let pattern = compile(everything, ArgsMode::Exact).unwrap();
    assert_eq!(check(&pattern, &json!({}), None), [""; 0]);
    for other in [
        json!(null),
        json!({"$any": true}),
        json!({"$not": 1}),
        json!({"$not": {"$absent": true}}),
        json!({"$length": {"max": 3}}),
        json!({"$each": 1}),
        json!({"$schema": {"type": "null"}}),
    ] {
        let pattern = compile(json!({"x": other}), ArgsMode::Partial).unwrap();
        assert!(!pattern.accepts(&Map::new(), None), "{other}");
        assert!(pattern.matches(&Map::new(), None)[0].actual == "nothing", "{other}");
    }
}

#[test]
fn dates_are_the_same_however_they_are_written() {
    let day = json!({"$date": "2026-03-01"});
    for same in [
        "2026-03-01",
        "2026/03/01",
        "2026-3-1",
        "20260301",
        "1 March 2026",
        "March 1, 2026",
        "1st of March 2026",
        "Mar 1, 2026",
        "01-Mar-2026",
        "2026-03-01T09:30:00Z",
        "2026-03-01T23:00:00-08:00",
        "2026-03-01 09:30",
    ] {
        assert_eq!(value(day.clone(), json!(same)), "", "{same}");
    }
    for (other, actual) in [
        ("2026-03-02", "\"2026-03-02\""),
        ("03/01/2026", "\"03/01/2026\", which is ambiguous: is the day or the month first?"),
        ("1.3.2026", "\"1.3.2026\", which is ambiguous: is the day or the month first?"),
        ("soon", "\"soon\", which is no date"),
        ("2026-02-30", "\"2026-02-30\", which is no date"),
    ] {
        assert_eq!(value(day.clone(), json!(other)), format!("/x: the date \"2026-03-01\" | {actual}"));
    }
    let instant = json!({"$date": "2026-03-01T09:00:00Z"});
    for (found, same) in [
        ("2026-03-01T10:00:00+01:00", true),
        ("2026-03-01 09:00:00Z", true),
        ("2026-03-01T09:00", true),
        ("Sun, 1 Mar 2026 09:00:00 +0000", true),
        ("2026-03-01T09:00:01Z", false),
        ("2026-03-01", false),
    ] {
        assert_eq!(value(instant.clone(), json!(found)).is_empty(), same, "{found}");
    }
}

#[test]
fn modes_say_what_else_may_come() {
    let args = json!({"path": "src"});
    let schema = json!({"properties": {"recursive": {"type": "boolean", "default": false}}});
    let default = json!({"path": "src", "recursive": false});
    let more = json!({"path": "src", "recursive": true});
    let of = |mode| compile(args.clone(), mode).unwrap();
    let unexpected = ["/recursive: no such argument | true"];
    assert_eq!(check(&of(ArgsMode::Exact), &more, Some(&schema)), unexpected);
    assert_eq!(check(&of(ArgsMode::Exact), &default, None), ["/recursive: no such argument | false"]);
    assert_eq!(check(&of(ArgsMode::Exact), &default, Some(&schema)), [""; 0]);
    assert_eq!(check(&of(ArgsMode::Partial), &more, Some(&schema)), [""; 0]);
    assert_eq!(check(&of(ArgsMode::Partial), &json!({}), None), ["/path: \"src\" | nothing"]);
    assert_eq!(check(&of(ArgsMode::Ignore), &json!({"z": 1}), None), [""; 0]);
    assert_eq!(check(&ArgsPattern::anything(), &json!({"z": 1}), None), [""; 0]);
}

#[test]
fn a_key_with_a_slash_points_into_the_arguments() {
    let args = json!({"table": "jobs", "/where/0/column": {"$oneOf": ["status", "state"]}, "/where/1": {"$absent": true}});
    let pattern = compile(args, ArgsMode::Exact).unwrap();
    let fine = json!({"table": "jobs", "where": [{"column": "state", "op": "eq"}]});
    assert_eq!(check(&pattern, &fine, None), [""; 0]);
    let wrong = json!({"table": "jobs", "where": [{"column": "id"}, 1]});
    assert_eq!(
        check(&pattern, &wrong, None),
        ["/where/0/column: one of \"status\", \"state\" | \"id\"", "/where/1: nothing | 1"]
    );
    let nothing = json!({"table": "jobs"});
    assert_eq!(check(&pattern, &nothing, None), ["/where/0/column: one of \"status\", \"state\" | nothing"]);
}

#[test]
fn normalization_is_by_argument() {
    let all: Folds = [Fold::Case, Fold::Punctuation].into_iter().collect();
    let normalize = Normalize::everywhere(Folds::NONE).with("/title", all);
    let args = json!({"title": "Fix it", "body": "Now", "n": {"$oneOf": ["A"]}});
    let pattern = ArgsPattern::compile(&args, ArgsMode::Exact, &normalize).unwrap();
    assert_eq!(check(&pattern, &json!({"title": "fix it!", "body": "Now", "n": "A"}), None), [""; 0]);
    let wrong = json!({"title": "fix", "body": "now", "n": "a"});
    assert_eq!(
        check(&pattern, &wrong, None),
        ["/body: \"Now\" | \"now\"", "/n: one of \"A\" | \"a\"", "/title: \"Fix it\" | \"fix\""]
    );
    let everywhere = Normalize::everywhere(all);
    for (pattern, found) in [
        (json!({"$equals": {"a": "B."}}), json!({"a": "b"})),
        (json!({"$contains": "LL"}), json!("hel-lo")),
        (json!({"$startsWith": "FIX"}), json!("fix")),
        (json!(["A"]), json!(["a"])),
    ] {
        let pattern = ArgsPattern::compile(&json!({"x": pattern}), ArgsMode::Exact, &everywhere).unwrap();
        assert_eq!(check(&pattern, &json!({"x": found}), None), [""; 0]);
    }
}

#[test]
fn what_is_no_pattern_says_why_and_where() {
    for (pattern, expected) in [
        (
            json!({"$oneof": [1]}),
            "/x/$oneof: unknown matcher `$oneof` (did you mean `$oneOf`? a literal goes under `$equals`)",
        ),
        (
            json!({"$any": true, "b": 1}),
            "/x/$any: the matcher `$any` stands beside `b` (a matcher is an object with one key; a literal object \
             with such a key goes under `$equals`)",
        ),
        (
            json!([{"a": {"$each": {"$foo": 1}}}]),
            "/x/0/a/$each/$foo: unknown matcher `$foo` (did you mean `$not`? a literal goes under `$equals`)",
        ),
        (json!({"$oneOf": []}), "/x/$oneOf: expected a list with at least one item, found `[]`"),
        (json!({"$oneOf": "a"}), "/x/$oneOf: expected a list with at least one item, found `\"a\"`"),
        (
            json!({"$allOf": [{"$any": 1}]}),
            "/x/$allOf/0/$any: expected `true`, found `1` (`$any: true` asks for a value, `$absent: true` for none)",
        ),
        (
            json!({"$absent": false}),
            "/x/$absent: expected `true`, found `false` (`$absent: true` asks for no value, `$any: true` for one)",
        ),
        (
            json!({"$contains": ""}),
            "/x/$contains: the text is empty, and every text contains it (use `$any: true`)",
        ),
        (json!({"$startsWith": 3}), "/x/$startsWith: expected a text that is not empty, found `3`"),
        (
            json!({"$regex": "a("}),
            "/x/$regex: `a(` is no regular expression: unclosed group (quote it in single quotes in YAML, and escape \
             what is meant literally with `\\`)",
        ),
        (
            json!({"$range": {"min": 3, "maks": 4}}),
            "/x/$range/maks: unknown field `maks` (the fields here are `min`, `max`)",
        ),
        (json!({"$range": [1, 2]}), "/x/$range: expected an object with `min`, `max`, found `[1,2]`"),
        (
            json!({"$range": {"min": 3, "max": 2}}),
            "/x/$range: `min` 3 is above `max` 2, so nothing can match",
        ),
        (json!({"$range": {}}), "/x/$range: neither `min` nor `max` is given"),
        (json!({"$range": {"min": "3"}}), "/x/$range/min: expected a number, found `\"3\"`"),
        (
            json!({"$approx": {"value": 1}}),
            "/x/$approx: `tolerance` is missing (write `{ value: 10, tolerance: 0.5 }`)",
        ),
        (
            json!({"$approx": {"value": 1, "tolerance": -1}}),
            "/x/$approx/tolerance: the tolerance is below 0, so nothing can match",
        ),
        (
            json!({"$date": "03/04/2026"}),
            "/x/$date: `03/04/2026` is ambiguous: is the day or the month first? (write a day as `2026-03-01`, an \
             instant as `2026-03-01T09:00:00Z`)",
        ),
        (
            json!({"$schema": {"type": "strin"}}),
            "/x/$schema: the JSON Schema is invalid: \"strin\" is not valid under any of the schemas listed in the 'anyOf' keyword",
        ),
        (
            json!({"$schema": {"properties": {"requierd": {"anyOf": [{"requierd": []}]}}}}),
            "/x/$schema/properties/requierd/anyOf/0/requierd: unknown keyword `requierd` (did you mean `required`?)",
        ),
        (json!({"$schema": {}}), "/x/$schema: expected a JSON Schema with at least one keyword, found `{}`"),
        (json!({"$length": -1}), "/x/$length: expected a whole number, 0 or more, found `-1`"),
        (
            json!({"$length": {"min": 2, "max": 1}}),
            "/x/$length: `min` 2 is above `max` 1, so nothing can match",
        ),
    ] {
        let error = compile(json!({"x": pattern}), ArgsMode::Exact).unwrap_err();
        let hint = error.hint.map_or_else(String::new, |hint| format!(" ({hint})"));
        assert_eq!(format!("{}: {}{hint}", error.pointer, error.message), expected);
    }
    let deep = (0..70).fold(json!(1), |inner, _| json!([inner]));
    assert_eq!(
        compile(json!({"x": deep}), ArgsMode::Exact).unwrap_err().message,
        "nested more than 64 levels deep"
    );
    assert_eq!(
        compile(json!([1]), ArgsMode::Exact).unwrap_err().message,
        "arguments are an object, and this is `[1]`"
    );
}

#[test]
fn long_values_are_cut() {
    let told = value(json!("a"), json!("b".repeat(500)));
    assert_eq!(told.chars().filter(|c| *c == 'b').count(), 119);
    assert!(told.ends_with('…'));
}

#[test]
fn a_witness_is_found_for_every_matcher() {
    let schema = json!({"properties": {
        "list": {"type": "array", "items": {"type": "object", "properties": {"id": {"type": "integer"}, "op": {"enum": ["eq"]}}, "required": ["op"]}},
        "word": {"enum": ["a", "b"]},
        "need": {"type": "string"},
    }, "required": ["need"]});
    for (args, mode, expected) in [
        (json!({"x": 1}), ArgsMode::Exact, json!({"x": 1})),
        (json!({"x": 1}), ArgsMode::Partial, json!({"need": "x", "x": 1})),
        (json!({"x": {"$absent": true}}), ArgsMode::Exact, json!({})),
        (json!({"x": {"$oneOf": [{"$absent": true}, 3]}}), ArgsMode::Exact, json!({})),
        (json!({"word": {"$not": "a"}}), ArgsMode::Exact, json!({"word": "b"})),
        (json!({"/list/0/id": 5}), ArgsMode::Exact, json!({"list": [{"op": "eq", "id": 5}]})),
        (json!({"x": {"$regex": "^(fix|feat): [a-z]+\\d{2}$"}}), ArgsMode::Exact, json!({"x": "fix: a00"})),
        (json!({"x": {"$regex": "(?i)Lena"}}), ArgsMode::Exact, json!({"x": "lena"})),
        (
            json!({"x": {"$allOf": [{"$contains": "a b"}, {"$contains": "c"}]}}),
            ArgsMode::Exact,
            json!({"x": "a bc"}),
        ),
        (json!({"x": {"$schema": {"type": "integer", "minimum": 4}}}), ArgsMode::Exact, json!({"x": 4})),
        (json!({"list": {"$length": 1}}), ArgsMode::Exact, json!({"list": [{"op": "eq"}]})),
        (json!({"x": {"$each": "a"}}), ArgsMode::Exact, json!({"x": ["a"]})),
        (json!({"x": {"$date": "2026-03-01"}}), ArgsMode::Exact, json!({"x": "2026-03-01"})),
    ] {
        let witness = compile(args.clone(), mode).unwrap().witness(Some(&schema));
        assert_eq!(witness.map(Value::Object), Some(expected), "{args}");
    }
    let impossible = compile(json!({"x": {"$allOf": ["a", "b"]}}), ArgsMode::Exact).unwrap();
    assert_eq!(impossible.witness(None), None);
}

/// Any JSON value without a key that starts with `$` or `/`.
fn values() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        (-1e9..1e9_f64).prop_map(Value::from),
        "[a-cA-C ,é]{0,4}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map("[a-c]{1,2}", inner, 0..4)
                .prop_map(|m| Value::Object(m.into_iter().collect())),
        ]
    })
}

fn arguments() -> impl Strategy<Value = Map<String, Value>> {
    prop::collection::btree_map("[a-c]{1,2}", values(), 0..4).prop_map(|m| m.into_iter().collect())
}

fn patterns() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        values(),
        values().prop_map(|v| json!({"$equals": v})),
        Just(json!({"$any": true})),
        Just(json!({"$absent": true})),
        (0..5_u64).prop_map(|n| json!({"$length": n})),
        (-9..9_i64).prop_map(|n| json!({"$range": {"min": n}})),
        "[a-z]{1,3}".prop_map(|t| json!({"$startsWith": t})),
        "[a-z]{1,3}".prop_map(|t| json!({"$contains": t})),
        "(\\^)?[a-z]{1,3}(\\[0-9\\]\\+|\\(x\\|y\\)\\*)?".prop_map(|t| json!({"$regex": t})),
    ];
    leaf.prop_recursive(2, 8, 3, |inner| {
        let several = prop::collection::vec(inner.clone(), 1..4);
        prop_oneof![
            several.clone().prop_map(|p| json!({"$oneOf": p})),
            several.clone().prop_map(|p| json!({"$unordered": p})),
            several.prop_map(|p| json!({"$allOf": p})),
            inner.clone().prop_map(|p| json!({"$each": p})),
            inner.prop_map(|p| json!({"$not": p})),
        ]
    })
}

proptest! {
    #[test]
    fn a_literal_matches_the_equal_value_and_no_other(a in arguments(), b in arguments()) {
        let pattern = compile(Value::Object(a.clone()), ArgsMode::Exact).unwrap();
        prop_assert!(pattern.accepts(&a, None));
        let same = equality::equal(&Value::Object(a), &Value::Object(b.clone()), Folds::NONE);
        prop_assert_eq!(pattern.accepts(&b, None), same);
    }

    #[test]
    fn a_witness_satisfies_its_pattern(pattern in patterns(), other in arguments()) {
        let pattern = compile(json!({"x": pattern}), ArgsMode::Exact).unwrap();
        if let Some(witness) = pattern.witness(None) {
            prop_assert!(pattern.matches(&witness, None).is_empty());
        }
        // and a verdict is the same with and without its reasons
        prop_assert_eq!(pattern.matches(&other, None).is_empty(), pattern.accepts(&other, None));
    }
}
