//! A stranger's tool of which nobody knows what it was.

use crate::lint::{Check, Lint, LintStage, Report, Severity, Subject};

pub(super) const LINT: Lint = Lint {
    code: "provenance-missing",
    stage: LintStage::Security,
    severity: Severity::Warning,
    finds: "A tool of a source that is not trusted carries no digest of the definition that was reviewed.",
    why: "A server can serve something else tomorrow under the same name; without a digest nobody notices (anti-pattern 6: \
          calling whatever an MCP server exposes).",
    fix: "state `provenance.manifestHash`, as the normalizer does",
    check: Check::Tool(check),
};

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    let provenance = &subject.tool.provenance;
    if !provenance.trust_level.is_trusted() && provenance.manifest_hash.is_none() {
        report.at(subject, "/provenance", "nothing says which definition was reviewed");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        lint::testing::{check, check_served},
        model::TrustLevel,
    };
    use serde_json::json;

    #[test]
    fn a_stranger_has_a_digest() {
        check(&LINT, |_| {}, &[]);
        check_served(&LINT, json!({ "name": "a", "inputSchema": {} }), &[]);
        check(
            &LINT,
            |t| t.provenance.trust_level = TrustLevel::ThirdParty,
            &["/provenance: nothing says which definition was reviewed"],
        );
    }
}
