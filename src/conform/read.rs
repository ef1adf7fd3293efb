//! Journals as files: a line at a time, whatever their size.

use super::{Event, Evidence, Judge, Options, Report, chain::Link};
use serde::{
    Deserialize, Deserializer,
    de::{Error as _, MapAccess, Visitor},
};
use serde_json::{Map, Value};
use std::{
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
}

/// Judges journals in the order given: those of registrations before those of calls.
///
/// # Errors
/// [`ReadError`] for a file that cannot be read and a line that is no event: nothing is skipped.
pub fn judge_files(files: &[PathBuf], options: &Options) -> Result<Report, ReadError> {
    let mut judge = Judge::new(options);
    for (number, file) in (0..).zip(files) {
        let (mut link, mut events) = (Link::default(), 0);
        each_event(file, number, |event, text| {
            events += 1;
            link.follow(event.line, text, event.fields());
            judge.see(&event);
        })?;
        judge.end_of_file(number);
        judge.weigh(Evidence { file: file.display().to_string(), events, chain: link.end() });
    }
    let names: Vec<String> = files.iter().map(|f| f.display().to_string()).collect();
    Ok(judge.rule(&names))
}

fn each_event(path: &Path, number: u32, mut see: impl FnMut(Event, &[u8])) -> Result<(), ReadError> {
    let io = |source| ReadError::Io { file: path.to_owned(), source };
    let mut reader = BufReader::with_capacity(1 << 20, File::open(path).map_err(io)?);
    let (mut text, mut line) = (Vec::new(), 0);
    loop {
        text.clear();
        line += 1;
        let read =
            std::io::Read::take(&mut reader, MAX_LINE as u64).read_until(b'\n', &mut text).map_err(io)?;
        if read == 0 {
            return Ok(());
        }
        let bad = |what: String| ReadError::Line { file: path.to_owned(), line, what };
        if read == MAX_LINE {
            return Err(bad(format!("longer than {MAX_LINE} bytes")));
        }
        if text.trim_ascii().is_empty() {
            continue;
        }
        let Fields(fields) = serde_json::from_slice(&text).map_err(|e| bad(e.to_string()))?;
        if !fields.get("type").is_some_and(Value::is_string) {
            return Err(bad("it has no `type`".to_owned()));
        }
        see(Event::new(number, line, fields), &text);
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
