//! JUnit XML, for CI: a suite an invariant, a test case a requirement, and a suite for the evidence.
//!
//! What was not exercised is skipped, with what would exercise it; advice is output of a test case that passes.

use super::{Format, FormatError};
use crate::conform::{Chain, Evidence, Finding, Level, Report, Requirement, Ruling, Standing, invariants};
use quick_junit::{NonSuccessKind, Report as Document, TestCase, TestCaseStatus, TestSuite};

pub(super) struct Junit;

impl Format for Junit {
    fn name(&self) -> &'static str {
        "junit"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["xml"]
    }

    fn tell(&self, report: &Report) -> Result<String, FormatError> {
        let mut document = Document::new(format!("proofhouse conform: version {}", report.suite));
        document.add_test_suites(report.rulings.iter().map(suite));
        if !report.evidence.is_empty() {
            let mut suite = TestSuite::new("evidence");
            suite.add_test_cases(report.evidence.iter().map(evidence));
            document.add_test_suite(suite);
        }
        Ok(document.to_string()? + "\n")
    }
}

fn suite(ruling: &Ruling) -> TestSuite {
    let mut suite = TestSuite::new(format!("{}. {}", ruling.invariant, ruling.title));
    let requirements = invariants::ALL[usize::from(ruling.invariant) - 1].requirements();
    suite.add_test_cases(requirements.iter().map(|requirement| case(requirement, ruling)));
    suite
}

fn case(requirement: &Requirement, ruling: &Ruling) -> TestCase {
    let told = |from: &[Finding]| -> Vec<String> {
        let own = from.iter().filter(|f| f.requirement == requirement.id);
        own.map(|finding| sentence(finding, "\n")).collect()
    };
    let broken = ruling.broken.get(requirement.id).copied().unwrap_or_default();
    let status = match (broken, ruling.standing) {
        (1.., _) => {
            let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
            status.set_type("violated");
            status.set_message(format!(
                "{}: {}",
                requirement.text,
                if broken == 1 { "not met once".to_owned() } else { format!("not met {broken} times") }
            ));
            status.set_description(told(&ruling.findings).join("\n"));
            status
        }
        (0, Standing::NotExercised) => {
            let mut status = TestCaseStatus::skipped();
            status.set_message(ruling.missing.map_or(String::new(), |missing| format!("missing: {missing}")));
            status
        }
        (0, Standing::Holds | Standing::Violated) => TestCaseStatus::success(),
    };
    let mut case = TestCase::new(format!("{} {}", requirement.id, requirement.text), status);
    case.set_classname(format!("conform.{}", ruling.invariant));
    if requirement.level == Level::Should {
        case.set_system_out(told(&ruling.advice).join("\n"));
    }
    case
}

fn sentence(finding: &Finding, between: &str) -> String {
    let mut out = format!("{} {}", finding.requirement, finding.sentence.escape_debug());
    for event in &finding.events {
        out += &format!(
            "{between}  {}:{} {} {}",
            event.file,
            event.line,
            event.kind.escape_debug(),
            event.event_id.escape_debug()
        );
    }
    out
}

fn evidence(evidence: &Evidence) -> TestCase {
    let status = match &evidence.chain {
        Chain::Sound => TestCaseStatus::success(),
        Chain::Broken { line, what } => {
            let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
            status.set_type("broken chain");
            status.set_message(format!("line {line}: {}", what.escape_debug()));
            status
        }
        Chain::Absent => {
            let mut status = TestCaseStatus::skipped();
            status.set_message("no line carries a hash");
            status
        }
    };
    TestCase::new(format!("the chain of {}", evidence.file.escape_debug()), status)
}
