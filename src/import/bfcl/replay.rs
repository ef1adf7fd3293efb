//! Recorded answers as recordings: read and judged, then asked for through the suite.

use super::{
    CaseBook, ImportError, Source,
    blocks::Block,
    documents::values,
    parity::{json, model_of, names_of},
    stream::for_each_block,
    verdicts::each_row,
};
use crate::{
    matcher::bfcl::{Asks, Names, Rules, Verdict},
    provider::{Patience, ProviderSettings, RecordMode, RecordTo},
    run::{Conduct, Prepared, RunOptions, Shard, SuiteTrust, Surroundings, TrialEnd, TrialRecord},
};
use chrono::{DateTime, Utc};
use proofhouse_manager::{adapters::clock::SystemClock, model::RunId, port::Clock};
use serde_json::{Value, json};
use std::{
    collections::{BTreeSet, HashMap, HashSet},
    io::{BufWriter, Write as _},
    num::NonZeroUsize,
    path::{Path, PathBuf},
    sync::Arc,
};
use tokio::task::JoinSet;

/// A model whose answers became recordings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replayed {
    /// Its name.
    pub model: String,
    /// How many answers it gave.
    pub answers: usize,
    /// How many of them are right.
    pub right: usize,
}

/// A model's answers, read.
pub(super) struct Answers {
    model: String,
    /// The file that a `bfcl:` model reads.
    file: PathBuf,
    /// Whether each answer to a case is right, in their order.
    pub(super) cases: HashMap<String, Vec<bool>>,
    /// Answers with an integer that a trial does not read exactly.
    big: usize,
}

impl Answers {
    /// What the model is called as a provider.
    pub(super) fn provider_name(&self) -> String {
        format!("bfcl:{}", self.model)
    }
}

/// Reads and judges every file of answers, and writes what a `bfcl:` model needs of it into `desk`.
pub(super) fn read(source: &Source<'_>, book: &CaseBook, desk: &Path) -> Result<Vec<Answers>, ImportError> {
    let models = models(source)?.into_iter();
    models.map(|(file, model, names)| read_model(file, model, (source.rules, names), book, desk)).collect()
}

/// Each file of answers with the model that it is of, and how that was offered names.
pub(super) fn models<'s>(source: &Source<'s>) -> Result<Vec<(&'s Path, String, Names)>, ImportError> {
    let known = source.models.map(json).transpose()?;
    let mut seen = HashSet::new();
    let mut all = Vec::new();
    for file in source.outputs {
        let model = model_of(file).unwrap_or_else(|_| stem(file));
        if !seen.insert(model.clone()) {
            return Err(ImportError::file(file, format!("another file is of the model `{model}` too")));
        }
        let names = known.as_ref().and_then(|known| names_of(known, &model)).unwrap_or(source.names);
        all.push((file.as_path(), model, names));
    }
    Ok(all)
}

fn stem(file: &Path) -> String {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    name.trim_end_matches(".gz").trim_end_matches(".jsonl").trim_end_matches(".json").to_owned()
}

fn read_model(
    file: &Path,
    model: String,
    terms: (Rules, Names),
    book: &CaseBook,
    desk: &Path,
) -> Result<Answers, ImportError> {
    let path = desk.join(format!("{model}.jsonl"));
    let mut out = BufWriter::new(std::fs::File::create(&path).map_err(ImportError::Write)?);
    let mut answers = Answers { model, file: path, cases: HashMap::new(), big: 0 };
    for_each_block(
        &[file.to_owned()],
        |block| judged(block, book, terms),
        |rows| {
            for Judged { id, verdict, big, row } in rows {
                answers.cases.entry(id).or_default().push(verdict.is_valid());
                answers.big += usize::from(big);
                writeln!(out, "{row}").map_err(ImportError::Write)?;
            }
            Ok(())
        },
    )?;
    out.flush().map_err(ImportError::Write)?;
    Ok(answers)
}

/// An answer with what the judge says of it.
pub(super) struct Judged {
    pub(super) id: String,
    pub(super) verdict: Verdict,
    big: bool,
    /// The whole row, which says everything by itself.
    pub(super) row: Value,
}

/// Reads and judges a block of answers.
pub(super) fn judged(
    block: &Block,
    book: &CaseBook,
    (rules, names): (Rules, Names),
) -> Result<Vec<Judged>, ImportError> {
    let mut verdicts = Vec::new();
    each_row(block, &block.index(), book, rules, names, |_, calls, verdict| {
        verdicts.push((calls.root().is_some_and(|calls| calls.holds_big()), verdict));
    })?;
    let rows = values(block)?.into_iter().zip(verdicts);
    let judged = rows.map(|(document, (big, verdict))| {
        let row = explicit(&document.value, book, names);
        let id = row["id"].as_str().unwrap_or_default().to_owned();
        Judged { id, verdict, big, row }
    });
    Ok(judged.collect())
}

/// A row that says by itself how names were offered, and has `converted` where its literals are to be read.
fn explicit(row: &Value, book: &CaseBook, names: Names) -> Value {
    let mut row = row.clone();
    let literals = row["id"]
        .as_str()
        .and_then(|id| book.get(id))
        .is_some_and(|case| case.has_literals() && matches!(case.asks(), Asks::OneCall | Asks::Calls));
    if let Some(row) = row.as_object_mut() {
        if !row.get("dot_to_underscore").is_some_and(Value::is_boolean) {
            row.insert("dot_to_underscore".to_owned(), json!(names == Names::Underscored));
        }
        let converted = row.shift_remove("converted").filter(Value::is_array);
        if literals {
            row.insert("converted".to_owned(), converted.unwrap_or_else(|| json!([])));
        }
    }
    row
}

/// Puts every case to every model, with a recorder around it, and compares what the trials say of the answers.
pub(super) async fn record(
    suite: &Path,
    recordings: &Path,
    answers: Vec<Answers>,
    clock: Arc<dyn Clock>,
    notes: &mut Vec<String>,
) -> Result<Vec<Replayed>, ImportError> {
    if answers.is_empty() {
        return Ok(Vec::new());
    }
    let prepared =
        Arc::new(prepare(suite, recordings, &answers, clock).map_err(|e| ImportError::file(suite, e))?);
    let answers = Arc::new(answers);
    let mut models = JoinSet::new();
    for model in 0..answers.len() {
        let (prepared, answers) = (Arc::clone(&prepared), Arc::clone(&answers));
        models.spawn(async move { (model, play(&prepared, model, &answers[model]).await) });
    }
    let mut replayed = Vec::new();
    while let Some(done) = models.join_next().await {
        let (model, outcome) = done.map_err(|error| ImportError::file(suite, error))?;
        replayed.push((model, outcome.map_err(|what| ImportError::file(suite, what))?));
    }
    replayed.sort_by_key(|(model, _)| *model);
    for answers in answers.iter().filter(|answers| answers.big > 0) {
        let (model, big) = (&answers.model, answers.big);
        notes.push(format!(
            "{model}: {big} answers hold an integer beyond 64 bits, which a trial reads as a decimal"
        ));
    }
    Ok(replayed.into_iter().map(|(_, replayed)| replayed).collect())
}

fn prepare(
    suite: &Path,
    recordings: &Path,
    answers: &[Answers],
    clock: Arc<dyn Clock>,
) -> Result<Prepared, crate::run::SetupError> {
    let options = RunOptions {
        models: answers.iter().map(|answers| format!("bfcl:{}", answers.file.display())).collect(),
        trials: None,
        filter: String::new(),
        shard: Shard::WHOLE,
        seed: 0,
    };
    let conduct = Conduct {
        concurrency: NonZeroUsize::MIN.get(),
        per_minute: None,
        patience: Patience::default(),
        trust: SuiteTrust::Full,
    };
    let mut providers = ProviderSettings::new(Arc::new(|_| None), now);
    providers.record = Some(RecordTo { mode: RecordMode::All, folder: recordings.to_owned() });
    let run_id = RunId::from_uuid(clock.uuid());
    let surroundings = Surroundings { clock, providers: &providers, failed: &BTreeSet::new() };
    Prepared::new(suite, run_id, &options, &conduct, &surroundings)
}

fn now() -> DateTime<Utc> {
    SystemClock.now()
}

/// Plays every trial of a model; the error is a trial that could not be played, or says something else of an answer
/// than the judge does.
async fn play(prepared: &Prepared, model: usize, answers: &Answers) -> Result<Replayed, String> {
    let plan = prepared.plan();
    let mut replayed = Replayed { model: answers.model.clone(), answers: 0, right: 0 };
    for number in (0..plan.len()).filter(|number| plan.get(*number).is_some_and(|trial| trial.model == model))
    {
        let Some((trial, _)) = prepared.play(number).await else { continue };
        let right = answers.cases.get(&trial.key.case).and_then(|rows| rows.get(trial.key.repeat as usize));
        match (right, trial.end) {
            // A case that this model answered less often than another did.
            (None, TrialEnd::Stale) => {}
            (Some(true), TrialEnd::Pass) | (Some(false), TrialEnd::Fail) => {
                replayed.answers += 1;
                replayed.right += usize::from(trial.end == TrialEnd::Pass);
            }
            // Told beside: these answers are not read exactly.
            (Some(_), TrialEnd::Pass | TrialEnd::Fail) if answers.big > 0 => replayed.answers += 1,
            _ => return Err(disagreement(&answers.model, &trial, right)),
        }
    }
    Ok(replayed)
}

fn disagreement(model: &str, trial: &TrialRecord, right: Option<&bool>) -> String {
    let expected = match right {
        None => "not answered",
        Some(true) => "right",
        Some(false) => "wrong",
    };
    let problems = trial.turns.iter().flat_map(|turn| &turn.problems).cloned();
    let problems: Vec<String> =
        trial.error.iter().map(|error| error.message.clone()).chain(problems).collect();
    let (case, end) = (&trial.key.case, trial.end);
    format!(
        "the answer of `{model}` to `{case}` is {expected}, and its trial says {end:?}: {}",
        problems.join("; ")
    )
}
