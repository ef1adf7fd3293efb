//! `proofhouse run`: put suites to models.

use super::{
    CliError, Command, Exit,
    exit::{layout, say, talk},
};
use crate::{
    provider::{Patience, ProviderSettings, RecordMode, RecordTo, recording},
    report::{self, Outcome, Verdict},
    run::{
        Conduct, Ended, Filter, Home, Manifest, Prepared, RunFolder, RunOptions, Shard, SuiteTrust,
        Surroundings, Tally, TrialEnd, TrialKey,
    },
};
use clap::{ArgMatches, Args as _, FromArgMatches as _, ValueEnum};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use proofhouse_manager::{adapters::clock::SystemClock, model::RunId, port::Clock};
use std::{
    collections::BTreeSet,
    io::IsTerminal as _,
    num::{NonZeroU32, NonZeroUsize},
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

/// The subcommand.
#[derive(Debug)]
pub(super) struct Run;

/// Put suites to models, through the tool manager; write reports
#[derive(Debug, clap::Args)]
struct Options {
    /// Suite files; without any, `proofhouse.yaml`
    suites: Vec<PathBuf>,

    /// Ask this model instead of the suite's (repeatable): NAME or PROVIDER:MODEL[@BASE_URL]
    #[arg(short, long = "model", value_name = "MODEL")]
    models: Vec<String>,

    /// Put every case so many times
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    trials: Option<u32>,

    /// Run only some cases: id globs, `tag:…`, `tool:…`, `kind:…`, `failed`; `-` in front turns a term round
    #[arg(long, value_name = "EXPR", default_value = "", allow_hyphen_values = true)]
    filter: String,

    /// Trials at a time
    #[arg(short = 'j', long, value_name = "N", default_value = "16")]
    concurrency: NonZeroUsize,

    /// At most so many requests a minute to each model
    #[arg(long, value_name = "N")]
    rpm: Option<NonZeroU32>,

    /// Seconds that one attempt may take
    #[arg(long, value_name = "SECONDS", default_value_t = 60.0, value_parser = seconds)]
    timeout: f64,

    /// Attempts at a request, the first included
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..))]
    attempts: u32,

    /// Run one part of the trials, such as 1/4
    #[arg(long, value_name = "I/N", default_value = "1/1")]
    shard: Shard,

    /// Record answers of real models for `replay:`: those that are missing, or all anew
    #[arg(long, value_enum, value_name = "WHICH")]
    record: Option<Record>,

    /// Where answers are recorded
    #[arg(long, value_name = "DIR", default_value = ".proofhouse/recordings")]
    recordings: PathBuf,

    /// Ask real models again for what they have been asked before
    #[arg(long)]
    no_cache: bool,

    /// Go on with a run that was stopped: the latest, or RUN
    #[arg(long, value_name = "RUN", num_args = 0..=1, default_missing_value = "latest")]
    resume: Option<String>,

    /// With `--resume`: also ask again what ended as an error
    #[arg(long, requires = "resume")]
    retry_errors: bool,

    /// Let the suite itself name programs to run and servers to send prompts and keys to
    #[arg(long)]
    trust_suite: bool,

    /// Seed of everything that is drawn
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,

    /// Say what would be asked, and ask nothing
    #[arg(long)]
    dry_run: bool,

    /// Write a report too; the extension chooses the format (repeatable)
    #[arg(short = 'o', long = "output", value_name = "FILE")]
    outputs: Vec<PathBuf>,

    /// What to print
    #[arg(long, value_enum, default_value_t = Format::Table)]
    format: Format,

    /// Print no progress and no talk
    #[arg(short, long)]
    quiet: bool,

    /// Running no case at all is fine
    #[arg(long)]
    pass_with_no_cases: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Record {
    Missing,
    All,
}

#[derive(Debug, Clone, Copy, PartialEq, ValueEnum)]
enum Format {
    Table,
    Json,
}

fn seconds(text: &str) -> Result<f64, String> {
    let value: f64 = text.parse().map_err(|_| "not a number".to_owned())?;
    if value > 0.0 && value <= 86_400.0 { Ok(value) } else { Err("not between 0 and 86400".to_owned()) }
}

impl Command for Run {
    fn clap(&self) -> clap::Command {
        Options::augment_args(clap::Command::new("run"))
    }

    fn run(&self, matches: &ArgMatches) -> Result<Exit, CliError> {
        let mut options = Options::from_arg_matches(matches).map_err(CliError::usage)?;
        for path in &options.outputs {
            report::for_path(path).map_err(CliError::usage)?;
        }
        let home = Home::in_folder(Path::new("."));
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .enable_all()
            .build()
            .map_err(|e| CliError::surroundings(format!("the runtime cannot be started: {e}")))?;
        if let Some(run) = options.resume.take() {
            let folder = home.open(Some(&run)).map_err(CliError::usage)?;
            let manifest = folder.manifest().map_err(CliError::usage)?;
            return runtime.block_on(resume(&options, &home, &folder, &manifest));
        }
        if options.suites.is_empty() {
            options.suites.push("proofhouse.yaml".into());
        }
        let mut documents = Vec::new();
        let mut worst = Exit::Holds;
        for suite in &options.suites {
            worst = worst.max(runtime.block_on(start(&options, &home, suite, &mut documents))?);
        }
        match documents.as_slice() {
            [] => {}
            [one] => say(&format!("{one}\n")),
            several => say(&format!("{{\"runs\":[{}]}}\n", several.join(","))),
        }
        Ok(worst)
    }
}

/// A new run of one suite.
async fn start(
    options: &Options,
    home: &Home,
    suite: &Path,
    documents: &mut Vec<String>,
) -> Result<Exit, CliError> {
    let clock = SystemClock;
    let run_id = RunId::from_uuid(clock.uuid());
    let run_options = RunOptions {
        models: options.models.clone(),
        trials: options.trials,
        filter: options.filter.clone(),
        shard: options.shard,
        seed: options.seed,
    };
    let failed = failed_before(home, &options.filter)?;
    let prepared = prepare(options, suite, run_id.clone(), &run_options, &failed)?;
    if prepared.plan().is_empty() {
        return no_cases(options, &prepared);
    }
    if options.dry_run {
        say(&dry_run(&prepared));
        return Ok(Exit::Holds);
    }
    let folder = home.create(&run_id).map_err(CliError::surroundings)?;
    let manifest = serde_json::to_vec_pretty(prepared.manifest()).map_err(CliError::surroundings)?;
    folder.write("manifest.json", &manifest).map_err(CliError::surroundings)?;
    let exit = go(options, home, &folder, &prepared, documents).await?;
    Ok(exit)
}

/// The rest of a run that was stopped.
async fn resume(
    options: &Options,
    home: &Home,
    folder: &RunFolder,
    manifest: &Manifest,
) -> Result<Exit, CliError> {
    let failed = BTreeSet::from_iter(manifest.failed_before.iter().cloned());
    let suite = Path::new(&manifest.suite.path);
    let prepared = prepare(options, suite, manifest.run_id.clone(), &manifest.options, &failed)?;
    if let Some(what) = prepared.manifest().differs_from(manifest) {
        return Err(CliError::usage(format!(
            "run `{}` cannot be resumed: {what} since it began\nhint: start a new run",
            manifest.run_id
        )));
    }
    if options.retry_errors {
        let dropped = folder.forget_errors().map_err(CliError::surroundings)?;
        if !options.quiet {
            talk(&format!("{dropped} trials that ended as an error are asked again"));
        }
    }
    let mut documents = Vec::new();
    let exit = go(options, home, folder, &prepared, &mut documents).await?;
    for document in documents {
        say(&format!("{document}\n"));
    }
    Ok(exit)
}

fn prepare(
    options: &Options,
    suite: &Path,
    run_id: RunId,
    run_options: &RunOptions,
    failed: &BTreeSet<String>,
) -> Result<Prepared, CliError> {
    let timeout = Duration::from_secs_f64(options.timeout);
    let conduct = Conduct {
        concurrency: options.concurrency.get(),
        per_minute: options.rpm,
        trust: if options.trust_suite { SuiteTrust::Full } else { SuiteTrust::Inert },
        patience: Patience {
            timeout,
            attempts: options.attempts,
            seed: run_options.seed,
            ..Patience::default()
        },
    };
    let mut providers = ProviderSettings::new(super::environment(), now);
    providers.cache = (!options.no_cache).then(|| super::cache_folder().join("responses"));
    providers.record = options.record.map(|which| RecordTo {
        folder: options.recordings.clone(),
        mode: match which {
            Record::Missing => RecordMode::Missing,
            Record::All => RecordMode::All,
        },
    });
    let surroundings = Surroundings { clock: Arc::new(SystemClock), providers: &providers, failed };
    let prepared =
        Prepared::new(suite, run_id, run_options, &conduct, &surroundings).map_err(CliError::usage)?;
    if !options.quiet {
        for note in prepared.notes() {
            talk(&format!("note: {note}"));
        }
        for rejected in &prepared.manifest().rejected {
            talk(&format!("note: tool `{}` cannot be used: {}", rejected.name, rejected.reason));
        }
    }
    Ok(prepared)
}

fn now() -> chrono::DateTime<chrono::Utc> {
    SystemClock.now()
}

fn no_cases(options: &Options, prepared: &Prepared) -> Result<Exit, CliError> {
    if options.pass_with_no_cases {
        talk("no case to run");
        return Ok(Exit::Holds);
    }
    let all = prepared.manifest().suite.cases;
    let why = match all {
        0 => "the suite has no case".to_owned(),
        _ => format!("none of the suite's {all} cases passes the filter `{}`", options.filter),
    };
    Err(CliError::usage(format!("no case to run: {why}\nhint: `--pass-with-no-cases` if that is fine")))
}

/// What would be asked: trials and, roughly, tokens.
fn dry_run(prepared: &Prepared) -> String {
    let manifest = prepared.manifest();
    let mut text = format!(
        "{} trials: {} models × {} cases × {} repeats\n",
        manifest.planned,
        manifest.models.len(),
        prepared.plan().cases().count(),
        manifest.suite.trials
    );
    let tokens = prepared.estimated_tokens();
    for (model, tokens) in manifest.models.iter().zip(tokens) {
        text.push_str(&format!("  {} ({}): about {tokens} tokens of input\n", model.name, model.label));
    }
    text
}

/// Plays what is left, then builds every report from the folder.
async fn go(
    options: &Options,
    home: &Home,
    folder: &RunFolder,
    prepared: &Prepared,
    documents: &mut Vec<String>,
) -> Result<Exit, CliError> {
    let progress = Progress::new(prepared.manifest().planned, options.quiet);
    let tick = progress.clone();
    let stop = async {
        // Without a signal handler nothing stops the run early, and that is all.
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    };
    let ended = prepared.go(folder, stop, move |key, end| tick.count(key, end)).await;
    progress.finish();
    let run_id = &prepared.manifest().run_id;
    let ended = ended.map_err(|error| {
        CliError::surroundings(format!(
            "{error}\nhint: what was done is kept; go on with `proofhouse run --resume {run_id}`"
        ))
    })?;
    if ended == Ended::Interrupted {
        talk(&format!("stopped; what was done is kept. Go on with: proofhouse run --resume {run_id}"));
        return Ok(Exit::Undecided);
    }
    if options.record.is_some() {
        // What is committed is sorted and free of what later answers have superseded.
        recording::tidy(&options.recordings).map_err(CliError::surroundings)?;
    }
    let outcome = report::write_all(folder).map_err(CliError::surroundings)?;
    for path in &options.outputs {
        outcome.write_to(folder, path).map_err(CliError::surroundings)?;
    }
    home.set_latest(run_id).map_err(CliError::surroundings)?;
    match options.format {
        Format::Json => documents.push(outcome.document(folder).map_err(CliError::surroundings)?),
        Format::Table => {
            let layout = layout(Some(report_path(folder)));
            say(&outcome.table(folder, &layout).map_err(CliError::surroundings)?);
        }
    }
    if !options.quiet {
        talk(&format!("report: {}", report_path(folder)));
    }
    Ok(exit_of(&outcome))
}

/// Where the HTML report is, as the user may open it.
pub(super) fn report_path(folder: &RunFolder) -> String {
    folder.file("report.html").display().to_string()
}

/// The exit code that an outcome asks for.
pub(super) fn exit_of(outcome: &Outcome) -> Exit {
    match outcome.verdict() {
        Verdict::Holds => Exit::Holds,
        Verdict::Fails => Exit::Fails,
        Verdict::Undecided => Exit::Undecided,
    }
}

/// Ids of the cases that did not pass in the latest run, where the filter asks for them.
fn failed_before(home: &Home, filter: &str) -> Result<BTreeSet<String>, CliError> {
    let filter = Filter::parse(filter).map_err(CliError::usage)?;
    if !filter.needs_failed() {
        return Ok(BTreeSet::new());
    }
    let folder = home.open(None).map_err(CliError::usage)?;
    let mut failed = BTreeSet::new();
    for trial in folder.trials().map_err(CliError::usage)? {
        let trial = trial.map_err(CliError::usage)?;
        if trial.end != TrialEnd::Pass {
            failed.insert(trial.key.case);
        }
    }
    Ok(failed)
}

/// A bar on a terminal, and nothing elsewhere.
#[derive(Clone)]
struct Progress {
    bar: ProgressBar,
    tally: Arc<std::sync::Mutex<Tally>>,
}

impl Progress {
    fn new(planned: usize, quiet: bool) -> Self {
        let bar = ProgressBar::new(planned as u64);
        let visible = !quiet && std::io::stderr().is_terminal();
        bar.set_draw_target(if visible {
            ProgressDrawTarget::stderr()
        } else {
            ProgressDrawTarget::hidden()
        });
        let style = ProgressStyle::with_template("{bar:30} {pos}/{len} {msg} {eta} left");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        Self { bar, tally: Arc::default() }
    }

    fn count(&self, _: &TrialKey, end: TrialEnd) {
        let mut tally = self.tally.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        tally.add(end);
        let Tally { pass, fail, error, stale } = *tally;
        self.bar.set_position(tally.all() as u64);
        self.bar.set_message(format!("{pass} pass, {fail} fail, {error} error, {stale} stale;"));
    }

    fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
