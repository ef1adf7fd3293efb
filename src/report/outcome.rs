//! From a run folder to everything that is said about it.
//!
//! A run that has just ended and one that is looked at a year later go through this same code, so what it
//! writes is the same byte for byte: a fold over `manifest.json`, `trials.jsonl` and `events.jsonl`.

use super::{
    ALL, EndCounts, ModelHead, RejectedTool, ReportError, ReportHead, RunView, ToolHead, ViewHead, for_path,
    terminal,
};
use crate::{
    metric::{DEFAULT_LOST_LIMIT, Judgement, MetricFold, Metrics, judge, lost_trials},
    run::{Events, FolderError, Manifest, RunFolder, TrialEnd, TrialRecord},
    stats::Resampling,
    suite::{Select, Thresholds},
};
use std::{io, path::Path};

/// What a run came to.
#[derive(Debug)]
pub struct Outcome {
    head: ReportHead,
    metrics: Metrics,
    judgements: Vec<Judgement>,
    gated: bool,
}

/// What a run says, in one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Every threshold is held; where there are none, every case passed.
    Holds,
    /// A threshold is missed; where there are none, a case failed.
    Fails,
    /// Too much of it is lost to the surroundings, or a threshold has nothing to judge.
    Undecided,
}

/// A run whose reports cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum OutcomeError {
    /// The run folder.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// The report.
    #[error(transparent)]
    Report(#[from] ReportError),
    /// The run is not finished.
    #[error(
        "run `{run}` has {done} of {planned} trials\nhint: finish it with `proofhouse run --resume {run}`"
    )]
    Unfinished {
        /// The run.
        run: String,
        /// Finished trials.
        done: u64,
        /// Planned trials.
        planned: u64,
    },
}

/// Writes `metrics.json`, `report.html` and `junit.xml` into the run folder.
///
/// # Errors
/// [`OutcomeError`] if the folder cannot be read or written, or the run is not finished.
pub fn write_all(folder: &RunFolder) -> Result<Outcome, OutcomeError> {
    let outcome = Outcome::read(folder)?;
    let metrics = serde_json::to_vec_pretty(&outcome.metrics).map_err(ReportError::Json)?;
    folder.write("metrics.json", &metrics)?;
    for name in ["report.html", "junit.xml"] {
        outcome.write_to(folder, &folder.file(name))?;
    }
    Ok(outcome)
}

impl Outcome {
    /// Folds a run.
    ///
    /// # Errors
    /// [`OutcomeError`] if it cannot be read or is not finished.
    pub fn read(folder: &RunFolder) -> Result<Self, OutcomeError> {
        let manifest = folder.manifest()?;
        let mut fold = MetricFold::new(Resampling { seed: manifest.options.seed, ..Resampling::default() });
        let mut ends = EndCounts::default();
        for trial in folder.trials()? {
            let trial = trial?;
            count(&mut ends, trial.end);
            fold.add(&trial);
        }
        let planned = manifest.planned as u64;
        if ends.total() < planned {
            let run = manifest.run_id.to_string();
            return Err(OutcomeError::Unfinished { run, done: ends.total(), planned });
        }
        let metrics = fold.finish();
        Ok(Self {
            judgements: judge(&metrics, &manifest.thresholds),
            gated: has_limit(&manifest.thresholds),
            head: head(manifest, ends),
            metrics,
        })
    }

    /// What the run says. Thresholds decide where there are any, and single cases where there are none; what
    /// the surroundings spoilt never counts against anybody.
    pub fn verdict(&self) -> Verdict {
        let lost = lost_trials(&self.metrics, DEFAULT_LOST_LIMIT);
        let held = |state| self.judgements.iter().any(|j| j.held == state);
        if lost.iter().any(|l| l.undecidable) {
            Verdict::Undecided
        } else if held(Some(false)) || (!self.gated && self.head.ends.fail > 0) {
            Verdict::Fails
        } else if held(None) {
            Verdict::Undecided
        } else {
            Verdict::Holds
        }
    }

    /// Writes a report; the file's extension chooses the format.
    ///
    /// # Errors
    /// [`OutcomeError`] if the format is unknown or the file cannot be written.
    pub fn write_to(&self, folder: &RunFolder, path: &Path) -> Result<(), OutcomeError> {
        let format = for_path(path)?;
        let mut failure = None;
        let written = crate::run::write_file(path, |out| {
            let made = self.view(folder, &mut |view| format.write(view, out).map_err(OutcomeError::from));
            made.map_err(|error| {
                // The file is left as it was; the error itself is told below.
                failure = Some(error);
                io::Error::other("the report could not be made")
            })
        });
        written.map_err(|error| failure.unwrap_or(OutcomeError::Folder(error)))
    }

    /// The report as one JSON document.
    ///
    /// # Errors
    /// [`OutcomeError`] if the folder cannot be read.
    pub fn document(&self, folder: &RunFolder) -> Result<String, OutcomeError> {
        let json = ALL.iter().find(|f| f.name() == "json").expect("INVARIANT: `ALL` holds the JSON format");
        let mut out = Vec::new();
        self.view(folder, &mut |view| json.write(view, &mut out).map_err(OutcomeError::from))?;
        Ok(String::from_utf8_lossy(&out).trim_end().to_owned())
    }

    /// The report as a table for a terminal.
    ///
    /// # Errors
    /// [`OutcomeError`] if the folder cannot be read.
    pub fn table(&self, folder: &RunFolder, layout: &terminal::Layout) -> Result<String, OutcomeError> {
        let mut text = String::new();
        self.view(folder, &mut |view| {
            text = terminal::render(view, layout);
            Ok(())
        })?;
        Ok(text)
    }

    /// Hands a view of the run to a format. A line that cannot be read ends the walk with its error.
    fn view(
        &self,
        folder: &RunFolder,
        show: &mut dyn FnMut(RunView<'_>) -> Result<(), OutcomeError>,
    ) -> Result<(), OutcomeError> {
        let mut broken: Option<FolderError> = None;
        let mut broken_event: Option<FolderError> = None;
        let mut trials = folder.trials()?.map_while(|trial| match trial {
            Ok(trial) => Some(trial),
            Err(error) => {
                broken = Some(error);
                None
            }
        });
        let mut journal: Events = folder.events()?;
        let mut events = |first, last| {
            journal.lines(first, last).unwrap_or_else(|error| {
                broken_event = Some(error);
                Vec::new()
            })
        };
        show(RunView {
            head: &self.head,
            metrics: &self.metrics,
            judgements: &self.judgements,
            trials: &mut trials as &mut dyn Iterator<Item = TrialRecord>,
            events: &mut events,
        })?;
        drop(trials);
        match broken.or(broken_event) {
            Some(error) => Err(error.into()),
            None => Ok(()),
        }
    }

    /// The metrics.
    pub fn metrics(&self) -> &Metrics {
        &self.metrics
    }
}

/// Whether anything but the way of judging is set.
fn has_limit(thresholds: &Thresholds) -> bool {
    *thresholds != Thresholds { confident: thresholds.confident, ..Thresholds::default() }
}

fn count(ends: &mut EndCounts, end: TrialEnd) {
    match end {
        TrialEnd::Pass => ends.pass += 1,
        TrialEnd::Fail => ends.fail += 1,
        TrialEnd::Error => ends.error += 1,
        TrialEnd::Stale => ends.stale += 1,
    }
}

fn head(manifest: Manifest, ends: EndCounts) -> ReportHead {
    ReportHead {
        run_id: manifest.run_id.to_string(),
        suite: manifest.suite.name,
        suite_path: manifest.suite.path,
        started: manifest.started_at.to_rfc3339(),
        version: manifest.proofhouse,
        seed: manifest.options.seed,
        principal: manifest.principal,
        view: ViewHead {
            max_tools: manifest.view.max_tools,
            max_tokens: manifest.view.max_tokens,
            select: match manifest.view.select {
                Select::Ranked => "ranked".to_owned(),
                Select::All => "all".to_owned(),
            },
        },
        models: manifest.models.into_iter().map(|m| ModelHead { name: m.name, label: m.label }).collect(),
        tools: manifest
            .tools
            .into_iter()
            .map(|t| ToolHead { id: t.id, level: t.level, tokens: t.tokens, summary: t.summary })
            .collect(),
        rejected: manifest
            .rejected
            .into_iter()
            .map(|r| RejectedTool { tool: r.name, reasons: vec![r.reason] })
            .collect(),
        planned: manifest.planned as u64,
        ends,
    }
}
