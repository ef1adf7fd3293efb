//! A measurement that the suite has made: what it says is what the manager is told.

use crate::conform::protocol;
use proofhouse_manager::{
    model::{Digest, EvalScores, ToolEval},
    port::{Evaluation, Evaluator, EvaluatorError},
    registry::RegisteredTool,
};

/// How well the suite says that a tool is selected.
pub(super) struct Measured(pub(super) protocol::Evaluation);

impl Evaluator for Measured {
    fn evaluate(&self, tool: &RegisteredTool) -> Result<Evaluation, EvaluatorError> {
        let protocol::Evaluation { golden, negative, passed } = self.0;
        let eval = ToolEval {
            tool_id: tool.id().clone(),
            tool_version: tool.version().clone(),
            descriptor_digest: tool.digest().clone(),
            suite: "conformance".to_owned(),
            suite_digest: Digest::zero(),
            golden,
            negative,
            scores: EvalScores::default(),
        };
        let thresholds = vec![format!("recall ≥ 0.9: {}", if passed { "holds" } else { "missed" })];
        Ok(Evaluation { eval, passed, thresholds, model: "conformance".to_owned() })
    }
}
