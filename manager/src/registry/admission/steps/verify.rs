//! All of the above, drawn together: the events that prove it.

use super::{Done, StepRun, Walk};
use crate::{
    event::fact::ToolVerified,
    registry::{
        admission::{Admission, AdmissionError},
        ledger::Step,
    },
};

pub(super) const STEP: StepRun = StepRun { step: Step::Verified, run };

fn run(_: &Admission<'_>, walk: &Walk<'_>) -> Result<Done, AdmissionError> {
    let Some(track) = walk.track else { return Ok(Done::Idle) };
    let fact = ToolVerified {
        tool_id: walk.tool.id().clone(),
        tool_version: walk.tool.version().clone(),
        descriptor_digest: walk.tool.digest().clone(),
        evidence: track.proofs().iter().map(|proof| proof.event.clone()).collect(),
    };
    Ok(Done::Fact(Box::new(fact.into())))
}
