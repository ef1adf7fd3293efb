//! Who says what is wrong with a contract.

use crate::{
    event::fact::LintFinding,
    model::{LintStage, ToolDescriptor},
};

/// Asks the lints of one stage about a contract.
pub trait Linter {
    /// What they find; an [`Error`](crate::model::Severity::Error) fails the stage.
    fn lint(&self, tool: &ToolDescriptor, stage: LintStage) -> Vec<LintFinding>;
}
