//! The lints that admission asks.

use crate::{
    event::fact::LintFinding,
    lint::lint_tool,
    model::{LintStage, ToolDescriptor},
    port::Linter,
};

/// Every lint on one tool. What needs neighbours is no reason to refuse a contract: they come and go.
#[derive(Debug, Clone, Copy, Default)]
pub struct ContractLints;

impl Linter for ContractLints {
    fn lint(&self, tool: &ToolDescriptor, stage: LintStage) -> Vec<LintFinding> {
        lint_tool(tool, None)
            .into_iter()
            .filter(|finding| finding.stage == stage)
            .map(LintFinding::from)
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        adapters::sources::standard::Standard,
        model::{Severity, testing::descriptor},
        port::ToolSourcePort as _,
    };

    /// The stages that a tool fails, and by which lints.
    fn check(tool: &ToolDescriptor, expected: &[(LintStage, &str)]) {
        let errors = |stage| {
            let findings = ContractLints.lint(tool, stage).into_iter();
            findings.filter(|f| f.severity == Severity::Error).map(move |f| (stage, f.code))
        };
        let failed: Vec<_> = LintStage::ALL.into_iter().flat_map(errors).collect();
        let told: Vec<_> = failed.iter().map(|(stage, code)| (*stage, code.as_str())).collect();
        assert_eq!(told, expected, "{}", tool.tool_id);
    }

    #[test]
    fn a_contract_fails_the_stage_of_its_errors_and_no_other() {
        let changed = |change: fn(&mut ToolDescriptor)| {
            let mut tool = descriptor("file.read");
            change(&mut tool);
            tool
        };
        check(&changed(|_| {}), &[]);
        check(&changed(|t| t.version = " ".into()), &[(LintStage::Schema, "identity-unusable")]);
        check(
            &changed(|t| t.intent.action_types.clear()),
            &[(LintStage::Permission, "action-types-missing")],
        );
    }

    #[test]
    fn every_tool_that_ships_passes_every_stage() {
        for tool in Standard.discover().unwrap().tools {
            check(&tool.descriptor, &[]);
        }
    }
}
