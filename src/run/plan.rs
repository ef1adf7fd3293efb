//! Which trials a run consists of, without writing them all down.

use super::TrialKey;
use crate::suite::{Case, Suite};
use serde::{Deserialize, Serialize};
use std::{str::FromStr, sync::Arc};

/// Every trial of a run, numbered: model by model, then distractor count, then case, then repeat.
#[derive(Debug)]
pub struct Plan {
    suite: Arc<Suite>,
    models: Vec<String>,
    cases: Vec<usize>,
    distractors: Vec<u32>,
    shard: Shard,
}

/// One part of a run, where several machines share it: trial *n* belongs to shard `n mod of`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shard {
    /// Which part, from 1.
    pub index: usize,
    /// How many parts.
    pub of: usize,
}

impl Shard {
    /// The whole run.
    pub const WHOLE: Self = Self { index: 1, of: 1 };
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parse = || {
            let (index, of) = text.split_once('/')?;
            let (index, of) = (index.parse().ok()?, of.parse().ok()?);
            (1 <= index && index <= of).then_some(Self { index, of })
        };
        parse().ok_or_else(|| format!("`{text}` is no shard\nhint: write i/n, such as 1/4"))
    }
}

/// One trial of the plan.
#[derive(Debug, Clone, Copy)]
pub struct Planned {
    /// Index of the model.
    pub model: usize,
    /// How many distractors are added.
    pub distractors: u32,
    /// Index of the case in the suite.
    pub case: usize,
    /// 0 for the first repeat.
    pub repeat: u32,
}

impl Plan {
    /// Plans a run of some cases of a suite (by index) over models, named as reports will name them.
    pub fn new(suite: Arc<Suite>, models: Vec<String>, cases: Vec<usize>, shard: Shard) -> Self {
        let distractors = suite.distractors.as_ref().map_or(vec![0], |d| d.counts.clone());
        Self { suite, models, cases, distractors, shard }
    }

    fn whole(&self) -> usize {
        self.models.len() * self.distractors.len() * self.cases.len() * self.suite.trials as usize
    }

    /// How many trials this shard has.
    pub fn len(&self) -> usize {
        (self.whole() + self.shard.of - self.shard.index) / self.shard.of
    }

    /// Whether there is nothing to do.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The trial of that number, if there is one.
    pub fn get(&self, number: usize) -> Option<Planned> {
        if number >= self.len() {
            return None;
        }
        let repeats = self.suite.trials as usize;
        let n = number * self.shard.of + self.shard.index - 1;
        let (n, repeat) = (n / repeats, n % repeats);
        let (n, case) = (n / self.cases.len(), n % self.cases.len());
        let (model, count) = (n / self.distractors.len(), n % self.distractors.len());
        Some(Planned {
            model,
            distractors: self.distractors[count],
            case: self.cases[case],
            repeat: u32::try_from(repeat).unwrap_or(u32::MAX),
        })
    }

    /// What a trial is called in every file.
    pub fn key(&self, planned: &Planned) -> TrialKey {
        TrialKey {
            suite: self.suite.name.clone(),
            model: self.models[planned.model].clone(),
            distractors: planned.distractors,
            case: self.case(planned).id.clone(),
            repeat: planned.repeat,
        }
    }

    /// The case of a trial.
    pub fn case(&self, planned: &Planned) -> &Case {
        &self.suite.cases[planned.case]
    }

    /// The cases that are run.
    pub fn cases(&self) -> impl Iterator<Item = &Case> {
        self.cases.iter().map(|index| &self.suite.cases[*index])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shard_is_one_of_so_many() {
        assert_eq!("2/4".parse(), Ok(Shard { index: 2, of: 4 }));
        for bad in ["0/4", "5/4", "1", "a/b", "1/0"] {
            assert!(bad.parse::<Shard>().unwrap_err().contains("hint"), "{bad}");
        }
    }

    #[test]
    fn shards_share_every_trial_of_the_whole_run() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/suites/matchers.yaml");
        let mut suite = Suite::load(std::path::Path::new(file)).unwrap();
        suite.trials = 3;
        let suite = Arc::new(suite);
        let plan = |shard| Plan::new(Arc::clone(&suite), vec!["a".into(), "b".into()], vec![0, 2, 5], shard);
        let keys = |plan: &Plan| -> Vec<TrialKey> {
            (0..plan.len()).map(|n| plan.key(&plan.get(n).unwrap())).collect()
        };
        let mut whole = keys(&plan(Shard::WHOLE));
        assert_eq!(whole.len(), 2 * 3 * 3);
        assert!(plan(Shard::WHOLE).get(whole.len()).is_none());
        let mut shared: Vec<TrialKey> =
            (1..=4).flat_map(|index| keys(&plan(Shard { index, of: 4 }))).collect();
        whole.sort();
        shared.sort();
        assert_eq!(shared, whole);
        whole.dedup();
        assert_eq!(whole.len(), 18);
    }
}
