//! Which addresses are private or special: everything that is not a host on the public internet.
//!
//! From the IANA special-purpose registries (RFC 6890 and its updates), read strictly: what the registry calls
//! globally reachable by protocols that are no longer used is refused too, since it may hold a private address.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// A range of addresses that nothing may be sent to.
#[derive(Debug, PartialEq, Eq)]
pub struct Range {
    first: IpAddr,
    bits: u32,
    /// What it is for.
    pub what: &'static str,
    /// Where that is said.
    pub source: &'static str,
}

impl Range {
    const fn v4(a: u8, b: u8, c: u8, d: u8, bits: u32, what: &'static str, source: &'static str) -> Self {
        Self { first: IpAddr::V4(Ipv4Addr::new(a, b, c, d)), bits, what, source }
    }

    const fn v6(s: [u16; 8], bits: u32, what: &'static str, source: &'static str) -> Self {
        let first = Ipv6Addr::new(s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7]);
        Self { first: IpAddr::V6(first), bits, what, source }
    }

    /// Whether it is this machine.
    pub fn is_loopback(&self) -> bool {
        self.first.is_loopback() || self.first == IpAddr::V4(Ipv4Addr::new(127, 0, 0, 0))
    }

    fn holds(&self, address: IpAddr) -> bool {
        match (self.first, address) {
            (IpAddr::V4(first), IpAddr::V4(address)) => {
                (first.to_bits() ^ address.to_bits()).leading_zeros() >= self.bits
            }
            (IpAddr::V6(first), IpAddr::V6(address)) => {
                (first.to_bits() ^ address.to_bits()).leading_zeros() >= self.bits
            }
            (IpAddr::V4(_), IpAddr::V6(_)) | (IpAddr::V6(_), IpAddr::V4(_)) => false,
        }
    }
}

const SPECIAL: &[Range] = &[
    Range::v4(0, 0, 0, 0, 8, "this network", "RFC 791"),
    Range::v4(10, 0, 0, 0, 8, "private", "RFC 1918"),
    Range::v4(100, 64, 0, 0, 10, "shared by a carrier's customers", "RFC 6598"),
    Range::v4(127, 0, 0, 0, 8, "loopback", "RFC 1122"),
    // cloud metadata among them
    Range::v4(169, 254, 0, 0, 16, "link-local", "RFC 3927"),
    Range::v4(172, 16, 0, 0, 12, "private", "RFC 1918"),
    Range::v4(192, 0, 0, 0, 24, "protocol assignments", "RFC 6890"),
    Range::v4(192, 0, 2, 0, 24, "documentation", "RFC 5737"),
    Range::v4(192, 88, 99, 0, 24, "6to4 relays", "RFC 7526"),
    Range::v4(192, 168, 0, 0, 16, "private", "RFC 1918"),
    Range::v4(198, 18, 0, 0, 15, "benchmarks", "RFC 2544"),
    Range::v4(198, 51, 100, 0, 24, "documentation", "RFC 5737"),
    Range::v4(203, 0, 113, 0, 24, "documentation", "RFC 5737"),
    Range::v4(224, 0, 0, 0, 4, "multicast", "RFC 5771"),
    Range::v4(240, 0, 0, 0, 4, "reserved, or broadcast", "RFC 1112, RFC 919"),
    // public by its number only: the host's own platform answers there
    Range::v4(168, 63, 129, 16, 32, "a cloud platform's own", "Azure's documentation"),
    Range::v6([0; 8], 128, "unspecified", "RFC 4291"),
    Range::v6([0, 0, 0, 0, 0, 0, 0, 1], 128, "loopback", "RFC 4291"),
    Range::v6([0; 8], 96, "IPv4-compatible", "RFC 4291, 2.5.5.1"),
    Range::v6([0, 0, 0, 0, 0xffff, 0, 0, 0], 96, "IPv4-translated", "RFC 2765"),
    Range::v6([0x64, 0xff9b, 1, 0, 0, 0, 0, 0], 48, "NAT64 of a local network", "RFC 8215"),
    Range::v6([0x100, 0, 0, 0, 0, 0, 0, 0], 64, "discarded", "RFC 6666"),
    Range::v6([0x2001, 0, 0, 0, 0, 0, 0, 0], 32, "Teredo", "RFC 4380"),
    Range::v6([0x2001, 0, 0, 0, 0, 0, 0, 0], 23, "protocol assignments", "RFC 2928"),
    Range::v6([0x2001, 0xdb8, 0, 0, 0, 0, 0, 0], 32, "documentation", "RFC 3849"),
    Range::v6([0x2002, 0, 0, 0, 0, 0, 0, 0], 16, "6to4", "RFC 3056, RFC 7526"),
    Range::v6([0x3ffe, 0, 0, 0, 0, 0, 0, 0], 16, "given back by the 6bone", "RFC 3701"),
    Range::v6([0x3fff, 0, 0, 0, 0, 0, 0, 0], 20, "documentation", "RFC 9637"),
    Range::v6([0x5f00, 0, 0, 0, 0, 0, 0, 0], 16, "segment routing", "RFC 9602"),
    Range::v6([0xfc00, 0, 0, 0, 0, 0, 0, 0], 7, "unique local", "RFC 4193"),
    Range::v6([0xfe80, 0, 0, 0, 0, 0, 0, 0], 10, "link-local", "RFC 4291"),
    Range::v6([0xfec0, 0, 0, 0, 0, 0, 0, 0], 10, "site-local", "RFC 3879"),
    Range::v6([0xff00, 0, 0, 0, 0, 0, 0, 0], 8, "multicast", "RFC 4291"),
];

/// The only range that public addresses are given out of (RFC 4291, 2.4 and IANA's registry).
const GLOBAL: Range = Range::v6([0x2000, 0, 0, 0, 0, 0, 0, 0], 3, "global unicast", "RFC 4291");
const NOT_GLOBAL: Range = Range::v6([0; 8], 0, "not given to anybody", "RFC 4291");
/// The prefix that DNS64 answers with (RFC 6052): the address is as good as the one in it.
const NAT64: Range = Range::v6([0x64, 0xff9b, 0, 0, 0, 0, 0, 0], 96, "NAT64", "RFC 6052");
const ISATAP: Range = Range::v6([0; 8], 0, "ISATAP", "RFC 5214");

/// The special range that an address lies in; `None` for one on the public internet.
pub fn special(address: IpAddr) -> Option<&'static Range> {
    let address = match address.to_canonical() {
        IpAddr::V6(v6) if NAT64.holds(v6.into()) => {
            let [.., a, b, c, d] = v6.octets();
            IpAddr::V4(Ipv4Addr::new(a, b, c, d))
        }
        canonical => canonical,
    };
    let listed = SPECIAL.iter().find(|range| range.holds(address));
    match address {
        IpAddr::V4(_) => listed,
        IpAddr::V6(v6) => listed
            .or_else(|| (!GLOBAL.holds(address)).then_some(&NOT_GLOBAL))
            .or_else(|| is_isatap(v6).then_some(&ISATAP)),
    }
}

/// Whether its interface carries an IPv4 address that a router of the site may send to (RFC 5214, 6.1).
fn is_isatap(address: Ipv6Addr) -> bool {
    let segments = address.segments();
    segments[4] & !0x200 == 0 && segments[5] == 0x5efe
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Host;
    use proptest::prelude::*;

    fn what(text: &str) -> Option<&'static str> {
        let Ok(Host::Ip(address)) = Host::parse(text) else { panic!("{text} is no address") };
        special(address).map(|range| range.what)
    }

    #[test]
    fn special_addresses_in_every_spelling() {
        for (spellings, expected) in [
            (&["0.0.0.0", "0", "0x0", "0.255.255.255"][..], "this network"),
            (
                &[
                    "10.0.0.1",
                    "10.1",
                    "0xa000001",
                    "012.0.0.1",
                    "167772161",
                    "::ffff:10.0.0.1",
                    "64:ff9b::10.0.0.1",
                ],
                "private",
            ),
            (&["172.16.0.1", "172.31.255.255", "192.168.0.1", "0300.0250.1", "::ffff:c0a8:1"], "private"),
            (&["100.64.0.1", "100.127.255.255", "100.100.100.200"], "shared by a carrier's customers"),
            (
                &[
                    "127.0.0.1",
                    "127.1",
                    "2130706433",
                    "0x7f000001",
                    "017700000001",
                    "127.255.255.254",
                    "::1",
                    "::ffff:127.0.0.1",
                    "64:ff9b::7f00:1",
                ],
                "loopback",
            ),
            (
                &[
                    "169.254.169.254",
                    "2852039166",
                    "0xa9fea9fe",
                    "0251.0376.0251.0376",
                    "169.254.43518",
                    "::ffff:a9fe:a9fe",
                    "fe80::1",
                    "febf::1",
                ],
                "link-local",
            ),
            (&["192.0.0.1", "192.0.0.192", "2001:1::1"], "protocol assignments"),
            (&["192.0.2.1", "198.51.100.1", "203.0.113.255", "2001:db8::1", "3fff::1"], "documentation"),
            (&["198.18.0.1", "198.19.255.255"], "benchmarks"),
            (&["224.0.0.1", "239.255.255.255", "ff02::1"], "multicast"),
            (&["240.0.0.1", "255.255.255.255"], "reserved, or broadcast"),
            (&["168.63.129.16"], "a cloud platform's own"),
            (&["::"], "unspecified"),
            (&["::127.0.0.1", "::a00:1"], "IPv4-compatible"),
            (&["::ffff:0:10.0.0.1"], "IPv4-translated"),
            (&["64:ff9b:1::10.0.0.1", "64:ff9b:1:2::8.8.8.8"], "NAT64 of a local network"),
            (&["2001::1", "2001:0:7f00:1::"], "Teredo"),
            (&["2002:a00:1::", "2002:7f00:1::1", "2002:808:808::"], "6to4"),
            (&["fc00::1", "fd00:ec2::254", "fd20:ce::254"], "unique local"),
            (&["fec0::1"], "site-local"),
            (&["4000::1", "1::1", "e000::1"], "not given to anybody"),
            (&["2606:4700::5efe:10.0.0.1", "2606:4700::200:5efe:a00:1"], "ISATAP"),
        ] {
            for text in spellings {
                assert_eq!(what(text), Some(expected), "{text}");
            }
        }
    }

    #[test]
    fn public_addresses_are_not() {
        for text in [
            "1.1.1.1",
            "8.8.8.8",
            "9.255.255.255",
            "11.0.0.0",
            "100.63.255.255",
            "100.128.0.0",
            "126.255.255.255",
            "128.0.0.0",
            "169.253.255.255",
            "172.15.255.255",
            "172.32.0.0",
            "192.0.1.0",
            "192.167.255.255",
            "192.169.0.0",
            "198.17.255.255",
            "198.20.0.0",
            "223.255.255.255",
            "2606:4700::1111",
            "2001:200::1",
            "2a00::1",
            "64:ff9b::8.8.8.8",
            "::ffff:8.8.8.8",
        ] {
            assert_eq!(what(text), None, "{text}");
        }
    }

    /// Addresses that must never pass.
    fn private() -> impl Strategy<Value = Ipv4Addr> {
        prop_oneof![
            any::<[u8; 3]>().prop_map(|[b, c, d]| Ipv4Addr::new(10, b, c, d)),
            any::<[u8; 3]>().prop_map(|[b, c, d]| Ipv4Addr::new(127, b, c, d)),
            any::<[u8; 2]>().prop_map(|[c, d]| Ipv4Addr::new(192, 168, c, d)),
            any::<[u8; 2]>().prop_map(|[c, d]| Ipv4Addr::new(169, 254, c, d)),
            (16_u8..32, any::<[u8; 2]>()).prop_map(|(b, [c, d])| Ipv4Addr::new(172, b, c, d)),
            (64_u8..128, any::<[u8; 2]>()).prop_map(|(b, [c, d])| Ipv4Addr::new(100, b, c, d)),
        ]
    }

    /// A number as somebody who hides it would write it.
    fn number(value: u32, base: usize, zeros: usize, upper: bool) -> String {
        let zeros = "0".repeat(zeros);
        match base % 3 {
            0 => value.to_string(),
            1 => format!("0{zeros}{value:o}"),
            _ if upper => format!("0X{zeros}{value:X}"),
            _ => format!("0x{zeros}{value:x}"),
        }
    }

    /// All ways to write it: by base, number of parts, zeros, letter case, width of digits, the root's dot.
    fn spelling() -> impl Strategy<Value = (Ipv4Addr, String)> {
        let style = (any::<[u8; 4]>(), 1_usize..=4, 0_usize..3, any::<bool>(), any::<bool>(), any::<bool>());
        (private(), style).prop_map(|(address, (bases, parts, zeros, upper, wide, dot))| {
            let octets = address.octets().map(u32::from);
            let mut numbers: Vec<u32> = octets[..parts - 1].to_vec();
            numbers.push(octets[parts - 1..].iter().fold(0, |sum, octet| (sum << 8) | octet));
            let texts = numbers.iter().zip(bases).map(|(n, base)| number(*n, base.into(), zeros, upper));
            let mut text = texts.collect::<Vec<_>>().join(".");
            if wide {
                text = text.chars().map(|c| if c.is_ascii_digit() { fullwidth(c) } else { c }).collect();
            }
            if dot {
                text.push('.');
            }
            (address, text)
        })
    }

    fn fullwidth(digit: char) -> char {
        char::from_u32(digit as u32 - '0' as u32 + '０' as u32).unwrap()
    }

    proptest! {
        #[test]
        fn no_spelling_of_a_private_address_passes((address, text) in spelling()) {
            match Host::parse(&text) {
                Ok(Host::Ip(read)) => {
                    prop_assert_eq!(read, IpAddr::V4(address), "{}", text);
                    prop_assert!(special(read).is_some(), "{}", text);
                }
                other => prop_assert!(false, "{} is {:?}", text, other),
            }
        }

        #[test]
        fn no_embedding_of_a_private_address_passes(address in private(), high in any::<[u16; 3]>()) {
            let [a, b] = [(address.to_bits() >> 16) as u16, address.to_bits() as u16];
            for embedded in [
                address.to_ipv6_mapped(),
                address.to_ipv6_compatible(),
                Ipv6Addr::new(0x64, 0xff9b, 0, 0, 0, 0, a, b),
                Ipv6Addr::new(0x64, 0xff9b, 1, high[0], high[1], high[2], a, b),
                Ipv6Addr::new(0x2002, a, b, high[0], high[1], high[2], 0, 1),
                Ipv6Addr::new(0x2001, 0, a, b, high[0], high[1], !a, !b),
                Ipv6Addr::new(0x2606, high[0], high[1], high[2], 0, 0x5efe, a, b),
                Ipv6Addr::new(0, 0, 0, 0, 0xffff, 0, a, b),
            ] {
                prop_assert!(special(embedded.into()).is_some(), "{}", embedded);
            }
        }
    }
}
