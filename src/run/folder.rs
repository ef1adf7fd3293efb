//! The run folder: `.proofhouse/runs/<id>/` and `.proofhouse/latest`.
//!
//! Crash-safe: `trials.jsonl` and `events.jsonl` only grow, a line at a time; a torn last line is left out
//! when they are read; everything else is a fold over them and is written under another name first.

use super::{EventLine, Manifest, OfferedTool, TrialEnd, TrialKey, TrialRecord};
use proofhouse_manager::{event::decode, model::RunId};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs::{self, File, OpenOptions},
    io::{self, BufRead, BufReader, BufWriter, Read as _, Seek as _, SeekFrom, Write as _},
    path::{Path, PathBuf},
};

/// Where runs are kept: `.proofhouse` in the working directory.
#[derive(Debug, Clone)]
pub struct Home(PathBuf);

/// The folder of one run.
#[derive(Debug, Clone)]
pub struct RunFolder(PathBuf);

/// A run folder that cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    /// The file system refuses.
    #[error("`{path}`: {source}", path = path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// There is no such run.
    #[error("there is no run `{0}`\nhint: `proofhouse run` makes one; runs are kept in .proofhouse/runs")]
    NoRun(String),
    /// A file is not what it should be.
    #[error("`{path}` line {line}: {message}", path = path.display())]
    Broken {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong.
        message: String,
    },
}

fn io_at(path: &Path) -> impl Fn(io::Error) -> FolderError + '_ {
    move |source| FolderError::Io { path: path.to_owned(), source }
}

impl Home {
    /// `.proofhouse` in a folder.
    pub fn in_folder(folder: &Path) -> Self {
        Self(folder.join(".proofhouse"))
    }

    /// Makes the folder of a new run.
    ///
    /// # Errors
    /// [`FolderError`] if it cannot be made.
    pub fn create(&self, run: &RunId) -> Result<RunFolder, FolderError> {
        let path = self.0.join("runs").join(run.as_str());
        fs::create_dir_all(&path).map_err(io_at(&path))?;
        Ok(RunFolder(path))
    }

    /// Opens a run: by its id, by the path of its folder, or the latest.
    ///
    /// # Errors
    /// [`FolderError::NoRun`] if there is none.
    pub fn open(&self, run: Option<&str>) -> Result<RunFolder, FolderError> {
        let name = match run {
            Some(name) if name != "latest" => name.to_owned(),
            _ => self.latest()?,
        };
        [self.0.join("runs").join(&name), PathBuf::from(&name)]
            .into_iter()
            .find(|path| path.join("manifest.json").is_file())
            .map(RunFolder)
            .ok_or(FolderError::NoRun(name))
    }

    fn latest(&self) -> Result<String, FolderError> {
        let path = self.0.join("latest");
        match fs::read_to_string(&path) {
            Ok(text) => Ok(text.trim().to_owned()),
            Err(e) if e.kind() == io::ErrorKind::NotFound => Err(FolderError::NoRun("latest".to_owned())),
            Err(source) => Err(FolderError::Io { path, source }),
        }
    }

    /// Names a run the latest one. The last thing that a run does.
    ///
    /// # Errors
    /// [`FolderError`] if it cannot be written.
    pub fn set_latest(&self, run: &RunId) -> Result<(), FolderError> {
        replace(&self.0.join("latest"), format!("{run}\n").as_bytes())
    }
}

impl RunFolder {
    /// The folder itself.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// A file of the run.
    pub fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// Writes a file whole or not at all.
    ///
    /// # Errors
    /// [`FolderError`] if it cannot be written.
    pub fn write(&self, name: &str, content: &[u8]) -> Result<(), FolderError> {
        replace(&self.file(name), content)
    }

    /// Writes a file whole or not at all, as a stream.
    ///
    /// # Errors
    /// [`FolderError`] if it cannot be written.
    pub fn write_with(
        &self,
        name: &str,
        write: impl FnOnce(&mut dyn io::Write) -> io::Result<()>,
    ) -> Result<(), FolderError> {
        write_file(&self.file(name), write)
    }

    /// Reads the manifest.
    ///
    /// # Errors
    /// [`FolderError`] if it is missing or broken.
    pub fn manifest(&self) -> Result<Manifest, FolderError> {
        let path = self.file("manifest.json");
        let text = fs::read(&path).map_err(io_at(&path))?;
        serde_json::from_slice(&text).map_err(|e| FolderError::Broken {
            path,
            line: e.line(),
            message: e.to_string(),
        })
    }

    /// The finished trials, in the order in which they were written.
    ///
    /// # Errors
    /// [`FolderError`] if the file cannot be opened.
    pub fn trials(&self) -> Result<Trials, FolderError> {
        let path = self.file("trials.jsonl");
        let lines = match File::open(&path) {
            Ok(file) => Some(BufReader::with_capacity(1 << 16, file)),
            Err(e) if e.kind() == io::ErrorKind::NotFound => None,
            Err(source) => return Err(FolderError::Io { path, source }),
        };
        Ok(Trials { path, lines, line: 0, buffer: Vec::new(), views: BTreeMap::new() })
    }

    /// Opens `trials.jsonl` for appending; cuts off a torn last line.
    ///
    /// # Errors
    /// [`FolderError`] if it cannot be opened or holds a broken line.
    pub fn append_trials(&self) -> Result<(TrialWriter, BTreeSet<TrialKey>), FolderError> {
        let mut done = BTreeSet::new();
        let mut trials = self.trials()?;
        for trial in &mut trials {
            done.insert(trial?.key);
        }
        let views = trials.views.into_keys().collect();
        let path = self.file("trials.jsonl");
        let file =
            OpenOptions::new().create(true).read(true).append(true).open(&path).map_err(io_at(&path))?;
        cut_torn_line(&file).map_err(io_at(&path))?;
        Ok((TrialWriter { path, file, views, buffer: Vec::new() }, done))
    }

    /// Takes out the trials that ended as an error, so that they are asked again; says how many.
    ///
    /// # Errors
    /// [`FolderError`] if the file cannot be read or replaced.
    pub fn forget_errors(&self) -> Result<usize, FolderError> {
        let (mut kept, mut dropped) = (Vec::new(), 0);
        for trial in self.trials()? {
            let trial = trial?;
            if trial.end == TrialEnd::Error { dropped += 1 } else { kept.push(trial) }
        }
        self.write_with("trials.jsonl", |out| {
            // Views are written out in full: which line was the first to hold one may have changed.
            kept.iter().try_for_each(|trial| {
                serde_json::to_writer(&mut *out, trial)?;
                out.write_all(b"\n")
            })
        })?;
        Ok(dropped)
    }

    /// Looks events up by their numbers, for reports.
    ///
    /// # Errors
    /// [`FolderError`] if the journal cannot be read.
    pub fn events(&self) -> Result<Events, FolderError> {
        let path = self.file("events.jsonl");
        let file = File::open(&path).map_err(io_at(&path))?;
        let mut starts = vec![0_u64];
        let mut reader = BufReader::with_capacity(1 << 16, file);
        let mut at = 0_u64;
        let mut buffer = Vec::new();
        loop {
            buffer.clear();
            let read = reader.read_until(b'\n', &mut buffer).map_err(io_at(&path))?;
            if read == 0 || buffer.last() != Some(&b'\n') {
                break;
            }
            at += read as u64;
            starts.push(at);
        }
        Ok(Events { path, file: reader.into_inner(), starts })
    }
}

/// Writes `path` under another name and renames it, so that a reader sees the old file or the new one.
fn replace(path: &Path, content: &[u8]) -> Result<(), FolderError> {
    write_file(path, |out| out.write_all(content))
}

/// Writes a file whole or not at all, as a stream.
///
/// # Errors
/// [`FolderError`] if it cannot be written; the file is then as it was before.
pub fn write_file(
    path: &Path,
    write: impl FnOnce(&mut dyn io::Write) -> io::Result<()>,
) -> Result<(), FolderError> {
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let attempt = || {
        fs::create_dir_all(folder)?;
        let mut file = BufWriter::new(tempfile::NamedTempFile::new_in(folder)?);
        write(&mut file)?;
        let file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.as_file().sync_data()?;
        make_readable(file.as_file())?;
        file.persist(path).map_err(|e| e.error)?;
        Ok(())
    };
    attempt().map_err(io_at(path))
}

/// A temporary file is its owner's alone; a report is for everybody who may read the folder.
fn make_readable(file: &File) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    file.set_permissions(fs::Permissions::from_mode(0o644))
}

fn cut_torn_line(mut file: &File) -> io::Result<()> {
    let end = file.seek(SeekFrom::End(0))?;
    let mut tail = Vec::new();
    let mut at = end;
    while at > 0 {
        let from = at.saturating_sub(1 << 16);
        file.seek(SeekFrom::Start(from))?;
        tail.clear();
        file.take(at - from).read_to_end(&mut tail)?;
        if let Some(newline) = tail.iter().rposition(|b| *b == b'\n') {
            return file.set_len(from + newline as u64 + 1);
        }
        at = from;
    }
    file.set_len(0)
}

/// Appends trials, one line each.
#[derive(Debug)]
pub struct TrialWriter {
    path: PathBuf,
    file: File,
    views: BTreeSet<String>,
    buffer: Vec<u8>,
}

impl TrialWriter {
    /// Appends trials with one write. A view is written out the first time it occurs.
    ///
    /// # Errors
    /// [`FolderError`] if they could not be written.
    pub fn append(&mut self, trials: &mut [TrialRecord]) -> Result<(), FolderError> {
        self.buffer.clear();
        for trial in trials {
            for turn in &mut trial.turns {
                if !self.views.insert(turn.view.clone()) {
                    turn.offered.clear();
                }
            }
            serde_json::to_writer(&mut self.buffer, trial).map_err(|e| io_at(&self.path)(e.into()))?;
            self.buffer.push(b'\n');
        }
        self.file.write_all(&self.buffer).map_err(io_at(&self.path))
    }

    /// Puts everything on the disk.
    ///
    /// # Errors
    /// [`FolderError`] if the system cannot promise it.
    pub fn sync(&self) -> Result<(), FolderError> {
        self.file.sync_data().map_err(io_at(&self.path))
    }
}

/// Reads trials one at a time and restores what the writer left out.
#[derive(Debug)]
pub struct Trials {
    path: PathBuf,
    lines: Option<BufReader<File>>,
    line: usize,
    buffer: Vec<u8>,
    views: BTreeMap<String, Vec<OfferedTool>>,
}

impl Iterator for Trials {
    type Item = Result<TrialRecord, FolderError>;

    fn next(&mut self) -> Option<Self::Item> {
        let lines = self.lines.as_mut()?;
        self.buffer.clear();
        self.line += 1;
        match lines.read_until(b'\n', &mut self.buffer) {
            Err(source) => return Some(Err(FolderError::Io { path: self.path.clone(), source })),
            // Torn by a crash; the trial is asked again when the run is resumed.
            Ok(_) if self.buffer.last() != Some(&b'\n') => return None,
            Ok(_) => {}
        }
        let mut trial: TrialRecord = match serde_json::from_slice(&self.buffer) {
            Ok(trial) => trial,
            Err(e) => {
                let (path, line, message) = (self.path.clone(), self.line, e.to_string());
                return Some(Err(FolderError::Broken { path, line, message }));
            }
        };
        for turn in &mut trial.turns {
            if !turn.offered.is_empty() {
                self.views.entry(turn.view.clone()).or_insert_with(|| turn.offered.clone());
            } else if let Some(offered) = self.views.get(&turn.view) {
                turn.offered.clone_from(offered);
            }
        }
        Some(Ok(trial))
    }
}

/// Random access to the events of a run.
#[derive(Debug)]
pub struct Events {
    path: PathBuf,
    file: File,
    starts: Vec<u64>,
}

impl Events {
    /// The events numbered `first` to `last`, in short; those that are not there are left out.
    ///
    /// # Errors
    /// [`FolderError`] if the journal cannot be read.
    pub fn lines(&mut self, first: u64, last: u64) -> Result<Vec<EventLine>, FolderError> {
        let start = |seq: u64| usize::try_from(seq).ok().and_then(|s| self.starts.get(s)).copied();
        let Some(from) = first.checked_sub(1).and_then(start) else { return Ok(Vec::new()) };
        let to = start(last).or(self.starts.last().copied()).unwrap_or(from);
        let mut bytes = vec![0; usize::try_from(to.saturating_sub(from)).unwrap_or(0)];
        self.file.seek(SeekFrom::Start(from)).map_err(io_at(&self.path))?;
        self.file.read_exact(&mut bytes).map_err(io_at(&self.path))?;
        let lines = bytes.split(|b| *b == b'\n').filter(|l| !l.is_empty());
        let event = |(index, line): (usize, &[u8])| {
            let event = decode(line).map_err(|e| FolderError::Broken {
                path: self.path.clone(),
                line: usize::try_from(first).unwrap_or(0) + index,
                message: e.to_string(),
            })?;
            let fact = &event.fresh.fact;
            Ok(EventLine { seq: event.seq, kind: fact.kind().to_owned(), summary: fact.summary() })
        };
        lines.enumerate().map(event).collect()
    }
}
