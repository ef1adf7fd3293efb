//! A try without effects.

use super::{Done, StepRun, Walk};
use crate::{
    event::fact::ToolHealthChecked,
    registry::{
        admission::{Admission, AdmissionError},
        ledger::Step,
    },
};

pub(super) const STEP: StepRun = StepRun { step: Step::Health, run };

fn run(admission: &Admission<'_>, walk: &Walk<'_>) -> Result<Done, AdmissionError> {
    let health = admission.ports.health.check(walk.tool.descriptor());
    let fact = ToolHealthChecked {
        tool_id: walk.tool.id().clone(),
        tool_version: walk.tool.version().clone(),
        descriptor_digest: walk.tool.digest().clone(),
        status: health.status,
        reason: health.reason,
        by: Some(walk.by.clone()),
    };
    Ok(Done::Fact(Box::new(fact.into())))
}
