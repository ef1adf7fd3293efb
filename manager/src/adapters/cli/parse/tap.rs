//! TAP, the Test Anything Protocol, with the subtests and summary of Node's runner.

use super::tests_told::Told;

/// Reads a TAP stream; `None` where there is none.
///
/// A subtest is indented, and what it belongs to is a point of its own that fails with it: tests are the innermost
/// points, as Node counts them.
pub(super) fn read(output: &str) -> Option<Told> {
    output.lines().find(|line| line.starts_with("TAP version "))?;
    let mut told = Told::default();
    let mut suites = Suites::default();
    let mut lines = output.lines().peekable();
    while let Some(line) = lines.next() {
        let depth = line.len() - line.trim_start().len();
        let line = line.trim();
        let Some(point) = Point::read(line) else { continue };
        let details = details(&mut lines);
        if suites.is_suite(depth) {
            continue;
        }
        match point.directive {
            Some(_) => told.skipped += 1,
            None if point.ok => told.passed += 1,
            None => {
                told.failed += 1;
                told.fail(point.name, &details);
            }
        }
    }
    Some(told)
}

/// A line that says how one test ended.
struct Point<'l> {
    ok: bool,
    name: &'l str,
    /// `SKIP` or `TODO`.
    directive: Option<&'l str>,
}

impl<'l> Point<'l> {
    fn read(line: &'l str) -> Option<Self> {
        let (ok, rest) = match line.strip_prefix("not ok") {
            Some(rest) => (false, rest),
            None => (true, line.strip_prefix("ok")?),
        };
        if !(rest.is_empty() || rest.starts_with(' ')) {
            return None;
        }
        let rest = rest.trim_start().trim_start_matches(|c: char| c.is_ascii_digit()).trim_start();
        let name = rest.strip_prefix("- ").unwrap_or(rest);
        let (name, directive) = match name.split_once(" # ") {
            Some((name, word)) => (name, Some(word)),
            None => (name, None),
        };
        let is_directive = |word: &&str| {
            let upper = word.to_ascii_uppercase();
            upper.starts_with("SKIP") || upper.starts_with("TODO")
        };
        Some(Self { ok, name: name.trim(), directive: directive.filter(is_directive) })
    }
}

/// Which points stand for what was tested below them.
#[derive(Default)]
struct Suites {
    /// The depth of the point before.
    last: Option<usize>,
}

impl Suites {
    /// A point that follows deeper ones is theirs.
    fn is_suite(&mut self, depth: usize) -> bool {
        let is_suite = self.last.is_some_and(|last| last > depth);
        self.last = Some(depth);
        is_suite
    }
}

/// The error in the block of details that follows a point, if one does.
fn details<'l>(lines: &mut std::iter::Peekable<impl Iterator<Item = &'l str>>) -> String {
    if lines.peek().is_none_or(|line| line.trim() != "---") {
        return String::new();
    }
    let block: Vec<&str> = lines.by_ref().take_while(|line| line.trim() != "...").collect();
    let mut words = String::new();
    let mut inside = None;
    for line in block {
        let depth = line.len() - line.trim_start().len();
        if let Some(error) = line.trim().strip_prefix("error:") {
            words.push_str(error.trim().trim_start_matches(['|', '-', '\'']).trim_end_matches('\''));
            inside = Some(depth);
        } else if inside.is_some_and(|at| depth > at) {
            words.push('\n');
            words.push_str(line.trim());
        } else {
            inside = None;
        }
    }
    words.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const NODE: &str = "TAP version 13
# Subtest: auth
    # Subtest: accepts
    ok 1 - accepts
      ---
      duration_ms: 0.3
      ...
    # Subtest: refuses
    not ok 2 - refuses
      ---
      failureType: 'testCodeFailure'
      error: |-
        Expected values to be strictly equal:
        1 !== 2
      code: 'ERR_ASSERTION'
      ...
    1..2
not ok 1 - auth
  ---
  type: 'suite'
  error: '1 subtest failed'
  ...
# Subtest: later
ok 2 - later # SKIP
  ---
  duration_ms: 0.1
  ...
1..2
# tests 3
# pass 1
# fail 1
";

    #[test]
    fn the_innermost_points_are_the_tests() {
        let told = read(NODE).unwrap();
        assert_eq!((told.passed, told.failed, told.skipped), (1, 1, 1), "{told:?}");
        assert_eq!(told.failures.len(), 1);
        assert_eq!(told.failures[0].name, "refuses");
        assert_eq!(told.failures[0].message, "Expected values to be strictly equal:\n1 !== 2");
    }

    #[test]
    fn what_is_no_tap_is_not_read_as_it() {
        assert_eq!(read("ok 1 - a\n"), None);
        let plain = read("TAP version 14\n1..3\nok\nnot ok 2 broken\nok 3 - later # todo\nokay\n").unwrap();
        assert_eq!((plain.passed, plain.failed, plain.skipped), (1, 1, 1), "{plain:?}");
        assert_eq!(plain.failures[0].name, "broken");
    }
}
