//! Who measures how well a tool is selected.

use crate::{model::ToolEval, registry::RegisteredTool};

/// Puts golden and negative prompts that are bound to a tool to a model.
pub trait Evaluator {
    /// Measures one tool.
    ///
    /// # Errors
    /// [`EvaluatorError`] if nothing could be measured; a threshold that is missed is no error.
    fn evaluate(&self, tool: &RegisteredTool) -> Result<Evaluation, EvaluatorError>;
}

/// What a measurement came to.
#[derive(Debug, Clone, PartialEq)]
pub struct Evaluation {
    /// What was measured.
    pub eval: ToolEval,
    /// Whether every threshold holds.
    pub passed: bool,
    /// Each threshold in words, and whether it holds.
    pub thresholds: Vec<String>,
    /// Who answered the prompts.
    pub model: String,
}

/// Nothing could be measured.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct EvaluatorError(pub String);
