//! The lints that admission asks.

use super::sources::flaws;
use crate::{
    event::fact::{LintFinding, LintStage, Severity},
    model::ToolDescriptor,
    port::Linter,
};

/// What a contract's fields must mean together.
#[derive(Debug, Clone, Copy, Default)]
pub struct ContractLints;

impl Linter for ContractLints {
    fn lint(&self, tool: &ToolDescriptor, stage: LintStage) -> Vec<LintFinding> {
        let finding = |severity, pointer: &str, message: String| LintFinding {
            code: "contract-unsound".to_owned(),
            severity,
            pointer: pointer.to_owned(),
            message,
        };
        match flaws(tool) {
            Err(fault) if stage == LintStage::Schema => {
                vec![finding(Severity::Error, "/schemas/inputSchema", fault.to_string())]
            }
            Err(_) => Vec::new(),
            Ok(flaws) => flaws
                .into_iter()
                .filter(|flaw| stage_of(&flaw.pointer) == stage)
                .map(|flaw| {
                    // What may be done must be stated soundly; words and names can be mended later.
                    let severity =
                        if stage == LintStage::Permission { Severity::Error } else { Severity::Warning };
                    finding(severity, &flaw.pointer, flaw.message)
                })
                .collect(),
        }
    }
}

fn stage_of(pointer: &str) -> LintStage {
    match pointer.split('/').nth(1) {
        Some("effects" | "risk" | "permissions" | "credentials" | "intent") => LintStage::Permission,
        Some("sandbox") => LintStage::Sandbox,
        Some("description") => LintStage::Description,
        _ => LintStage::Schema,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::testing::descriptor;

    #[test]
    fn a_contract_that_contradicts_itself_fails_its_stage() {
        let mut tool = descriptor("file.read");
        assert!(ContractLints.lint(&tool, LintStage::Permission).is_empty());
        tool.intent.action_types.clear();
        let findings = ContractLints.lint(&tool, LintStage::Permission);
        assert_eq!(findings[0].severity, Severity::Error);
        assert_eq!(findings[0].pointer, "/intent/actionTypes");
        assert!(ContractLints.lint(&tool, LintStage::Sandbox).is_empty());
    }
}
