//! What JavaScript test runners say. `npm test` runs whatever the package names, so several dialects are known:
//! TAP (Node's own runner, tape, ava), Node's summary for people, and those of Jest, Vitest and Mocha.

use super::{
    Said, tap,
    tests_told::{Told, count_before},
};
use serde_json::Value;

pub(super) fn parse(said: &Said<'_>) -> Result<Value, String> {
    // Jest tells people everything on its standard error.
    for text in [said.stdout, said.stderr] {
        let plain = without_colours(text);
        let told =
            tap::read(&plain).or_else(|| node(&plain)).or_else(|| jest(&plain)).or_else(|| mocha(&plain));
        if let Some(told) = told {
            return Ok(told.named("skipped"));
        }
    }
    Err("no test runner's summary is in its output; TAP, Node, Jest, Vitest and Mocha are known".to_owned())
}

/// Text less the sequences that colour it.
fn without_colours(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("\u{1b}[") {
        plain.push_str(before);
        rest = after.trim_start_matches(|c: char| c.is_ascii_digit() || c == ';');
        rest = rest.get(1..).unwrap_or_default();
    }
    plain + rest
}

/// `ℹ pass 3`, for people who read Node's runner.
fn node(text: &str) -> Option<Told> {
    let count = |word: &str| {
        text.lines().rev().find_map(|line| {
            let rest = line.trim().strip_prefix(['ℹ', '#'])?.trim_start().strip_prefix(word)?;
            rest.trim().parse::<u64>().ok()
        })
    };
    let mut told = Told { passed: count("pass")?, failed: count("fail")?, ..Told::default() };
    told.skipped = count("skipped").unwrap_or(0) + count("todo").unwrap_or(0);
    let failing = text.lines().skip_while(|line| !line.contains("failing tests:"));
    for line in failing {
        if let Some(name) = line.trim().strip_prefix("✖ ").filter(|name| !name.starts_with("failing tests"))
        {
            told.fail(name.rsplit_once(" (").map_or(name, |(name, _)| name), "");
        }
    }
    Some(told)
}

/// `Tests: 1 failed, 2 passed, 3 total` of Jest, and `Tests  1 failed | 2 passed (3)` of Vitest.
fn jest(text: &str) -> Option<Told> {
    let summary = text.lines().rev().find(|line| {
        let line = line.trim_start();
        line.strip_prefix("Tests").is_some_and(|rest| rest.starts_with([':', ' ']))
            && (line.contains("passed") || line.contains("failed") || line.contains("skipped"))
    })?;
    let count = |word| count_before(summary, word).unwrap_or(0);
    let mut told = Told { passed: count("passed"), failed: count("failed"), ..Told::default() };
    told.skipped = count("skipped") + count("todo");
    for line in text.lines() {
        let line = line.trim_start();
        let name =
            line.strip_prefix("● ").or_else(|| line.strip_prefix("FAIL  ").filter(|l| l.contains(" > ")));
        if let Some(name) = name.map(str::trim).filter(|name| !told.failures.iter().any(|f| f.name == *name))
        {
            told.fail(name, "");
        }
    }
    Some(told)
}

/// `3 passing`, `1 failing`, `1 pending` of Mocha.
fn mocha(text: &str) -> Option<Told> {
    let count = |word: &str| text.lines().find_map(|line| count_before(line.trim(), word));
    let passed = count("passing")?;
    let mut told = Told { passed, failed: count("failing").unwrap_or(0), ..Told::default() };
    told.skipped = count("pending").unwrap_or(0);
    let numbered = |line: &str| {
        let (number, name) = line.trim().split_once(") ")?;
        number.parse::<u64>().ok().map(|_| name.trim_end_matches(':').to_owned())
    };
    let failing = text.lines().skip_while(|line| count_before(line.trim(), "failing").is_none());
    failing.filter_map(numbered).for_each(|name| told.fail(&name, ""));
    Some(told)
}

#[cfg(test)]
mod tests {
    use super::{super::stdout, *};
    use serde_json::json;

    #[test]
    fn each_runner_is_understood() {
        let rows = [
            ("TAP", "> t\n> node --test\n\nTAP version 13\nok 1 - a\nnot ok 2 - b\n", json!(["b"])),
            (
                "Node",
                "✔ a (1ms)\n✖ b (2ms)\nℹ tests 2\nℹ pass 1\nℹ fail 1\nℹ skipped 0\n\n✖ failing tests:\n\n✖ b (2ms)\n",
                json!(["b"]),
            ),
            (
                "Jest",
                "\u{1b}[31mFAIL\u{1b}[0m ./a.test.js\n  ● sums › adds\n\nTests:       1 failed, 1 passed, 2 total\n",
                json!(["sums › adds"]),
            ),
            (
                "Vitest",
                " FAIL  a.test.ts > sums > adds\n\n Test Files  1 failed (1)\n      Tests  1 failed | 1 passed (2)\n",
                json!(["a.test.ts > sums > adds"]),
            ),
            (
                "Mocha",
                "  1 passing (4ms)\n  1 failing\n\n  1) sums\n       adds:\n     Error\n",
                json!(["sums"]),
            ),
        ];
        for (runner, output, names) in rows {
            let value = stdout(parse, 1, output).unwrap();
            assert_eq!((&value["passed"], &value["failed"]), (&json!(1), &json!(1)), "{runner}: {value}");
            let told: Vec<&Value> =
                value["failures"].as_array().unwrap().iter().map(|f| &f["name"]).collect();
            assert_eq!(json!(told), names, "{runner}");
        }
    }

    #[test]
    fn output_without_a_summary_is_no_result() {
        assert!(stdout(parse, 1, "npm error Missing script: \"test\"\n").is_err());
        assert!(stdout(parse, 0, "").is_err());
    }
}
