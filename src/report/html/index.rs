//! What the page needs of every trial to list, filter and find it.

use super::{intern::Texts, rows::Tables};
use crate::{
    report::failure::Failure,
    run::{CaseKind, TrialEnd, TrialRecord},
};
use serde::Serialize;
use std::collections::HashMap;

/// The list of trials: one short row each; what they share is in the cases.
#[derive(Debug, Default)]
pub(super) struct Index {
    models: Texts,
    cases: Vec<CaseRow>,
    case_numbers: HashMap<(String, String), usize>,
    rows: Vec<Row>,
}

/// Suite, id, kind, tags, note, first prompt.
#[derive(Debug, Serialize)]
struct CaseRow(String, String, CaseKind, Vec<String>, Option<String>, usize);

/// Case, model, distractors, repeat, end, expected tools, called tools, what is wrong.
#[derive(Debug, Serialize)]
struct Row(usize, usize, u32, u32, u8, Vec<usize>, Vec<usize>, Option<usize>);

/// The index as it is written.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct IndexJson<'a> {
    models: &'a [String],
    cases: &'a [CaseRow],
    rows: &'a [Row],
}

impl Index {
    /// Adds a trial.
    pub(super) fn push(&mut self, trial: &TrialRecord, tables: &mut Tables) {
        let row = Row(
            self.case(trial, &mut tables.texts),
            self.models.number(&trial.key.model),
            trial.key.distractors,
            trial.key.repeat,
            end_number(trial.end),
            distinct(
                trial
                    .turns
                    .iter()
                    .flat_map(|turn| &turn.expected)
                    .map(|call| tables.tools.number(&call.tool)),
            ),
            distinct(
                trial.turns.iter().flat_map(|turn| &turn.calls).map(|call| tables.tools.number(&call.tool)),
            ),
            Failure::of(trial).map(|failure| tables.texts.number(&failure.to_string())),
        );
        self.rows.push(row);
    }

    /// How many trials it holds.
    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    /// What is written into the page.
    pub(super) fn json(&self) -> IndexJson<'_> {
        IndexJson { models: self.models.list(), cases: &self.cases, rows: &self.rows }
    }

    fn case(&mut self, trial: &TrialRecord, texts: &mut Texts) -> usize {
        let name = (trial.key.suite.clone(), trial.key.case.clone());
        if let Some(&number) = self.case_numbers.get(&name) {
            return number;
        }
        let prompt = texts.number(trial.turns.first().map_or("", |turn| &turn.prompt));
        let (suite, id) = name.clone();
        self.cases.push(CaseRow(suite, id, trial.kind, trial.tags.clone(), trial.why.clone(), prompt));
        self.case_numbers.insert(name, self.cases.len() - 1);
        self.cases.len() - 1
    }
}

const fn end_number(end: TrialEnd) -> u8 {
    match end {
        TrialEnd::Pass => 0,
        TrialEnd::Fail => 1,
        TrialEnd::Error => 2,
        TrialEnd::Stale => 3,
    }
}

fn distinct(numbers: impl Iterator<Item = usize>) -> Vec<usize> {
    let mut list = Vec::new();
    for number in numbers {
        if !list.contains(&number) {
            list.push(number);
        }
    }
    list
}
