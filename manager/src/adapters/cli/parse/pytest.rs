//! What `pytest` says: the last line with its counts, and the lines of its short summary.

use super::{
    Said,
    tests_told::{Told, count_before},
};
use serde_json::Value;

pub(super) fn parse(said: &Said<'_>) -> Result<Value, String> {
    let summary = said.stdout.lines().rev().find(|line| is_summary(line));
    let summary = summary.ok_or_else(|| "there is no summary in its output: it did not run".to_owned())?;
    let count = |words: &[&str]| words.iter().filter_map(|word| count_before(summary, word)).sum::<u64>();
    let mut told = Told {
        passed: count(&["passed", "xpassed"]),
        failed: count(&["failed", "error", "errors"]),
        skipped: count(&["skipped", "xfailed", "deselected"]),
        ..Told::default()
    };
    for line in said.stdout.lines() {
        if let Some(rest) = line.strip_prefix("FAILED ").or_else(|| line.strip_prefix("ERROR ")) {
            let (name, message) = rest.split_once(" - ").unwrap_or((rest, ""));
            told.fail(name, message);
        }
    }
    Ok(told.named("skipped"))
}

/// `=== 1 failed, 2 passed in 0.03s ===`, with or without its frame.
fn is_summary(line: &str) -> bool {
    let line = line.trim_matches(['=', ' ']);
    let counted = ["passed", "failed", "error", "errors", "skipped", "deselected", "xfailed", "xpassed"]
        .iter()
        .any(|word| count_before(line, word).is_some());
    (counted || line.starts_with("no tests ran")) && line.contains(" in ")
}

#[cfg(test)]
mod tests {
    use super::{super::stdout, *};
    use serde_json::json;

    #[test]
    fn the_summary_is_read() {
        let output = "\
=========================== short test summary info ============================
FAILED tests/test_a.py::test_b - assert 1 == 2
ERROR tests/test_c.py - ModuleNotFoundError: No module named 'x'
==== 1 failed, 3 passed, 2 skipped, 1 xfailed, 1 error in 0.05s ====
";
        let value = stdout(parse, 1, output).unwrap();
        let expected = json!({
            "passed": 3, "failed": 2, "skipped": 3,
            "failures": [
                { "name": "tests/test_a.py::test_b", "message": "assert 1 == 2" },
                { "name": "tests/test_c.py", "message": "ModuleNotFoundError: No module named 'x'" },
            ],
        });
        assert_eq!(value, expected);
    }

    #[test]
    fn no_tests_is_a_result_and_no_summary_is_none() {
        let none = stdout(parse, 5, "==== no tests ran in 0.01s ====\n").unwrap();
        assert_eq!((&none["passed"], &none["failed"]), (&json!(0), &json!(0)));
        assert_eq!(stdout(parse, 0, "2 passed in 0.10s\n").unwrap()["passed"], 2);
        assert!(stdout(parse, 4, "ERROR: usage: pytest\n").is_err());
    }
}
