//! The lints, a stage at a time.

use super::{Done, StepRun, Walk};
use crate::{
    event::fact::ToolLinted,
    model::{LintStage, Severity},
    registry::{
        admission::{Admission, AdmissionError},
        ledger::Step,
    },
};

pub(super) const SCHEMA: StepRun =
    StepRun { step: Step::SchemaLint, run: |admission, walk| run(LintStage::Schema, admission, walk) };
pub(super) const PERMISSION: StepRun = StepRun {
    step: Step::PermissionLint,
    run: |admission, walk| run(LintStage::Permission, admission, walk),
};
pub(super) const SANDBOX: StepRun =
    StepRun { step: Step::SandboxLint, run: |admission, walk| run(LintStage::Sandbox, admission, walk) };
pub(super) const SECURITY: StepRun =
    StepRun { step: Step::SecurityLint, run: |admission, walk| run(LintStage::Security, admission, walk) };
pub(super) const DESCRIPTION: StepRun = StepRun {
    step: Step::DescriptionLint,
    run: |admission, walk| run(LintStage::Description, admission, walk),
};

fn run(stage: LintStage, admission: &Admission<'_>, walk: &Walk<'_>) -> Result<Done, AdmissionError> {
    let findings = admission.ports.linter.lint(walk.tool.descriptor(), stage);
    let fact = ToolLinted {
        tool_id: walk.tool.id().clone(),
        tool_version: walk.tool.version().clone(),
        descriptor_digest: walk.tool.digest().clone(),
        stage,
        passed: findings.iter().all(|finding| finding.severity < Severity::Error),
        findings,
        by: Some(walk.by.clone()),
    };
    Ok(Done::Fact(Box::new(fact.into())))
}
