//! `bfcl:` — answers that were recorded for the Berkeley Function Calling Leaderboard.
//!
//! A file of JSON Lines, as `docs/bfcl.md` has them; one answer a line, and a case that is answered several times is
//! asked in so many repeats. The leaderboard has decoded the answers already: what is left is to find out which tool
//! a name means, and to keep apart what said nothing from what tried to call and could not be read.

use super::{
    Attempt, Fault, Provider, Reply, Request, RequestTool,
    open::{Kind, ModelError, Opened},
    settings::ProviderSettings,
    wire::{Identity, Recordable, Wire},
};
use crate::run::AnswerOutcome;
use futures_util::future::{BoxFuture, ready};
use proofhouse_manager::{model::ProposedArgs, resolve::payload::Dialect};
use serde_json::{Map, Value};
use std::{borrow::Cow, collections::HashMap, path::Path, sync::Arc};

/// Answers of the leaderboard.
pub(super) const KIND: Kind = Kind {
    prefix: "bfcl",
    takes: "FILE",
    docs: "answers recorded for the Berkeley Function Calling Leaderboard; see docs/bfcl.md",
    wire: Some(&Bfcl),
    open,
};

/// What tells tools of one name apart that are documented differently in different cases.
const MARK: &str = ".v";

/// The id of the `number`th tool (from 1) of that name; the first keeps the name.
pub fn tool_id(name: &str, number: usize) -> String {
    if number == 1 && written_name(name) == name { name.to_owned() } else { format!("{name}{MARK}{number}") }
}

/// The name of a tool of that id, as the leaderboard has it.
pub fn written_name(id: &str) -> &str {
    match id.rsplit_once(MARK) {
        Some((name, number)) if !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()) => name,
        _ => id,
    }
}

fn open(path: &str, settings: &ProviderSettings) -> Result<Opened, ModelError> {
    let path = Path::new(path);
    let fail = |problem: String| ModelError::Recording(format!("{}: {problem}", path.display()));
    let text = std::fs::read_to_string(path).map_err(|error| fail(error.to_string()))?;
    let mut answers: HashMap<String, Vec<Value>> = HashMap::new();
    for (number, line) in (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty()) {
        let row: Value =
            serde_json::from_str(line).map_err(|error| fail(format!("line {number}: {error}")))?;
        let id = row.get("id").and_then(Value::as_str);
        let id = id.ok_or_else(|| fail(format!("line {number}: an answer without `id`")))?;
        answers.entry(id.to_owned()).or_default().push(row);
    }
    let model = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let identity = Identity::new(&Bfcl, model, settings.params, None);
    Ok(Opened::Recordable(Arc::new(Answers { name: identity.name(), identity, answers })))
}

/// A model's answers, by case.
struct Answers {
    name: String,
    identity: Identity,
    answers: HashMap<String, Vec<Value>>,
}

impl Recordable for Answers {
    fn identity(&self) -> &Identity {
        &self.identity
    }
}

impl Provider for Answers {
    fn name(&self) -> &str {
        &self.name
    }

    fn label(&self) -> &'static str {
        "answers that the Berkeley Function Calling Leaderboard recorded"
    }

    fn ask<'a>(&'a self, request: &'a Request, _: Attempt) -> BoxFuture<'a, Result<Reply, Fault>> {
        let (case, repeat) = (&request.trial.case, request.trial.repeat);
        let raw = self.answers.get(case).and_then(|rows| rows.get(repeat as usize));
        Box::pin(ready(match raw {
            Some(raw) => Bfcl.parse(raw, request).map(|reply| Reply { raw: Some(raw.clone()), ..reply }),
            None => Err(Fault::NoRecording(format!("`{case}` has no answer number {}", repeat + 1))),
        }))
    }
}

/// The format of the answers.
struct Bfcl;

impl Wire for Bfcl {
    fn kind(&self) -> &'static str {
        "bfcl"
    }

    fn dialect(&self) -> Dialect {
        Dialect::OpenAi
    }

    fn parse(&self, raw: &Value, request: &Request) -> Result<Reply, Fault> {
        let offered = |tool: &'_ RequestTool| Offered {
            id: tool.tool.id().to_string(),
            wire_name: tool.wire_name.to_string(),
        };
        read_answer(raw, &request.tools.iter().map(offered).collect::<Vec<_>>())
    }
}

/// A tool that was offered with an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offered {
    /// Its id, which is its name and perhaps a mark.
    pub id: String,
    /// What its calls are to be called.
    pub wire_name: String,
}

/// Reads one recorded answer.
///
/// # Errors
/// [`Fault::Protocol`] for a field that says nothing we know.
pub fn read_answer(raw: &Value, tools: &[Offered]) -> Result<Reply, Fault> {
    let unusable = |key: &str| Fault::Protocol(format!("`{key}` is `{}`", raw[key]));
    let decoded = match raw.get("decode").map(Value::as_str) {
        None | Some(Some("ok")) => true,
        Some(Some("failed" | "wrong_format")) => false,
        Some(_) => return Err(unusable("decode")),
    };
    let names = match raw.get("dot_to_underscore") {
        Some(Value::Bool(true)) => Names::Underscored,
        None | Some(Value::Null | Value::Bool(false)) => Names::Dotted,
        Some(_) => return Err(unusable("dot_to_underscore")),
    };
    let calls = raw.get("calls").filter(|_| decoded).and_then(Value::as_array);
    let calls = calls.filter(|calls| calls.iter().all(Value::is_object));
    let converted = raw.get("converted").and_then(Value::as_array);
    let read = |(index, call): (usize, &Value)| {
        let name = call.get("name").and_then(Value::as_str).unwrap_or_default();
        let literals = converted.map(|converted| converted.get(index));
        (names.wire(name, tools).into_owned(), arguments(call, literals))
    };
    let read: Option<Vec<_>> = calls.map(|calls| calls.iter().enumerate().map(read).collect());
    let outcome = match &read {
        Some(calls) if calls.is_empty() => AnswerOutcome::Abstained,
        Some(_) => AnswerOutcome::Called,
        None if tried_to_call(raw, tools) => AnswerOutcome::Unparsable,
        None => AnswerOutcome::Abstained,
    };
    let text = raw.get("raw").and_then(Value::as_str).map(str::to_owned);
    Ok(Reply {
        outcome,
        text,
        calls: read.unwrap_or_default(),
        usage: None,
        raw: None,
        recorded_latency: None,
    })
}

/// How the model was told names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Names {
    Dotted,
    Underscored,
}

impl Names {
    fn spelled(self, name: &str) -> Cow<'_, str> {
        match self {
            Self::Dotted => Cow::Borrowed(name),
            Self::Underscored => Cow::Owned(name.replace('.', "_")),
        }
    }

    /// The name on our wire of the tool that a model means.
    fn wire<'n>(self, name: &'n str, tools: &'n [Offered]) -> Cow<'n, str> {
        let meant = tools.iter().find(|tool| self.spelled(written_name(&tool.id)) == name);
        if let Some(tool) = meant {
            return Cow::Borrowed(&tool.wire_name);
        }
        // A name in another spelling than the model was told is none, even if we happen to use it.
        let ours = |tool: &Offered| tool.id == name || tool.wire_name == name;
        if tools.iter().any(ours) {
            Cow::Owned(format!("{name} (not so offered)"))
        } else {
            Cow::Borrowed(name)
        }
    }
}

/// The arguments of a call. Where the functions are Java or JavaScript every value is a literal, and `converted`
/// has what it stands for; a value that is no text is no literal then.
fn arguments(call: &Value, literals: Option<Option<&Value>>) -> ProposedArgs {
    let given = call.get("arguments").cloned().unwrap_or_default();
    let (Some(literals), Value::Object(members)) = (literals, &given) else {
        return ProposedArgs::from_value(given);
    };
    if let Some((name, _)) = members.iter().find(|(_, value)| !value.is_string()) {
        return ProposedArgs::Malformed { text: given.to_string(), error: format!("`{name}` is no literal") };
    }
    let literals = literals.and_then(|call| call.get("arguments"));
    let read = |(name, value): (&String, &Value)| {
        let literal = literals.and_then(|literals| literals.get(name));
        (name.clone(), literal.unwrap_or(value).clone())
    };
    ProposedArgs::Object(members.iter().map(read).collect::<Map<_, _>>())
}

/// Whether an answer without calls that can be read is more than words: it holds calls in an API's form, or its text
/// writes one of an offered function.
fn tried_to_call(raw: &Value, tools: &[Offered]) -> bool {
    let text = match raw.get("raw") {
        None => return true,
        Some(Value::String(text)) => text,
        Some(other) => return !matches!(other, Value::Null),
    };
    let writes = |name: &str| {
        let called = |(at, _)| text[at + name.len()..].trim_start().starts_with('(');
        text.match_indices(name).any(called) || text.contains(&format!("\"{name}\""))
    };
    tools.iter().any(|tool| {
        let name = written_name(&tool.id);
        writes(name) || writes(&name.replace('.', "_"))
    })
}
