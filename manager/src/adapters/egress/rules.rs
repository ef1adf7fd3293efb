//! Which hosts may be reached, as a contract says it: decided on names before they are resolved, and on each address after.

use super::{Refusal, address::special};
use crate::model::{Egress, Host, HostError, HostPattern, NetworkRules};
use std::net::IpAddr;
use thiserror::Error;

/// The rules of one sandbox or request. Denied wins; what no rule allows is refused; private addresses are, whatever
/// the rules say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EgressRules {
    egress: Egress,
    allowed: Vec<HostPattern>,
    denied: Vec<HostPattern>,
}

/// A rule that cannot be kept.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum RuleError {
    /// It names no host.
    #[error(transparent)]
    Host(#[from] HostError),
    /// It allows what is never allowed.
    #[error("`{entry}` cannot be allowed: {why}\nhint: {hint}")]
    Never {
        /// The rule.
        entry: String,
        /// What speaks against it.
        why: String,
        /// What to do.
        hint: &'static str,
    },
    /// Private networks as a whole are to be opened.
    #[error(
        "private networks are never opened as a whole\nhint: name the loopback service, as in `127.0.0.1:8080`"
    )]
    PrivateNetworks,
}

/// On what terms a host may be reached, before its name is resolved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Permit {
    /// At public addresses.
    Public,
    /// On this machine, where a rule names that service.
    Loopback,
}

impl EgressRules {
    /// The rules of a sandbox, less the hosts that its contract denies.
    ///
    /// # Errors
    /// [`RuleError`] for a rule that is no host, allows a private address, or allows so much that nobody can have meant
    /// it: a rule that is not understood would be kept by nobody.
    pub fn of(rules: &NetworkRules, denied: &[String]) -> Result<Self, RuleError> {
        if !rules.deny_private_networks {
            return Err(RuleError::PrivateNetworks);
        }
        let allowed = rules.allow_domains.iter().map(|entry| allowed(entry)).collect::<Result<_, _>>()?;
        let denied = denied.iter().map(|entry| HostPattern::parse(entry)).collect::<Result<_, _>>()?;
        Ok(Self { egress: rules.egress, allowed, denied })
    }

    /// Whether a host may be asked for at all.
    pub(super) fn permit(&self, host: &Host, port: u16) -> Result<Permit, Refusal> {
        if self.denied.iter().any(|pattern| pattern.denies(host, port)) {
            return Err(Refusal::Denied { host: host.to_string(), port });
        }
        let not_allowed = || Refusal::NotAllowed { host: host.to_string(), port };
        let named = self.allowed.iter().find(|pattern| pattern.allows(host, port));
        match (self.egress, named) {
            (Egress::None, _) => Err(Refusal::NoEgress),
            (Egress::Allowlist | Egress::Open, Some(pattern)) if host.is_loopback() => {
                // INVARIANT: what allows loopback names the service by its port, see `allowed`
                pattern.port().map(|_| Permit::Loopback).ok_or_else(not_allowed)
            }
            (Egress::Allowlist | Egress::Open, Some(_)) | (Egress::Open, None) => Ok(Permit::Public),
            (Egress::Allowlist, None) => Err(not_allowed()),
        }
    }

    /// Whether this is an address at which a permitted host may be reached.
    pub(super) fn judge(
        &self,
        host: &Host,
        port: u16,
        permit: Permit,
        address: IpAddr,
    ) -> Result<(), Refusal> {
        let at = Host::of_address(address);
        if self.denied.iter().any(|pattern| pattern.denies(&at, port)) {
            return Err(Refusal::Denied { host: at.to_string(), port });
        }
        match (special(address), permit) {
            (None, Permit::Public) => Ok(()),
            (Some(range), Permit::Loopback) if range.is_loopback() => Ok(()),
            (Some(range), _) => Err(Refusal::Special {
                host: host.to_string(),
                address,
                what: range.what,
                said: range.source,
            }),
            (None, Permit::Loopback) => Err(Refusal::NotAllowed { host: at.to_string(), port }),
        }
    }
}

fn allowed(entry: &str) -> Result<HostPattern, RuleError> {
    let pattern = HostPattern::parse(entry)?;
    let never = |why: String, hint| Err(RuleError::Never { entry: entry.to_owned(), why, hint });
    if pattern.is_too_wide() {
        return never("it is a whole top-level domain".to_owned(), "name the hosts that are needed");
    }
    match pattern.exact() {
        Some(host) if host.is_loopback() && pattern.port().is_none() => never(
            "it is every service of this machine".to_owned(),
            "name the one with its port, as in `127.0.0.1:8080`",
        ),
        Some(Host::Ip(address)) if !address.is_loopback() => match special(*address) {
            Some(range) => never(
                format!("its address is special ({}, {})", range.what, range.source),
                "name a public host",
            ),
            None => Ok(pattern),
        },
        _ => Ok(pattern),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(egress: Egress, allowed: &[&str], denied: &[&str]) -> Result<EgressRules, RuleError> {
        let owned = |texts: &[&str]| texts.iter().map(|t| (*t).to_owned()).collect::<Vec<_>>();
        let network = NetworkRules { egress, allow_domains: owned(allowed), deny_private_networks: true };
        EgressRules::of(&network, &owned(denied))
    }

    /// Whether `HOST:PORT` may be reached at an address.
    fn may(rules: &EgressRules, host: &str, at: &str) -> bool {
        let (host, port) = Host::with_port(host).unwrap();
        let port = port.unwrap_or(443);
        let permit = rules.permit(&host, port);
        permit.and_then(|permit| rules.judge(&host, port, permit, at.parse().unwrap())).is_ok()
    }

    #[test]
    fn what_is_allowed_and_where_it_may_be() {
        let listed = rules(
            Egress::Allowlist,
            &[
                "example.com",
                "*.example.org",
                "git.example:22",
                "127.0.0.1:8080",
                "localhost:9090",
                "[::1]:7070",
            ],
            &["secret.example.org", "93.184.216.99"],
        )
        .unwrap();
        let rows: [(&str, &str, bool); 21] = [
            ("example.com", "93.184.216.34", true),
            ("EXAMPLE.com.:80", "93.184.216.34", true),
            ("example.com:22", "93.184.216.34", false),
            ("git.example:22", "93.184.216.34", true),
            ("example.net", "93.184.216.34", false),
            ("a.example.org", "93.184.216.34", true),
            ("example.org", "93.184.216.34", false),
            // denied wins, by name and by address
            ("secret.example.org", "93.184.216.34", false),
            ("SECRET.example.org.", "93.184.216.34", false),
            ("example.com", "93.184.216.99", false),
            ("example.com", "::ffff:93.184.216.99", false),
            // a name that is allowed, with an address that is not
            ("example.com", "10.0.0.1", false),
            ("example.com", "127.0.0.1", false),
            ("example.com", "64:ff9b::a9fe:a9fe", false),
            // loopback, only as it is named
            ("127.0.0.1:8080", "127.0.0.1", true),
            ("2130706433:8080", "127.0.0.1", true),
            ("127.0.0.1:8081", "127.0.0.1", false),
            ("localhost:9090", "::1", true),
            ("localhost:9090", "93.184.216.34", false),
            ("localhost:8080", "127.0.0.1", false),
            ("[::1]:7070", "::1", true),
        ];
        for (host, at, expected) in rows {
            assert_eq!(may(&listed, host, at), expected, "{host} at {at}");
        }
    }

    #[test]
    fn an_open_egress_is_open_to_public_hosts_that_are_not_denied() {
        let open = rules(Egress::Open, &["127.0.0.1:8080"], &["*.internal", "169.254.169.254"]).unwrap();
        for (host, at, expected) in [
            ("example.com", "93.184.216.34", true),
            ("example.com:2222", "93.184.216.34", true),
            ("db.internal", "93.184.216.34", false),
            ("example.com", "192.168.0.1", false),
            ("169.254.169.254:80", "169.254.169.254", false),
            ("localhost:80", "127.0.0.1", false),
            ("127.0.0.1:8080", "127.0.0.1", true),
        ] {
            assert_eq!(may(&open, host, at), expected, "{host} at {at}");
        }
    }

    #[test]
    fn no_list_and_no_egress_are_nothing() {
        for (egress, allowed) in [(Egress::Allowlist, &[][..]), (Egress::None, &["example.com"][..])] {
            let rules = rules(egress, allowed, &[]).unwrap();
            for host in ["example.com", "93.184.216.34", "127.0.0.1:80"] {
                let at = if host.starts_with("127") { "127.0.0.1" } else { "93.184.216.34" };
                assert!(!may(&rules, host, at), "{egress:?} {host}");
            }
        }
    }

    #[test]
    fn a_rule_that_nobody_can_mean_is_refused() {
        for entry in [
            "*",
            "*.com",
            "10.0.0.5",
            "10.0.0.5:80",
            "0x0a000005",
            "169.254.169.254",
            "127.0.0.1",
            "localhost",
            "[::1]",
            "[fd00::1]:80",
            "::ffff:192.168.0.1",
            "https://example.com",
            "fe80::1%eth0",
            "",
        ] {
            assert!(rules(Egress::Allowlist, &[entry], &[]).is_err(), "{entry}");
        }
        assert!(rules(Egress::Allowlist, &["example.com"], &["*.local", "10.0.0.1", "localhost"]).is_ok());
        assert!(rules(Egress::Allowlist, &["example.com"], &["not a host"]).is_err());
        let opened =
            NetworkRules { egress: Egress::Open, allow_domains: vec![], deny_private_networks: false };
        assert_eq!(EgressRules::of(&opened, &[]), Err(RuleError::PrivateNetworks));
    }
}
