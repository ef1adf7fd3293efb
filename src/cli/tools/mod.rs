//! `proofhouse tools`: which tools there are, what is known of one, and its way to being callable.
//!
//! A file a subcommand. `list` and `show` look into the home, or into a suite, folder or file with `--from`; the
//! others change or explain what the home's registry proves.

mod block;
mod deprecate;
mod desk;
mod discover;
mod enable;
mod eval;
mod list;
mod register;
mod review;
mod show;
mod sources;
mod versions;
mod why;

pub(super) use desk::presence;

use super::{CliError, Command, Exit};
use crate::{
    run::Toolbox,
    suite::{self, Suite},
};
use clap::{ArgMatches, FromArgMatches as _, Subcommand as _, ValueEnum};
use std::path::Path;

/// The subcommand.
#[derive(Debug)]
pub(super) struct Tools;

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// List tools, where they stand, and the step that each one waits for
    List(list::List),
    /// Show a tool: its contract, what each provider is told of it, and what proves it
    Show(show::Show),
    /// Look what a source holds, and register nothing
    Discover(discover::Discover),
    /// Register the tools of a source, as far as each one gets
    Register(register::Register),
    /// Accept or reject a tool, as a person who has read its contract
    Review(review::Review),
    /// Measure how well tools are selected, with golden and negative prompts
    Eval(eval::Eval),
    /// Let verified tools be used
    Enable(enable::Enable),
    /// Mark a version as to be replaced; it goes on working
    Deprecate(deprecate::Deprecate),
    /// Stop a tool until a person has reviewed it again
    Block(block::Block),
    /// Show the versions of a tool, and what each one changes
    Versions(versions::Versions),
    /// Say why a model sees a tool for some intent, or why it does not
    Why(why::Why),
}

/// How to print.
#[derive(Debug, Clone, Copy, PartialEq, ValueEnum)]
enum Format {
    Table,
    Json,
}

impl Command for Tools {
    fn clap(&self) -> clap::Command {
        let command = clap::Command::new("tools")
            .about("List, show, register and enable tools, and say why a model sees them")
            .subcommand_required(true)
            .arg_required_else_help(true);
        Action::augment_subcommands(command)
    }

    fn run(&self, matches: &ArgMatches) -> Result<Exit, CliError> {
        match Action::from_arg_matches(matches).map_err(CliError::usage)? {
            Action::List(options) => list::run(&options),
            Action::Show(options) => show::run(&options),
            Action::Discover(options) => discover::run(&options),
            Action::Register(options) => register::run(&options),
            Action::Review(options) => review::run(&options),
            Action::Eval(options) => eval::run(&options),
            Action::Enable(options) => enable::run(&options),
            Action::Deprecate(options) => deprecate::run(&options),
            Action::Block(options) => block::run(&options),
            Action::Versions(options) => versions::run(&options),
            Action::Why(options) => why::run(&options),
        }
    }
}

pub(super) fn load(path: &Path) -> Result<Toolbox, CliError> {
    if !path.exists() {
        let hint = "name a suite, a folder of descriptors or a tool file with `--from PATH`";
        return Err(CliError::usage(format!("`{}` does not exist\nhint: {hint}", path.display())));
    }
    if suite::is_suite(path) {
        let suite = Suite::load(path).map_err(CliError::usage)?;
        return Toolbox::of(&suite).map_err(CliError::usage);
    }
    Toolbox::from_path(path).map_err(CliError::usage)
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_file_is_a_subcommand() {
        let table = include_str!("mod.rs").split("fn run(&self").nth(1).unwrap();
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/cli/tools");
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let stem = path.file_stem().unwrap().to_str().unwrap();
            let shared = ["mod", "desk", "sources"].contains(&stem);
            assert!(shared || table.contains(&format!("{stem}::run")), "`{stem}` is no subcommand");
        }
    }
}
