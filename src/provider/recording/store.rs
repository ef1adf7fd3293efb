//! The two files of one model.

use super::line::{FORMAT, RecordedPayload, Recording};
use proofhouse_manager::model::Digest;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;
use std::{
    collections::BTreeMap,
    ffi::OsStr,
    fs::{self, File, OpenOptions},
    io::{self, Read as _, Seek as _, SeekFrom, Write as _},
    path::{Path, PathBuf},
};

/// Recordings that cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[error("{}: {source}", path.display())]
pub struct StoreError {
    /// The file.
    pub path: PathBuf,
    /// What went wrong.
    pub source: io::Error,
}

/// The recordings of one model.
#[derive(Debug)]
pub(in crate::provider) struct Store {
    path: PathBuf,
    /// By key; the last line of a key.
    recordings: BTreeMap<Digest, Recording>,
    payloads: BTreeMap<Digest, RecordedPayload>,
    problems: Vec<String>,
}

impl Store {
    /// Reads what is there; files that are missing are empty.
    pub(in crate::provider) fn load(path: &Path) -> Result<Self, StoreError> {
        let mut problems = Vec::new();
        let recordings = lines::<Recording>(path, &mut problems, |recording| recording.format)?;
        let tools = lines::<RecordedPayload>(&tools_file(path), &mut problems, |payload| payload.format)?;
        Ok(Self {
            path: path.to_owned(),
            recordings: recordings.into_iter().map(|r| (r.key.clone(), r)).collect(),
            payloads: tools.into_iter().map(|p| (p.digest.clone(), p)).collect(),
            problems,
        })
    }

    /// The file of the requests.
    pub(in crate::provider) fn path(&self) -> &Path {
        &self.path
    }

    /// The recording under a key.
    pub(in crate::provider) fn get(&self, key: &Digest) -> Option<&Recording> {
        self.recordings.get(key)
    }

    /// All recordings, by key.
    pub(in crate::provider) fn recordings(&self) -> impl Iterator<Item = &Recording> {
        self.recordings.values()
    }

    /// What a model was shown of a tool.
    pub(super) fn payload(&self, digest: &Digest) -> Option<&Value> {
        self.payloads.get(digest).map(|payload| &payload.payload)
    }

    /// Lines that could not be read.
    pub(in crate::provider) fn problems(&self) -> &[String] {
        &self.problems
    }

    /// Adds a recording, and before it those of its payloads that are new: a line never names a payload
    /// that is not there.
    pub(super) fn append(
        &mut self,
        recording: Recording,
        payloads: Vec<RecordedPayload>,
    ) -> Result<(), StoreError> {
        let new: Vec<_> = payloads.into_iter().filter(|p| !self.payloads.contains_key(&p.digest)).collect();
        if !new.is_empty() {
            append(&tools_file(&self.path), &new)?;
            self.payloads.extend(new.into_iter().map(|payload| (payload.digest.clone(), payload)));
        }
        append(&self.path, std::slice::from_ref(&recording))?;
        self.recordings.insert(recording.key.clone(), recording);
        Ok(())
    }

    /// Puts other recordings, and the payloads that they name, in the place of all there are.
    pub(super) fn rewrite(&self, recordings: &[&Recording]) -> Result<(), StoreError> {
        let named = |payload: &&RecordedPayload| {
            recordings.iter().any(|r| r.tools.iter().any(|tool| tool.payload == payload.digest))
        };
        let mut payloads: Vec<&RecordedPayload> = self.payloads.values().filter(named).collect();
        payloads.sort_by(|a, b| (&a.tool, &a.digest).cmp(&(&b.tool, &b.digest)));
        replace(&tools_file(&self.path), &payloads)?;
        replace(&self.path, recordings)
    }
}

/// `MODEL.tools.jsonl` beside `MODEL.jsonl`.
fn tools_file(path: &Path) -> PathBuf {
    path.with_extension("tools.jsonl")
}

/// The files of requests in a folder, sorted.
pub(in crate::provider) fn files_in(folder: &Path) -> Result<Vec<PathBuf>, StoreError> {
    let fail = |source| StoreError { path: folder.to_owned(), source };
    let entries = fs::read_dir(folder).map_err(fail)?.collect::<Result<Vec<_>, _>>().map_err(fail)?;
    let is_requests = |path: &PathBuf| {
        path.extension() == Some(OsStr::new("jsonl"))
            && !path.file_name().is_some_and(|name| name.to_string_lossy().ends_with(".tools.jsonl"))
    };
    let mut files: Vec<PathBuf> = entries.iter().map(fs::DirEntry::path).filter(is_requests).collect();
    files.sort();
    Ok(files)
}

/// Reads a file's lines. One that cannot be read is set aside with a word about it: what it held counts as
/// not recorded, which is never a pass.
fn lines<T: DeserializeOwned>(
    path: &Path,
    problems: &mut Vec<String>,
    format: impl Fn(&T) -> u32,
) -> Result<Vec<T>, StoreError> {
    let bytes = match fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(source) => return Err(StoreError { path: path.to_owned(), source }),
    };
    let mut values = Vec::new();
    for (number, line) in (1..).zip(bytes.split(|byte| *byte == b'\n')) {
        if line.trim_ascii().is_empty() {
            continue;
        }
        match serde_json::from_slice(line) {
            Ok(value) if format(&value) <= FORMAT => values.push(value),
            Ok(value) => problems.push(format!(
                "{}:{number}: format {} is newer than this version of proofhouse reads; the line is set aside",
                path.display(),
                format(&value)
            )),
            Err(error) => problems.push(format!(
                "{}:{number}: the line cannot be read and is set aside: {error}",
                path.display()
            )),
        }
    }
    Ok(values)
}

/// Appends lines in one write, under a lock, so that several processes may record at once.
fn append<T: Serialize>(path: &Path, values: &[T]) -> Result<(), StoreError> {
    let write = || {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        let mut file = OpenOptions::new().read(true).append(true).create(true).open(path)?;
        file.lock()?;
        // A line that was torn by a crash stays alone on its line.
        let mut text = if ends_mid_line(&mut file)? { "\n".to_owned() } else { String::new() };
        text.push_str(&jsonl(values)?);
        file.write_all(text.as_bytes())
    };
    write().map_err(|source| StoreError { path: path.to_owned(), source })
}

fn ends_mid_line(file: &mut File) -> io::Result<bool> {
    if file.seek(SeekFrom::End(0))? == 0 {
        return Ok(false);
    }
    file.seek(SeekFrom::End(-1))?;
    let mut last = [0];
    file.read_exact(&mut last)?;
    Ok(last != *b"\n")
}

/// Writes a new file beside the old one, and then puts it in its place.
fn replace<T: Serialize>(path: &Path, values: &[T]) -> Result<(), StoreError> {
    let write = || {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        file.write_all(jsonl(values)?.as_bytes())?;
        file.as_file().sync_all()?;
        file.persist(path).map_err(|e| e.error)?;
        Ok(())
    };
    write().map_err(|source| StoreError { path: path.to_owned(), source })
}

fn jsonl<T: Serialize>(values: &[T]) -> io::Result<String> {
    let mut text = String::new();
    for value in values {
        text.push_str(&serde_json::to_string(value)?);
        text.push('\n');
    }
    Ok(text)
}
