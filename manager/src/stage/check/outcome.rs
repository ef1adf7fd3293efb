//! Whether the tool itself says that it did what it should.

use super::Check;
use crate::{event::fact::FinishStatus, model::ToolDescriptor, port::Ran};

/// The check.
pub(super) struct Outcome;

impl Check for Outcome {
    fn name(&self) -> &'static str {
        "outcome"
    }

    fn check(&self, _: &ToolDescriptor, ran: &Ran) -> Option<Result<(), String>> {
        let told = || ran.error.as_ref().map_or_else(|| "the tool says so".to_owned(), |e| e.message.clone());
        Some(match ran.status {
            FinishStatus::Success => Ok(()),
            FinishStatus::Partial => Err(format!("only a part was done: {}", told())),
            FinishStatus::Error => Err(format!("it failed: {}", told())),
            FinishStatus::Cancelled => Err(format!("it was called off: {}", told())),
            FinishStatus::Interrupted => Err("nobody knows how it ended".to_owned()),
        })
    }
}
