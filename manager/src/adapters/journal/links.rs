//! How the files of one journal hang together: `run.jsonl`, `run.2.jsonl`, `run.3.jsonl` …
//!
//! No file is ever renamed. The last line of one names the next, the first line of that names the one before with the
//! number and hash of its last event.

use super::disk::DiskFile;
use crate::event::{
    Event, Fact, decode,
    fact::{LogClosed, LogOpened},
};
use std::{
    io::{self, Read as _},
    path::{Path, PathBuf},
};

/// Enough for a line about the log itself.
const EDGE: u64 = 64 << 10;

/// The name of a file, as links and checkpoints say it.
pub(super) fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// The n-th file of a journal.
pub(super) fn nth(base: &Path, n: u32) -> PathBuf {
    if n <= 1 {
        return base.to_owned();
    }
    let stem = base.file_stem().unwrap_or_default().to_string_lossy();
    let extension = base.extension().map_or(String::new(), |e| format!(".{}", e.to_string_lossy()));
    base.with_file_name(format!("{stem}.{n}{extension}"))
}

/// The file that a link names; a link leads to a file in the same folder and nowhere else.
pub(super) fn beside(path: &Path, link: &str) -> Option<PathBuf> {
    let plain = Path::new(link).file_name().is_some_and(|name| name == link);
    plain.then(|| path.with_file_name(link))
}

/// The last whole line, if it is an event.
pub(super) fn last_event(file: &dyn DiskFile) -> io::Result<Option<Event>> {
    let mut edge = Vec::new();
    file.read_from(file.len()?.saturating_sub(EDGE))?.read_to_end(&mut edge)?;
    let Some(end) = memchr::memrchr(b'\n', &edge) else { return Ok(None) };
    let start = memchr::memrchr(b'\n', &edge[..end]).map_or(0, |at| at + 1);
    Ok(decode(&edge[start..end]).ok())
}

/// The first line, if it is an event.
pub(super) fn first_event(file: &dyn DiskFile) -> io::Result<Option<Event>> {
    let mut edge = Vec::new();
    file.read_from(0)?.take(EDGE).read_to_end(&mut edge)?;
    Ok(memchr::memchr(b'\n', &edge).and_then(|end| decode(&edge[..end]).ok()))
}

/// How a file says that it begins.
pub(super) fn opening(event: Option<&Event>) -> Option<&LogOpened> {
    match event.map(|event| &event.fresh.fact) {
        Some(Fact::LogOpened(opened)) => Some(opened),
        _ => None,
    }
}

/// How a file says that it ends.
pub(super) fn closing(event: Option<&Event>) -> Option<&LogClosed> {
    match event.map(|event| &event.fresh.fact) {
        Some(Fact::LogClosed(closed)) => Some(closed),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_numbered_and_links_stay_in_their_folder() {
        let base = Path::new("runs/run_1.jsonl");
        assert_eq!(nth(base, 1), base);
        assert_eq!(nth(base, 12), Path::new("runs/run_1.12.jsonl"));
        assert_eq!(beside(base, "run_1.2.jsonl").as_deref(), Some(Path::new("runs/run_1.2.jsonl")));
        for link in ["../run_1.jsonl", "/etc/passwd", "a/b", "", "..", "x/"] {
            assert_eq!(beside(base, link), None, "{link}");
        }
    }
}
