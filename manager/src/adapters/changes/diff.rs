//! Changes for people: a unified diff.

use crate::model::{Digest, Domain};
use similar::TextDiff;
use std::{fmt::Write as _, time::Duration};

/// What stands on one side of a diff.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side<'a> {
    /// Nothing.
    Absent,
    /// A folder.
    Folder,
    /// A link, and where it leads.
    Link(&'a str),
    /// A file.
    File {
        /// Its bytes.
        bytes: &'a [u8],
        /// Its permissions.
        mode: u32,
    },
}

/// A comparison that takes longer is cut short: it shows more lines as changed than need be, and never fewer.
const LONGEST: Duration = Duration::from_secs(2);

/// The unified diff of one path; empty where nothing changes. Bytes that are no text are told by size and digest.
pub fn diff(path: &str, before: Side<'_>, after: Side<'_>) -> String {
    match (before, after) {
        (before, after) if before == after => String::new(),
        (Side::File { bytes: old, mode: was }, Side::File { bytes: new, mode: is }) => {
            let mut out = String::new();
            if was != is {
                writeln!(out, "mode of {path}: {was:o} -> {is:o}").ok();
            }
            out + &texts(path, Some(old), Some(new))
        }
        (Side::Absent, Side::File { bytes, .. }) => texts(path, None, Some(bytes)),
        (Side::File { bytes, .. }, Side::Absent) => texts(path, Some(bytes), None),
        (before, after) => {
            let word = |side: Side<'_>| match side {
                Side::Absent => "nothing".to_owned(),
                Side::Folder => "a folder".to_owned(),
                Side::Link(to) => format!("a link to {to}"),
                Side::File { bytes, .. } => told(bytes),
            };
            format!("{path}: {} -> {}\n", word(before), word(after))
        }
    }
}

fn texts(path: &str, old: Option<&[u8]>, new: Option<&[u8]>) -> String {
    let text = |bytes: Option<&[u8]>| std::str::from_utf8(bytes.unwrap_or_default()).ok().map(str::to_owned);
    let plain = |text: &String| !text.contains('\0');
    let (Some(before), Some(after)) = (text(old).filter(plain), text(new).filter(plain)) else {
        let word = |bytes: Option<&[u8]>| bytes.map_or("nothing".to_owned(), told);
        return format!("{path}: {} -> {}\n", word(old), word(new));
    };
    let name = |side: char, there: Option<&[u8]>| match there {
        Some(_) => format!("{side}/{path}"),
        None => "/dev/null".to_owned(),
    };
    let (from, to) = (name('a', old), name('b', new));
    if before == after {
        // An empty file that comes or goes has no line to show.
        return if old.is_some() == new.is_some() {
            String::new()
        } else {
            format!("--- {from}\n+++ {to}\n")
        };
    }
    let lines = TextDiff::configure().timeout(LONGEST).diff_lines(&before, &after);
    lines.unified_diff().context_radius(3).header(&from, &to).to_string()
}

fn told(bytes: &[u8]) -> String {
    let digest = Digest::of_bytes(Domain::Plain, bytes);
    format!("{} bytes, sha256 {}", bytes.len(), digest.short())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_change_has_words() {
        let file = |bytes| Side::File { bytes, mode: 0o644 };
        let rows: [(Side<'_>, Side<'_>, &str); 9] = [
            (file(b"a\nb\n"), file(b"a\nc\n"), "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n"),
            (file(b"a"), Side::File { bytes: b"a", mode: 0o755 }, "mode of x: 644 -> 755\n"),
            (file(b"a\n"), file(b"a\n"), ""),
            (Side::Absent, file(b"a\n"), "--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+a\n"),
            (Side::Absent, file(b""), "--- /dev/null\n+++ b/x\n"),
            (
                file(b"a"),
                Side::Absent,
                "--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n\\ No newline at end of file\n",
            ),
            (Side::Folder, Side::Absent, "x: a folder -> nothing\n"),
            (Side::Absent, Side::Link("y"), "x: nothing -> a link to y\n"),
            (file(b"a\0b"), file(b"\xff"), "x: 3 bytes, sha256 "),
        ];
        for (before, after, expected) in rows {
            let found = diff("x", before, after);
            if expected.ends_with("sha256 ") {
                assert!(found.starts_with(expected) && found.contains(" -> 1 bytes, sha256 "), "{found}");
            } else {
                assert_eq!(found, expected);
            }
        }
    }
}
