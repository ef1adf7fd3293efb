//! The leaderboard's verdicts beside those of our default rules, with the reason of each disagreement.

use super::{
    CaseBook, Class, ImportError, Source,
    classes::class_of,
    documents,
    ours::{OurCase, TextOf},
    replay::{Judged, judged, models},
    stream::for_each_block,
};
use crate::provider::read_answer;
use std::{
    collections::{BTreeMap, HashMap},
    fmt,
};

/// What a comparison found.
#[derive(Debug, Default)]
pub struct Comparison {
    /// How many answers both rules judged.
    pub rows: u64,
    /// How many are right by both, and wrong by both.
    pub agreed: (u64, u64),
    /// The disagreements by their reason.
    pub classes: BTreeMap<Class, Found>,
    /// Answers to cases that our rules have no words for, and why.
    pub without: BTreeMap<String, u64>,
}

/// The disagreements of one kind.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Found {
    /// How many there are.
    pub count: u64,
    /// The first one: the model, the case, and what each rule says.
    pub example: String,
}

/// Judges every answer by the leaderboard's rules and by ours.
///
/// # Errors
/// A file that cannot be read, a case or an answer that cannot be judged.
pub fn compare(source: &Source<'_>) -> Result<Comparison, ImportError> {
    let (documents, _) = documents::read(source.cases)?;
    let book = CaseBook::of_documents(&documents, source.rules)?;
    let mut cases: HashMap<usize, Result<OurCase, String>> = HashMap::new();
    let mut found = Comparison::default();
    for (file, model, names) in models(source)? {
        let work = |block: &_| judged(block, &book, (source.rules, names));
        for_each_block(&[file.to_owned()], work, |rows| {
            for row in rows {
                let place = book.place(&row.id).unwrap_or_default();
                let (Some(document), Some(case)) = (documents.get(place), book.get(&row.id)) else {
                    return Err(ImportError::Lost(row.id));
                };
                let ours = cases.entry(place).or_insert_with(|| OurCase::of(document, case, source.rules));
                found.add(&model, &row, ours).map_err(|what| ImportError::file(file, what))?;
            }
            Ok(())
        })?;
    }
    Ok(found)
}

impl Comparison {
    fn add(&mut self, model: &str, row: &Judged, case: &Result<OurCase, String>) -> Result<(), String> {
        let case = match case {
            Ok(case) => case,
            Err(why) => {
                *self.without.entry(why.clone()).or_default() += 1;
                return Ok(());
            }
        };
        self.rows += 1;
        let reply =
            read_answer(&row.row, &case.offered()).map_err(|fault| format!("`{}`: {fault}", row.id))?;
        let ours = case.score(&reply, TextOf::Letter);
        match (row.verdict.is_valid(), ours.problems.is_empty()) {
            (true, true) => self.agreed.0 += 1,
            (false, false) => self.agreed.1 += 1,
            _ => {
                let found = self.classes.entry(class_of(case, &reply, &ours, row.verdict)).or_default();
                found.count += 1;
                if found.count == 1 {
                    let theirs = row.verdict.error_type().unwrap_or("right");
                    let of_schema = ours.problems.iter().find(|problem| problem.contains("are not valid"));
                    let problem = of_schema.or(ours.problems.first()).map_or("right", String::as_str);
                    found.example = format!("{model}, {}: there {theirs}; here {problem}", row.id);
                }
            }
        }
        Ok(())
    }
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (right, wrong) = self.agreed;
        writeln!(
            f,
            "{} of {} answers are judged alike: {right} right, {wrong} wrong",
            right + wrong,
            self.rows
        )?;
        for (class, Found { count, example }) in &self.classes {
            writeln!(f, "{count:>7}  {}\n         {example}", class.as_str())?;
        }
        for (why, count) in &self.without {
            writeln!(f, "{count:>7}  not compared: {why}")?;
        }
        Ok(())
    }
}
