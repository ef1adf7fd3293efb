//! `proofhouse tools discover`: what a source holds and what would be inferred of it.

use super::{
    Format,
    desk::{Place, count, failed},
    sources::{self, Trust},
};
use crate::cli::{
    CliError, Exit,
    exit::{say, talk},
};
use proofhouse_manager::registry::{RegisteredTool, admission::Drift};
use serde_json::{Value, json};

#[derive(Debug, clap::Args)]
pub(super) struct Discover {
    /// `standard`, a folder of descriptors, or a tool file
    #[arg(required = true)]
    sources: Vec<String>,
    /// How far the sources are trusted [default: workspace for folders, third-party for files]
    #[arg(long, value_enum, value_name = "LEVEL")]
    trust: Option<Trust>,
    #[command(flatten)]
    place: Place,
}

pub(super) fn run(options: &Discover) -> Result<Exit, CliError> {
    let held = options.sources.iter().map(|source| sources::read(source, options.trust));
    let held = held.collect::<Result<Vec<_>, _>>()?;
    let mut rows = Vec::new();
    options.place.change(None, |admission| {
        for (found, notes) in held.iter().flat_map(|held| &held.tools) {
            let (drift, refused): (Vec<Drift>, _) = match admission.discover(found) {
                Ok(drift) => (drift, None),
                Err(error @ proofhouse_manager::registry::admission::AdmissionError::Taken { .. }) => {
                    (Vec::new(), Some(error.to_string()))
                }
                Err(error) => return Err(failed(error)),
            };
            let tool = &found.descriptor;
            let unsound = RegisteredTool::new(tool.clone()).err().map(|fault| fault.to_string());
            rows.push(json!({
                "toolId": tool.tool_id,
                "toolVersion": tool.version,
                "source": found.source,
                "sourceType": tool.source.kind,
                "trust": found.trust,
                "level": tool.level(),
                "effects": tool.effects,
                "inferred": tool.provenance.inferred,
                "notes": notes.iter().map(|n| format!("{}: {}", n.pointer, n.message)).collect::<Vec<_>>(),
                "refused": refused.or(unsound),
                "drift": drift,
            }));
        }
        Ok(())
    })?;
    let rejected: Vec<Value> = held
        .iter()
        .flat_map(|held| &held.rejected)
        .map(|r| json!({ "name": r.name, "reason": format!("{}: {}", r.place(), r.reason()) }))
        .collect();
    held.iter().flat_map(|held| &held.problems).for_each(|problem| talk(problem));
    say(&match options.place.format {
        Format::Json => format!("{:#}\n", json!({ "format": 1, "tools": rows, "rejected": rejected })),
        Format::Table => {
            rows.iter().map(page).chain(rejected.iter().map(cannot)).collect::<String>() + &end(&rows)
        }
    });
    Ok(Exit::Holds)
}

fn page(row: &Value) -> String {
    let word = |key: &str| row[key].as_str().unwrap_or_default().to_owned();
    let list = |value: &Value| {
        let words: Vec<&str> = value.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        words.join(", ")
    };
    let mut text = format!(
        "{} {}: {}, {}, {}\n",
        word("toolId"),
        word("toolVersion"),
        word("level"),
        word("trust"),
        word("sourceType")
    );
    for verb in ["reads", "writes", "deletes"] {
        let resources = list(&row["effects"][verb]);
        if !resources.is_empty() {
            text.push_str(&format!("  {verb} {resources}\n"));
        }
    }
    let inferred = list(&row["inferred"]);
    if !inferred.is_empty() {
        text.push_str(&format!("  nobody stated, so the worst case is assumed: {inferred}\n"));
    }
    for note in row["notes"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        text.push_str(&format!("  note: {note}\n"));
    }
    if let Some(refused) = row["refused"].as_str() {
        text.push_str(&format!("  cannot be registered: {refused}\n"));
    }
    for drift in row["drift"].as_array().into_iter().flatten() {
        let stopped = drift["stopped"].as_str().unwrap_or_default();
        text.push_str(&format!("  version {stopped} was stopped: its definition has changed\n"));
    }
    text
}

fn cannot(row: &Value) -> String {
    format!(
        "{}: cannot be read: {}\n",
        row["name"].as_str().unwrap_or_default(),
        row["reason"].as_str().unwrap_or_default()
    )
}

fn end(rows: &[Value]) -> String {
    format!("{} seen, none registered\nnext: proofhouse tools register SOURCE\n", count(rows.len(), "tool"))
}
