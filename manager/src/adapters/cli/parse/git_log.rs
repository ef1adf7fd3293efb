//! Commits, a line each, as `git log --format=%H%x1f%an%x1f%aI%x1f%s` says them.

use super::Said;
use serde_json::{Value, json};

pub(super) fn parse(said: &Said<'_>) -> Result<Value, String> {
    let commit = |line: &str| {
        let mut fields = line.splitn(4, '\u{1f}');
        match (fields.next(), fields.next(), fields.next(), fields.next()) {
            (Some(sha), Some(author), Some(date), Some(subject)) => {
                Ok(json!({ "sha": sha, "author": author, "date": date, "subject": subject }))
            }
            _ => Err(format!("`{line}` is no line of the log")),
        }
    };
    let commits = said.stdout.lines().filter(|line| !line.is_empty()).map(commit);
    Ok(json!({ "commits": commits.collect::<Result<Vec<Value>, _>>()? }))
}

#[cfg(test)]
mod tests {
    use super::{super::stdout, *};

    #[test]
    fn each_line_is_a_commit() {
        let output = "abc\u{1f}Ada\u{1f}2026-01-02T03:04:05Z\u{1f}Fix: a | b\n";
        let commit =
            json!({ "sha": "abc", "author": "Ada", "date": "2026-01-02T03:04:05Z", "subject": "Fix: a | b" });
        assert_eq!(stdout(parse, 0, output), Ok(json!({ "commits": [commit] })));
        assert_eq!(stdout(parse, 0, ""), Ok(json!({ "commits": [] })));
        assert!(stdout(parse, 0, "fatal\n").is_err());
    }
}
