//! `proofhouse tool-call`: everything that the journal says about one call.

use super::{CliError, Command, Exit, evidence::Evidence, exit::say};
use clap::{ArgMatches, Args as _, FromArgMatches as _, ValueEnum};
use proofhouse_manager::{
    adapters::calls,
    event::Event,
    explain::{self, CallStory, End, Said, question},
    model::UndoStanding,
    text,
};
use serde_json::{Value, json};
use std::fmt::Write as _;

/// The subcommand.
#[derive(Debug)]
pub(super) struct ToolCall;

/// Tell everything about one call: why, approved by whom, where, with what result
#[derive(Debug, clap::Args)]
struct Options {
    /// The call's id, or a beginning of it that no other call has
    id: String,
    #[command(flatten)]
    evidence: Evidence,
    /// List the events instead of answering the questions
    #[arg(long)]
    events: bool,
    /// How to print
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

#[derive(Debug, Clone, Copy, PartialEq, ValueEnum)]
enum Format {
    Text,
    Json,
}

/// So much of one statement is printed; `--format json` has it whole.
const MAX_VALUE: usize = 400;

impl Command for ToolCall {
    fn clap(&self) -> clap::Command {
        Options::augment_args(clap::Command::new("tool-call"))
    }

    fn run(&self, matches: &ArgMatches) -> Result<Exit, CliError> {
        let options = Options::from_arg_matches(matches).map_err(CliError::usage)?;
        let (journals, registers) = (options.evidence.journals()?, options.evidence.registers()?);
        let story = calls::story(&journals, &registers, &options.id).map_err(CliError::usage)?;
        let undo = options.evidence.undo_standing(story.id())?;
        say(&match (options.format, options.events) {
            (Format::Json, events) => format!("{:#}\n", document(&story, undo.as_ref(), events)),
            (Format::Text, true) => listing(&story),
            (Format::Text, false) => answers(&story, undo.as_ref()),
        });
        Ok(Exit::Holds)
    }
}

fn document(story: &CallStory, undo: Option<&UndoStanding>, events: bool) -> Value {
    let questions: Vec<Value> = question::ALL
        .iter()
        .map(|q| json!({ "name": q.name(), "question": q.text(), "answer": q.answer(story) }))
        .collect();
    let mut document = json!({
        "format": 1,
        "call": explain::call(story),
        "result": explain::result(story),
        "trace": explain::trace(story),
        "questions": questions,
    });
    if let Some(undo) = undo {
        document["undo"] = match undo {
            UndoStanding::Nothing => json!({ "standing": "nothing" }),
            UndoStanding::Kept => json!({ "standing": "kept" }),
            UndoStanding::Gone => json!({ "standing": "gone" }),
            UndoStanding::Undone { undo, by } => json!({ "standing": "undone", "undoneBy": undo, "by": by }),
        };
    }
    if events {
        document["events"] = story.events().map(event).collect();
    }
    document
}

fn event(event: &Event) -> Value {
    let fresh = &event.fresh;
    let mut value = json!({
        "seq": event.seq,
        "eventId": fresh.event_id,
        "ts": fresh.ts,
        "sessionId": fresh.scope.session_id,
        "runId": fresh.scope.run_id,
        "toolCallId": fresh.scope.call_id,
        "parentEventId": fresh.parent,
        "prevHash": event.prev_hash,
        "hash": event.hash,
    });
    if let (Value::Object(all), Value::Object(payload)) = (&mut value, json!(fresh.fact)) {
        all.extend(payload);
    }
    value
}

fn listing(story: &CallStory) -> String {
    let trace = explain::trace(story);
    let width = trace.steps.iter().map(|s| s.kind.len()).max().unwrap_or(0);
    let mut out = String::new();
    for step in &trace.steps {
        let (seq, ts) = (step.seq, step.ts.format("%H:%M:%S%.3f"));
        let mark = if step.tool_call_id.as_ref() == Some(story.id()) { ' ' } else { '^' };
        let (kind, summary) = (text::clean(&step.kind), text::clean(&step.summary));
        put(&mut out, format_args!("{mark} #{seq:<6} {ts}  {kind:<width$}  {summary}\n"));
    }
    put(&mut out, format_args!("^ led to the call\n"));
    out
}

fn answers(story: &CallStory, undo: Option<&UndoStanding>) -> String {
    let mut out = head(story);
    out += &undoable(story, undo);
    for question in question::ALL {
        let answer = question.answer(story);
        put(&mut out, format_args!("\n{}\n", question.text()));
        let about = |a: &str| text::line(a, 40);
        let width = answer.statements().iter().map(|s| about(&s.about).chars().count()).max().unwrap_or(0);
        for statement in answer.statements() {
            let label = about(&statement.about);
            let said = match &statement.said {
                Said::Yes { value, seq, .. } => format!("{}  #{seq}", text::line(value, MAX_VALUE)),
                Said::No { reason } => {
                    format!("the journal does not say: {}", text::line(reason, MAX_VALUE))
                }
            };
            put(&mut out, format_args!("  {label:<width$}  {said}\n"));
        }
    }
    out
}

/// Whether it can be undone.
fn undoable(story: &CallStory, undo: Option<&UndoStanding>) -> String {
    let call = story.id();
    match undo {
        None | Some(UndoStanding::Nothing) => String::new(),
        Some(UndoStanding::Kept) => {
            format!("what it replaced is kept: `proofhouse undo {call}` takes it back\n")
        }
        Some(UndoStanding::Gone) => "what it replaced is no longer kept: it cannot be undone\n".to_owned(),
        Some(UndoStanding::Undone { undo, by }) => format!("it was undone by {by}, in {undo}\n"),
    }
}

fn head(story: &CallStory) -> String {
    let tool = explain::call(story).map_or_else(String::new, |call| {
        let version = call.tool_version.map_or(String::new(), |v| format!(" {v}"));
        format!("{}{version}, ", call.tool_id)
    });
    let end = match story.end() {
        End::Blocked(reason) => format!("stopped: {reason}"),
        End::Cancelled(off) => format!("called off by {}: {}", off.by, off.reason),
        End::Finished(finished) => {
            let status = json!(finished.status);
            format!("ended: {}", status.as_str().unwrap_or_default())
        }
        End::Running => "started, and not ended as far as the journal says".to_owned(),
        End::Open => "not started, as far as the journal says".to_owned(),
    };
    format!("{}  {}\n", text::clean(story.id()), text::line(&format!("{tool}{end}"), MAX_VALUE))
}

fn put(out: &mut String, arguments: std::fmt::Arguments<'_>) {
    out.write_fmt(arguments).expect("INVARIANT: a string takes whatever is written to it");
}
