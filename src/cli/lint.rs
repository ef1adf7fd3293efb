//! `proofhouse lint`: mistakes in suites, cases and tools, all of them, each with its place.

use super::{
    CliError, Command, Exit,
    exit::{say, talk},
};
use crate::{
    run::{Toolbox, check_tools},
    suite::{self, Suite},
};
use clap::{ArgMatches, Args as _, FromArgMatches as _};
use proofhouse_manager::{adapters::policies::PolicyFiles, document::Diagnostics, policy::Vocabulary};
use std::path::{Path, PathBuf};

/// The subcommand.
#[derive(Debug)]
pub(super) struct Lint;

/// Check suites, tool files and policies without asking a model
///
/// A suite is checked with its cases and tools: every expectation against the tool that it names. A folder is
/// checked as descriptors; a file as what it holds. Policies (`*.cedar`) are checked against the tools named beside them.
#[derive(Debug, clap::Args)]
struct Options {
    /// Suites, policies, descriptors, MCP captures, OpenAI or Anthropic tool files, or folders of descriptors
    #[arg(required = true)]
    paths: Vec<PathBuf>,
}

impl Command for Lint {
    fn clap(&self) -> clap::Command {
        Options::augment_args(clap::Command::new("lint"))
    }

    fn run(&self, matches: &ArgMatches) -> Result<Exit, CliError> {
        let options = Options::from_arg_matches(matches).map_err(CliError::usage)?;
        let mut found = 0;
        let (policies, others): (Vec<&PathBuf>, Vec<&PathBuf>) =
            options.paths.iter().partition(|path| is_policy(path));
        let mut checks: Vec<Vec<String>> =
            others.iter().map(|path| problems(path)).collect::<Result<_, _>>()?;
        checks.push(of_policies(&policies, &others)?);
        for problems in checks {
            found += problems.len();
            for problem in problems {
                say(&format!("{problem}\n\n"));
            }
        }
        let files = options.paths.len();
        talk(&match found {
            0 => format!("no mistake in {files} {}", plural(files, "file")),
            n => format!("{n} {} in {files} {}", plural(n, "mistake"), plural(files, "file")),
        });
        Ok(if found == 0 { Exit::Holds } else { Exit::Usage })
    }
}

fn plural(count: usize, word: &str) -> String {
    if count == 1 { word.to_owned() } else { format!("{word}s") }
}

/// Every mistake in a file and in what it names.
fn problems(path: &Path) -> Result<Vec<String>, CliError> {
    let told = |problems: Diagnostics| problems.iter().map(ToString::to_string).collect::<Vec<_>>();
    if !suite::is_suite(path) {
        let toolbox = Toolbox::from_path(path).map_err(CliError::usage)?;
        return Ok(of_tools(&toolbox));
    }
    let suite = match Suite::load(path) {
        Ok(suite) => suite,
        Err(problems) => return Ok(told(problems)),
    };
    let toolbox = match Toolbox::of(&suite) {
        Ok(toolbox) => toolbox,
        Err(error) => return Ok(vec![error.to_string()]),
    };
    let mut all = told(check_tools(&suite, &toolbox.registry));
    all.extend(of_tools(&toolbox));
    if suite.cases.is_empty() {
        all.push(format!("{}: the suite has no case", path.display()));
    }
    Ok(all)
}

fn is_policy(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "cedar")
}

/// Every mistake in policies, held against the tools of the other files.
fn of_policies(policies: &[&PathBuf], others: &[&PathBuf]) -> Result<Vec<String>, CliError> {
    if policies.is_empty() {
        return Ok(Vec::new());
    }
    let toolbox = |path: &&&PathBuf| match suite::is_suite(path) {
        true => Toolbox::of(&Suite::load(path).ok()?).ok(),
        false => Toolbox::from_path(path).ok(),
    };
    let toolboxes: Vec<Toolbox> = others.iter().filter_map(|path| toolbox(&path)).collect();
    let tools = toolboxes.iter().flat_map(|toolbox| toolbox.registry.tools()).map(|tool| tool.descriptor());
    let files = PolicyFiles::Files(policies.iter().map(|path| path.to_path_buf()).collect());
    let problems = files.check(&Vocabulary::new(tools)).map_err(CliError::usage)?;
    Ok(problems.iter().map(ToString::to_string).collect())
}

fn of_tools(toolbox: &Toolbox) -> Vec<String> {
    let rejected = toolbox.rejected.iter().map(|r| format!("`{}` cannot be used: {}", r.name, r.reason));
    toolbox.problems.iter().map(ToString::to_string).chain(rejected).collect()
}
