//! A person's eyes, where trust and reach demand them; the machine says only that none are needed.

use super::{Done, StepRun, Walk};
use crate::{
    event::fact::{ReviewStatus, ToolSecurityReviewed},
    model::RegistrationState,
    registry::{
        admission::{Admission, AdmissionError, manager},
        ledger::{Halt, Step},
    },
};

pub(super) const STEP: StepRun = StepRun { step: Step::Review, run };

fn run(_: &Admission<'_>, walk: &Walk<'_>) -> Result<Done, AdmissionError> {
    let Some(track) = walk.track else { return Ok(Done::Idle) };
    if let Some(demand) = track.demand() {
        let reason = format!("a person must review it: {demand}");
        return Ok(Done::Waits(Halt { state: RegistrationState::SecurityReviewRequired, reason }));
    }
    let fact = ToolSecurityReviewed {
        tool_id: walk.tool.id().clone(),
        tool_version: walk.tool.version().clone(),
        descriptor_digest: walk.tool.digest().clone(),
        status: ReviewStatus::NotRequired,
        reviewer: manager(),
        reason: "its trust and reach demand none".to_owned(),
    };
    Ok(Done::Fact(Box::new(fact.into())))
}
