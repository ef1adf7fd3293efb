//! `proofhouse tools register`: the tools of a source, each as far as it gets.

use super::{
    Format,
    desk::{Place, count, failed, line},
    eval::Measure,
    sources::{self, Trust},
};
use crate::cli::{
    CliError, Exit,
    exit::{say, talk},
};
use proofhouse_manager::{
    model::EnablementScope,
    port::Evaluator,
    registry::{
        admission::{Admission, AdmissionError, Found, Standing},
        ledger::Step,
    },
};
use serde_json::{Value, json};
use std::collections::BTreeMap;

#[derive(Debug, clap::Args)]
pub(super) struct Register {
    /// `standard` for the tools that ship, a folder of descriptors, or a tool file
    #[arg(required = true)]
    sources: Vec<String>,
    /// Only this tool (repeatable)
    #[arg(long, value_name = "TOOL")]
    only: Vec<String>,
    /// How far the sources are trusted [default: workspace for folders, third-party for files]
    #[arg(long, value_enum, value_name = "LEVEL")]
    trust: Option<Trust>,
    #[command(flatten)]
    measure: Measure,
    /// Also enable what is verified
    #[arg(long)]
    enable: bool,
    /// With `--enable`: for this principal, who is thereby granted its use, instead of for everybody
    #[arg(long = "for", value_name = "KIND:NAME", requires = "enable")]
    principal: Option<String>,
    #[command(flatten)]
    place: Place,
}

/// What became of one tool.
enum Row {
    Stands(Standing),
    Refused { tool: String, reason: String },
}

pub(super) fn run(options: &Register) -> Result<Exit, CliError> {
    let (mut tools, mut rows) = (Vec::new(), Vec::new());
    for source in &options.sources {
        let held = sources::read(source, options.trust)?;
        held.problems.iter().for_each(|problem| talk(problem));
        tools.extend(held.tools.into_iter().map(|(found, _)| found));
        rows.extend(held.rejected.iter().map(|r| Row::Refused {
            tool: r.name.clone(),
            reason: format!("{}: {}", r.place(), r.reason()),
        }));
    }
    if !options.only.is_empty() {
        check_only(&options.only, &tools)?;
        tools.retain(|found| options.only.iter().any(|only| *only == *found.descriptor.tool_id));
        rows.clear();
    }
    let evaluator = options.measure.evaluator()?;
    let evaluator = evaluator.as_ref().map(|evaluator| evaluator as &dyn Evaluator);
    options.place.change(evaluator, |admission| {
        for found in &tools {
            rows.push(one(admission, found, options)?);
        }
        Ok(())
    })?;
    let refused = rows.iter().any(|row| matches!(row, Row::Refused { .. }));
    let failed = rows.iter().any(|row| matches!(row, Row::Stands(s) if has_failed(s)));
    say(&match options.place.format {
        Format::Json => {
            format!("{:#}\n", json!({ "format": 1, "tools": rows.iter().map(value).collect::<Vec<_>>() }))
        }
        Format::Table => text(&rows),
    });
    Ok(if refused || failed { Exit::Fails } else { Exit::Holds })
}

fn one(admission: &mut Admission<'_>, found: &Found, options: &Register) -> Result<Row, CliError> {
    let tool = &found.descriptor.tool_id;
    let registered = admission.register(found).and_then(|standing| {
        if !options.enable || standing.next.is_some_and(|next| next < Step::Enabled) {
            return Ok(standing);
        }
        let scope = match &options.principal {
            Some(principal) => EnablementScope::Principal { principal: principal.as_str().into() },
            None => EnablementScope::Everyone,
        };
        admission.enable(tool, &standing.descriptor_digest, scope)
    });
    match registered {
        Ok(standing) => Ok(Row::Stands(standing)),
        // Without a journal nothing goes on; every other trouble is this tool's alone.
        Err(error @ AdmissionError::Journal(_)) => Err(failed(error)),
        Err(error) => Ok(Row::Refused { tool: tool.to_string(), reason: error.to_string() }),
    }
}

/// Whether a step has said no; waiting for a person or the next command is no failure.
fn has_failed(standing: &Standing) -> bool {
    use proofhouse_manager::model::RegistrationState as S;
    match standing.state {
        S::InvalidSchema
        | S::PermissionLintFailed
        | S::SandboxLintFailed
        | S::HealthCheckFailed
        | S::EvalFailed
        | S::Blocked => true,
        S::Discovered
        | S::Parsed
        | S::Normalized
        | S::Verified
        | S::Enabled
        | S::Granted
        | S::Callable
        | S::SecurityReviewRequired
        | S::Deprecated => false,
    }
}

fn check_only(only: &[String], tools: &[Found]) -> Result<(), CliError> {
    let Some(missing) = only.iter().find(|only| !tools.iter().any(|f| *f.descriptor.tool_id == ***only))
    else {
        return Ok(());
    };
    let near = proofhouse_manager::document::did_you_mean(
        missing,
        tools.iter().map(|f| f.descriptor.tool_id.as_str()),
    );
    let hint = near.map_or_else(
        || "`proofhouse tools discover SOURCE` names what it holds".to_owned(),
        |near| format!("did you mean `{near}`?"),
    );
    Err(CliError::usage(format!("the source holds no tool `{missing}`\nhint: {hint}")))
}

fn value(row: &Row) -> Value {
    match row {
        Row::Stands(standing) => json!(standing),
        Row::Refused { tool, reason } => json!({ "toolId": tool, "refused": reason }),
    }
}

fn text(rows: &[Row]) -> String {
    let (mut text, mut counts) = (String::new(), BTreeMap::<&str, usize>::new());
    // Tools that stand alike are told together: forty times the same advice tells nothing.
    let mut alike: BTreeMap<(String, String), Vec<String>> = BTreeMap::new();
    for row in rows {
        match row {
            Row::Refused { tool, reason } => {
                *counts.entry("refused").or_default() += 1;
                text.push_str(&format!("{tool}: refused\n  {}\n", reason.replace('\n', "\n  ")));
            }
            Row::Stands(standing) => {
                *counts.entry(standing.state.as_str()).or_default() += 1;
                let told = line(standing);
                let (head, rest) = told.split_once('\n').unwrap_or((&told, ""));
                let id = &*standing.tool_id;
                let key = (standing.state.as_str().to_owned(), rest.replace(id, "TOOL"));
                alike.entry(key).or_default().push(format!("{head}\n{rest}"));
            }
        }
    }
    for ((_, rest), own) in &alike {
        if let [one] = own.as_slice() {
            text.push_str(one);
            continue;
        }
        own.iter().for_each(|one| text.push_str(&format!("{}\n", one.lines().next().unwrap_or_default())));
        text.push_str(rest);
    }
    let counts: Vec<String> = counts.iter().map(|(state, n)| format!("{n} {state}")).collect();
    text + &format!("{}: {}\n", count(rows.len(), "tool"), counts.join(", "))
}
