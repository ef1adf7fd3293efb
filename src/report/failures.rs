//! What did not pass, by the tool that it is about: the shape in which short reports tell it.

use super::Failure;
use crate::run::{TrialEnd, TrialRecord};
use std::{cmp::Reverse, collections::BTreeMap};

/// The failures of a run by tool, the tool with the most of them first.
///
/// Only the first few of each tool are kept, so a long run costs no more memory than a short one.
#[derive(Debug, Default)]
pub(super) struct Failures {
    groups: BTreeMap<(Surroundings, Option<String>), Group>,
    kept_each: usize,
}

/// Whether the surroundings failed; that group comes first, for what it spoils is not the models' doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Surroundings {
    Fine,
    Failed,
}

/// The failures about one tool.
#[derive(Debug, Default)]
pub(super) struct Group {
    /// All of them.
    pub(super) count: u64,
    /// The first, in the order of the log.
    pub(super) first: Vec<Failure>,
}

impl Failures {
    /// Walks the trials; at most `kept_each` failures of a tool are kept.
    pub(super) fn of(trials: &mut dyn Iterator<Item = TrialRecord>, kept_each: usize) -> Self {
        let mut failures = Self { kept_each, ..Self::default() };
        for failure in trials.filter_map(|trial| Failure::of(&trial)) {
            failures.push(failure);
        }
        failures
    }

    fn push(&mut self, failure: Failure) {
        let surroundings = match failure.end {
            TrialEnd::Pass | TrialEnd::Fail => Surroundings::Fine,
            TrialEnd::Error | TrialEnd::Stale => Surroundings::Failed,
        };
        let tool = failure.tool.clone().filter(|_| surroundings == Surroundings::Fine);
        let group = self.groups.entry((surroundings, tool)).or_default();
        group.count += 1;
        if group.first.len() < self.kept_each {
            group.first.push(failure);
        }
    }

    /// How many there are in all.
    pub(super) fn total(&self) -> u64 {
        self.groups.values().map(|group| group.count).sum()
    }

    /// The groups: trials without a verdict, then many before few, then by the tool's name.
    pub(super) fn groups(&self) -> Vec<(&str, &Group)> {
        let mut groups: Vec<_> = self.groups.iter().collect();
        groups.sort_by_key(|((surroundings, _), group)| (Reverse(*surroundings), Reverse(group.count)));
        groups
            .into_iter()
            .map(|((surroundings, tool), group)| (label(*surroundings, tool.as_deref()), group))
            .collect()
    }
}

fn label(surroundings: Surroundings, tool: Option<&str>) -> &str {
    match (surroundings, tool) {
        (Surroundings::Failed, _) => "without a verdict",
        (Surroundings::Fine, Some(tool)) => tool,
        (Surroundings::Fine, None) => "about no tool",
    }
}
