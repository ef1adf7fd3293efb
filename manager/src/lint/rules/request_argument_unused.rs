//! An argument that no request carries.

use crate::{
    lint::{Check, Lint, LintStage, Report, Severity, Subject},
    model::RequestFaultKind,
};

pub(super) const LINT: Lint = Lint {
    code: "request-argument-unused",
    stage: LintStage::Sandbox,
    severity: Severity::Warning,
    finds: "No part of `execution.request` uses an argument that the input schema has.",
    why: "The model believes that it has said something; the host never hears of it.",
    fix: "use the argument in `path`, `query`, `headers` or `body`, or take it out of the schema",
    check: Check::Tool(check),
};

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    report.request_faults(subject, RequestFaultKind::Unused);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{lint::testing::check, model::testing::requesting};
    use serde_json::json;

    #[test]
    fn every_argument_reaches_the_host() {
        let with = |path: &str| json!({ "method": "GET", "baseUrl": "https://api.example", "path": path });
        check(&LINT, |tool| *tool = requesting("file.read", with("/{id}")), &[]);
        check(
            &LINT,
            |tool| *tool = requesting("file.read", with("/")),
            &["/execution/request: nothing is made of the argument `id`"],
        );
    }
}
