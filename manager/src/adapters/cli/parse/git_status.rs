//! What `git status --porcelain=v2 --branch -z` says.

use super::Said;
use serde_json::{Value, json};

pub(super) fn parse(said: &Said<'_>) -> Result<Value, String> {
    let (mut branch, mut ahead, mut behind) = (None, None, None);
    let mut changes = Vec::new();
    let mut records = said.stdout.split('\0').filter(|record| !record.is_empty());
    while let Some(record) = records.next() {
        let (kind, rest) = record.split_once(' ').ok_or_else(|| wrong(record))?;
        match kind {
            "#" => match rest.split_once(' ') {
                Some(("branch.head", name)) => branch = Some(name),
                Some(("branch.ab", counts)) => {
                    let mut counts =
                        counts.split(' ').map(|n| n.trim_start_matches(['+', '-']).parse::<u64>().ok());
                    (ahead, behind) = (counts.next().flatten(), counts.next().flatten());
                }
                _ => {}
            },
            "1" | "2" | "u" => {
                // one field less before the path of a plain change than of a renamed or an unmerged one
                let fields = match kind {
                    "1" => 8,
                    "2" => 9,
                    _ => 10,
                };
                let mut parts = rest.splitn(fields, ' ');
                let codes = parts.next().ok_or_else(|| wrong(record))?;
                let path = parts.last().filter(|path| !path.is_empty()).ok_or_else(|| wrong(record))?;
                changes.push(json!({ "path": path, "state": state(kind, codes) }));
                if kind == "2" {
                    records.next().ok_or_else(|| wrong(record))?;
                }
            }
            "?" => changes.push(json!({ "path": rest, "state": "untracked" })),
            "!" => {}
            _ => return Err(wrong(record)),
        }
    }
    let branch = branch.ok_or_else(|| "its output names no branch".to_owned())?;
    let mut value = json!({ "branch": branch, "changes": changes });
    for (name, count) in [("ahead", ahead), ("behind", behind)] {
        if let Some(count) = count {
            value[name] = count.into();
        }
    }
    Ok(value)
}

/// Words for the two letters: of what is staged, and of what is not.
fn state(kind: &str, codes: &str) -> String {
    if kind == "u" {
        return "conflict".to_owned();
    }
    let word = |letter| match letter {
        'A' => Some("added"),
        'M' => Some("modified"),
        'D' => Some("deleted"),
        'R' => Some("renamed"),
        'C' => Some("copied"),
        'T' => Some("type changed"),
        _ => None,
    };
    let mut letters = codes.chars();
    let staged = letters.next().and_then(word).map(|word| format!("staged: {word}"));
    let unstaged = letters.next().and_then(word).map(str::to_owned);
    [staged, unstaged].into_iter().flatten().collect::<Vec<_>>().join(", ")
}

fn wrong(record: &str) -> String {
    format!("`{record}` is no line of `git status --porcelain=v2`")
}

#[cfg(test)]
mod tests {
    use super::{super::stdout, *};

    #[test]
    fn changes_are_told_with_their_state() {
        let output = "# branch.oid abc\0# branch.head main\0# branch.ab +2 -1\0\
            1 .M N... 100644 100644 100644 aaa bbb a b.txt\0\
            1 AM N... 000000 100644 100644 aaa bbb new.rs\0\
            2 R. N... 100644 100644 100644 aaa bbb R100 to\0from\0\
            u UU N... 100644 100644 100644 100644 aaa bbb ccc both\0\
            ? notes\0";
        let expected = json!({
            "branch": "main", "ahead": 2, "behind": 1,
            "changes": [
                { "path": "a b.txt", "state": "modified" },
                { "path": "new.rs", "state": "staged: added, modified" },
                { "path": "to", "state": "staged: renamed" },
                { "path": "both", "state": "conflict" },
                { "path": "notes", "state": "untracked" },
            ],
        });
        assert_eq!(stdout(parse, 0, output), Ok(expected));
    }

    #[test]
    fn what_git_does_not_say_is_refused() {
        for wrong in
            ["", "fatal: not a repository", "# branch.head main\0x y\0", "# branch.head main\x001 .M\0"]
        {
            assert!(stdout(parse, 0, wrong).is_err(), "{wrong:?}");
        }
    }
}
