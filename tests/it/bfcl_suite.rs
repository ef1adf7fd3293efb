//! The leaderboard's cases and answers as a suite: each trial says what the fast way of judging says.

use crate::cli::Desk;
use serde_json::{Value, json};
use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    slice,
};

const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/data/bfcl");

/// A function doc in the leaderboard's dialect.
fn function(name: &str, properties: &Value, required: &[&str]) -> Value {
    json!({ "name": name, "description": format!("does {name}"),
        "parameters": { "type": "dict", "properties": properties, "required": required } })
}

fn case(id: &str, category: &str, functions: &[Value], truth: &Value) -> Value {
    json!({ "id": id, "category": category, "messages": [{ "role": "user", "content": format!("please {id}") }],
        "functions": functions, "ground_truth": truth })
}

fn cases() -> Vec<Value> {
    let area = function(
        "geo.area",
        &json!({ "side": { "type": "float" }, "unit": { "type": "string" }, "at": { "type": "tuple",
            "items": { "type": "float" } }, "style": { "type": "dict" } }),
        &["side"],
    );
    // The same name, another doc.
    let other = function("geo.area", &json!({ "radius": { "type": "integer" } }), &["radius"]);
    // A schema that no compiler takes.
    let broken = function("pick", &json!({ "x": { "type": "string", "pattern": "(" } }), &["x"]);
    let java =
        function("Box.open", &json!({ "wide": { "type": "boolean" }, "n": { "type": "long" } }), &["wide"]);
    let truth = json!([{ "geo.area": { "side": [2.0], "unit": ["Square Metres", ""], "at": [[1.0, 2.0], ""],
        "style": [{ "colour": ["red", "blue"] }, ""] } }]);
    let twice = json!([{ "geo.area": { "side": [1.0, 2.0] } }, { "geo.area": { "side": [1.0] } }]);
    let mut talk =
        case("talk", "simple", slice::from_ref(&other), &json!([{ "geo.area": { "radius": [3] } }]));
    talk["messages"] =
        json!([{ "role": "system", "content": "be brief" }, { "role": "user", "content": "area?" }]);
    vec![
        case("area", "simple", slice::from_ref(&area), &truth),
        talk,
        case("pick", "multiple", &[area.clone(), broken.clone()], &json!([{ "pick": { "x": ["a"] } }])),
        case("twice", "parallel", slice::from_ref(&area), &twice),
        case("nowhere", "parallel", slice::from_ref(&area), &json!([{ "deck": {} }])),
        case("java", "java", &[java], &json!([{ "Box.open": { "wide": [true], "n": [7, ""] } }])),
        case("nothing", "irrelevance", slice::from_ref(&area), &json!([])),
        case("empty", "irrelevance", &[], &json!([])),
        case("anything", "live_relevance", &[area, broken], &json!([])),
        case("unanswered", "irrelevance", &[other], &json!([])),
    ]
}

fn ok(id: &str, calls: &Value) -> Value {
    json!({ "id": id, "decode": "ok", "calls": calls, "raw": calls.to_string() })
}

fn with(mut row: Value, key: &str, value: Value) -> Value {
    row[key] = value;
    row
}

#[expect(clippy::needless_pass_by_value, reason = "rows of a table read better without borrows")]
fn one(id: &str, name: &str, arguments: Value) -> Value {
    ok(id, &json!([{ "name": name, "arguments": arguments }]))
}

/// Answers of every odd kind; some right, some wrong.
fn rows() -> Vec<Value> {
    let failed = |id: &str, raw: &str| json!({ "id": id, "decode": "failed", "calls": null, "raw": raw });
    let underscored = |row: Value| with(row, "dot_to_underscore", json!(true));
    let sides = |a: f64, b: f64| {
        let call = |side: f64| json!({ "name": "geo.area", "arguments": { "side": side } });
        ok("twice", &json!([call(a), call(b)]))
    };
    vec![
        one("area", "geo.area", json!({ "side": 2 })),
        one(
            "area",
            "geo.area",
            json!({ "side": 2, "unit": "square-metres", "at": [], "style": { "colour": "RED" } }),
        ),
        one("area", "geo.area", json!({ "side": true })),
        one("area", "geo.area", json!({ "side": 2.5 })),
        one("area", "geo.area", json!({ "side": 2.0, "at": [1, 2] })),
        one("area", "geo.area", json!({ "side": 2.0, "colour": "red" })),
        one("area", "geo_area", json!({ "side": 2 })),
        underscored(one("area", "geo_area", json!({ "side": 2 }))),
        underscored(one("area", "geo.area", json!({ "side": 2 }))),
        one("area", "geo.volume", json!({ "side": 2 })),
        one("area", "geo.area", json!(20)),
        one("area", "geo.area", json!({ "side": 2, "unit": 9_007_199_254_740_993_u64 })),
        ok("area", &json!([])),
        ok("area", &json!([{}])),
        ok("area", &json!({ "name": "geo.area" })),
        failed("area", "[geo.area(side=2)"),
        json!({ "id": "area", "decode": "wrong_format", "calls": null, "raw": ["geo.area()"] }),
        one("talk", "geo.area", json!({ "radius": 3 })),
        one("talk", "geo.area", json!({ "radius": 3.0 })),
        one("talk", "geo.area.v2", json!({ "radius": 3 })),
        one("pick", "pick", json!({ "x": "A." })),
        one("pick", "pick", json!({ "x": "b" })),
        sides(1.0, 2.0),
        sides(2.0, 1.0),
        sides(1.0, 1.0),
        sides(1.0, 3.0),
        one("nowhere", "deck", json!({})),
        with(
            one("java", "Box.open", json!({ "wide": "true", "n": "7L" })),
            "converted",
            json!([{ "name": "Box.open", "arguments": { "wide": true, "n": 7 } }]),
        ),
        with(
            one("java", "Box.open", json!({ "wide": true })),
            "converted",
            json!([{ "name": "Box.open", "arguments": { "wide": true } }]),
        ),
        one("java", "Box.open", json!({ "wide": "true" })),
        failed("nothing", "I am sorry, I cannot."),
        failed("nothing", "geo.area(side=)"),
        one("nothing", "geo.area", json!({ "side": 2 })),
        ok("nothing", &json!([])),
        ok("nothing", &json!([{}])),
        ok("nothing", &json!([{}, {}])),
        failed("empty", "No."),
        one("empty", "anything", json!({})),
        one("anything", "made_up", json!({})),
        ok("anything", &json!([{}])),
        failed("anything", "what do you mean?"),
        one("anything", "pick", json!({ "x": "z" })),
    ]
}

fn jsonl(rows: &[Value]) -> String {
    rows.iter().map(|row| format!("{row}\n")).collect()
}

/// Whether each answer is right, by case and repeat, as `--verdicts` says.
fn verdicts(file: &Path) -> BTreeMap<(String, u64), bool> {
    let mut counts: BTreeMap<String, u64> = BTreeMap::new();
    let mut verdicts = BTreeMap::new();
    for line in fs::read_to_string(file).unwrap().lines() {
        let line: Value = serde_json::from_str(line).unwrap();
        let id = line["id"].as_str().unwrap().to_owned();
        let count = counts.entry(id.clone()).or_default();
        verdicts.insert((id, *count), line["verdict"].as_bool().unwrap());
        *count += 1;
    }
    verdicts
}

/// How the trials of a model ended, by case and repeat; without those of answers that nobody gave.
fn trials(desk: &Desk, model: &str) -> BTreeMap<(String, u64), bool> {
    let text = fs::read_to_string(desk.latest().join("trials.jsonl")).unwrap();
    let trials = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let own = trials.filter(|trial| trial["model"] == model && trial["end"] != "stale");
    own.map(|trial| {
        let end = trial["end"].as_str().unwrap();
        assert!(["pass", "fail"].contains(&end), "{trial}");
        let passed = trial["turns"].as_array().unwrap().iter().all(|turn| turn["strict"] == true);
        assert_eq!(passed, end == "pass", "{trial}");
        ((trial["case"].as_str().unwrap().to_owned(), trial["repeat"].as_u64().unwrap()), end == "pass")
    })
    .collect()
}

struct Imported {
    desk: Desk,
    told: String,
}

/// Imports files into a suite, runs it, and holds every trial against the verdict on its answer.
fn check(cases: &[PathBuf], outputs: &[(&str, PathBuf)], rules: &str, more: &[&str]) -> Imported {
    let desk = Desk::new();
    let list = |files: &mut dyn Iterator<Item = &PathBuf>| -> Vec<String> {
        files.map(|file| file.display().to_string()).collect()
    };
    let cases = list(&mut cases.iter());
    let import = |outputs: &[String], rest: &[&str]| {
        let mut line = vec!["import", "bfcl", "--rules", rules, "--cases"];
        line.extend(cases.iter().map(String::as_str));
        line.push("--outputs");
        line.extend(outputs.iter().map(String::as_str));
        line.extend(rest);
        let (code, _, told) = desk.run(&line);
        assert_eq!(code, 0, "{told}");
        told
    };
    let told = import(&list(&mut outputs.iter().map(|(_, file)| file)), &[&["--to", "suite"], more].concat());
    let (code, _, run) = desk.run(&["run", "suite/suite.yaml", "--quiet"]);
    assert!(code == 0 || code == 1 || code == 3, "{code}: {run}");
    for (model, file) in outputs {
        let names = more.contains(&"--models") && model.ends_with("-FC");
        let flags: &[&str] = if names { &["--dot-to-underscore"] } else { &[] };
        import(&[file.display().to_string()], &[&["--verdicts", "verdicts.jsonl"], flags].concat());
        let expected = verdicts(&desk.path().join("verdicts.jsonl"));
        assert!(expected.values().any(|right| *right) && expected.values().any(|right| !*right));
        assert_eq!(trials(&desk, &format!("bfcl:{model}")), expected, "{model}");
    }
    Imported { desk, told }
}

#[test]
fn a_trial_says_what_the_fast_way_says_of_every_odd_answer() {
    for rules in ["2024", "v4"] {
        let files = Desk::new();
        let outputs = files.write("outputs-2024-08-11-odd.jsonl", &jsonl(&rows()));
        // Another model with fewer answers to some cases, and none to others.
        let few: Vec<Value> = rows().into_iter().step_by(3).collect();
        let few = files.write("few.jsonl", &jsonl(&few));
        let cases = files.write("cases.jsonl", &jsonl(&cases()));
        let found = check(&[cases], &[("odd", outputs), ("few", few)], rules, &[]);
        assert!(found.told.contains("1 cases have no answer, and are left out"), "{}", found.told);
        assert!(found.told.contains("tool `pick`: only names and types"), "{}", found.told);
        let suite = fs::read_to_string(found.desk.path().join("suite/suite.yaml")).unwrap();
        assert!(suite.contains("trials: 17"), "{suite}");
        let tools = fs::read_to_string(found.desk.path().join("suite/tools.json")).unwrap();
        assert!(tools.contains("\"geo.area\"") && tools.contains("\"geo.area.v2\""), "{tools}");
        let metrics = found.desk.latest_json("metrics.json").to_string();
        assert!(metrics.contains("bfcl:few"), "{metrics}");
    }
}

#[test]
fn what_is_wrong_is_told_by_the_leaderboards_name_and_by_the_argument() {
    let files = Desk::new();
    let rows = [one("area", "geo.area", json!({ "side": 2.0, "unit": "feet" }))];
    let outputs = files.write("m.jsonl", &jsonl(&rows)).display().to_string();
    let cases = files.write("cases.jsonl", &jsonl(&cases())).display().to_string();
    let import = ["import", "bfcl", "--cases", &cases, "--outputs", &outputs, "--to", "suite"];
    assert_eq!(files.run(&import).0, 0);
    assert_eq!(files.run(&["run", "suite/suite.yaml", "-q"]).0, 1);
    let trial = fs::read_to_string(files.latest().join("trials.jsonl")).unwrap();
    let trial: Value = serde_json::from_str(trial.trim()).unwrap();
    let expected = json!([
        "by the rules of BFCL: value_error:string",
        "`geo.area` at `/unit`: expected [\"Square Metres\",\"\"] (value_error:string), got \"feet\"",
    ]);
    assert_eq!(trial["turns"][0]["problems"], expected);
    // A folder is never written over.
    let (code, _, error) = files.run(&import);
    assert_eq!(code, 2);
    assert!(error.contains("the folder is not empty\nhint: name a new one"), "{error}");
}

#[test]
fn the_folder_of_the_package_is_read_as_it_is() {
    let files = Desk::new();
    let question = |id: &str, function: &Value| json!({ "id": id, "question": [[{ "role": "user", "content": "area?" }]], "function": function });
    let f = function("geo.area", &json!({ "side": { "type": "float" } }), &["side"]);
    files.write("data/BFCL_v4_simple_python.json", &jsonl(&[question("s", &json!([f]))]));
    files.write(
        "data/possible_answer/BFCL_v4_simple_python.json",
        &jsonl(&[json!({ "id": "s", "ground_truth": [{ "geo.area": { "side": [1.0] } }] })]),
    );
    files.write("data/BFCL_v4_live_relevance.json", &jsonl(&[question("any", &f)]));
    files.write("data/BFCL_v4_multi_turn_base.json", "not read");
    let outputs = jsonl(&[
        one("s", "geo.area", json!({ "side": 1 })),
        one("any", "x", json!({})),
        ok("any", &json!([])),
    ]);
    let outputs = files.write("m.jsonl", &outputs);
    let found = check(&[files.path().join("data")], &[("m", outputs)], "v4", &[]);
    assert!(found.told.contains("the categories multi_turn_base need more than calls"), "{}", found.told);
    // Without answers it is a suite to put to models of one's own.
    let (code, out, error) =
        files.run(&["import", "bfcl", "--cases", "data", "--rules", "v4", "--to", "bare"]);
    assert_eq!((code, out.as_str()), (0, "bare/suite.yaml: 2 cases, 2 tools, 0 models\n"), "{error}");
    let (code, _, error) =
        files.run(&["run", "bare/suite.yaml", "-q", "--model", "script:perfect", "--filter", "s"]);
    assert_eq!(code, 0, "{error}");
    // A question without an answer is none that could be judged.
    files.write("data/possible_answer/BFCL_v4_simple_python.json", "");
    let (code, _, error) = files.run(&["import", "bfcl", "--cases", "data", "--to", "other"]);
    assert_eq!(code, 2);
    assert!(
        error.contains("BFCL_v4_simple_python.json` line 1: case `s`: it has no `ground_truth`"),
        "{error}"
    );
}

#[test]
fn every_disagreement_with_our_own_rules_has_its_reason() {
    let files = Desk::new();
    let f = function(
        "f",
        &json!({ "s": { "type": "string" }, "n": { "type": "float" },
            "list": { "type": "array", "items": { "type": "float" } }, "odd": { "type": "string", "enum": ["x"] },
            "d": { "type": "integer", "default": 3 }, "o": { "type": "dict" } }),
        &[],
    );
    let truth = json!([{ "f": { "s": ["New York", ""], "n": [1.0, ""], "list": [[1.0, 2.0], ""],
        "odd": ["y", ""], "o": [{ "a": [1], "b": [2, ""] }, ""] } }]);
    let both = json!([{ "f": { "s": ["a", "b"] } }, { "f": { "s": ["a"] } }]);
    let cases = [
        case("one", "simple", slice::from_ref(&f), &truth),
        case("two", "parallel", slice::from_ref(&f), &both),
        case("list", "simple", slice::from_ref(&f), &json!([{ "f": { "list": [[1.0, 2.0]] } }])),
        case("none", "irrelevance", slice::from_ref(&f), &json!([])),
    ];
    let row = |arguments: Value| one("one", "f", arguments);
    let call = |s: &str| json!({ "name": "f", "arguments": { "s": s } });
    let rows = [
        (row(json!({ "s": "New York", "n": 1 })), ""),
        (row(json!({ "s": "Boston" })), ""),
        (row(json!({ "s": "new york." })), "differs in what `normalize` would disregard"),
        (row(json!({ "s": "NewYork" })), "differs in signs, or in whether there is space"),
        (row(json!({ "odd": "y" })), "against the tool's own schema"),
        (row(json!({ "o": { "a": true, "b": 2 } })), "a truth value for a number"),
        (row(json!({ "list": [] })), "something empty where the argument may be left out"),
        (one("list", "f", json!({ "list": [1, 2] })), "the same number in another notation"),
        (row(json!({ "d": 3 })), "an argument that equals its default"),
        (row(json!({ "o": { "a": 1 } })), "a key left out that may be"),
        (ok("two", &json!([call("a"), call("b")])), "another pairing of calls fits"),
        (
            json!({ "id": "none", "decode": "failed", "calls": null, "raw": "f(s=" }),
            "an unreadable call passes",
        ),
        (json!({ "id": "none", "decode": "failed", "calls": null, "raw": "No." }), ""),
    ];
    let cases = files.write("cases.jsonl", &jsonl(&cases)).display().to_string();
    for (row, class) in rows {
        let outputs = files.write("m.jsonl", &jsonl(slice::from_ref(&row))).display().to_string();
        let import = ["import", "bfcl", "--compare", "--cases", &cases, "--outputs", &outputs];
        let (code, out, error) = files.run(&import);
        assert_eq!(code, 0, "{error}");
        let alike = if class.is_empty() { "1 of 1 answers" } else { "0 of 1 answers" };
        assert!(out.starts_with(alike) && out.contains(class), "{row}: {out}");
    }
}

#[test]
#[expect(clippy::print_stderr, reason = "a skipped test says so")]
fn every_answer_of_two_real_models_is_judged_alike() {
    let folder = Path::new(DATA);
    if !folder.is_dir() {
        eprintln!("SKIPPED: no recorded answers in `{DATA}`");
        return;
    }
    let outputs = ["claude-3-opus-20240229", "gpt-4-turbo-2024-04-09-FC"]
        .map(|model| (model, folder.join(format!("outputs-2024-08-11-{model}.jsonl.gz"))));
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut cases: Vec<PathBuf> =
        files.filter(|file| file.file_name().unwrap().to_string_lossy().starts_with("cases-")).collect();
    cases.sort();
    let models = folder.join("models.json").display().to_string();
    cases.retain(|file| !file.display().to_string().contains("-v4-"));
    check(&cases, &outputs, "2024", &["--models", &models]);
}
