//! §10: lints, which say what is wrong with a tool before anybody may call it.
//!
//! A lint is one file in [`rules`], which says what it finds, why that matters and what to do, holds its
//! check and shows in its tests a tool that it finds and one that it does not; and one line in
//! [`rules::ALL`]. Most lints look at one tool ([`lint_tool`]); a few compare it with its neighbours
//! ([`lint_registry`]).
//!
//! A tool is judged by its canonical descriptor. What somebody *stated* and what a normalizer *inferred*
//! (`provenance.inferred`) are told apart: an inference contradicts nobody. What a source served beside that,
//! such as MCP's annotations, can be given as well, and lints on it say that they point into the definition.
//!
//! Only an [`Error`](Severity::Error) fails a stage of registration. Everything here is a function of its
//! arguments: no files, no clock, no model.

mod page;
mod report;
pub mod rules;
mod subject;
mod subschema;
#[cfg(test)]
pub(crate) mod testing;
mod text;

pub use crate::model::{Finding, LintCode, LintStage, Linted, Severity};
pub use page::{explain, page};
pub use report::Report;
pub use subject::Subject;
pub use subschema::Subschema;

use crate::model::ToolDescriptor;
use serde_json::{Map, Value};

/// One thing that can be wrong.
#[derive(Debug)]
pub struct Lint {
    /// Its stable name in kebab case.
    pub code: &'static str,
    /// The step of registration that it belongs to.
    pub stage: LintStage,
    /// How much a finding weighs.
    pub severity: Severity,
    /// What it finds, in a sentence.
    pub finds: &'static str,
    /// Why that matters.
    pub why: &'static str,
    /// What to do about it.
    pub fix: &'static str,
    /// How it looks.
    pub check: Check,
}

/// What a lint looks at.
#[derive(Debug, Clone, Copy)]
pub enum Check {
    /// One tool.
    Tool(fn(&Subject<'_>, &mut Report<'_>)),
    /// All tools that are known, together.
    Registry(fn(&[Subject<'_>], &mut Report<'_>)),
}

impl Lint {
    /// The lint of that code.
    pub fn named(code: &str) -> Option<&'static Self> {
        rules::ALL.iter().copied().find(|lint| lint.code == code)
    }
}

/// What is wrong with one tool.
///
/// `served` is the definition as its source served it, or those of its fields that the descriptor does not
/// hold ([`Discovered::served`](crate::port::Discovered::served)).
pub fn lint_tool(tool: &ToolDescriptor, served: Option<&Map<String, Value>>) -> Vec<Finding> {
    let (subject, mut findings) = (Subject::new(tool, served), Vec::new());
    for lint in rules::ALL {
        if let Check::Tool(check) = lint.check {
            check(&subject, &mut Report::new(lint, &mut findings));
        }
    }
    findings
}

/// What is wrong with tools as neighbours of each other: the ones that one registry holds.
pub fn lint_registry(tools: &[&ToolDescriptor]) -> Vec<Finding> {
    let subjects: Vec<_> = tools.iter().map(|tool| Subject::new(tool, None)).collect();
    let mut findings = Vec::new();
    for lint in rules::ALL {
        if let Check::Registry(check) = lint.check {
            check(&subjects, &mut Report::new(lint, &mut findings));
        }
    }
    findings
}

#[cfg(test)]
mod tests;
