//! Where a check puts what it finds.

use super::{Finding, Lint, LintCode, Linted, Subject};
use crate::model::{CommandFaultKind, RequestFaultKind};

/// Collects the findings of one lint.
#[derive(Debug)]
pub struct Report<'r> {
    lint: &'static Lint,
    findings: &'r mut Vec<Finding>,
}

impl<'r> Report<'r> {
    pub(super) fn new(lint: &'static Lint, findings: &'r mut Vec<Finding>) -> Self {
        Self { lint, findings }
    }

    /// Something at a JSON pointer into the descriptor.
    pub fn at(&mut self, subject: &Subject<'_>, pointer: impl Into<String>, message: impl Into<String>) {
        self.push(subject, Linted::Descriptor, pointer.into(), message.into());
    }

    /// Something at a JSON pointer into the definition as it was served.
    pub fn served(&mut self, subject: &Subject<'_>, pointer: impl Into<String>, message: impl Into<String>) {
        self.push(subject, Linted::Definition, pointer.into(), message.into());
    }

    /// Faults of one kind in the tool's command template, if it has one.
    pub fn command_faults(&mut self, subject: &Subject<'_>, kind: CommandFaultKind) {
        let Some(command) = &subject.tool.execution.command else { return };
        for fault in command.faults(&subject.tool.schemas.input_schema) {
            if fault.kind == kind {
                self.at(subject, format!("/execution/command{}", fault.pointer), fault.message);
            }
        }
    }

    /// Faults of one kind in the tool's request template, if it has one.
    pub fn request_faults(&mut self, subject: &Subject<'_>, kind: RequestFaultKind) {
        let Some(request) = &subject.tool.execution.request else { return };
        for fault in request.faults(subject.tool) {
            if fault.kind == kind {
                self.at(subject, format!("/execution/request{}", fault.pointer), fault.message);
            }
        }
    }

    fn push(&mut self, subject: &Subject<'_>, linted: Linted, pointer: String, message: String) {
        let Lint { code, stage, severity, fix, .. } = *self.lint;
        self.findings.push(Finding {
            code: LintCode::new(code),
            stage,
            severity,
            tool: subject.tool.tool_id.clone(),
            linted,
            pointer,
            message,
            hint: fix.to_owned(),
        });
    }
}
