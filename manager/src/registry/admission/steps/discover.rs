//! A source names the tool.

use super::{Done, StepRun, Walk};
use crate::{
    event::fact::ToolDiscovered,
    registry::{
        admission::{Admission, AdmissionError},
        ledger::Step,
    },
};

pub(super) const STEP: StepRun = StepRun { step: Step::Discovered, run };

fn run(_: &Admission<'_>, walk: &Walk<'_>) -> Result<Done, AdmissionError> {
    let Some(found) = walk.found else { return Ok(Done::Idle) };
    Ok(Done::Fact(Box::new(fact(found).into())))
}

/// What is said of a tool that was seen.
pub(in crate::registry::admission) fn fact(found: &super::super::Found) -> ToolDiscovered {
    ToolDiscovered {
        tool_id: found.descriptor.tool_id.clone(),
        source: found.source.clone(),
        source_type: found.descriptor.source.kind,
        definition_digest: found.definition.clone(),
    }
}
