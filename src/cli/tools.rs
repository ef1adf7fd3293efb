//! `proofhouse tools`: which tools there are, and everything about one of them.

mod why;

use super::{CliError, Command, Exit, exit::say};
use crate::{
    run::Toolbox,
    suite::{self, Suite},
};
use clap::{ArgMatches, FromArgMatches as _, Subcommand as _, ValueEnum};
use comfy_table::{ContentArrangement, Table, presets};
use proofhouse_manager::{
    document::did_you_mean,
    model::{ApprovalPolicy, ToolId},
    registry::{RegisteredTool, Registry},
    resolve::payload::Dialect,
};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// The subcommand.
#[derive(Debug)]
pub(super) struct Tools;

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// List tools with level, approval and weight
    List(List),
    /// Show a tool: its contract, and what each provider is told of it
    Show(Show),
    /// Say why a model sees a tool for some intent, or why it does not
    Why(why::Why),
}

#[derive(Debug, clap::Args)]
struct List {
    #[command(flatten)]
    from: From,
    /// How to print
    #[arg(long, value_enum, default_value_t = Format::Table)]
    format: Format,
}

#[derive(Debug, clap::Args)]
struct Show {
    /// The tool's id
    tool: String,
    #[command(flatten)]
    from: From,
    /// How to print
    #[arg(long, value_enum, default_value_t = Format::Table)]
    format: Format,
}

#[derive(Debug, clap::Args)]
struct From {
    /// A suite, a folder of descriptors, or a tool file
    #[arg(long, value_name = "PATH", default_value = "proofhouse.yaml")]
    from: PathBuf,
}

#[derive(Debug, Clone, Copy, PartialEq, ValueEnum)]
enum Format {
    Table,
    Json,
}

impl Command for Tools {
    fn clap(&self) -> clap::Command {
        let command = clap::Command::new("tools")
            .about("List and show tools, and say why a model sees them")
            .subcommand_required(true)
            .arg_required_else_help(true);
        Action::augment_subcommands(command)
    }

    fn run(&self, matches: &ArgMatches) -> Result<Exit, CliError> {
        match Action::from_arg_matches(matches).map_err(CliError::usage)? {
            Action::List(list) => {
                let toolbox = load(&list.from.from)?;
                say(&match list.format {
                    Format::Table => table(&toolbox),
                    Format::Json => format!("{:#}\n", listing(&toolbox)),
                });
            }
            Action::Show(show) => {
                let toolbox = load(&show.from.from)?;
                let tool = find(&toolbox.registry, &show.tool)?;
                say(&match show.format {
                    Format::Table => page(tool),
                    Format::Json => format!("{:#}\n", json(tool)),
                });
            }
            Action::Why(options) => return why::run(&options),
        }
        Ok(Exit::Holds)
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

fn find<'a>(registry: &'a Registry, id: &str) -> Result<&'a RegisteredTool, CliError> {
    registry.get(id).map(AsRef::as_ref).ok_or_else(|| {
        let known = registry.tools().iter().map(|t| t.id().as_str());
        let hint = did_you_mean(id, known).map_or_else(
            || "`proofhouse tools list` names them all".to_owned(),
            |near| format!("did you mean `{near}`?"),
        );
        CliError::usage(format!("there is no tool `{id}`\nhint: {hint}"))
    })
}

fn table(toolbox: &Toolbox) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Dynamic);
    table.set_header(["tool", "version", "level", "approval", "tokens", "what it does"]);
    for tool in toolbox.registry.tools() {
        let descriptor = tool.descriptor();
        let inferred = if descriptor.provenance.inferred.is_empty() { "" } else { " (inferred)" };
        table.add_row([
            tool.id().to_string(),
            tool.version().to_string(),
            format!("{}{inferred}", tool.level()),
            approval(descriptor.permissions.approval_policy).to_owned(),
            tool.tokens().to_string(),
            descriptor.description.summary.lines().next().unwrap_or_default().to_owned(),
        ]);
    }
    let mut text = format!("{table}\n{} tools\n", toolbox.registry.tools().len());
    for rejected in &toolbox.rejected {
        text.push_str(&format!("cannot be used: `{}`: {}\n", rejected.name, rejected.reason));
    }
    text
}

fn approval(policy: ApprovalPolicy) -> &'static str {
    match policy {
        ApprovalPolicy::Never => "never",
        ApprovalPolicy::OnRequest => "on request",
        ApprovalPolicy::OnRisk => "on risk",
        ApprovalPolicy::Always => "always",
    }
}

fn listing(toolbox: &Toolbox) -> Value {
    let row = |tool: &std::sync::Arc<RegisteredTool>| {
        json!({
            "toolId": tool.id(),
            "version": tool.version(),
            "digest": tool.digest(),
            "level": tool.level(),
            "tokens": tool.tokens(),
            "summary": tool.descriptor().description.summary,
            "inferred": tool.descriptor().provenance.inferred,
        })
    };
    let tools: Vec<Value> = toolbox.registry.tools().iter().map(row).collect();
    json!({ "format": 1, "tools": tools, "rejected": toolbox.rejected })
}

fn json(tool: &RegisteredTool) -> Value {
    let payloads: serde_json::Map<String, Value> = Dialect::ALL
        .iter()
        .map(|dialect| {
            let compiled = compile(*dialect, tool);
            let downgrades: Vec<String> = compiled.downgrades.iter().map(ToString::to_string).collect();
            let said = json!({ "payload": compiled.payload, "downgrades": downgrades });
            (dialect.as_str().to_owned(), said)
        })
        .collect();
    json!({
        "format": 1,
        "descriptor": tool.descriptor(),
        "digest": tool.digest(),
        "level": tool.level(),
        "tokens": tool.tokens(),
        "modelDescription": tool.model_description(),
        "payloads": payloads,
    })
}

fn compile(dialect: Dialect, tool: &RegisteredTool) -> proofhouse_manager::resolve::payload::CompiledTool {
    let ids: [ToolId; 1] = [tool.id().clone()];
    let names = dialect.names(&ids);
    dialect.tool(tool, names.wire(tool.id()).unwrap_or(tool.id()))
}

fn page(tool: &RegisteredTool) -> String {
    let descriptor = tool.descriptor();
    let mut text = format!(
        "{} {} — {} ({})\ndigest {}\nabout {} tokens in a prompt\n\nwhat a model is told:\n{}\n",
        tool.id(),
        tool.version(),
        tool.level(),
        tool.level().name(),
        tool.digest(),
        tool.tokens(),
        indent(tool.model_description()),
    );
    if !descriptor.provenance.inferred.is_empty() {
        let fields = descriptor.provenance.inferred.join(", ");
        text.push_str(&format!("\nnobody stated these, so the worst case is assumed: {fields}\n"));
    }
    for dialect in Dialect::ALL {
        for downgrade in compile(*dialect, tool).downgrades {
            text.push_str(&format!("\n{}: {downgrade}\n", dialect.as_str()));
        }
    }
    text.push_str(&format!("\ncontract:\n{:#}\n", json!(descriptor)));
    text
}

fn indent(text: &str) -> String {
    text.lines().map(|line| format!("  {line}\n")).collect()
}
