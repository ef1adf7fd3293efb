//! A network that does not fit what the tool says of itself.

use crate::{
    lint::{Check, Lint, LintStage, Report, Severity, Subject},
    model::{Egress, SandboxMode},
};

pub(super) const LINT: Lint = Lint {
    code: "sandbox-contradicts-network",
    stage: LintStage::Sandbox,
    severity: Severity::Error,
    finds: "`externalCalls` is true and nothing can be reached, or it is false and the network is open.",
    why: "The first fails at every call; the second leaves a way out for data that the tool claims never to send.",
    fix: "make `sandbox.network` fit `effects.externalCalls`; an allowlist names the hosts that are needed",
    check: Check::Tool(check),
};

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    let (external, sandbox) = (subject.tool.effects.external_calls, &subject.tool.sandbox);
    let egress = sandbox.network.as_ref().map(|network| network.egress_policy);
    let closed_mode = matches!(sandbox.mode, SandboxMode::ReadOnly | SandboxMode::WorkspaceWrite);
    if external && egress == Some(Egress::None) {
        report.at(subject, "/sandbox/network/egressPolicy", "the tool calls outside, and egress is `none`");
    } else if external && closed_mode {
        report.at(subject, "/sandbox/mode", "the tool calls outside, and the mode has no network");
    } else if !external && egress.is_some_and(|egress| egress != Egress::None) {
        let message = "the tool calls nothing outside, and egress is not `none`";
        report.at(subject, "/sandbox/network/egressPolicy", message);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        lint::testing::check,
        model::{NetworkLimits, ToolDescriptor},
    };

    #[test]
    fn the_network_fits_the_effects() {
        let of = |external, mode, egress: Option<Egress>| {
            move |t: &mut ToolDescriptor| {
                t.effects.external_calls = external;
                t.sandbox.mode = mode;
                t.sandbox.network = egress.map(|egress_policy| NetworkLimits {
                    allow_domains: Vec::new(),
                    deny_domains: Vec::new(),
                    egress_policy,
                });
            }
        };
        use {Egress as E, SandboxMode as M};
        check(&LINT, of(false, M::ReadOnly, None), &[]);
        check(&LINT, of(true, M::RemoteApi, Some(E::Allowlist)), &[]);
        check(&LINT, of(true, M::RemoteApi, None), &[]);
        for (change, told) in [
            (
                of(true, M::Container, Some(E::None)),
                "network/egressPolicy: the tool calls outside, and egress is `none`",
            ),
            (of(true, M::ReadOnly, None), "mode: the tool calls outside, and the mode has no network"),
            (
                of(false, M::Container, Some(E::Open)),
                "network/egressPolicy: the tool calls nothing outside, and egress is not `none`",
            ),
        ] {
            check(&LINT, change, &[&format!("/sandbox/{told}")]);
        }
    }
}
