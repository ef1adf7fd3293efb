//! `proofhouse lint`: mistakes in suites, cases, tools and policies, all of them, each with its place.

mod format;
mod item;
mod places;
mod sarif;

use super::{
    CliError, Command, Exit,
    exit::{say, talk},
};
use crate::{
    run::{Toolbox, check_tools},
    suite::{self, Suite},
};
use clap::{ArgMatches, Args as _, FromArgMatches as _};
use format::Format;
use item::Item;
use places::Places;
use proofhouse_manager::{
    adapters::policies::PolicyFiles,
    document::Diagnostics,
    lint::{self, Finding, Severity},
    model::ToolDescriptor,
    policy::Vocabulary,
};
use rayon::prelude::*;
use std::path::{Path, PathBuf};

/// The subcommand.
#[derive(Debug)]
pub(super) struct Lint;

/// Check suites, tool files and policies without asking a model
///
/// A suite is checked with its cases and tools: every expectation against the tool that it names. Tools are checked by
/// the lints; of a suite's own tools, only errors are told. A folder is checked as descriptors; a file as what it holds.
/// Policies (`*.cedar`) are checked against the tools named beside them.
#[derive(Debug, clap::Args)]
#[command(after_help = "Exit codes: 0 nothing is wrong · 1 a lint found an error · 2 a file cannot be used")]
struct Options {
    /// Suites, policies, descriptors, MCP captures, OpenAI or Anthropic tool files, or folders of descriptors
    #[arg(required_unless_present_any = ["explain", "list"])]
    paths: Vec<PathBuf>,
    /// How findings are written
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Let warnings count like errors
    #[arg(long)]
    deny_warnings: bool,
    /// Write notes as well; `json` and `sarif` always have them
    #[arg(long)]
    notes: bool,
    /// Say what a lint finds, why that matters, and what to do
    #[arg(long, value_name = "CODE", conflicts_with_all = ["paths", "list"])]
    explain: Option<String>,
    /// Name every lint
    #[arg(long, conflicts_with = "paths")]
    list: bool,
}

impl Command for Lint {
    fn clap(&self) -> clap::Command {
        Options::augment_args(clap::Command::new("lint"))
    }

    fn run(&self, matches: &ArgMatches) -> Result<Exit, CliError> {
        let options = Options::from_arg_matches(matches).map_err(CliError::usage)?;
        if let Some(code) = &options.explain {
            return explain(code);
        }
        if options.list {
            return Ok(list());
        }
        let mut checked = Checked::default();
        let (policies, others): (Vec<&PathBuf>, Vec<&PathBuf>) =
            options.paths.iter().partition(|path| is_policy(path));
        for path in others {
            checked.path(path)?;
        }
        checked.policies(policies)?;
        checked.neighbours();
        let items = checked.into_items();
        say(&options.format.write(&items, options.notes));
        talk(&summary(&items, options.paths.len(), options.notes || options.format.is_whole()));
        Ok(exit(&items, options.deny_warnings))
    }
}

fn explain(code: &str) -> Result<Exit, CliError> {
    let Some(lint) = lint::Lint::named(code) else {
        let known = lint::rules::ALL.iter().map(|lint| lint.code);
        let meant = proofhouse_manager::document::did_you_mean(code, known);
        let hint = meant
            .map_or_else(|| "`--list` names them all".to_owned(), |code| format!("did you mean `{code}`?"));
        return Err(CliError::usage(format!("no lint is called `{code}`\nhint: {hint}")));
    };
    say(&lint::explain(lint));
    Ok(Exit::Holds)
}

fn list() -> Exit {
    for lint in lint::rules::ALL {
        say(&format!("{:<32} {:<12} {:<8} {}\n", lint.code, lint.stage, lint.severity, lint.finds));
    }
    Exit::Holds
}

/// A file that cannot be used is worse than a finding.
fn exit(items: &[Item], deny_warnings: bool) -> Exit {
    let least = if deny_warnings { Severity::Warning } else { Severity::Error };
    if items.iter().any(Item::is_mistake) {
        Exit::Usage
    } else if items.iter().any(|item| item.severity >= least) {
        Exit::Fails
    } else {
        Exit::Holds
    }
}

fn summary(items: &[Item], files: usize, notes_shown: bool) -> String {
    let of = |severity| items.iter().filter(|item| item.severity == severity).count();
    let files = format!("{files} {}", plural(files, "file"));
    let (errors, warnings, notes) = (of(Severity::Error), of(Severity::Warning), of(Severity::Note));
    let more = match notes {
        0 => String::new(),
        n if notes_shown => format!(", {n} {}", plural(n, "note")),
        n => format!("; `--notes` shows {n} {} more", plural(n, "note")),
    };
    match (errors, warnings) {
        (0, 0) => format!("no mistake in {files}{more}"),
        (e, w) => format!("{e} {}, {w} {} in {files}{more}", plural(e, "error"), plural(w, "warning")),
    }
}

fn is_policy(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "cedar")
}

fn plural(count: usize, word: &str) -> String {
    if count == 1 { word.to_owned() } else { format!("{word}s") }
}

/// What was read, and what is wrong with it.
#[derive(Debug, Default)]
struct Checked {
    items: Vec<Item>,
    toolboxes: Vec<Toolbox>,
    /// Those of suites, whose tools are no neighbours of those in files.
    of_suites: Vec<Toolbox>,
    places: Places,
}

impl Checked {
    /// Every mistake in a file and in what it names.
    fn path(&mut self, path: &Path) -> Result<(), CliError> {
        if !suite::is_suite(path) {
            let toolbox = Toolbox::from_path(path).map_err(CliError::usage)?;
            self.unusable(&toolbox);
            let findings = of_tools(&toolbox);
            self.found(findings, &toolbox);
            self.toolboxes.push(toolbox);
            return Ok(());
        }
        match Suite::load(path) {
            Ok(suite) => self.suite(path, &suite),
            Err(problems) => self.mistakes(&problems),
        }
        Ok(())
    }

    fn suite(&mut self, path: &Path, suite: &Suite) {
        let toolbox = match Toolbox::of(suite) {
            Ok(toolbox) => toolbox,
            Err(error) => return self.items.push(Item::mistake(path, &error.to_string())),
        };
        self.mistakes(&check_tools(suite, &toolbox.registry));
        self.unusable(&toolbox);
        let mut findings = of_tools(&toolbox);
        findings.retain(|finding| finding.severity == Severity::Error);
        self.found(findings, &toolbox);
        if suite.cases.is_empty() {
            self.items.push(Item::mistake(path, "the suite has no case"));
        }
        self.of_suites.push(toolbox);
    }

    /// Every mistake in policies, held against the tools of all files.
    fn policies(&mut self, files: Vec<&PathBuf>) -> Result<(), CliError> {
        if files.is_empty() {
            return Ok(());
        }
        let toolboxes = self.toolboxes.iter().chain(&self.of_suites);
        let tools = toolboxes.flat_map(|toolbox| toolbox.registry.tools()).map(|tool| tool.descriptor());
        let files = PolicyFiles::Files(files.into_iter().cloned().collect());
        let problems = files.check(&Vocabulary::new(tools)).map_err(CliError::usage)?;
        self.mistakes(&problems);
        Ok(())
    }

    /// What is wrong with the tools of all files together.
    fn neighbours(&mut self) {
        let toolboxes = std::mem::take(&mut self.toolboxes);
        let tools: Vec<&ToolDescriptor> = toolboxes
            .iter()
            .flat_map(|toolbox| toolbox.registry.tools())
            .map(|tool| tool.descriptor())
            .collect();
        for finding in lint::lint_registry(&tools) {
            let home = toolboxes.iter().find(|toolbox| toolbox.origins.contains_key(&finding.tool));
            if let Some(home) = home {
                self.found(vec![finding], home);
            }
        }
    }

    fn found(&mut self, findings: Vec<Finding>, toolbox: &Toolbox) {
        for finding in findings {
            let place =
                toolbox.origins.get(&finding.tool).and_then(|origin| self.places.of(&finding, origin));
            self.items.push(Item::finding(finding, place));
        }
    }

    fn mistakes(&mut self, problems: &Diagnostics) {
        self.items.extend(problems.iter().map(Item::document));
    }

    fn unusable(&mut self, toolbox: &Toolbox) {
        self.mistakes(&toolbox.problems);
        for tool in &toolbox.rejected {
            self.items.push(Item::rejected(&tool.name, &tool.reason));
        }
    }

    /// In the order of the files, and within a file from top to bottom.
    fn into_items(mut self) -> Vec<Item> {
        self.items.sort_by(|a, b| (&a.place, b.severity).cmp(&(&b.place, a.severity)));
        self.items
    }
}

/// What the lints say of a toolbox's own tools; those that only distract are somebody else's.
fn of_tools(toolbox: &Toolbox) -> Vec<Finding> {
    let own = toolbox.registry.tools().par_iter().filter(|tool| !toolbox.distractors.contains(tool.id()));
    own.flat_map_iter(|tool| {
        let served = toolbox.origins.get(tool.id()).and_then(|origin| origin.served.as_ref());
        lint::lint_tool(tool.descriptor(), served)
    })
    .collect()
}
