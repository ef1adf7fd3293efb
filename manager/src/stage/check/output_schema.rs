//! Whether a structured result satisfies the output schema of the contract.

use super::Check;
use crate::{event::fact::FinishStatus, model::ToolDescriptor, port::Ran};

/// The check.
pub(super) struct OutputSchema;

impl Check for OutputSchema {
    fn name(&self) -> &'static str {
        "output_schema"
    }

    fn check(&self, tool: &ToolDescriptor, ran: &Ran) -> Option<Result<(), String>> {
        let schema = tool.schemas.output_schema.as_ref()?;
        // What failed has no result to look at.
        if ran.status != FinishStatus::Success {
            return None;
        }
        let Some(structured) = &ran.structured else {
            return Some(Err("the contract promises a structured result, and there is none".to_owned()));
        };
        let validator = match jsonschema::validator_for(&schema.to_value()) {
            Ok(validator) => validator,
            Err(error) => return Some(Err(format!("the output schema cannot be used: {error}"))),
        };
        let fault = validator.iter_errors(structured).next();
        Some(fault.map_or(Ok(()), |e| Err(format!("`{}`: {e}", e.instance_path()))))
    }
}
