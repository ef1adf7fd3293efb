//! Why a tool is in a view, in a sentence of facts.

use crate::model::ActionType;
use std::fmt::Write;

/// Words beyond these make the sentence no clearer.
const MAX_WORDS: usize = 5;

/// `rank 1 of 12: matches "tests", "auth"; serves execute`.
pub(super) fn reason(rank: usize, of: usize, words: &[&str], serves: &[ActionType]) -> String {
    let mut text = format!("rank {rank} of {of}");
    match words.split_at(words.len().min(MAX_WORDS)) {
        ([], _) => text.push_str(": no word of the request, there is room"),
        (shown, rest) => {
            text.push_str(": matches ");
            list(&mut text, shown.iter().map(|w| format!("\"{w}\"")));
            if !rest.is_empty() {
                push(&mut text, format_args!(" and {} more", rest.len()));
            }
        }
    }
    if !serves.is_empty() {
        text.push_str("; serves ");
        list(&mut text, serves.iter().map(|a| a.as_str().to_owned()));
    }
    text
}

fn list(text: &mut String, parts: impl Iterator<Item = String>) {
    for (at, part) in parts.enumerate() {
        text.push_str(if at > 0 { ", " } else { "" });
        text.push_str(&part);
    }
}

fn push(text: &mut String, arguments: std::fmt::Arguments<'_>) {
    text.write_fmt(arguments).expect("INVARIANT: a string takes whatever is written to it");
}

#[cfg(test)]
mod tests {
    use super::reason;
    use crate::model::ActionType::{Execute, Read};

    #[test]
    fn a_reason_is_made_of_facts() {
        let rows = [
            (
                reason(1, 12, &["tests", "auth"], &[Execute]),
                r#"rank 1 of 12: matches "tests", "auth"; serves execute"#,
            ),
            (
                reason(3, 3, &[], &[Read, Execute]),
                "rank 3 of 3: no word of the request, there is room; serves read, execute",
            ),
            (
                reason(2, 9, &["a", "b", "c", "d", "e", "f", "g"], &[]),
                r#"rank 2 of 9: matches "a", "b", "c", "d", "e" and 2 more"#,
            ),
        ];
        for (got, expected) in rows {
            assert_eq!(got, expected);
        }
    }
}
