//! Running the plan: many trials at once, one writer, nothing lost.
//!
//! Workers take the next trial number, play it and hand it to the writer, a thread of its own that appends
//! events first and then the trial. When the writer cannot write, everything stops: no log, no run.

use super::{
    FolderError, Offers, Plan, RunFolder, TrialEnd, TrialKey, TrialWriter,
    trial::{Bench, Played},
};
use proofhouse_manager::{
    adapters::journal::{JournalWriter, OpenError},
    event::Fresh,
    model::RunId,
    port::JournalError,
};
use std::{
    collections::BTreeSet,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};
use tokio::{sync::mpsc, task::JoinSet};

/// Trials that may wait for the writer; a bound, so that memory stays flat.
const QUEUE: usize = 1024;
/// Trials written with one write.
const BATCH: usize = 256;

/// A run that could not be carried on.
#[derive(Debug, thiserror::Error)]
pub enum RunnerError {
    /// The journal cannot be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The journal cannot be written.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// The run folder cannot be written.
    #[error(transparent)]
    Folder(#[from] FolderError),
}

/// How a run went on, live: the counts of finished trials.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tally {
    /// Passed.
    pub pass: usize,
    /// Failed.
    pub fail: usize,
    /// Errors of the surroundings.
    pub error: usize,
    /// Stale recordings.
    pub stale: usize,
}

impl Tally {
    /// Counts a trial.
    pub fn add(&mut self, end: TrialEnd) {
        match end {
            TrialEnd::Pass => self.pass += 1,
            TrialEnd::Fail => self.fail += 1,
            TrialEnd::Error => self.error += 1,
            TrialEnd::Stale => self.stale += 1,
        }
    }

    /// All of them.
    pub fn all(&self) -> usize {
        self.pass + self.fail + self.error + self.stale
    }
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// Every planned trial is in the folder.
    Complete,
    /// Somebody stopped it; what was done is kept.
    Interrupted,
}

/// A prepared run.
pub(super) struct Run {
    pub(super) bench: Bench,
    pub(super) plan: Plan,
    pub(super) offers: Offers,
    pub(super) run_id: RunId,
    pub(super) concurrency: usize,
}

impl Run {
    /// Plays every trial that the folder does not hold yet. `preamble` opens a new journal; `stop` ends the
    /// run early; `progress` is told of every finished trial, from the writer's thread.
    pub(super) async fn go(
        self: &Arc<Self>,
        folder: &RunFolder,
        preamble: &[Fresh],
        stop: impl Future<Output = ()>,
        mut progress: impl FnMut(&TrialKey, TrialEnd) + Send + 'static,
    ) -> Result<Ended, RunnerError> {
        let clock = Arc::clone(&self.bench.clock);
        let writer = concat!("proofhouse ", env!("CARGO_PKG_VERSION"));
        let journal = JournalWriter::open(&folder.file("events.jsonl"), &self.run_id, writer, clock)?;
        let (trials, done) = folder.append_trials()?;
        if journal.is_new() {
            journal.append_all(preamble)?;
        }
        let (send, receive) = mpsc::channel(QUEUE);
        let writing = Writing { journal, trials };
        let writer = std::thread::spawn(move || writing.run(receive, &mut progress));
        let interrupted = self.play_all(done, send, stop).await;
        let joined = tokio::task::spawn_blocking(move || writer.join()).await;
        let written = joined.unwrap_or_else(|error| Err(Box::new(error)));
        let journal = written.unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
        if interrupted {
            return Ok(Ended::Interrupted);
        }
        journal.close()?;
        Ok(Ended::Complete)
    }

    /// Whether it was stopped from outside. Everything that plays is gone when this returns.
    async fn play_all(
        self: &Arc<Self>,
        done: BTreeSet<TrialKey>,
        send: mpsc::Sender<Played>,
        stop: impl Future<Output = ()>,
    ) -> bool {
        let next = Arc::new((AtomicUsize::new(0), done));
        let mut workers = JoinSet::new();
        for _ in 0..self.concurrency.min(self.plan.len()) {
            let (run, next, send) = (Arc::clone(self), Arc::clone(&next), send.clone());
            workers.spawn(async move { run.work(&next.0, &next.1, &send).await });
        }
        drop(send);
        let finish = async {
            while let Some(ended) = workers.join_next().await {
                if let Err(error) = ended {
                    std::panic::resume_unwind(error.into_panic());
                }
            }
        };
        let interrupted = tokio::select! {
            () = finish => false,
            () = stop => true,
        };
        workers.shutdown().await;
        interrupted
    }

    async fn work(&self, next: &AtomicUsize, done: &BTreeSet<TrialKey>, send: &mpsc::Sender<Played>) {
        while let Some(planned) = self.plan.get(next.fetch_add(1, Ordering::Relaxed)) {
            let key = self.plan.key(&planned);
            if done.contains(&key) {
                continue;
            }
            let case = self.plan.case(&planned);
            let offered = self.offers.of(planned.case, planned.distractors);
            let played = self.bench.play(planned.model, case, key, offered).await;
            // The writer is gone if it could not write: nothing more may be played.
            if send.send(played).await.is_err() {
                return;
            }
        }
    }
}

/// The one who writes.
struct Writing {
    journal: JournalWriter,
    trials: TrialWriter,
}

impl Writing {
    fn run(
        mut self,
        mut receive: mpsc::Receiver<Played>,
        progress: &mut dyn FnMut(&TrialKey, TrialEnd),
    ) -> Result<JournalWriter, RunnerError> {
        let mut batch = Vec::with_capacity(BATCH);
        while receive.blocking_recv_many(&mut batch, BATCH) > 0 {
            self.write(std::mem::take(&mut batch), progress)?;
        }
        self.journal.commit()?;
        self.trials.sync()?;
        Ok(self.journal)
    }

    fn write(
        &mut self,
        batch: Vec<Played>,
        progress: &mut dyn FnMut(&TrialKey, TrialEnd),
    ) -> Result<(), RunnerError> {
        let mut events = Vec::new();
        let mut records = Vec::with_capacity(batch.len());
        for Played { record, events: own } in batch {
            records.push((record, own.len() as u64));
            events.extend(own);
        }
        let (mut next, _) = self.journal.append_all(&events)?;
        let mut trials = Vec::with_capacity(records.len());
        for (mut record, count) in records {
            record.events = (next, next + count.saturating_sub(1));
            next += count;
            trials.push(record);
        }
        self.trials.append(&mut trials)?;
        for trial in &trials {
            progress(&trial.key, trial.end);
        }
        Ok(())
    }
}
