//! The metrics that are a share of something: one file each (or one for a pair that only makes sense
//! together), and its line in [`ALL`].
//!
//! A metric reads one trial and books how many of how many. It knows nothing of grouping, repeats or
//! intervals; whoever adds the bookings up does. It is only shown trials that ended `pass` or `fail`.

mod abstention;
mod approval_errors;
mod approval_trigger;
mod arg_accuracy;
mod arg_validity;
mod asking;
mod escaped_unsafe;
mod f1;
mod hallucinated_tool;
mod pass_rate;
mod precision;
mod recall;
mod strict_success;
mod unsafe_call;
mod view_recall;

use super::{book::Book, reading::Reading};

/// Every metric, in the order of a table.
///
/// A book keeps a metric by its place here in one byte.
pub static ALL: &[&dyn MetricKind] = &[
    &strict_success::StrictSuccess,
    &pass_rate::PassRate,
    &precision::Precision,
    &recall::Recall,
    &f1::F1,
    &abstention::AbstentionPrecision,
    &abstention::AbstentionRecall,
    &view_recall::ViewRecall,
    &hallucinated_tool::HallucinatedToolRate,
    &arg_validity::ArgValidity,
    &arg_accuracy::ArgAccuracy,
    &unsafe_call::UnsafeCallRate,
    &escaped_unsafe::EscapedUnsafeRate,
    &approval_trigger::ApprovalTriggerRate,
    &approval_errors::MissedApprovals,
    &approval_errors::NeedlessApprovals,
    &asking::AskPrecision,
    &asking::AskRecall,
];

/// One number of the report: what it is called, what it means, and how it counts a trial.
pub trait MetricKind: Sync {
    /// Its name, as in thresholds and in `metrics.json`.
    fn name(&self) -> &'static str;

    /// Its name for people.
    fn title(&self) -> &'static str;

    /// What is divided by what.
    fn definition(&self) -> &'static str;

    /// Which way is better.
    fn better(&self) -> Better;

    /// What it is a share of.
    fn scope(&self) -> Scope {
        Scope::Trials
    }

    /// Whether the units of one trial depend on each other by construction, so that its interval must be
    /// drawn over cases even where no case repeats.
    fn always_clustered(&self) -> bool {
        false
    }

    /// Books what this trial adds.
    fn count(&self, trial: &Reading<'_>, book: &mut Book<'_>);
}

/// Which way a metric is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Better {
    /// 1 is best.
    Higher,
    /// 0 is best.
    Lower,
    /// It describes, and judges nothing.
    Neither,
}

/// What a metric is a share of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// Trials, turns, or calls of whatever tool.
    Trials,
    /// Calls of a tool, so that each tool has this rate too.
    Tools,
}

/// The metric of that name.
pub fn find(name: &str) -> Option<&'static dyn MetricKind> {
    position(name).map(|place| ALL[place])
}

/// Where in [`ALL`] the metric of that name is.
pub(super) fn position(name: &str) -> Option<usize> {
    ALL.iter().position(|metric| metric.name() == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_file_of_the_folder_is_in_the_table() {
        let table = include_str!("mod.rs").split("pub static ALL").nth(1).unwrap();
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/metric/kind");
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let stem = path.file_stem().unwrap().to_str().unwrap();
            assert!(stem == "mod" || table.contains(&format!("&{stem}::")), "`{stem}` is not in ALL");
        }
    }

    #[test]
    fn names_are_unique_camel_case_and_explained() {
        let names: BTreeSet<&str> = ALL.iter().map(|metric| metric.name()).collect();
        assert_eq!(names.len(), ALL.len());
        for metric in ALL {
            assert!(
                metric.name().chars().all(char::is_alphanumeric)
                    && metric.name().starts_with(char::is_lowercase)
            );
            assert!(metric.definition().contains('÷') && !metric.title().is_empty(), "{}", metric.name());
            assert!(find(metric.name()).is_some());
        }
        assert!(u8::try_from(ALL.len()).is_ok());
    }
}
