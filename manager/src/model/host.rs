//! What a host on the network *is*: one canonical form for every spelling, and patterns over it.
//!
//! Absent: addresses that names resolve to, and which of them may be reached.

use std::{
    fmt,
    net::{IpAddr, Ipv4Addr, Ipv6Addr},
};
use thiserror::Error;

/// The ports that a pattern without one means: those of the web.
const WEB: [u16; 2] = [80, 443];
/// RFC 1035, 2.3.4, less the root's own label.
const MOST_NAME: usize = 253;
const MOST_LABEL: usize = 63;

/// A host in its canonical form: two spellings of the same host are equal.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Host {
    /// A name: lower case, in punycode, without the root's dot.
    Name(String),
    /// An address. An IPv4 address that is mapped into IPv6 is the IPv4 address.
    Ip(IpAddr),
}

/// A text that is no host.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("`{text}` is no host: {why}")]
pub struct HostError {
    text: String,
    why: String,
}

impl HostError {
    fn new(text: &str, why: impl Into<String>) -> Self {
        Self { text: crate::text::line(text, 100), why: why.into() }
    }
}

impl Host {
    /// Reads a host as every client would: `EXAMPLE.com.`, `2130706433`, `0x7f.1`, `[::1]`, `bücher.example`.
    ///
    /// Names follow UTS 46 and the number forms of IPv4 the WHATWG URL standard (3.5, "ends in a number").
    ///
    /// # Errors
    /// [`HostError`] for anything else, for an address with a zone, which is of one link only, and for a percent sign,
    /// which some clients decode and others do not.
    pub fn parse(text: &str) -> Result<Self, HostError> {
        let no = |why: &str| HostError::new(text, why);
        if text.contains('%') {
            return Err(no("a zone or an escape has no place in it"));
        }
        if let Ok(address) = text.parse::<Ipv6Addr>() {
            return Ok(Self::of_address(address.into()));
        }
        match url::Host::parse(text).map_err(|e| no(&e.to_string()))? {
            url::Host::Ipv4(address) => Ok(Self::of_address(address.into())),
            url::Host::Ipv6(address) => Ok(Self::of_address(address.into())),
            url::Host::Domain(name) => {
                let name = name.strip_suffix('.').unwrap_or(&name);
                check_name(name).map_err(no)?;
                Ok(Self::Name(name.to_owned()))
            }
        }
    }

    /// Reads `HOST` or `HOST:PORT`; an IPv6 address with a port stands in brackets.
    ///
    /// # Errors
    /// [`HostError`] if either is none.
    pub fn with_port(text: &str) -> Result<(Self, Option<u16>), HostError> {
        let bare = text.parse::<Ipv6Addr>().is_ok() || (text.starts_with('[') && text.ends_with(']'));
        match text.rsplit_once(':') {
            Some((host, port)) if !bare => {
                let number = (!port.is_empty() && port.bytes().all(|b| b.is_ascii_digit()))
                    .then(|| port.parse::<u16>().ok())
                    .flatten();
                let port = number.filter(|port| *port != 0);
                let port = port.ok_or_else(|| HostError::new(text, "its port is none of 1 to 65535"))?;
                if host.contains(':') && !host.starts_with('[') {
                    return Err(HostError::new(text, "an IPv6 address with a port stands in brackets"));
                }
                Ok((Self::parse(host)?, Some(port)))
            }
            _ => Ok((Self::parse(text)?, None)),
        }
    }

    /// The host and port that a credential is meant for: `https://api.example.com`, or the host alone, with TLS.
    ///
    /// `None` for a text that names none: what is meant for nobody goes to nobody.
    pub fn of_audience(text: &str) -> Option<(Self, u16)> {
        match text.contains("://") {
            true => {
                let url = url::Url::parse(text).ok()?;
                Some((Self::parse(url.host_str()?).ok()?, url.port_or_known_default()?))
            }
            false => Self::with_port(text).ok().map(|(host, port)| (host, port.unwrap_or(443))),
        }
    }

    /// The host at this address.
    pub fn of_address(address: IpAddr) -> Self {
        Self::Ip(address.to_canonical())
    }

    /// Whether it is this machine and nothing else: a loopback address, or the name that means one (RFC 6761, 6.3).
    pub fn is_loopback(&self) -> bool {
        match self {
            Self::Name(name) => name == "localhost",
            Self::Ip(address) => address.is_loopback(),
        }
    }

    /// The addresses that need no resolver: its own, or for `localhost` those of loopback.
    pub fn own_addresses(&self) -> Option<Vec<IpAddr>> {
        match self {
            Self::Ip(address) => Some(vec![*address]),
            Self::Name(name) if name == "localhost" => {
                Some(vec![Ipv4Addr::LOCALHOST.into(), Ipv6Addr::LOCALHOST.into()])
            }
            Self::Name(_) => None,
        }
    }
}

fn check_name(name: &str) -> Result<(), &'static str> {
    let usual = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-' || b == b'_';
    if name.len() > MOST_NAME {
        return Err("it is longer than a name can be");
    }
    for label in name.split('.') {
        if label.is_empty() || label.len() > MOST_LABEL {
            return Err("a part of it is empty or too long");
        }
        if !label.bytes().all(usual) {
            return Err("it holds a character that no name has");
        }
    }
    Ok(())
}

impl fmt::Display for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => f.write_str(name),
            Self::Ip(IpAddr::V4(address)) => address.fmt(f),
            Self::Ip(IpAddr::V6(address)) => write!(f, "[{address}]"),
        }
    }
}

/// Hosts as a contract names them: `example.com`, `*.example.com`, `127.0.0.1:8080`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostPattern {
    reach: Reach,
    port: Option<u16>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Reach {
    /// This host.
    Exactly(Host),
    /// Everything below this name, by one label or more, and not the name itself.
    Below(String),
}

impl HostPattern {
    /// Reads `HOST`, `*.NAME`, and either with `:PORT`.
    ///
    /// # Errors
    /// [`HostError`] for anything else, such as a URL or a bare `*`.
    pub fn parse(text: &str) -> Result<Self, HostError> {
        let (below, rest) = text.strip_prefix("*.").map_or((false, text), |rest| (true, rest));
        let (host, port) = Host::with_port(rest)
            .map_err(|e| HostError::new(text, format!("{}\nhint: name a host, or `*.` and a name", e.why)))?;
        let reach = match (below, host) {
            (false, host) => Reach::Exactly(host),
            (true, Host::Name(name)) => Reach::Below(name),
            (true, Host::Ip(_)) => return Err(HostError::new(text, "nothing is below an address")),
        };
        Ok(Self { reach, port })
    }

    /// Whether it allows this host on this port. A pattern without a port means the web's, 80 and 443.
    pub fn allows(&self, host: &Host, port: u16) -> bool {
        self.reaches(host) && self.port.map_or(WEB.contains(&port), |own| own == port)
    }

    /// Whether it denies this host on this port. A pattern without a port means all of them.
    pub fn denies(&self, host: &Host, port: u16) -> bool {
        self.reaches(host) && self.port.is_none_or(|own| own == port)
    }

    /// The one host that it names; `None` for a pattern of many.
    pub fn exact(&self) -> Option<&Host> {
        match &self.reach {
            Reach::Exactly(host) => Some(host),
            Reach::Below(_) => None,
        }
    }

    /// The port that it names.
    pub fn port(&self) -> Option<u16> {
        self.port
    }

    /// Whether it means everything below a top-level name, such as `*.com`.
    pub fn is_too_wide(&self) -> bool {
        matches!(&self.reach, Reach::Below(name) if !name.contains('.'))
    }

    fn reaches(&self, host: &Host) -> bool {
        match (&self.reach, host) {
            (Reach::Exactly(own), host) => own == host,
            // on whole labels: `evil-example.com` is not below `example.com`
            (Reach::Below(name), Host::Name(host)) => host
                .strip_suffix(name.as_str())
                .and_then(|rest| rest.strip_suffix('.'))
                .is_some_and(|l| !l.is_empty()),
            (Reach::Below(_), Host::Ip(_)) => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn shown(text: &str) -> Result<String, String> {
        Host::parse(text).map(|host| host.to_string()).map_err(|e| e.why)
    }

    #[test]
    fn every_spelling_has_one_form() {
        for (text, form) in [
            ("example.com", "example.com"),
            ("EXAMPLE.Com.", "example.com"),
            ("bücher.example", "xn--bcher-kva.example"),
            ("XN--BCHER-KVA.example", "xn--bcher-kva.example"),
            ("ｅｘａｍｐｌｅ.com", "example.com"),
            ("example。com", "example.com"),
            ("exam\u{ad}ple.com", "example.com"),
            ("a_b.example", "a_b.example"),
            ("127.0.0.1", "127.0.0.1"),
            ("127.0.0.1.", "127.0.0.1"),
            ("127.1", "127.0.0.1"),
            ("0x7f.1", "127.0.0.1"),
            ("0x", "0.0.0.0"),
            ("0177.0.0.01", "127.0.0.1"),
            ("2130706433", "127.0.0.1"),
            ("0x7f000001", "127.0.0.1"),
            ("１２７.０.０.１", "127.0.0.1"),
            ("2852039166", "169.254.169.254"),
            ("::1", "[::1]"),
            ("[0:0::1]", "[::1]"),
            ("::ffff:10.0.0.1", "10.0.0.1"),
            ("[::FFFF:0a00:0001]", "10.0.0.1"),
        ] {
            assert_eq!(shown(text).as_deref(), Ok(form), "{text}");
        }
    }

    #[test]
    fn what_is_no_host_is_refused() {
        let long = format!("{}.com", "a".repeat(64));
        let longer = format!("{}com", "abcdefg.".repeat(40));
        for text in [
            "",
            ".",
            "..",
            "a..b",
            ".a",
            "a b",
            "a/b",
            "a?b",
            "a#b",
            "a@b",
            "a:80",
            "a\\b",
            "a\0b",
            "a\nb",
            "http://a",
            "%31%30.0.0.1",
            "fe80::1%eth0",
            "[fe80::1%25eth0]",
            "[::1",
            "::1]",
            "256.0.0.1",
            "1.2.3.4.5",
            "09.0.0.1",
            "4294967296",
            "xn--a",
            "*.a",
            &long,
            &longer,
        ] {
            assert!(Host::parse(text).is_err(), "{text:?} is {:?}", Host::parse(text));
        }
    }

    #[test]
    fn a_port_is_a_number_after_the_host() {
        for (text, expected) in [
            ("a.b:443", Some(("a.b", Some(443)))),
            ("a.b", Some(("a.b", None))),
            ("[::1]:80", Some(("[::1]", Some(80)))),
            ("[::1]", Some(("[::1]", None))),
            ("::1", Some(("[::1]", None))),
            // an address, and no port
            ("::1:80", Some(("[::1:80]", None))),
            ("1:2", Some(("0.0.0.1", Some(2)))),
            ("a.b:", None),
            ("a.b:0", None),
            ("a.b:65536", None),
            ("a.b:+80", None),
            ("a.b:80:90", None),
            (":80", None),
        ] {
            let got = Host::with_port(text).ok().map(|(host, port)| (host.to_string(), port));
            assert_eq!(got, expected.map(|(h, p)| (h.to_owned(), p)), "{text}");
        }
    }

    #[test]
    fn patterns_match_whole_labels_of_the_canonical_form() {
        let rows: [(&str, &str, u16, bool); 22] = [
            ("example.com", "example.com", 443, true),
            ("example.com", "example.com", 80, true),
            ("example.com", "example.com", 22, false),
            ("example.com:22", "example.com", 22, true),
            ("example.com:22", "example.com", 443, false),
            ("EXAMPLE.com.", "example.COM", 443, true),
            ("example.com", "www.example.com", 443, false),
            ("example.com", "evil-example.com", 443, false),
            ("*.example.com", "www.example.com", 443, true),
            ("*.example.com", "a.b.example.com.", 443, true),
            ("*.example.com", "example.com", 443, false),
            ("*.example.com", "evil-example.com", 443, false),
            ("*.example.com", "example.com.evil.net", 443, false),
            ("*.example.com", "evilexample.com", 443, false),
            ("*.bücher.example", "a.xn--bcher-kva.example", 443, true),
            // Cyrillic look-alikes are other names
            ("example.com", "ехample.com", 443, false),
            ("127.0.0.1:80", "2130706433", 80, true),
            ("127.0.0.1:80", "localhost", 80, false),
            ("93.184.216.34", "::ffff:93.184.216.34", 443, true),
            ("*.example.com", "93.184.216.34", 443, false),
            ("[2606:4700::1]:8443", "2606:4700:0:0::1", 8443, true),
            ("*.example.com:8443", "a.example.com", 443, false),
        ];
        for (pattern, host, port, allowed) in rows {
            let pattern = HostPattern::parse(pattern).unwrap();
            let host = Host::parse(host).unwrap();
            assert_eq!(pattern.allows(&host, port), allowed, "{pattern:?} {host}:{port}");
        }
        let all_ports = HostPattern::parse("example.com").unwrap();
        assert!(all_ports.denies(&Host::parse("example.com").unwrap(), 22));
    }

    #[test]
    fn what_is_no_pattern_is_refused() {
        for text in [
            "*",
            "*.",
            "**.a.com",
            "a.*.com",
            "*a.com",
            "https://a.com",
            "a.com/x",
            "*.10.0.0.1",
            "a.com:x",
            "",
        ] {
            assert!(HostPattern::parse(text).is_err(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn the_canonical_form_is_its_own(text in "\\PC{0,40}") {
            if let Ok(host) = Host::parse(&text) {
                prop_assert_eq!(Host::parse(&host.to_string()), Ok(host));
            }
        }

        #[test]
        fn a_wildcard_reaches_only_what_ends_in_its_labels(host in "[a-z.-]{1,30}", suffix in "[a-z]{1,3}\\.[a-z]{2}") {
            let pattern = HostPattern::parse(&format!("*.{suffix}")).unwrap();
            if let Ok(host) = Host::parse(&host) {
                let reached = pattern.allows(&host, 443);
                prop_assert_eq!(reached, host.to_string().ends_with(&format!(".{suffix}")));
            }
        }
    }
}
