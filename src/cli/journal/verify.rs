//! `proofhouse journal verify`.

use super::{
    super::{CliError, Exit, exit::say, home::HomeOption},
    Format,
};
use proofhouse_manager::{
    adapters::journal::{
        Attested, Demand, JournalFault, Payload, PublicKey, Report, Trust, VerifyError, verify,
    },
    text::clean,
};
use serde_json::{Value, json};
use std::{
    collections::BTreeSet,
    fmt::Write as _,
    path::{Path, PathBuf},
};

/// Check the chain, the links and the checkpoints of journals, and name the first line that is wrong
///
/// A sound chain proves that nothing in it was changed, dropped or moved by somebody who did not write all of it
/// anew. That, and a cut end, only a checkpoint shows: a signed statement of where the journal stood. Those of a home
/// are found by themselves; a copy of key and checkpoints, kept elsewhere, proves more.
#[derive(Debug, clap::Args)]
pub(super) struct Options {
    /// Journals; any file of one that was rotated [default: all of the home]
    files: Vec<PathBuf>,
    #[command(flatten)]
    home: HomeOption,
    /// Public key whose checkpoints count [default: the one of the home that the file lies in]
    #[arg(long, value_name = "PUB")]
    key: Option<PathBuf>,
    /// Folder or file of checkpoints [default: those of the home that the file lies in]
    #[arg(long, value_name = "PATH")]
    checkpoints: Option<PathBuf>,
    /// Fail where a file has no checkpoint by the key
    #[arg(long)]
    require_checkpoint: bool,
    /// Fail at event types and fields that this version does not know
    #[arg(long)]
    strict: bool,
    /// How to print
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

/// A journal with its verdict.
struct Judged {
    path: PathBuf,
    verdict: Result<Report, JournalFault>,
}

/// 0: every journal is sound. 1: one is not.
pub(super) fn run(options: &Options) -> Result<Exit, CliError> {
    let judged = options.judge_all()?;
    say(&match options.format {
        Format::Text => judged.iter().map(text).collect(),
        Format::Json => {
            let journals: Vec<Value> = judged.iter().map(document).collect();
            format!("{:#}\n", json!({ "format": 1, "journals": journals }))
        }
    });
    Ok(if judged.iter().all(|judged| judged.verdict.is_ok()) { Exit::Holds } else { Exit::Fails })
}

impl Options {
    fn judge_all(&self) -> Result<Vec<Judged>, CliError> {
        let files = if self.files.is_empty() { self.of_home()? } else { self.files.clone() };
        let mut seen: BTreeSet<PathBuf> = BTreeSet::new();
        let mut judged = Vec::new();
        for path in files {
            if seen.contains(&path) {
                continue;
            }
            let verdict = match verify(&path, &self.trust(&path)?) {
                Ok(report) => Ok(report),
                Err(VerifyError::Unsound(fault)) => Err(fault),
                Err(error @ VerifyError::Io { .. }) => return Err(CliError::usage(error)),
            };
            seen.extend(verdict.iter().flat_map(|report| report.files.iter().map(|file| file.file.clone())));
            judged.push(Judged { path, verdict });
        }
        Ok(judged)
    }

    fn of_home(&self) -> Result<Vec<PathBuf>, CliError> {
        let home = self.home.open()?;
        let mut files = journals(home.registry().parent().unwrap_or(home.root()))?;
        files.extend(journals(&home.runs())?);
        if files.is_empty() {
            let root = home.root().display();
            return Err(CliError::usage(format!(
                "there is no journal in `{root}`\nhint: name a file, or another `--home DIR`"
            )));
        }
        Ok(files)
    }

    /// What is known about a journal from outside of it.
    fn trust(&self, path: &Path) -> Result<Trust, CliError> {
        let absolute = std::path::absolute(path).map_err(CliError::usage)?;
        let home = absolute.parent().and_then(Path::parent);
        let beside = |folder: &str| home.map(|home| home.join(folder)).filter(|folder| folder.is_dir());
        let key = match (&self.key, beside("keys")) {
            (Some(key), _) => Some(PublicKey::read(key).map_err(CliError::usage)?),
            (None, Some(keys)) => PublicKey::of_folder(&keys).map_err(CliError::usage)?,
            (None, None) => None,
        };
        Ok(Trust {
            key,
            checkpoints: self.checkpoints.clone().or_else(|| beside("checkpoints")),
            demand: if self.require_checkpoint { Demand::Checkpoint } else { Demand::Chain },
            payload: if self.strict { Payload::Strict } else { Payload::Tolerant },
        })
    }
}

/// The journal files of a folder, in the order of their names.
fn journals(folder: &Path) -> Result<Vec<PathBuf>, CliError> {
    let told = |e| CliError::surroundings(format!("cannot read `{}`: {e}", folder.display()));
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(told)? {
        let path = entry.map_err(told)?.path();
        if path.extension().is_some_and(|extension| extension == "jsonl") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

fn text(judged: &Judged) -> String {
    match &judged.verdict {
        Err(fault) => format!("BROKEN  {}\n", clean(&fault.to_string())),
        Ok(report) => {
            let events: u64 = report.files.iter().map(|file| file.events).sum();
            let bytes: u64 = report.files.iter().map(|file| file.bytes).sum();
            let mut out = format!(
                "sound   `{}`: {}",
                clean(&judged.path.display().to_string()),
                counted(events, "event")
            );
            if report.files.len() > 1 {
                write!(out, " in {}", counted(report.files.len() as u64, "file")).ok();
            }
            writeln!(out, ", {bytes} bytes; {}", attested(report)).ok();
            let open: usize = report.files.last().map_or(0, |file| file.open_calls);
            if open > 0 {
                let calls = counted(open as u64, "call");
                writeln!(out, "        {calls} started and not finished: running, or interrupted by a crash")
                    .ok();
            }
            out
        }
    }
}

/// What stands behind the chain.
fn attested(report: &Report) -> String {
    let Some(last) = report.files.last() else { return "it has no file".to_owned() };
    match &last.attested {
        Attested::UpTo { seq, ts, key_id } if *seq == last.events => {
            format!("signed to its end by key {} at {ts}", clean(key_id))
        }
        Attested::UpTo { seq, ts, key_id } => {
            let rest = last.events - seq;
            format!(
                "signed up to event {seq} by key {} at {ts}; the {rest} after it could be cut off unseen",
                clean(key_id)
            )
        }
        Attested::Unknown { key_id } => {
            format!(
                "it has checkpoints by key {}, which was not given: they prove nothing here",
                clean(key_id)
            )
        }
        Attested::Nothing => {
            "no checkpoint: whether its end was cut off, or all of it written anew, cannot be seen".to_owned()
        }
    }
}

fn counted(count: u64, word: &str) -> String {
    if count == 1 { format!("1 {word}") } else { format!("{count} {word}s") }
}

fn document(judged: &Judged) -> Value {
    match &judged.verdict {
        Ok(report) => json!({ "journal": judged.path, "sound": true, "files": report.files }),
        Err(fault) => json!({
            "journal": judged.path, "sound": false, "fault": fault.to_string(), "line": fault.line(),
        }),
    }
}
