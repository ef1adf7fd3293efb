//! The lints as pages for people.

use super::{Check, Lint, LintStage, rules};
use std::fmt::Write as _;

/// Everything there is to say about one lint, in plain text.
pub fn explain(lint: &Lint) -> String {
    let Lint { code, stage, severity, finds, why, fix, .. } = lint;
    format!("{code} ({severity}, {stage})\n\n{finds}\n\nWhy it matters: {why}\n\nWhat to do: {fix}\n")
}

/// Every lint by its stage, in Markdown.
pub fn page() -> String {
    let mut page = String::from(HEAD);
    for stage in LintStage::ALL {
        let lints: Vec<_> = rules::ALL.iter().filter(|lint| lint.stage == stage).collect();
        let _ = writeln!(page, "\n## {}\n\n{}", title(stage), about(stage));
        for Lint { code, severity, finds, why, fix, check, .. } in lints {
            let scope = match check {
                Check::Tool(_) => "",
                Check::Registry(_) => ", among neighbours",
            };
            let _ = writeln!(
                page,
                "\n### `{code}`\n\n*{severity}{scope}.* {finds}\n\n- **Why it matters:** {why}\n- **What to do:** {fix}"
            );
        }
    }
    page
}

/// What follows it in the page is written by hand.
#[cfg(test)]
pub(super) const MEASURED: &str = "\n<!-- what follows is written by hand -->\n";

const HEAD: &str = "# Lints

What `proofhouse lint` and the registration of a tool look for. This page is made from the table of lints; each is
one file in `manager/src/lint/rules/`, with its check and its tests. `proofhouse lint --explain CODE` says the same at the
terminal, `proofhouse lint --list` names them all.

An **error** fails the stage of registration that the lint belongs to; a **warning** is better changed; a **note** is
worth knowing. `--deny-warnings` makes warnings count.
";

fn title(stage: LintStage) -> &'static str {
    match stage {
        LintStage::Schema => "Schema",
        LintStage::Permission => "Permission",
        LintStage::Sandbox => "Sandbox",
        LintStage::Security => "Security",
        LintStage::Description => "Description",
    }
}

fn about(stage: LintStage) -> &'static str {
    match stage {
        LintStage::Schema => {
            "What the tool takes and returns, and what it is called. An error ends registration as `invalid_schema`."
        }
        LintStage::Permission => {
            "Whether effects, risk, scopes and approval fit together. An error ends it as `permission_lint_failed`."
        }
        LintStage::Sandbox => {
            "Whether the sandbox fits the effects. An error ends it as `sandbox_lint_failed`."
        }
        LintStage::Security => {
            "What could harm whoever offers the tool to a model. An error ends it as `security_review_required`."
        }
        LintStage::Description => "Whether a model can choose the tool by its words. Never an error.",
    }
}
