//! A network without a border.

use crate::{
    lint::{Check, Lint, LintStage, Report, Severity, Subject},
    model::Egress,
};

pub(super) const LINT: Lint = Lint {
    code: "sandbox-egress-open",
    stage: LintStage::Sandbox,
    severity: Severity::Warning,
    finds: "Every host can be reached by a tool that sends user data or whose partners are known.",
    why: "Whatever the tool has read can be carried anywhere; an open network is for fetching what nobody can list.",
    fix: "set `egressPolicy: allowlist` and name the hosts in `allowDomains`",
    check: Check::Tool(check),
};

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    let tool = subject.tool;
    let Some(network) = &tool.sandbox.network else { return };
    let anywhere = network.allow_domains.iter().any(|domain| matches!(domain.as_str(), "*" | "**" | "*.*"));
    let open = match network.egress_policy {
        Egress::Open => true,
        Egress::Allowlist => anywhere,
        Egress::None => false,
    };
    if open && tool.effects.sends_user_data {
        report.at(subject, "/sandbox/network", "the tool sends user data and reaches every host");
    } else if open && !tool.risk.open_world {
        report.at(subject, "/sandbox/network", "the tool reaches every host, and `openWorld` is false");
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
    fn the_network_has_a_border() {
        let of = |open_world, sends, domain: &'static str, egress_policy| {
            move |t: &mut ToolDescriptor| {
                t.risk.open_world = open_world;
                t.effects.sends_user_data = sends;
                let allow_domains = vec![domain.to_owned()];
                t.sandbox.network =
                    Some(NetworkLimits { allow_domains, deny_domains: Vec::new(), egress_policy });
            }
        };
        check(&LINT, of(true, false, "a.example", Egress::Open), &[]);
        check(&LINT, of(false, true, "a.example", Egress::Allowlist), &[]);
        check(
            &LINT,
            of(false, false, "*", Egress::Allowlist),
            &["/sandbox/network: the tool reaches every host, and `openWorld` is false"],
        );
        check(
            &LINT,
            of(true, true, "a.example", Egress::Open),
            &["/sandbox/network: the tool sends user data and reaches every host"],
        );
    }
}
