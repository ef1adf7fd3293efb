//! The data folder inside of the leaderboard's own Python package: `BFCL_v4_<category>.json` with the questions, and
//! files of the same names under `possible_answer` with the ground truth.

use super::{
    ImportError,
    documents::{Document, lines},
};
use serde_json::{Map, Value, json};
use std::{
    collections::HashMap,
    path::{Path, PathBuf},
};

/// The categories that are judged by calls alone. The others need an environment in which calls are executed.
const CATEGORIES: &[&str] = &[
    "irrelevance",
    "live_irrelevance",
    "live_multiple",
    "live_parallel",
    "live_parallel_multiple",
    "live_relevance",
    "live_simple",
    "multiple",
    "parallel",
    "parallel_multiple",
    "simple_java",
    "simple_javascript",
    "simple_python",
];

/// Every case of a data folder that is judged by calls alone, in the prepared form; notes tell what is left out.
pub(super) fn cases(folder: &Path, notes: &mut Vec<String>) -> Result<Vec<Document>, ImportError> {
    let (mut cases, mut left_out) = (Vec::new(), Vec::new());
    for (category, file) in files(folder)? {
        if CATEGORIES.contains(&category.as_str()) {
            read(&file, &category, &mut cases)?;
        } else {
            left_out.push(category);
        }
    }
    if cases.is_empty() {
        let what =
            "it holds no `BFCL_v4_<category>.json`\nhint: name the folder `bfcl_eval/data` of the package";
        return Err(ImportError::file(folder, what));
    }
    if !left_out.is_empty() {
        let what = "need more than calls to be judged, and are left out";
        notes.push(format!("{}: the categories {} {what}", folder.display(), left_out.join(", ")));
    }
    Ok(cases)
}

/// The files of a folder by category, sorted.
fn files(folder: &Path) -> Result<Vec<(String, PathBuf)>, ImportError> {
    let failed = |source| ImportError::Open { file: folder.to_owned(), source };
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if let Some(category) = name.strip_prefix("BFCL_v4_").and_then(|name| name.strip_suffix(".json")) {
            files.push((category.to_owned(), path));
        }
    }
    files.sort();
    Ok(files)
}

fn read(file: &Path, category: &str, cases: &mut Vec<Document>) -> Result<(), ImportError> {
    let mut truths = truths(file)?;
    for mut document in lines(file.to_owned())? {
        let Some(question) = document.value.as_object_mut() else {
            return Err(document.wrong("a case is a JSON object"));
        };
        let prepared = prepared(question, category, &mut truths);
        document.value = prepared.map_err(|what| document.wrong(what))?;
        cases.push(document);
    }
    Ok(())
}

/// The ground truth of a file of questions, by case; there is none where no call is right, or any.
fn truths(file: &Path) -> Result<HashMap<String, Value>, ImportError> {
    let name = file.file_name().unwrap_or_default();
    let answers = file.parent().unwrap_or(Path::new("")).join("possible_answer").join(name);
    if !answers.is_file() {
        return Ok(HashMap::new());
    }
    let mut truths = HashMap::new();
    for mut document in lines(answers)? {
        let truth = document.value.get_mut("ground_truth").map(Value::take);
        match (document.value.get("id").and_then(Value::as_str), truth) {
            (Some(id), Some(truth)) => truths.insert(id.to_owned(), truth),
            _ => return Err(document.wrong("a possible answer has `id` and `ground_truth`")),
        };
    }
    Ok(truths)
}

fn prepared(
    question: &mut Map<String, Value>,
    category: &str,
    truths: &mut HashMap<String, Value>,
) -> Result<Value, String> {
    let id = question.get("id").and_then(Value::as_str).ok_or("a case has no `id`")?.to_owned();
    let mut take =
        |key: &str| question.get_mut(key).map(Value::take).ok_or(format!("case `{id}`: it has no `{key}`"));
    // A list of turns, of which these categories have one.
    let turns = take("question")?;
    let messages = match turns.as_array().map(Vec::as_slice) {
        Some([turn]) => turn.clone(),
        _ => return Err(format!("case `{id}`: its `question` is no list of one turn")),
    };
    let functions = match take("function")? {
        list @ Value::Array(_) => list,
        one => json!([one]),
    };
    let truth = truths.remove(&id).unwrap_or_else(|| json!([]));
    Ok(json!({
        "id": id,
        "category": category,
        "messages": messages,
        "functions": functions,
        "ground_truth": truth,
    }))
}
