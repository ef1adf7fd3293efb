//! A change for people: a unified diff of text, and words for what is none.

use crate::model::{FileChange, FileState};
use similar::TextDiff;

/// How one path changes. The bytes are those of files.
pub(super) fn of(change: &FileChange, before: Option<&[u8]>, after: Option<&[u8]>) -> String {
    let path = &change.path;
    let mut text = match (&change.before, &change.after) {
        (FileState::File { .. } | FileState::Absent, FileState::File { .. } | FileState::Absent) => {
            content(path, before, after)
        }
        (before, after) => format!("{path}: {} becomes {}\n", word(before), word(after)),
    };
    if let (Some(old), Some(new)) = (mode(&change.before), mode(&change.after))
        && old != new
    {
        text.push_str(&format!("{path}: mode {old:o} becomes {new:o}\n"));
    }
    text
}

fn content(path: &str, before: Option<&[u8]>, after: Option<&[u8]>) -> String {
    let side = |letter: char, bytes: Option<&[u8]>| match bytes {
        Some(_) => format!("{letter}/{path}"),
        None => "/dev/null".to_owned(),
    };
    let (old, new) = (before.unwrap_or_default(), after.unwrap_or_default());
    let (from, to) = (side('a', before), side('b', after));
    match (std::str::from_utf8(old), std::str::from_utf8(new)) {
        (Ok(old), Ok(new)) if old == new => match (before, after) {
            (None, Some(_)) => format!("--- {from}\n+++ {to}\n"),
            (Some(_), None) => format!("--- {from}\n+++ {to}\n"),
            _ => String::new(),
        },
        (Ok(old), Ok(new)) => {
            TextDiff::from_lines(old, new).unified_diff().context_radius(3).header(&from, &to).to_string()
        }
        _ => format!("binary files {from} and {to} differ ({} and {} bytes)\n", old.len(), new.len()),
    }
}

fn mode(state: &FileState) -> Option<u32> {
    match state {
        FileState::File { mode, .. } => Some(*mode),
        FileState::Absent | FileState::Folder { .. } | FileState::Link { .. } => None,
    }
}

fn word(state: &FileState) -> String {
    match state {
        FileState::Absent => "nothing".to_owned(),
        FileState::Folder { mode } => format!("a folder of mode {mode:o}"),
        FileState::File { digest, bytes, .. } => format!("a file of {bytes} bytes ({})", digest.short()),
        FileState::Link { to } => format!("a link to `{to}`"),
    }
}
