//! A unified diff, and how many files it changes.

use super::Said;
use serde_json::{Value, json};

pub(super) fn parse(said: &Said<'_>) -> Result<Value, String> {
    let files = said.stdout.lines().filter(|line| line.starts_with("diff --git ")).count();
    Ok(json!({ "diff": said.stdout, "filesChanged": files }))
}

#[cfg(test)]
mod tests {
    use super::{super::stdout, *};

    #[test]
    fn files_are_counted_by_their_heads() {
        let diff = "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-diff --git a/y b/y\n+b\n";
        assert_eq!(stdout(parse, 0, diff), Ok(json!({ "diff": diff, "filesChanged": 1 })));
        assert_eq!(stdout(parse, 0, "").unwrap()["filesChanged"], 0);
    }
}
