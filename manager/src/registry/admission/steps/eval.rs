//! Golden and negative prompts, where somebody gives a suite and a model.

use super::{Done, StepRun, Walk};
use crate::{
    event::fact::EvalCompleted,
    registry::{
        admission::{Admission, AdmissionError},
        ledger::Step,
    },
};

pub(super) const STEP: StepRun = StepRun { step: Step::Eval, run };

fn run(admission: &Admission<'_>, walk: &Walk<'_>) -> Result<Done, AdmissionError> {
    let Some(evaluator) = admission.ports.evaluator else { return Ok(Done::Idle) };
    let evaluation = evaluator.evaluate(walk.tool)?;
    let fact = EvalCompleted {
        eval: evaluation.eval,
        passed: evaluation.passed,
        thresholds: evaluation.thresholds,
        model: evaluation.model,
        by: Some(walk.by.clone()),
    };
    Ok(Done::Fact(Box::new(fact.into())))
}
