//! Finding one call in journals of any size.
//!
//! One pass forward finds which call is meant and where it stands; one pass backward, from its last event, gathers
//! its story. Memory is that of one call, and lines that do not concern it are not even parsed.

use crate::{
    event::{DecodeError, Event, Fact, decode},
    explain::{CallStory, Gather, References},
    model::CallId,
};
use chrono::{DateTime, Utc};
use memchr::{memmem, memrchr};
use serde::Deserialize;
use std::{
    collections::{BTreeMap, BTreeSet},
    fs::File,
    io::{self, BufRead as _, BufReader, Read as _, Seek as _, SeekFrom},
    path::{Path, PathBuf},
};

/// A call that cannot be told about.
#[derive(Debug, thiserror::Error)]
pub enum CallError {
    /// A journal cannot be read.
    #[error("cannot read the journal `{path}`: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A line is no event.
    #[error("`{path}` at byte {at}: {source}\nhint: `proofhouse journal verify {path}` says what is wrong with it", path = path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// Where the line starts.
        at: u64,
        /// What is wrong.
        source: DecodeError,
    },
    /// No journal names it.
    #[error("no call `{wanted}` in {journals} journals{}", or_near(.near))]
    Unknown {
        /// What was asked for.
        wanted: String,
        /// How many files were read.
        journals: usize,
        /// Calls with ids like it.
        near: Vec<CallId>,
    },
    /// Several calls begin so.
    #[error("`{wanted}` is the beginning of {count} calls: {}\nhint: give more of the id", some(.first))]
    Ambiguous {
        /// What was asked for.
        wanted: String,
        /// How many.
        count: usize,
        /// The first of them.
        first: Vec<CallId>,
    },
}

fn or_near(near: &[CallId]) -> String {
    match near {
        [] => "\nhint: name the journal with `--journal FILE`, or the home with `--home DIR`".to_owned(),
        near => format!("\nhint: there is {}", some(near)),
    }
}

fn some(calls: &[CallId]) -> String {
    calls.iter().map(|call| format!("`{call}`")).collect::<Vec<_>>().join(", ")
}

/// So many ids are told.
const TOLD: usize = 3;

/// What of an event is needed to know whose it is.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Head {
    ts: DateTime<Utc>,
    tool_call_id: Option<CallId>,
}

/// Where a call stands in a file.
#[derive(Debug, Clone)]
struct Place {
    path: PathBuf,
    first: u64,
    /// Behind the line of its last event.
    end: u64,
    last_ts: DateTime<Utc>,
}

/// Tells the story of the call whose id is, or uniquely begins with, `wanted`.
///
/// The story is gathered from `journals`; what it refers to is also looked up in `also`.
///
/// # Errors
/// [`CallError`] if a file cannot be read, a line of the story is no event, or not exactly one call is meant.
pub fn story(journals: &[PathBuf], also: &[PathBuf], wanted: &str) -> Result<CallStory, CallError> {
    let (call, places) = find(journals, wanted)?;
    let mut gather = Gather::new(call.clone());
    let mut read = BTreeSet::new();
    for place in &places {
        back(&place.path, Some(place.end), place.first, &mut gather)?;
        let mut path = place.path.clone();
        read.insert(path.clone());
        // The causes may stand in the file that this one continues.
        while gather.wants_more() {
            let Some(before) = continues(&path)?.filter(|p| p.is_file() && read.insert(p.clone())) else {
                break;
            };
            back(&before, None, u64::MAX, &mut gather)?;
            path = before;
        }
    }
    let unknown = || CallError::Unknown { wanted: wanted.to_owned(), journals: journals.len(), near: vec![] };
    let mut story = gather.finish().ok_or_else(unknown)?;
    let references = story.references();
    if !references.is_empty() {
        read.extend(also.iter().filter(|p| p.is_file()).cloned());
        for path in &read {
            background(path, &references, &mut story)?;
        }
    }
    Ok(story)
}

/// Which call is meant, and where it stands, the file with its latest event first.
fn find(journals: &[PathBuf], wanted: &str) -> Result<(CallId, Vec<Place>), CallError> {
    let mut found: BTreeMap<CallId, Vec<Place>> = BTreeMap::new();
    let needle = memmem::Finder::new(wanted);
    let prefixed = format!("tc_{wanted}");
    for path in journals {
        each_line(path, |at, line| {
            if needle.find(line).is_none() {
                return Ok(());
            }
            let head: Head = read_head(path, at, line)?;
            let Some(call) = head.tool_call_id else { return Ok(()) };
            if !call.starts_with(wanted) && !call.starts_with(&prefixed) {
                return Ok(());
            }
            let places = found.entry(call).or_default();
            let end = at + line.len() as u64 + 1;
            match places.last_mut().filter(|place| place.path == *path) {
                Some(place) => (place.end, place.last_ts) = (end, head.ts),
                None => places.push(Place { path: path.clone(), first: at, end, last_ts: head.ts }),
            }
            Ok(())
        })?;
    }
    if let Some(exact) = found.keys().find(|id| id.as_str() == wanted || id.as_str() == prefixed).cloned() {
        found.retain(|id, _| *id == exact);
    }
    let count = found.len();
    if count > 1 {
        let first = found.into_keys().take(TOLD).collect();
        return Err(CallError::Ambiguous { wanted: wanted.to_owned(), count, first });
    }
    let Some((call, mut places)) = found.pop_first() else { return Err(unknown(journals, wanted)?) };
    places.sort_by_key(|place| std::cmp::Reverse(place.last_ts));
    Ok((call, places))
}

/// The calls whose ids share the longest beginning with what was asked for.
fn unknown(journals: &[PathBuf], wanted: &str) -> Result<CallError, CallError> {
    let wanted_id = if wanted.starts_with("tc_") { wanted.to_owned() } else { format!("tc_{wanted}") };
    let shared = |id: &str| id.bytes().zip(wanted_id.bytes()).take_while(|(a, b)| a == b).count();
    let mut near: BTreeSet<(std::cmp::Reverse<usize>, CallId)> = BTreeSet::new();
    let needle = memmem::Finder::new("\"toolCallId\"");
    for path in journals {
        each_line(path, |at, line| {
            if needle.find(line).is_some()
                && let Some(call) = read_head(path, at, line)?.tool_call_id
            {
                near.insert((std::cmp::Reverse(shared(&call)), call));
                if near.len() > TOLD {
                    near.pop_last();
                }
            }
            Ok(())
        })?;
    }
    let near = near.into_iter().map(|(_, call)| call).collect();
    Ok(CallError::Unknown { wanted: wanted.to_owned(), journals: journals.len(), near })
}

fn read_head(path: &Path, at: u64, line: &[u8]) -> Result<Head, CallError> {
    serde_json::from_slice(line).map_err(|e| bad_line(path, at, e.into()))
}

fn bad_line(path: &Path, at: u64, source: DecodeError) -> CallError {
    CallError::Line { path: path.to_owned(), at, source }
}

fn io_at(path: &Path) -> impl Fn(io::Error) -> CallError + '_ {
    move |source| CallError::Io { path: path.to_owned(), source }
}

/// Reads every event of some journals, in order; lines that are torn off at the end of a file are left out.
///
/// # Errors
/// [`CallError`] if a file cannot be read or a line is no event.
pub fn each_event(path: &Path, mut each: impl FnMut(&Event)) -> Result<(), CallError> {
    each_line(path, |at, line| {
        each(&decode(line).map_err(|e| bad_line(path, at, e))?);
        Ok(())
    })
}

/// Hands out every event of some journals that names a call, whatever it says of it.
///
/// # Errors
/// [`CallError`] if a file cannot be read, or a line that names the call is no event.
pub fn each_naming(
    journals: &[PathBuf],
    call: &CallId,
    mut each: impl FnMut(&Event),
) -> Result<(), CallError> {
    let needle = memmem::Finder::new(call.as_bytes());
    for path in journals {
        each_line(path, |at, line| {
            if needle.find(line).is_some() {
                each(&decode(line).map_err(|e| bad_line(path, at, e))?);
            }
            Ok(())
        })?;
    }
    Ok(())
}

/// The call whose id is, or uniquely begins with, `wanted`.
///
/// # Errors
/// [`CallError`] if a file cannot be read, or not exactly one call is meant.
pub fn named(journals: &[PathBuf], wanted: &str) -> Result<CallId, CallError> {
    find(journals, wanted).map(|(call, _)| call)
}

/// Hands out every whole line with the place where it starts.
fn each_line(
    path: &Path,
    mut each: impl FnMut(u64, &[u8]) -> Result<(), CallError>,
) -> Result<(), CallError> {
    let file = File::open(path).map_err(io_at(path))?;
    let mut reader = BufReader::with_capacity(BLOCK, file);
    let (mut at, mut line) = (0, Vec::new());
    loop {
        line.clear();
        let read = reader.read_until(b'\n', &mut line).map_err(io_at(path))?;
        // An event is a whole line: what has no end was never written to its end.
        if read == 0 || line.last() != Some(&b'\n') {
            return Ok(());
        }
        let text = &line[..read - 1];
        if !text.is_empty() {
            each(at, text)?;
        }
        at += read as u64;
    }
}

/// Bytes that are read at once.
const BLOCK: usize = 1 << 20;

/// Gathers backwards from `end` (from the last whole line where there is none) until the call's first event is
/// passed and no cause is missing.
fn back(path: &Path, end: Option<u64>, first: u64, gather: &mut Gather) -> Result<(), CallError> {
    let mut file = File::open(path).map_err(io_at(path))?;
    let mut at = match end {
        Some(end) => end,
        None => file.seek(SeekFrom::End(0)).map_err(io_at(path))?,
    };
    let mut torn = end.is_none();
    let mut block: Vec<u8> = Vec::new();
    while at > 0 {
        // A line that is longer than a block is not copied again for each block.
        let size = (BLOCK.max(block.len()) as u64).min(at);
        at -= size;
        file.seek(SeekFrom::Start(at)).map_err(io_at(path))?;
        let mut more = Vec::with_capacity(usize::try_from(size).unwrap_or(BLOCK) + block.len());
        file.by_ref().take(size).read_to_end(&mut more).map_err(io_at(path))?;
        more.append(&mut block);
        let mut rest = more.len();
        while let Some(border) = memrchr(b'\n', &more[..rest]) {
            let line = &more[border + 1..rest];
            rest = border;
            if std::mem::take(&mut torn) {
                continue;
            }
            let start = at + border as u64 + 1;
            take(path, start, line, gather)?;
            if start <= first && !gather.wants_more() {
                return Ok(());
            }
        }
        more.truncate(rest);
        block = more;
    }
    if torn { Ok(()) } else { take(path, 0, &block, gather) }
}

fn take(path: &Path, at: u64, line: &[u8], gather: &mut Gather) -> Result<(), CallError> {
    if !line.is_empty() && gather.concerns(line) {
        gather.take(decode(line).map_err(|e| bad_line(path, at, e))?);
    }
    Ok(())
}

/// The file that this one continues, in the same folder.
fn continues(path: &Path) -> Result<Option<PathBuf>, CallError> {
    let mut line = Vec::new();
    let file = File::open(path).map_err(io_at(path))?;
    BufReader::new(file).read_until(b'\n', &mut line).map_err(io_at(path))?;
    let before = decode(&line).ok().and_then(|event| match event.fresh.fact {
        Fact::LogOpened(opened) => opened.continues,
        _ => None,
    });
    // A journal may name a file beside it, and nothing else.
    let beside =
        before.filter(|b| Path::new(&b.file).file_name().is_some_and(|name| name == b.file.as_str()));
    Ok(beside.map(|b| path.with_file_name(b.file)))
}

fn background(path: &Path, references: &References, story: &mut CallStory) -> Result<(), CallError> {
    each_line(path, |at, line| {
        if references.concerns(line) {
            story.learn(decode(line).map_err(|e| bad_line(path, at, e))?);
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        event::{Chain, Fresh, Scope, fact::UserPromptSubmitted},
        model::EventId,
    };

    /// A prompt, many other sessions, and a call of that prompt at the end, with a torn line behind it.
    fn journal(folder: &Path, name: &str, filler: usize, call: &str) -> PathBuf {
        let (mut chain, mut out) = (Chain::default(), Vec::new());
        let mut event = |id: &str, call: Option<&str>, parent: Option<&str>, text: String| {
            let scope = Scope { session_id: "s".into(), run_id: "r".into(), call_id: call.map(Into::into) };
            let parent = parent.map(EventId::new);
            let fact = UserPromptSubmitted { prompt: text }.into();
            let ts = DateTime::UNIX_EPOCH;
            chain.seal(&Fresh { event_id: id.into(), ts, scope, parent, fact }, &mut out).unwrap();
        };
        event("ev_root", None, None, "the prompt".to_owned());
        for n in 0..filler {
            event(&format!("ev_other{n}"), Some("tc_other"), None, format!("{call} {}", "x".repeat(3_000)));
        }
        event("ev_a", Some(call), Some("ev_root"), "y".repeat(3 * BLOCK));
        event("ev_b", Some(call), Some("ev_a"), "b".to_owned());
        event("ev_last", None, None, "after".to_owned());
        out.extend_from_slice(br#"{"toolCallId":"tc_torn"#);
        let path = folder.join(name);
        std::fs::write(&path, out).unwrap();
        path
    }

    #[test]
    fn a_call_is_found_by_a_unique_beginning_and_gathered_across_blocks() {
        let folder = tempfile::tempdir().unwrap();
        let path = journal(folder.path(), "a.jsonl", 900, "tc_0123");
        for wanted in ["tc_0123", "tc_01", "012"] {
            let story = story(std::slice::from_ref(&path), &[], wanted).unwrap();
            assert_eq!(story.id().as_str(), "tc_0123");
            let ids: Vec<&str> = story.events().map(|e| e.fresh.event_id.as_str()).collect();
            assert_eq!(ids, ["ev_root", "ev_a", "ev_b"]);
        }
    }

    #[test]
    fn not_exactly_one_call_is_an_error_that_helps() {
        let folder = tempfile::tempdir().unwrap();
        let paths = [
            journal(folder.path(), "a.jsonl", 1, "tc_0123"),
            journal(folder.path(), "b.jsonl", 1, "tc_0145"),
        ];
        for (wanted, part) in [
            ("tc_01", "beginning of 2 calls: `tc_0123`, `tc_0145`"),
            ("tc_0199", "hint: there is `tc_0123`, `tc_0145`, `tc_other`"),
            ("tc_torn", "no call `tc_torn` in 2 journals"),
        ] {
            let error = story(&paths, &[], wanted).unwrap_err().to_string();
            assert!(error.contains(part), "{error}");
        }
        let error = story(&[folder.path().join("none")], &[], "x").unwrap_err().to_string();
        assert!(error.contains("cannot read the journal"), "{error}");
    }

    #[test]
    fn a_broken_line_of_the_call_is_told_with_its_place() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.jsonl");
        std::fs::write(&path, "{\"toolCallId\":\"tc_1\"\n").unwrap();
        let error = story(&[path], &[], "tc_1").unwrap_err().to_string();
        assert!(error.contains("at byte 0") && error.contains("journal verify"), "{error}");
    }
}
