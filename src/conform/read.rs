//! Journals as files: a line at a time, whatever their size.

use super::{
    Event, Evidence, Judge, Options, Report,
    chain::Link,
    foreign::{Foreign, Shows},
};
use serde::{
    Deserialize, Deserializer,
    de::{Error as _, MapAccess, Visitor},
};
use serde_json::{Map, Value};
use std::{
    cmp::Reverse,
    collections::{BTreeMap, BinaryHeap, HashMap},
    fs::File,
    io::{BufRead as _, BufReader},
    path::{Path, PathBuf},
};

/// A line longer than this is no event.
const MAX_LINE: usize = 64 << 20;

/// A journal that cannot be judged.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The file cannot be read.
    #[error("cannot read the journal `{file}`: {source}")]
    Io {
        /// The file.
        file: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A line is no event.
    #[error(
        "`{file}` line {line}: {what}\nhint: a journal holds one JSON object a line; `proofhouse journal verify` looks at its chain"
    )]
    Line {
        /// The file.
        file: PathBuf,
        /// Its line, counted from 1.
        line: u64,
        /// What is wrong with it.
        what: String,
    },
    /// A file is no log of the format that it was said, or seemed, to be of.
    #[error(
        "`{file}` is no `{format}` log: {what}\nhint: `--from` names the format; without, it is looked for"
    )]
    Foreign {
        /// The file.
        file: PathBuf,
        /// The format.
        format: &'static str,
        /// What is wrong.
        what: String,
    },
}

/// Judges journals together, as one log in the order of time: what the registry's journal says of a tool counts
/// for the calls after it.
///
/// # Errors
/// [`ReadError`] for a file that cannot be read and a line that is no event: nothing is skipped.
pub fn judge_files(files: &[PathBuf], options: &Options) -> Result<Report, ReadError> {
    let mut judge = Judge::new(options);
    let evidence = each_event(files, options.from, |event, shows| judge.see_what_shows(&event, shows))?;
    evidence.into_iter().for_each(|found| judge.weigh(found));
    let names: Vec<String> = files.iter().map(|f| f.display().to_string()).collect();
    Ok(judge.rule(&names))
}

/// The events of journals, as one log in the order of time.
///
/// # Errors
/// [`ReadError`] for a file that cannot be read and a line that is no event.
pub fn read_events(files: &[PathBuf]) -> Result<Vec<Map<String, Value>>, ReadError> {
    let mut events = Vec::new();
    each_event(files, None, |event, _| events.push(event.fields().clone()))?;
    Ok(events)
}

/// Hands out events by time; those of one file stay in its order, whatever its clock did. A file is open from
/// its first event to its last, so runs that came one after the other are not open together.
fn each_event(
    files: &[PathBuf],
    from: Option<Foreign>,
    mut see: impl FnMut(Event, Shows),
) -> Result<Vec<Evidence>, ReadError> {
    let mut waiting = BinaryHeap::new();
    for (number, path) in (0_u32..).zip(files) {
        waiting.push(Reverse((first_time(path), number)));
    }
    let mut open: HashMap<u32, Journal> = HashMap::new();
    let mut evidence = BTreeMap::new();
    while let Some(Reverse((_, number))) = waiting.pop() {
        let mut journal = match open.remove(&number) {
            Some(journal) => journal,
            None => Journal::open(&files[number as usize], number, from)?,
        };
        let shows = journal.shows;
        loop {
            let Some(event) = journal.next()? else {
                evidence.insert(number, journal.end());
                break;
            };
            see(event, shows);
            let (later, ts) = (waiting.peek(), journal.time());
            if later.is_some_and(|Reverse((first, _))| ts > first.as_str()) {
                waiting.push(Reverse((ts.to_owned(), number)));
                open.insert(number, journal);
                break;
            }
        }
    }
    Ok(evidence.into_values().collect())
}

/// When a file begins, as far as its first line says. What is wrong with it is found when it is read.
fn first_time(path: &Path) -> String {
    let mut line = Vec::new();
    let Ok(file) = File::open(path) else { return String::new() };
    let read = std::io::Read::take(BufReader::new(file), MAX_LINE as u64).read_until(b'\n', &mut line);
    let first = read.ok().and_then(|_| serde_json::from_slice::<Value>(&line).ok());
    first.and_then(|event| Some(event.get("ts")?.as_str()?.to_owned())).unwrap_or_default()
}

/// A file that is being read, one event ahead.
struct Journal {
    path: PathBuf,
    number: u32,
    lines: Lines,
    line: u64,
    events: u64,
    link: Link,
    next: Option<Event>,
    shows: Shows,
}

enum Lines {
    /// Our format, a line at a time.
    Own(BufReader<File>, Vec<u8>),
    /// Another one, turned into ours.
    Foreign(std::vec::IntoIter<Map<String, Value>>),
}

impl Journal {
    fn open(path: &Path, number: u32, from: Option<Foreign>) -> Result<Self, ReadError> {
        let io = |source| ReadError::Io { file: path.to_owned(), source };
        let mut reader = BufReader::with_capacity(1 << 18, File::open(path).map_err(io)?);
        let from = match from {
            Some(foreign) => Some(foreign),
            None => Foreign::recognize(reader.fill_buf().map_err(io)?),
        };
        let (lines, shows) = match from {
            None => (Lines::Own(reader, Vec::new()), Shows::Everything),
            Some(foreign) => {
                let events = foreign.events(reader).map_err(|what| ReadError::Foreign {
                    file: path.to_owned(),
                    format: foreign.name(),
                    what,
                })?;
                (Lines::Foreign(events.into_iter()), foreign.shows())
            }
        };
        let (link, path) = (Link::default(), path.to_owned());
        let mut journal = Self { path, number, lines, line: 0, events: 0, link, next: None, shows };
        journal.next = journal.read()?;
        Ok(journal)
    }

    fn next(&mut self) -> Result<Option<Event>, ReadError> {
        let event = match self.next.take() {
            Some(event) => event,
            None => return Ok(None),
        };
        self.next = self.read()?;
        Ok(Some(event))
    }

    /// When its next event happened.
    fn time(&self) -> &str {
        self.next.as_ref().map_or("", |event| event.text("ts"))
    }

    fn end(self) -> Evidence {
        Evidence { file: self.path.display().to_string(), events: self.events, chain: self.link.end() }
    }

    fn read(&mut self) -> Result<Option<Event>, ReadError> {
        let fields = match &mut self.lines {
            Lines::Foreign(events) => {
                self.line += 1;
                events.next()
            }
            Lines::Own(reader, text) => {
                let found = read_line(&self.path, reader, text, &mut self.line)?;
                if let Some(fields) = &found {
                    self.link.follow(self.line, text, fields);
                }
                found
            }
        };
        self.events += u64::from(fields.is_some());
        Ok(fields.map(|fields| Event::new(self.number, self.line, fields)))
    }
}

fn read_line(
    path: &Path,
    reader: &mut BufReader<File>,
    text: &mut Vec<u8>,
    line: &mut u64,
) -> Result<Option<Map<String, Value>>, ReadError> {
    loop {
        text.clear();
        *line += 1;
        let read = std::io::Read::take(&mut *reader, MAX_LINE as u64)
            .read_until(b'\n', text)
            .map_err(|source| ReadError::Io { file: path.to_owned(), source })?;
        if read == 0 {
            return Ok(None);
        }
        let bad = |what: String| ReadError::Line { file: path.to_owned(), line: *line, what };
        if read == MAX_LINE {
            return Err(bad(format!("longer than {MAX_LINE} bytes")));
        }
        if text.trim_ascii().is_empty() {
            continue;
        }
        let Fields(fields) = serde_json::from_slice(text).map_err(|e| bad(e.to_string()))?;
        if !fields.get("type").is_some_and(Value::is_string) {
            return Err(bad("it has no `type`".to_owned()));
        }
        return Ok(Some(fields));
    }
}

/// The fields of a line, each once: of two with one name, readers would disagree which one counts.
struct Fields(Map<String, Value>);

impl<'de> Deserialize<'de> for Fields {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Once;
        impl<'de> Visitor<'de> for Once {
            type Value = Fields;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Fields, A::Error> {
                let mut fields = Map::new();
                while let Some((name, value)) = map.next_entry::<String, Value>()? {
                    if fields.contains_key(&name) {
                        return Err(A::Error::custom(format!("`{name}` stands twice")));
                    }
                    fields.insert(name, value);
                }
                Ok(Fields(fields))
            }
        }
        deserializer.deserialize_map(Once)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// Judges files of events, each with the second at which it happened.
    fn judged(files: &[&[(u32, Value)]]) -> Report {
        let folder = tempfile::tempdir().unwrap();
        let write = |(number, events): (usize, &&[(u32, Value)])| {
            let line = |(second, event): &(u32, Value)| {
                let mut event = event.clone();
                event["ts"] = format!("2026-01-01T00:00:{second:02}.000000Z").into();
                format!("{event}\n")
            };
            let path = folder.path().join(format!("{number}.jsonl"));
            std::fs::write(&path, events.iter().map(line).collect::<String>()).unwrap();
            path
        };
        let paths: Vec<PathBuf> = files.iter().enumerate().map(write).collect();
        judge_files(&paths, &Options::default()).unwrap()
    }

    fn tool(kind: &str) -> Value {
        json!({ "type": kind, "toolId": "t", "toolVersion": "1", "descriptorDigest": "d" })
    }

    fn call(kind: &str, id: &str) -> Value {
        let mut event = tool(kind);
        (event["toolCallId"], event["runId"]) = (id.into(), format!("run of {id}").into());
        event
    }

    #[test]
    fn what_the_registry_says_counts_from_when_it_says_so() {
        let registry = [(1, tool("ToolEnabled")), (5, tool("ToolBlocked"))];
        let run =
            |at: u32, id: &str| [(at, call("ToolCallRequested", id)), (at + 1, call("ToolCallStarted", id))];
        let broken = |files: &[&[(u32, Value)]]| judged(files).broken().collect::<Vec<_>>();
        // Also where the run is named first, and where another run comes in between.
        let (before, after) = (run(2, "a"), run(6, "b"));
        assert!(!broken(&[&registry, &before]).contains(&"R1.3"));
        assert!(!broken(&[&before, &registry]).contains(&"R1.3"));
        assert!(broken(&[&registry, &before, &after]).contains(&"R1.3"));
    }

    #[test]
    fn a_log_that_is_closed_says_nothing_of_another() {
        let closed = |id: &str| json!({ "type": "LogClosed", "runId": format!("run of {id}") });
        let long = [(1, call("ToolCallStarted", "a")), (9, call("ToolCallFinished", "a"))];
        let short = [(2, call("ToolCallStarted", "b")), (3, call("ToolCallFinished", "b")), (4, closed("b"))];
        let cut = [(2, call("ToolCallStarted", "c")), (4, closed("c"))];
        assert!(!judged(&[&long, &short]).violated().contains(&2));
        assert!(judged(&[&long, &cut]).broken().any(|id| id == "R2.4"));
    }

    #[test]
    fn a_line_that_is_no_event_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log.jsonl");
        for (text, part) in [
            ("{\"type\":\"A\"}\n\n[]\n", "line 3: invalid type: sequence"),
            ("{\"type\":1}\n", "line 1: it has no `type`"),
            ("{\"type\":\"A\",\"ts\":\"\",\"type\":\"B\"}\n", "line 1: `type` stands twice"),
        ] {
            std::fs::write(&path, text).unwrap();
            let error =
                judge_files(std::slice::from_ref(&path), &Options::default()).unwrap_err().to_string();
            assert!(error.contains(part), "{error}");
        }
    }
}
