//! It has a canonical contract whose schemas compile; the contract is kept before anything is said of it.

use super::{Done, StepRun, Walk};
use crate::{
    event::fact::ToolNormalized,
    model::SourceType,
    registry::{
        admission::{Admission, AdmissionError},
        ledger::Step,
    },
};

pub(super) const STEP: StepRun = StepRun { step: Step::Normalized, run };

fn run(admission: &Admission<'_>, walk: &Walk<'_>) -> Result<Done, AdmissionError> {
    let Some(found) = walk.found else { return Ok(Done::Idle) };
    admission.ports.store.put(walk.tool.digest(), walk.tool.descriptor())?;
    let mut fact = ToolNormalized {
        trust: found.trust,
        by: Some(walk.by.clone()),
        ..ToolNormalized::of(walk.tool, walk.definition.clone())
    };
    if mutant!(EffectsForgotten) {
        (fact.effects.reads, fact.effects.writes) = (Vec::new(), Vec::new());
    }
    if mutant!(SkillForgotten) {
        fact.source_type = SourceType::Cli;
    }
    Ok(Done::Fact(Box::new(fact.into())))
}
