//! JUnit XML, for CI: a suite a model, a test case a trial.
//!
//! A model's wrong answer is a failure; what the surroundings did, and a stale recording, is an error.

use super::{Failure, ReportError, ReportFormat, RunView};
use crate::run::{TrialEnd, TrialKey, TrialRecord};
use chrono::DateTime;
use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};
use std::{collections::BTreeMap, io::Write, time::Duration};

/// JUnit XML.
pub(super) struct Junit;

impl ReportFormat for Junit {
    fn name(&self) -> &'static str {
        "junit"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["xml"]
    }

    fn write(&self, run: RunView<'_>, out: &mut dyn Write) -> Result<(), ReportError> {
        let mut report = Report::new(format!("proofhouse: {}", run.head.suite));
        if let Ok(started) = DateTime::parse_from_rfc3339(&run.head.started) {
            report.set_timestamp(started);
        }
        report.add_test_suites(suites(run));
        report.serialize(&mut *out)?;
        Ok(())
    }
}

/// The suites in the order of the models; a model that the head does not name comes last.
fn suites(run: RunView<'_>) -> Vec<TestSuite> {
    let order: BTreeMap<&str, usize> =
        run.head.models.iter().enumerate().map(|(at, model)| (model.name.as_str(), at)).collect();
    let mut suites: BTreeMap<(usize, String), TestSuite> = BTreeMap::new();
    for trial in run.trials {
        let place = order.get(trial.key.model.as_str()).copied().unwrap_or(usize::MAX);
        let suite = suites.entry((place, trial.key.model.clone())).or_insert_with_key(|(place, name)| {
            let mut suite = TestSuite::new(name.as_str());
            if let Some(model) = run.head.models.get(*place) {
                suite.add_property(("answers", model.label.as_str()));
            }
            suite
        });
        suite.add_test_case(test_case(&trial));
    }
    suites.into_values().collect()
}

fn test_case(trial: &TrialRecord) -> TestCase {
    let mut case = TestCase::new(name(&trial.key), status(trial));
    case.set_classname(format!("{}.{}", trial.key.suite, trial.key.model));
    case.set_time(Duration::from_micros(trial.turns.iter().map(|turn| turn.latency_us).sum()));
    case
}

/// The case's id; distractors and repeats only where there are any.
fn name(key: &TrialKey) -> String {
    let mut name = key.case.clone();
    if key.distractors > 0 {
        name += &format!(" +{} distractors", key.distractors);
    }
    if key.repeat > 0 {
        name += &format!(" #{}", key.repeat + 1);
    }
    name
}

fn status(trial: &TrialRecord) -> TestCaseStatus {
    let Some(failure) = Failure::of(trial) else { return TestCaseStatus::success() };
    let kind = match failure.end {
        TrialEnd::Pass | TrialEnd::Fail => NonSuccessKind::Failure,
        TrialEnd::Error | TrialEnd::Stale => NonSuccessKind::Error,
    };
    let mut status = TestCaseStatus::non_success(kind);
    status.set_type(super::failure::end_word(failure.end));
    status.set_message(failure.to_string());
    status.set_description(failure.problems.join("\n"));
    status
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::testing::SmallRun;

    #[test]
    fn a_suite_a_model_and_an_error_is_no_failure() {
        let xml = SmallRun::new().written(&Junit);
        for part in [
            r#"<testsuites name="proofhouse: small" tests="4" skipped="0" failures="2" errors="1" timestamp="2026-03-14T09:26:53"#,
            r#"<testsuite name="lexical" tests="2" skipped="0" errors="0" failures="1">"#,
            r#"<property name="answers" value="scripted answers"/>"#,
            r#"<failure message="/limit: expected 20, got &quot;20&quot;" type="fail">"#,
            r#"<error message="no answer within 30s (timeout)" type="error">"#,
        ] {
            assert!(xml.contains(part), "no {part} in\n{xml}");
        }
        assert!(!xml.contains("</script><b>") && !xml.contains('\u{1b}'));
    }

    #[test]
    fn repeats_and_distractors_are_in_the_name() {
        let key = |distractors, repeat| TrialKey {
            suite: "s".into(),
            model: "m".into(),
            distractors,
            case: "c".into(),
            repeat,
        };
        let rows = [
            ((0, 0), "c"),
            ((20, 0), "c +20 distractors"),
            ((0, 1), "c #2"),
            ((20, 2), "c +20 distractors #3"),
        ];
        for ((distractors, repeat), text) in rows {
            assert_eq!(name(&key(distractors, repeat)), text);
        }
    }
}
