//! `proofhouse tools list`: the tools of the home and where each stands, or those of a suite, folder or file.

use super::{
    Format,
    desk::{self, Place},
    load,
};
use crate::{
    cli::{CliError, Exit, exit::say},
    run::Toolbox,
};
use comfy_table::{ContentArrangement, Table, presets};
use proofhouse_manager::{
    model::{ApprovalPolicy, RegistrationState},
    registry::{RegisteredTool, admission::Standing, ledger::ToolRecord},
};
use serde_json::{Value, json};
use std::path::PathBuf;

#[derive(Debug, clap::Args)]
pub(super) struct List {
    /// A suite, a folder of descriptors, or a tool file, instead of the home
    #[arg(long, value_name = "PATH")]
    from: Option<PathBuf>,
    /// Only tools in this state, such as `enabled` or `security_review_required`
    #[arg(long, value_name = "STATE", conflicts_with = "from")]
    state: Option<String>,
    #[command(flatten)]
    place: Place,
}

pub(super) fn run(options: &List) -> Result<Exit, CliError> {
    let Some(from) = &options.from else { return of_home(options) };
    let toolbox = load(from)?;
    say(&match options.place.format {
        Format::Table => table(&toolbox),
        Format::Json => format!("{:#}\n", listing(&toolbox)),
    });
    Ok(Exit::Holds)
}

/// Rows of the home: every contract that is not replaced by a later one, and tools that never got one.
fn of_home(options: &List) -> Result<Exit, CliError> {
    let ledger = options.place.registry()?.ledger().map_err(CliError::usage)?;
    let wanted =
        |state: RegistrationState| options.state.as_deref().is_none_or(|word| word == state.as_str());
    let rows: Vec<Value> = ledger
        .tools()
        .map(|(id, record)| row(id, record))
        .filter(|(state, _)| wanted(*state))
        .map(|(_, row)| row)
        .collect();
    say(&match options.place.format {
        Format::Json => format!("{:#}\n", json!({ "format": 1, "tools": rows })),
        Format::Table => home_table(&rows, options.place.home_option()),
    });
    Ok(Exit::Holds)
}

fn row(id: &str, record: &ToolRecord) -> (RegistrationState, Value) {
    let Some(track) = record.enabled().or(record.latest()) else {
        let (state, reason) = match record.failure() {
            Some(halt) => (halt.state, halt.reason.clone()),
            None => (RegistrationState::Discovered, "it was seen, and not registered".to_owned()),
        };
        let advice = format!("proofhouse tools register SOURCE --only {id}");
        let row = json!({ "toolId": id, "state": state, "reason": reason, "advice": advice, "source": record.source() });
        return (state, row);
    };
    let standing = Standing::of(track);
    let state = standing.state;
    let mut row = json!(standing);
    row["level"] = json!(track.contract().level);
    row["trust"] = json!(track.contract().trust);
    row["owner"] = json!(track.owner());
    row["source"] = json!(record.source());
    (state, row)
}

fn home_table(rows: &[Value], home: &str) -> String {
    if rows.is_empty() {
        return format!(
            "no tools\nhint: `proofhouse tools register standard{home}` registers those that ship\n"
        );
    }
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Dynamic);
    table.set_header(["tool", "version", "level", "state", "next", "owner"]);
    let text = |row: &Value, key: &str| row[key].as_str().unwrap_or("-").to_owned();
    for row in rows {
        let next = text(row, "next").replace('_', " ");
        table.add_row([
            text(row, "toolId"),
            text(row, "toolVersion"),
            text(row, "level"),
            text(row, "state"),
            next,
            text(row, "owner"),
        ]);
    }
    format!("{table}\n{}\n", desk::count(rows.len(), "tool"))
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
