//! Cases and recorded answers as a suite with recordings.
//!
//! The folder holds `suite.yaml`, `cases.jsonl`, `tools.json` and `recordings/`, all of them plain files of ours: what
//! a case expects stands in it as the leaderboard has it, and the profile `bfcl-…` of [`matcher`](crate::matcher) reads
//! it. Answers become recordings by being asked for, through the manager and a recorder, as those of any model.

use super::{
    CaseBook, ImportError,
    documents::{self, Document},
    replay::{self, Replayed},
    schema,
};
use crate::{
    matcher::bfcl::{Asks, Names, Rules},
    provider::{recording::recording_of, tool_id},
    run::write_file,
};
use proofhouse_manager::port::Clock;
use serde_json::{Map, Value, json};
use std::{
    collections::{BTreeMap, HashMap, HashSet},
    path::{Path, PathBuf},
    sync::Arc,
};

/// What is imported.
#[derive(Debug)]
pub struct Source<'a> {
    /// Files of cases, or folders as the leaderboard's own package has them.
    pub cases: &'a [PathBuf],
    /// Files of recorded answers, one for each model; none for a suite to put to models of one's own.
    pub outputs: &'a [PathBuf],
    /// Which edition of the rules holds.
    pub rules: Rules,
    /// How names were offered to models of which nothing else is known.
    pub names: Names,
    /// A file that says of each model how it was offered names.
    pub models: Option<&'a Path>,
}

/// What was written.
#[derive(Debug)]
pub struct Imported {
    /// The suite's file.
    pub suite: PathBuf,
    /// How many cases it has.
    pub cases: usize,
    /// How many tools.
    pub tools: usize,
    /// The models with their answers.
    pub models: Vec<Replayed>,
    /// What was left out or written otherwise, in words.
    pub notes: Vec<String>,
}

/// Writes a suite into a new folder, and every recorded answer into recordings beside it.
///
/// # Errors
/// A file that cannot be read, a case or an answer that cannot be judged, a folder that is not empty, and an answer
/// that a trial of the suite judges otherwise than [`judge`](super::judge).
pub async fn write_suite(
    source: &Source<'_>,
    folder: &Path,
    clock: Arc<dyn Clock>,
) -> Result<Imported, ImportError> {
    must_be_new(folder)?;
    let (documents, mut notes) = documents::read(source.cases)?;
    let book = CaseBook::of_documents(&documents, source.rules)?;
    let desk = tempfile::tempdir().map_err(ImportError::Write)?;
    let answers = replay::read(source, &book, desk.path())?;
    let answered: HashSet<&str> =
        answers.iter().flat_map(|model| model.cases.keys().map(String::as_str)).collect();
    let mut writer = Writer {
        book: &book,
        documents: &documents,
        tools: Toolshed::default(),
        shown: HashSet::new(),
        notes: &mut notes,
    };
    let ids = documents.iter().filter_map(|document| document.value["id"].as_str());
    let ids: Vec<&str> = ids.filter(|id| answers.is_empty() || answered.contains(id)).collect();
    let cases = ids.iter().map(|id| writer.case(id)).collect::<Result<Vec<_>, _>>()?;
    let tools = writer.tools.list;
    if ids.len() < documents.len() && !answers.is_empty() {
        notes.push(format!("{} cases have no answer, and are left out", documents.len() - ids.len()));
    }
    let repeats = answers.iter().flat_map(|model| model.cases.values()).map(Vec::len).max().unwrap_or(1);
    let recordings = folder.join("recordings");
    let models = answers.iter().map(|model| {
        let file = recording_of(Path::new("recordings"), &model.provider_name());
        format!("replay:{}", file.display())
    });
    let head = suite_head(source.rules, &models.collect::<Vec<_>>(), repeats);
    let suite = folder.join("suite.yaml");
    let lines = cases.iter().map(|case| format!("{case}\n")).collect::<String>();
    let tools_text = serde_json::to_string_pretty(&tools).unwrap_or_default();
    for (name, text) in [("suite.yaml", head), ("cases.jsonl", lines), ("tools.json", tools_text)] {
        write_file(&folder.join(name), |file| file.write_all(text.as_bytes()))
            .map_err(|e| ImportError::file(folder, e))?;
    }
    let models = replay::record(&suite, &recordings, answers, clock, &mut notes).await?;
    Ok(Imported { suite, cases: cases.len(), tools: tools.len(), models, notes })
}

/// Nothing is written over: what is recorded in a folder may be worth more than what is imported.
fn must_be_new(folder: &Path) -> Result<(), ImportError> {
    std::fs::create_dir_all(folder).map_err(ImportError::Write)?;
    let mut entries = std::fs::read_dir(folder).map_err(ImportError::Write)?;
    match entries.next() {
        None => Ok(()),
        Some(_) => Err(ImportError::file(folder, "the folder is not empty\nhint: name a new one")),
    }
}

fn suite_head(rules: Rules, models: &[String], repeats: usize) -> String {
    let (name, profile) = match rules {
        Rules::V2024 => ("bfcl-2024", "bfcl-2024"),
        Rules::V4 => ("bfcl-v4", "bfcl-v4"),
    };
    let models: String = models.iter().map(|model| format!("\n  - {}", json!(model))).collect();
    let models = if models.is_empty() { String::new() } else { format!("models:{models}\n") };
    format!(
        "suite: {name}\ntools:\n  - openai: tools.json\n{models}view: {{ select: all }}\ntrials: {repeats}\n\
         match: {{ profile: {profile} }}\ncases: cases.jsonl\n"
    )
}

struct Writer<'a> {
    book: &'a CaseBook,
    documents: &'a [Document],
    tools: Toolshed,
    /// Prompts with the tools that were offered for them.
    shown: HashSet<(String, Vec<String>)>,
    notes: &'a mut Vec<String>,
}

impl Writer<'_> {
    /// The case of a suite that answers of this name are judged by.
    fn case(&mut self, id: &str) -> Result<Value, ImportError> {
        let place = self.book.place(id).unwrap_or_default();
        let (Some(document), Some(case)) = (self.documents.get(place), self.book.get(id)) else {
            return Err(ImportError::Lost(id.to_owned()));
        };
        let prompt =
            prompt(&document.value["messages"]).ok_or_else(|| document.wrong("a case without words"))?;
        let ids = self.offer(document, &prompt)?;
        let mut written = json!({
            "id": id,
            "kind": "golden",
            "prompt": prompt,
            "offer": ids.values().collect::<Vec<_>>(),
            "intent": {},
            "tags": [case.category()],
            "match": { "category": case.category() },
        });
        match case.asks() {
            Asks::NoCall => written["kind"] = json!("negative"),
            Asks::AnyCall => {
                written["kind"] = json!("ambiguous");
                written["anyOf"] = ids.values().map(|id| json!([{ "tool": id }])).collect();
            }
            Asks::OneCall | Asks::Calls => {
                let first =
                    document.value["functions"][0]["name"].as_str().filter(|_| case.asks() == Asks::OneCall);
                let expected = expected_calls(&document.value["ground_truth"], first);
                written["expect"] = expected
                    .map(|(name, allowed)| {
                        // A function that the case has no doc of cannot be called, nor taken for another case's.
                        let tool = ids.get(name).cloned().unwrap_or_else(|| format!("{name} (without doc)"));
                        json!({ "tool": tool, "args": allowed })
                    })
                    .collect();
            }
        }
        Ok(written)
    }

    /// The ids of the functions of a case, by their names.
    ///
    /// A recording belongs to what a model was shown, so of two cases that show the same the later one is given tools
    /// of other ids: their answers may differ.
    fn offer(&mut self, document: &Document, prompt: &str) -> Result<BTreeMap<String, String>, ImportError> {
        for copy in 0.. {
            let ids = self.offered(document, copy)?;
            let shown = (prompt.to_owned(), ids.values().cloned().collect());
            if self.shown.insert(shown) {
                return Ok(ids);
            }
            if ids.is_empty() {
                let case = &document.value["id"];
                self.notes.push(format!(
                    "case {case}: an earlier one shows the same and offers nothing: they share answers"
                ));
                return Ok(ids);
            }
        }
        Ok(BTreeMap::new())
    }

    fn offered(&mut self, document: &Document, copy: usize) -> Result<BTreeMap<String, String>, ImportError> {
        let mut ids = BTreeMap::new();
        for function in document.value["functions"].as_array().into_iter().flatten() {
            let name = function["name"].as_str().ok_or_else(|| document.wrong("a function has no `name`"))?;
            if ids.contains_key(name) {
                let case = &document.value["id"];
                self.notes
                    .push(format!("case {case}: `{name}` is offered twice, and only the first is kept"));
                continue;
            }
            ids.insert(name.to_owned(), self.tools.id_of(name, function, copy, self.notes));
        }
        Ok(ids)
    }
}

/// The expected calls; where one is expected, it is of the first function, whatever it is called.
pub(super) fn expected_calls<'v>(
    truth: &'v Value,
    first: Option<&'v str>,
) -> impl Iterator<Item = (&'v str, &'v Value)> {
    let calls = truth.as_array().into_iter().flatten().filter_map(Value::as_object);
    let calls = calls.filter_map(|call| call.iter().next());
    let calls = calls.map(move |(name, allowed)| (first.unwrap_or(name), allowed));
    calls.take(if first.is_some() { 1 } else { usize::MAX })
}

/// What the user says; of a longer conversation every message, with who says it.
fn prompt(messages: &Value) -> Option<String> {
    let words = |message: &Value| message["content"].as_str().map(str::to_owned);
    let text = match messages.as_array()?.as_slice() {
        [only] => words(only)?,
        several => {
            let said = |message: &Value| Some(format!("{}: {}", message["role"].as_str()?, words(message)?));
            several.iter().map(said).collect::<Option<Vec<_>>>()?.join("\n\n")
        }
    };
    // A prompt must say something, and one of the leaderboard's does not.
    Some(if text.trim().is_empty() { "(nothing)".to_owned() } else { text })
}

/// The tools of a suite. Cases document functions of one name differently, and each such doc is a tool of its own.
#[derive(Default)]
struct Toolshed {
    list: Vec<Value>,
    /// How many docs there are of a name.
    docs: HashMap<String, usize>,
    /// Ids by doc, and by which of its copies.
    ids: HashMap<(String, usize), String>,
}

impl Toolshed {
    fn id_of(&mut self, name: &str, function: &Value, copy: usize, notes: &mut Vec<String>) -> String {
        let doc = (function.to_string(), copy);
        if let Some(id) = self.ids.get(&doc) {
            return id.clone();
        }
        let count = self.docs.entry(name.to_owned()).or_default();
        *count += 1;
        let id = tool_id(name, *count);
        let (parameters, fault) = schema::usable(schema::of(function));
        if let Some(fault) = fault {
            notes.push(format!("tool `{id}`: only names and types of its schema are kept: {fault}"));
        }
        let mut inner = Map::new();
        inner.insert("name".to_owned(), json!(id));
        if let Some(description) = function.get("description").filter(|text| text.is_string()) {
            inner.insert("description".to_owned(), description.clone());
        }
        inner.insert("parameters".to_owned(), Value::Object(parameters));
        self.list.push(json!({ "type": "function", "function": inner }));
        self.ids.insert(doc, id.clone());
        id
    }
}
