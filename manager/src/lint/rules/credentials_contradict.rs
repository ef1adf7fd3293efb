//! Secrets that nobody is said to use.

use crate::{
    lint::{Check, Lint, LintStage, Report, Severity, Subject},
    model::CredentialStrategy,
};

pub(super) const LINT: Lint = Lint {
    code: "credentials-contradict",
    stage: LintStage::Security,
    severity: Severity::Error,
    finds: "`credentials.strategy` is `none` and secrets are required, or a user's rights are used and not checked.",
    why: "The first makes a tool find its secrets by itself; the second lets a call use rights that its scopes do not name.",
    fix: "state the strategy under which the secrets are bound, and `scopeCheckRequired: true` where a user's are",
    check: Check::Tool(check),
};

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    let credentials = &subject.tool.credentials;
    match credentials.strategy {
        CredentialStrategy::None if !credentials.required_secrets.is_empty() => {
            let message =
                format!("`{}` is required, and no credentials are used", credentials.required_secrets[0]);
            report.at(subject, "/credentials/strategy", message);
        }
        CredentialStrategy::UserOauth | CredentialStrategy::Delegated
            if !credentials.scope_check_required =>
        {
            let message = "a user's rights are used, and their scopes are not checked";
            report.at(subject, "/credentials/scopeCheckRequired", message);
        }
        CredentialStrategy::None
        | CredentialStrategy::System
        | CredentialStrategy::UserOauth
        | CredentialStrategy::ServiceAccount
        | CredentialStrategy::Delegated => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::check;

    #[test]
    fn secrets_are_bound_by_somebody() {
        check(&LINT, |_| {}, &[]);
        check(
            &LINT,
            |t| t.credentials.required_secrets = vec!["TOKEN".into()],
            &["/credentials/strategy: `TOKEN` is required, and no credentials are used"],
        );
        check(
            &LINT,
            |t| t.credentials.strategy = CredentialStrategy::UserOauth,
            &["/credentials/scopeCheckRequired: a user's rights are used, and their scopes are not checked"],
        );
    }
}
