//! A template that makes no request.

use crate::{
    lint::{Check, Lint, LintStage, Report, Severity, Subject},
    model::RequestFaultKind,
};

pub(super) const LINT: Lint = Lint {
    code: "request-unusable",
    stage: LintStage::Sandbox,
    severity: Severity::Error,
    finds: "`execution.request` goes to a host that the tool may not reach, sets a header that is not its own, or names an argument that cannot stand there.",
    why: "Such a tool is refused at every call; and a header that says who asks is never a contract's or a model's.",
    fix: "name the host in `sandbox.network.allowDomains`, arguments by what the input schema says of them, and leave credentials to the broker",
    check: Check::Tool(check),
};

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    report.request_faults(subject, RequestFaultKind::Unusable);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        lint::testing::check,
        model::{ToolDescriptor, testing::requesting},
    };
    use serde_json::{Value, json};

    fn with(request: Value) -> impl FnOnce(&mut ToolDescriptor) {
        |tool| *tool = requesting("file.read", request)
    }

    #[test]
    fn a_request_goes_where_the_tool_may_go() {
        let good = json!({ "method": "GET", "baseUrl": "https://api.example", "path": "/{id}" });
        check(&LINT, with(good), &[]);
        check(
            &LINT,
            with(json!({ "method": "GET", "baseUrl": "https://evil.example", "path": "/{id}" })),
            &["/execution/request/baseUrl: `evil.example:443` is not among the tool's `allowDomains`"],
        );
    }
}
