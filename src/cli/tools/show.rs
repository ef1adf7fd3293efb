//! `proofhouse tools show`: a tool's contract, what each provider is told of it, and what proves it.

use super::{
    Format,
    desk::{self, Place},
    load,
};
use crate::cli::{CliError, Exit, exit::say};
use proofhouse_manager::{
    document::did_you_mean,
    model::ToolId,
    registry::{RegisteredTool, Registry, ledger::Track},
    resolve::payload::Dialect,
};
use serde_json::{Value, json};
use std::path::PathBuf;

#[derive(Debug, clap::Args)]
pub(super) struct Show {
    /// The tool's id
    tool: String,
    /// A suite, a folder of descriptors, or a tool file, instead of the home
    #[arg(long, value_name = "PATH")]
    from: Option<PathBuf>,
    #[command(flatten)]
    place: Place,
}

pub(super) fn run(options: &Show) -> Result<Exit, CliError> {
    let Some(from) = &options.from else { return of_home(options) };
    let toolbox = load(from)?;
    let tool = find(&toolbox.registry, &options.tool)?;
    say(&match options.place.format {
        Format::Table => page(tool),
        Format::Json => format!("{:#}\n", json(tool)),
    });
    Ok(Exit::Holds)
}

fn of_home(options: &Show) -> Result<Exit, CliError> {
    let registry = options.place.registry()?;
    let ledger = registry.ledger().map_err(CliError::usage)?;
    let track = desk::contract(&ledger, &options.tool, None)?;
    let tool = registry.prepared(track.digest()).map_err(CliError::usage)?;
    say(&match options.place.format {
        Format::Table => format!("{}\n{}", page(&tool), proofs(track)),
        Format::Json => {
            let mut document = json(&tool);
            document["state"] = json!(track.state());
            document["next"] = json!((!track.is_enabled()).then(|| track.next()));
            document["evidence"] = json!(track.proofs());
            document["strays"] = json!(track.strays());
            document["enabled"] = json!(track.enablings());
            document["permits"] = json!(track.permits());
            format!("{document:#}\n")
        }
    });
    Ok(Exit::Holds)
}

/// What is proven of a contract, a line a step, and what is missing.
fn proofs(track: &Track) -> String {
    let mut text = format!("stands at: {}\n\nproven by:\n", track.state());
    for proof in track.proofs() {
        let by = proof.by.as_ref().map_or_else(String::new, |by| format!(" by {by}"));
        let at = proof.at.format("%Y-%m-%d %H:%M:%SZ");
        text.push_str(&format!("  {:<18} {at} {}{by}: {}\n", proof.step.name(), proof.event, proof.result));
    }
    for stray in track.strays() {
        text.push_str(&format!(
            "  {:<18} {} counts for nothing: {}\n",
            stray.step.name(),
            stray.event,
            stray.why
        ));
    }
    if !track.is_enabled() {
        let (next, advice) = (track.next(), track.next().advice(track.tool()));
        text.push_str(&format!("\nmissing: {next}: {}\nhint: {advice}\n", track.why()));
    }
    text
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
