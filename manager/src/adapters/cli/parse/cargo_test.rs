//! What `cargo test` says: a result line for each binary, a line for each test, and the words of those that failed.

use super::{
    Said,
    tests_told::{Told, count_before},
};
use serde_json::Value;
use std::collections::HashMap;

pub(super) fn parse(said: &Said<'_>) -> Result<Value, String> {
    let mut told = Told::default();
    let (mut results, mut failed) = (0, Vec::new());
    for line in said.stdout.lines() {
        if let Some(result) = line.strip_prefix("test result: ") {
            let count =
                |word| count_before(result, word).ok_or_else(|| format!("`{line}` has no count of {word}"));
            told.passed += count("passed")?;
            told.failed += count("failed")?;
            told.skipped += count("ignored")?;
            results += 1;
        } else if let Some(name) =
            line.strip_prefix("test ").and_then(|rest| rest.strip_suffix(" ... FAILED"))
        {
            failed.push(name);
        }
    }
    if results == 0 {
        return Err("it ran no test: there is no `test result` in its output, so it did not build".to_owned());
    }
    let words = words(said.stdout);
    for name in failed {
        told.fail(name, words.get(name).map_or("", String::as_str));
    }
    Ok(told.named("ignored"))
}

/// What each failed test printed, by its name.
fn words(stdout: &str) -> HashMap<&str, String> {
    let mut words: HashMap<&str, String> = HashMap::new();
    let mut open = None;
    for line in stdout.lines() {
        if let Some(name) = line.strip_prefix("---- ").and_then(|rest| rest.strip_suffix(" stdout ----")) {
            open = Some(name);
        } else if line == "failures:" || line.starts_with("test result: ") {
            open = None;
        } else if let Some(name) = open {
            let text = words.entry(name).or_default();
            text.push_str(line);
            text.push('\n');
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::{super::stdout, *};
    use serde_json::json;

    const TWO_BINARIES: &str = "
running 3 tests
test parse::empty ... ok
test parse::round_trip ... FAILED
test slow ... ignored, takes an hour

failures:

---- parse::round_trip stdout ----

thread 'parse::round_trip' panicked at src/lib.rs:9:5:
assertion `left == right` failed
  left: 1
 right: 2

failures:
    parse::round_trip

test result: FAILED. 1 passed; 1 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s


running 1 test
test whole ... ok

test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 2 filtered out; finished in 0.01s
";

    #[test]
    fn binaries_are_added_up_and_failures_named_with_their_words() {
        let value = stdout(parse, 101, TWO_BINARIES).unwrap();
        assert_eq!(
            (&value["passed"], &value["failed"], &value["ignored"]),
            (&json!(2), &json!(1), &json!(1))
        );
        assert_eq!(value["failures"][0]["name"], "parse::round_trip");
        assert!(value["failures"][0]["message"].as_str().unwrap().contains("right: 2"), "{value}");
        assert_eq!(value["failures"].as_array().unwrap().len(), 1);
    }

    #[test]
    fn what_did_not_build_has_no_result() {
        assert!(stdout(parse, 101, "").unwrap_err().contains("did not build"));
        assert!(stdout(parse, 101, "test result: nonsense\n").is_err());
    }
}
