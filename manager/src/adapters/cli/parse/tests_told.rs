//! What the parsers of test runners share: counts, and the tests that failed.

use serde_json::{Value, json};

/// More of a failure's own words are cut.
const MOST_WORDS: usize = 2000;
/// More failures are counted and not named.
const MOST_NAMED: usize = 200;

/// What a test run came to.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Told {
    pub(super) passed: u64,
    pub(super) failed: u64,
    pub(super) skipped: u64,
    pub(super) failures: Vec<Failure>,
}

/// A test that failed.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Failure {
    pub(super) name: String,
    pub(super) message: String,
}

impl Told {
    pub(super) fn fail(&mut self, name: &str, message: &str) {
        if self.failures.len() < MOST_NAMED {
            let message = crate::text::shorten(message.trim(), MOST_WORDS).into_owned();
            self.failures.push(Failure { name: name.to_owned(), message });
        }
    }

    /// As a structure, in which what did not run is called so.
    pub(super) fn named(self, skipped: &str) -> Value {
        let failures: Vec<Value> = self
            .failures
            .into_iter()
            .map(|failure| match failure.message.as_str() {
                "" => json!({ "name": failure.name }),
                message => json!({ "name": failure.name, "message": message }),
            })
            .collect();
        let mut value = json!({ "passed": self.passed, "failed": self.failed, "failures": failures });
        value[skipped] = self.skipped.into();
        value
    }
}

/// The number right before a word, as in `3 passed`.
pub(super) fn count_before(line: &str, word: &str) -> Option<u64> {
    let mut words = line.split(|c: char| !c.is_alphanumeric()).filter(|part| !part.is_empty());
    let mut last = None;
    words.find_map(|part| {
        if part == word {
            return Some(last);
        }
        last = part.parse::<u64>().ok();
        None
    })?
}

#[cfg(test)]
mod tests {
    use super::count_before;

    #[test]
    fn a_count_stands_before_its_word() {
        let line = "Tests:       1 failed, 2 skipped, 30 passed, 33 total";
        for (word, count) in [("failed", Some(1)), ("passed", Some(30)), ("todo", None), ("Tests", None)] {
            assert_eq!(count_before(line, word), count, "{word}");
        }
    }
}
