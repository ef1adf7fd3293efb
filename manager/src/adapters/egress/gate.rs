//! The one way out: a host is judged, its name resolved here, each address judged, and a connection made to exactly
//! such an address. Nobody resolves a second time, so there is no second answer (DNS rebinding).

use super::EgressRules;
use crate::{
    model::{Host, HostError},
    port::Resolver,
};
use std::{
    fmt,
    net::{IpAddr, SocketAddr, TcpStream},
    sync::Arc,
    time::{Duration, Instant},
};
use thiserror::Error;

/// So many addresses of one name are tried.
const MOST_ADDRESSES: usize = 16;

/// Rules, with a resolver; clones are the same gate.
#[derive(Clone)]
pub struct Gate {
    rules: Arc<EgressRules>,
    resolver: Arc<dyn Resolver>,
}

impl fmt::Debug for Gate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Gate").field("rules", &self.rules).finish_non_exhaustive()
    }
}

/// Why a host is not reached.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[expect(missing_docs, reason = "the messages say it")]
pub enum Refusal {
    #[error(transparent)]
    Host(#[from] HostError),
    #[error("nothing may be reached from here")]
    NoEgress,
    #[error("`{host}:{port}` is not among the hosts that may be reached")]
    NotAllowed { host: String, port: u16 },
    #[error("`{host}:{port}` is denied")]
    Denied { host: String, port: u16 },
    #[error("`{host}` is at {address}, which is special ({what}, {said})")]
    Special { host: String, address: IpAddr, what: &'static str, said: &'static str },
    #[error("the name `{host}` is not resolved: {why}")]
    Unresolved { host: String, why: String },
    #[error("`{host}:{port}` does not answer: {why}")]
    Unreachable { host: String, port: u16, why: String },
}

impl Refusal {
    /// Whether a rule says no; otherwise the network does, and may say yes another time.
    pub fn is_rule(&self) -> bool {
        !matches!(self, Self::Unresolved { .. } | Self::Unreachable { .. })
    }
}

impl Gate {
    /// With these rules and this resolver.
    pub fn new(rules: EgressRules, resolver: Arc<dyn Resolver>) -> Self {
        Self { rules: Arc::new(rules), resolver }
    }

    /// Where a host may be reached: each address has been judged, and there is one at least.
    ///
    /// # Errors
    /// [`Refusal`] where a rule says no, also for a single one of its addresses: a name that has a private address
    /// beside a public one is made by somebody who wants in. Nothing is resolved that no rule allows.
    pub fn addresses(&self, host: &str, port: u16, deadline: Instant) -> Result<Vec<SocketAddr>, Refusal> {
        self.addresses_of(&Host::parse(host)?, port, deadline)
    }

    pub(crate) fn addresses_of(
        &self,
        host: &Host,
        port: u16,
        deadline: Instant,
    ) -> Result<Vec<SocketAddr>, Refusal> {
        let permit = self.rules.permit(host, port)?;
        let unresolved = |why: String| Refusal::Unresolved { host: host.to_string(), why };
        let mut addresses = match (host.own_addresses(), host) {
            (Some(own), _) => own,
            (None, Host::Name(name)) => {
                self.resolver.resolve(name, deadline).map_err(|error| unresolved(error.to_string()))?
            }
            (None, Host::Ip(address)) => vec![*address],
        };
        for address in &addresses {
            self.rules.judge(host, port, permit, *address)?;
        }
        if addresses.is_empty() {
            return Err(unresolved("it has no address".to_owned()));
        }
        addresses.truncate(MOST_ADDRESSES);
        Ok(addresses.into_iter().map(|address| SocketAddr::new(address, port)).collect())
    }

    /// Connects to a host, at an address that was judged.
    ///
    /// # Errors
    /// [`Refusal`] as for [`addresses`](Self::addresses), or if none of them answers before the deadline.
    pub fn connect(&self, host: &str, port: u16, deadline: Instant) -> Result<TcpStream, Refusal> {
        self.connect_to(&Host::parse(host)?, port, deadline)
    }

    pub(crate) fn connect_to(&self, host: &Host, port: u16, deadline: Instant) -> Result<TcpStream, Refusal> {
        let mut why = "there was no time left".to_owned();
        for address in self.addresses_of(host, port, deadline)? {
            let left = deadline.saturating_duration_since(Instant::now());
            if left < Duration::from_millis(1) {
                break;
            }
            match TcpStream::connect_timeout(&address, left) {
                Ok(stream) => return Ok(stream),
                Err(error) => why = error.to_string(),
            }
        }
        Err(Refusal::Unreachable { host: host.to_string(), port, why })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::adapters::egress::testing::{Answers, gate, soon};
    use std::net::TcpListener;

    #[test]
    fn rebinding_finds_the_address_that_was_judged() {
        // the second answer would be loopback; nobody asks for it
        let answers = Answers::of(&[("example.com", &["93.184.216.34"]), ("example.com", &["127.0.0.1"])]);
        let gate = gate(&["example.com"], &answers);
        let addresses = gate.addresses("example.com", 443, soon()).unwrap();
        assert_eq!(addresses, ["93.184.216.34:443".parse().unwrap()]);
        let second = gate.addresses("example.com", 443, soon()).unwrap_err();
        assert!(matches!(second, Refusal::Special { what: "loopback", .. }), "{second}");
        assert_eq!(answers.asked(), ["example.com", "example.com"]);
    }

    #[test]
    fn one_private_address_among_many_refuses_the_name() {
        for private in
            ["10.0.0.1", "169.254.169.254", "::1", "fd00::1", "::ffff:192.168.0.1", "64:ff9b::a00:1"]
        {
            let answers = Answers::of(&[("example.com", &["93.184.216.34", private])]);
            let refused = gate(&["example.com"], &answers).connect("example.com", 443, soon()).unwrap_err();
            assert!(matches!(refused, Refusal::Special { .. }), "{private}: {refused}");
        }
    }

    #[test]
    fn nothing_is_resolved_that_no_rule_allows() {
        let answers = Answers::of(&[]);
        for (allowed, host) in [
            (&[][..], "example.com"),
            (&["example.com"], "c2VjcmV0.evil.net"),
            (&["example.com"], "c2VjcmV0.example.com"),
            (&["example.com"], "169.254.169.254"),
            (&["example.com"], "0xa9fea9fe"),
        ] {
            let refused = gate(allowed, &answers).connect(host, 443, soon()).unwrap_err();
            assert!(matches!(refused, Refusal::NotAllowed { .. }), "{host}: {refused}");
        }
        assert_eq!(answers.asked(), [""; 0]);
    }

    #[test]
    fn a_service_of_this_machine_is_reached_where_it_is_named() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        for host in ["127.0.0.1", "localhost"] {
            let allowed = format!("{host}:{port}");
            let gate = gate(&[&allowed], &Answers::of(&[]));
            assert_eq!(gate.connect(host, port, soon()).unwrap().peer_addr().unwrap().port(), port);
            listener.accept().unwrap();
        }
        let answers = Answers::of(&[("example.com", &["127.0.0.1"])]);
        let allowed = [format!("example.com:{port}"), format!("127.0.0.1:{port}")];
        let refused =
            gate(&[&allowed[0], &allowed[1]], &answers).connect("example.com", port, soon()).unwrap_err();
        assert!(matches!(refused, Refusal::Special { what: "loopback", .. }), "{refused}");
    }

    #[test]
    fn what_does_not_answer_is_no_rule() {
        let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let allowed = free.to_string();
        let gone =
            gate(&[&allowed], &Answers::of(&[])).connect("127.0.0.1", free.port(), soon()).unwrap_err();
        assert!(!gone.is_rule(), "{gone}");
        let unknown =
            gate(&["example.com"], &Answers::of(&[])).connect("example.com", 443, soon()).unwrap_err();
        assert!(matches!(unknown, Refusal::Unresolved { .. }), "{unknown}");
        let late = gate(&[&allowed], &Answers::of(&[]))
            .connect("127.0.0.1", free.port(), Instant::now())
            .unwrap_err();
        assert!(late.to_string().contains("no time left"), "{late}");
    }
}
