//! `proofhouse import`: what other evaluations recorded, judged here.

use super::{
    CliError, Command, Exit,
    exit::{say, talk},
};
use crate::{
    import::bfcl::{self, CaseBook, ImportError, Replayed, Summary},
    matcher::bfcl::{Names, Rules},
};
use clap::{ArgMatches, Args as _, FromArgMatches as _, Subcommand, ValueEnum};
use proofhouse_manager::adapters::clock::SystemClock;
use std::{
    fs::File,
    io::{BufWriter, Write as _},
    path::{Path, PathBuf},
    sync::Arc,
};

/// The subcommand.
#[derive(Debug)]
pub(super) struct Import;

/// Judge answers that other evaluations recorded
#[derive(Debug, clap::Args)]
struct Options {
    #[command(subcommand)]
    source: Source,
}

#[derive(Debug, Subcommand)]
enum Source {
    /// Answers to the Berkeley Function Calling Leaderboard, judged by its rules
    Bfcl(Bfcl),
}

/// Either files of cases and answers, to get a verdict on each answer; or a folder with recorded verdicts, to
/// compare ours with them.
#[derive(Debug, clap::Args)]
struct Bfcl {
    /// Files of cases, plain or gzip; or the folder `bfcl_eval/data` of the package `bfcl-eval`
    #[arg(long, num_args = 1.., value_name = "FILE", required_unless_present = "parity")]
    cases: Vec<PathBuf>,
    /// Files of recorded answers, plain or gzip, judged in this order
    #[arg(long, num_args = 1.., value_name = "FILE", required_unless_present_any = ["parity", "to"])]
    outputs: Vec<PathBuf>,
    /// Which edition of the rules holds; by v4 an answer is judged by the case that its own names as `v4_id`,
    /// if that one is given too
    #[arg(long, value_enum, default_value = "2024")]
    rules: Edition,
    /// The models were offered names with `_` in place of `.`; an answer's own `dot_to_underscore` goes first
    #[arg(long)]
    dot_to_underscore: bool,
    /// Where the verdicts go, a line for each answer
    #[arg(long, value_name = "OUT", required_unless_present_any = ["parity", "to", "compare"])]
    verdicts: Option<PathBuf>,
    /// Write a suite into this new folder, each file of answers as a recorded model of it; then
    /// `proofhouse run FOLDER/suite.yaml` reports on all of them
    #[arg(long, value_name = "FOLDER", conflicts_with = "verdicts")]
    to: Option<PathBuf>,
    /// Judge every answer by our default rules too, and print why the two disagree
    #[arg(long, conflicts_with_all = ["verdicts", "to"])]
    compare: bool,
    /// With `--to` or `--compare`: a file that says of each model whether it was offered names with `_`, as `dot_to_underscore`
    #[arg(long, value_name = "FILE", conflicts_with = "verdicts")]
    models: Option<PathBuf>,
    /// Compare with the verdicts that are recorded in this folder, by both editions, and print the accuracies
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["cases", "outputs", "verdicts", "to", "compare", "dot_to_underscore", "rules"])]
    parity: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Edition {
    /// August 2024
    #[value(name = "2024")]
    V2024,
    /// Today's
    V4,
}

impl Command for Import {
    fn clap(&self) -> clap::Command {
        Options::augment_args(clap::Command::new("import"))
    }

    fn run(&self, matches: &ArgMatches) -> Result<Exit, CliError> {
        let options = Options::from_arg_matches(matches).map_err(CliError::usage)?;
        let Source::Bfcl(options) = options.source;
        match (&options.parity, &options.verdicts, &options.to) {
            (Some(folder), _, _) => parity(folder),
            (None, Some(out), _) => judge(&options, out),
            (None, None, Some(folder)) => into_suite(&options, folder),
            (None, None, None) => compare(&options),
        }
    }
}

fn parity(folder: &Path) -> Result<Exit, CliError> {
    let mut exit = Exit::Holds;
    for (rules, title) in [(Rules::V2024, "Rules of August 2024"), (Rules::V4, "Rules of version 4")] {
        let parity = bfcl::parity(folder, rules).map_err(failed)?;
        say(&format!("{title}\n\n{parity}\n"));
        if !parity.holds() {
            exit = Exit::Fails;
        }
    }
    Ok(exit)
}

impl Bfcl {
    fn rules(&self) -> Rules {
        match self.rules {
            Edition::V2024 => Rules::V2024,
            Edition::V4 => Rules::V4,
        }
    }

    fn names(&self) -> Names {
        if self.dot_to_underscore { Names::Underscored } else { Names::Dotted }
    }

    fn source(&self) -> bfcl::Source<'_> {
        bfcl::Source {
            cases: &self.cases,
            outputs: &self.outputs,
            rules: self.rules(),
            names: self.names(),
            models: self.models.as_deref(),
        }
    }
}

fn compare(options: &Bfcl) -> Result<Exit, CliError> {
    say(&bfcl::compare(&options.source()).map_err(failed)?.to_string());
    Ok(Exit::Holds)
}

fn into_suite(options: &Bfcl, folder: &Path) -> Result<Exit, CliError> {
    let source = options.source();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_time()
        .build()
        .map_err(|e| CliError::surroundings(format!("the runtime cannot be started: {e}")))?;
    let written = bfcl::write_suite(&source, folder, Arc::new(SystemClock));
    let imported = runtime.block_on(written).map_err(failed)?;
    for note in &imported.notes {
        talk(&format!("note: {note}"));
    }
    for Replayed { model, answers, right } in &imported.models {
        talk(&format!("{model}: {right} of {answers} answers are right, by their trials too"));
    }
    let (suite, cases, tools) = (imported.suite.display(), imported.cases, imported.tools);
    say(&format!("{suite}: {cases} cases, {tools} tools, {} models\n", imported.models.len()));
    Ok(Exit::Holds)
}

fn judge(options: &Bfcl, out: &Path) -> Result<Exit, CliError> {
    let (rules, names) = (options.rules(), options.names());
    let cases = CaseBook::read(&options.cases, rules).map_err(failed)?;
    let summary = into_file(out, |file| bfcl::judge(&cases, &options.outputs, rules, names, file))?;
    talk(&told(&summary));
    Ok(Exit::Holds)
}

/// Lets a file be written beside its place and moved there when it is whole, so that no half of it is left
/// behind. A pipe or a device is written as it is.
fn into_file<T>(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<File>) -> Result<T, ImportError>,
) -> Result<T, CliError> {
    let cannot = |error| CliError::usage(format!("cannot write `{}`: {error}", path.display()));
    if std::fs::metadata(path).is_ok_and(|found| !found.is_file()) {
        let file = File::options().write(true).open(path).map_err(cannot)?;
        return write(&mut BufWriter::new(file)).map_err(failed);
    }
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".part");
    let part = path.with_file_name(name);
    let mut file = BufWriter::new(File::create(&part).map_err(cannot)?);
    let written = write(&mut file).map_err(failed);
    let moved = written.and_then(|written| {
        file.flush().and_then(|()| std::fs::rename(&part, path)).map_err(cannot)?;
        Ok(written)
    });
    moved.inspect_err(|_| drop(std::fs::remove_file(&part)))
}

fn failed(error: ImportError) -> CliError {
    match error {
        ImportError::Write(_) => CliError::surroundings(error),
        ImportError::Open { .. }
        | ImportError::Read { .. }
        | ImportError::Line { .. }
        | ImportError::Lost(_)
        | ImportError::File { .. } => CliError::usage(error),
    }
}

fn told(summary: &Summary) -> String {
    let mut text = format!("{} of {} answers are right", summary.valid, summary.rows);
    for (error, count) in &summary.errors {
        text.push_str(&format!("\n{count:>9}  {error}"));
    }
    text
}
