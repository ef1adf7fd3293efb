//! Its definition can be read.

use super::{Done, StepRun, Walk};
use crate::{
    event::fact::ToolParsed,
    registry::{
        admission::{Admission, AdmissionError},
        ledger::Step,
    },
};

pub(super) const STEP: StepRun = StepRun { step: Step::Parsed, run };

fn run(_: &Admission<'_>, walk: &Walk<'_>) -> Result<Done, AdmissionError> {
    let tool_id = walk.tool.id().clone();
    let fact = ToolParsed { tool_id, definition_digest: walk.definition.clone() };
    Ok(Done::Fact(Box::new(fact.into())))
}
