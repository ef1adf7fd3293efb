//! Our verdicts beside those of the leaderboard's own checker.
//!
//! Reads a folder of prepared files: `cases-*`, `outputs-<date>-<model>.jsonl.gz` with the recorded verdicts in
//! each row, `models.json`, which says how each model was offered names, and `published.json`.

use super::{
    CaseBook, ImportError, blocks::Block, row::Recorded, stream::for_each_block, verdicts::each_row,
};
use crate::matcher::bfcl::{Names, Rules, Verdict};
use serde_json::Value;
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

/// How many disagreements are kept to be shown.
const SHOWN: usize = 20;

/// What a comparison found.
#[derive(Debug, Default)]
pub struct Parity {
    /// How many answers were compared.
    pub rows: u64,
    /// How many verdicts or error types differ.
    pub disagreements: u64,
    /// The first of them.
    pub shown: Vec<Disagreement>,
    /// How many cells of its tables were compared: published accuracies, or right answers by today's checker.
    pub published: u64,
    /// The cells that differ, in words.
    pub published_differ: Vec<String>,
    /// Each model with its accuracies, by name.
    pub models: BTreeMap<String, ModelParity>,
}

impl Parity {
    /// Whether everything is equal.
    pub fn holds(&self) -> bool {
        self.disagreements == 0 && self.published_differ.is_empty()
    }
}

/// An answer that is judged differently.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Disagreement {
    /// Whose answer.
    pub model: String,
    /// The case.
    pub id: String,
    /// What was recorded: the error type, or `valid`.
    pub recorded: String,
    /// What we say.
    pub ours: String,
}

/// The accuracies of a model.
#[derive(Debug, Default, Clone)]
pub struct ModelParity {
    /// Right answers by category.
    pub cells: BTreeMap<String, Cell>,
}

/// Right answers among all.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Cell {
    /// How many are right.
    pub correct: u64,
    /// How many there are.
    pub total: u64,
}

impl Cell {
    /// The share of right answers.
    pub fn accuracy(self) -> f64 {
        self.correct as f64 / (self.total as f64).max(1.0)
    }

    /// The same, as the leaderboard prints it.
    pub fn percent(self) -> String {
        percent(self.accuracy())
    }
}

fn percent(share: f64) -> String {
    format!("{:.2}%", 100.0 * share)
}

/// Compares every recorded answer of a folder.
///
/// # Errors
/// A file that is missing or not as described.
pub fn parity(folder: &Path, rules: Rules) -> Result<Parity, ImportError> {
    let (cases, outputs) = files(folder, rules)?;
    let book = CaseBook::read(&cases, rules)?;
    let models = json(&folder.join("models.json"))?;
    let mut parity = Parity::default();
    for file in outputs {
        let model = model_of(&file)?;
        let names = names_of(&models, &model).ok_or_else(|| {
            ImportError::file(
                &folder.join("models.json"),
                format!("it has no `dot_to_underscore` of `{model}`"),
            )
        })?;
        parity.compare(&file, &model, &book, rules, names)?;
    }
    match rules {
        Rules::V2024 => parity.compare_published(&json(&folder.join("published.json"))?),
        Rules::V4 => parity.compare_counts(&models),
    }
    Ok(parity)
}

impl Parity {
    fn compare(
        &mut self,
        file: &Path,
        model: &str,
        book: &CaseBook,
        rules: Rules,
        names: Names,
    ) -> Result<(), ImportError> {
        for_each_block(
            &[file.to_owned()],
            |block| compare_block(block, book, rules, names),
            |judged| {
                judged.into_iter().for_each(|judged| self.add(model, judged));
                Ok(())
            },
        )
    }

    fn add(&mut self, model: &str, judged: Judged) {
        let cell = self.models.entry(model.to_owned()).or_default().cells.entry(judged.category).or_default();
        cell.total += 1;
        cell.correct += u64::from(judged.ours == VALID);
        self.rows += 1;
        if judged.recorded == judged.ours {
            return;
        }
        self.disagreements += 1;
        if self.shown.len() < SHOWN {
            let Judged { id, recorded, ours, .. } = judged;
            self.shown.push(Disagreement { model: model.to_owned(), id, recorded, ours: ours.to_owned() });
        }
    }

    /// Each accuracy against the table that was published, as it is printed there.
    fn compare_published(&mut self, published: &Value) {
        for (model, found) in self.models.clone() {
            for (name, ours) in found.printed() {
                let expected = &published["models"][&model]["leaderboard"][&name];
                self.compare_cell(&model, &name, expected.as_str().unwrap_or("nothing"), &ours);
            }
        }
    }

    /// Each number of right answers against that of today's checker, which was never published.
    fn compare_counts(&mut self, models: &Value) {
        for (model, found) in self.models.clone() {
            for (category, cell) in &found.cells {
                let expected = &models[&model]["counts_v4_checker"][category]["correct"];
                self.compare_cell(&model, category, &expected.to_string(), &cell.correct.to_string());
            }
        }
    }

    fn compare_cell(&mut self, model: &str, name: &str, expected: &str, ours: &str) {
        self.published += 1;
        if expected != ours {
            self.published_differ.push(format!("{model}, {name}: theirs {expected}, ours {ours}"));
        }
    }
}

impl ModelParity {
    /// The cells of the leaderboard that come from these answers, as it prints them.
    fn printed(&self) -> Vec<(String, String)> {
        let mut printed: Vec<_> =
            self.cells.iter().map(|(name, cell)| (name.clone(), cell.percent())).collect();
        let simple = self.pooled(&["simple", "java", "javascript"]);
        let several = ["multiple_function", "parallel_function", "parallel_multiple_function"];
        let summary =
            several.iter().map(|name| self.pooled(&[name]).accuracy()).sum::<f64>() + simple.accuracy();
        printed.push(("Simple Function AST".to_owned(), simple.percent()));
        printed.push(("AST Summary".to_owned(), percent(summary / 4.0)));
        printed
    }

    fn pooled(&self, categories: &[&str]) -> Cell {
        let cells = categories.iter().filter_map(|name| self.cells.get(*name));
        cells.fold(Cell::default(), |sum, cell| Cell {
            correct: sum.correct + cell.correct,
            total: sum.total + cell.total,
        })
    }
}

const VALID: &str = "valid";

struct Judged {
    id: String,
    category: String,
    recorded: String,
    ours: &'static str,
}

fn compare_block(
    block: &Block,
    book: &CaseBook,
    rules: Rules,
    names: Names,
) -> Result<Vec<Judged>, ImportError> {
    let mut all = Vec::new();
    each_row(block, &block.index(), book, rules, names, |row, _, verdict| {
        let recorded = match rules {
            Rules::V2024 => row.recorded,
            Rules::V4 => row.recorded_v4,
        };
        let id = row.written_id().to_owned();
        let category = book.get(&id).map_or_else(String::new, |case| case.category().to_owned());
        all.push(Judged { id, category, recorded: recorded_as(recorded), ours: said(verdict) });
    })?;
    Ok(all)
}

fn said(verdict: Verdict) -> &'static str {
    verdict.error_type().unwrap_or(VALID)
}

fn recorded_as(recorded: Recorded<'_>) -> String {
    match (recorded.verdict, recorded.error_type) {
        (Some("true"), None | Some("null")) => VALID.to_owned(),
        (Some("false"), Some(error)) => error.trim_matches('"').to_owned(),
        (verdict, error) => format!("verdict {verdict:?}, error type {error:?}"),
    }
}

/// The files of cases that the rules need, and those of answers.
fn files(folder: &Path, rules: Rules) -> Result<(Vec<PathBuf>, Vec<PathBuf>), ImportError> {
    let failed = |source| ImportError::Open { file: folder.to_owned(), source };
    let (mut cases, mut outputs) = (Vec::new(), Vec::new());
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let wanted = rules == Rules::V4 || !name.starts_with("cases-v4-");
        if name.starts_with("cases-") && wanted {
            cases.push(path);
        } else if name.starts_with("outputs-") {
            outputs.push(path);
        }
    }
    if outputs.is_empty() {
        return Err(ImportError::file(folder, "it holds no `outputs-…` files"));
    }
    cases.sort();
    outputs.sort();
    Ok((cases, outputs))
}

/// The model that a file `outputs-2024-08-11-<model>.jsonl.gz` is of.
pub(super) fn model_of(file: &Path) -> Result<String, ImportError> {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let name = name.trim_end_matches(".gz").trim_end_matches(".jsonl");
    let model = name.splitn(5, '-').nth(4);
    model
        .map(str::to_owned)
        .ok_or_else(|| ImportError::file(file, "its name is no `outputs-<date>-<model>.jsonl`"))
}

pub(super) fn names_of(models: &Value, model: &str) -> Option<Names> {
    let underscored = models.get(model)?.get("dot_to_underscore")?.as_bool()?;
    Some(if underscored { Names::Underscored } else { Names::Dotted })
}

pub(super) fn json(path: &Path) -> Result<Value, ImportError> {
    let text = std::fs::read(path).map_err(|source| ImportError::Open { file: path.to_owned(), source })?;
    serde_json::from_slice(&text).map_err(|error| ImportError::file(path, error))
}
