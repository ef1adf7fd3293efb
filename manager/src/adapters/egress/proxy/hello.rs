//! The name in a TLS greeting: the host that a tunnel is really for (RFC 8446, 4.1.2; RFC 6066, 3).
//!
//! Read strictly: what is not understood to its last byte is refused, so that no server reads another name in it.

/// More than any greeting takes, key shares of post-quantum cryptography among them.
pub(super) const MOST: usize = 32 << 10;

const HANDSHAKE: u8 = 22;
const CLIENT_HELLO: u8 = 1;
const SERVER_NAME: u16 = 0;
const ENCRYPTED_CLIENT_HELLO: u16 = 0xfe0d;
const HOST_NAME: u8 = 0;

/// What has arrived of a greeting.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Hello {
    /// Not all of it.
    Partial,
    /// All of it, with the server name, where there is one.
    Complete(Option<String>),
}

/// Reads the first bytes of a tunnel.
///
/// # Errors
/// Why they are no greeting that may pass.
pub(super) fn read(bytes: &[u8]) -> Result<Hello, &'static str> {
    let Some(message) = message(bytes)? else { return Ok(Hello::Partial) };
    let extensions = extensions(&message).ok_or("its greeting is malformed")?;
    let (mut name, mut seen) = (None, Vec::new());
    let mut rest = Reader(extensions);
    while !rest.0.is_empty() {
        let (kind, body) = rest.extension().ok_or("its greeting is malformed")?;
        if seen.contains(&kind) {
            return Err("its greeting says something twice");
        }
        seen.push(kind);
        match kind {
            SERVER_NAME => name = Some(server_name(body).ok_or("its server name is malformed")?),
            // the name that counts would be inside, where nobody can hold it against the rules
            ENCRYPTED_CLIENT_HELLO => {
                return Err("its greeting hides the server name (encrypted client hello)");
            }
            _ => {}
        }
    }
    Ok(Hello::Complete(name))
}

/// The handshake message, put together from its records; `None` while it is incomplete.
fn message(bytes: &[u8]) -> Result<Option<Vec<u8>>, &'static str> {
    let (mut message, mut rest) = (Vec::new(), Reader(bytes));
    loop {
        if message.len() >= 4 {
            let size = Reader(&message[1..4]).number(3).unwrap_or(usize::MAX);
            if message[0] != CLIENT_HELLO || size > MOST {
                return Err("it does not begin with a TLS greeting");
            }
            if message.len() >= 4 + size {
                return match message.len() == 4 + size {
                    true => Ok(Some(message.split_off(4))),
                    false => Err("something follows its greeting in the same record"),
                };
            }
        }
        match rest.0.first() {
            None => return Ok(None),
            Some(&HANDSHAKE) => {}
            Some(_) if bytes.starts_with(b"CONNECT") => return Err("it asks for another tunnel"),
            Some(_) => return Err("it is no TLS"),
        }
        let mut ahead = Reader(rest.0);
        let (Some(_), Some(version), Some(size)) = (ahead.number(1), ahead.number(2), ahead.number(2)) else {
            return Ok(None);
        };
        if version >> 8 != 3 || size == 0 || size > 16 << 10 {
            return Err("it is no TLS");
        }
        let Some(fragment) = ahead.take(size) else { return Ok(None) };
        message.extend_from_slice(fragment);
        rest = ahead;
    }
}

fn extensions(message: &[u8]) -> Option<&[u8]> {
    let mut rest = Reader(message);
    rest.take(2 + 32)?; // version and random
    rest.counted(1)?; // session
    rest.counted(2)?; // cipher suites
    rest.counted(1)?; // compression
    let extensions = if rest.0.is_empty() { &[] } else { rest.counted(2)? };
    rest.0.is_empty().then_some(extensions)
}

/// The one name of the list.
fn server_name(body: &[u8]) -> Option<String> {
    let mut rest = Reader(body);
    let mut list = Reader(rest.counted(2)?);
    let kind = list.number(1)?;
    let name = list.counted(2)?;
    let whole = rest.0.is_empty() && list.0.is_empty() && kind == usize::from(HOST_NAME);
    whole.then(|| String::from_utf8(name.to_vec()).ok()).flatten()
}

/// Bytes that are taken from the front.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, n: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(n)?;
        self.0 = rest;
        Some(taken)
    }

    fn number(&mut self, bytes: usize) -> Option<usize> {
        Some(self.take(bytes)?.iter().fold(0, |sum, byte| (sum << 8) | usize::from(*byte)))
    }

    /// What follows its own length.
    fn counted(&mut self, bytes: usize) -> Option<&'a [u8]> {
        let n = self.number(bytes)?;
        self.take(n)
    }

    fn extension(&mut self) -> Option<(u16, &'a [u8])> {
        let kind = u16::try_from(self.number(2)?).ok()?;
        Some((kind, self.counted(2)?))
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use proptest::prelude::*;
    use rustls::{ClientConfig, ClientConnection, RootCertStore, crypto::ring, pki_types::ServerName};
    use std::sync::Arc;

    /// The greeting of a real client.
    pub(crate) fn greeting(host: &str) -> Vec<u8> {
        let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_root_certificates(RootCertStore::empty())
            .with_no_client_auth();
        let server = ServerName::try_from(host.to_owned()).unwrap();
        let mut client = ClientConnection::new(Arc::new(config), server).unwrap();
        let mut bytes = Vec::new();
        client.write_tls(&mut bytes).unwrap();
        bytes
    }

    /// A greeting with these extensions, in records of at most so many bytes.
    fn made(extensions: &[(u16, &[u8])], record: usize) -> Vec<u8> {
        let sized = |width: usize, body: &[u8]| {
            let mut bytes = body.len().to_be_bytes()[8 - width..].to_vec();
            bytes.extend_from_slice(body);
            bytes
        };
        let listed: Vec<u8> = extensions
            .iter()
            .flat_map(|(kind, body)| [kind.to_be_bytes().to_vec(), sized(2, body)].concat())
            .collect();
        let body =
            [vec![3, 3], vec![7; 32], vec![0], sized(2, &[0x13, 1]), vec![1, 0], sized(2, &listed)].concat();
        let message = [vec![CLIENT_HELLO], sized(3, &body)].concat();
        message.chunks(record).flat_map(|part| [vec![HANDSHAKE, 3, 1], sized(2, part)].concat()).collect()
    }

    fn name(name: &[u8]) -> Vec<u8> {
        let entry = [&[HOST_NAME, 0, name.len() as u8], name].concat();
        [&[0, entry.len() as u8], entry.as_slice()].concat()
    }

    #[test]
    fn the_name_of_a_real_client_is_read_at_its_last_byte_and_not_before() {
        let bytes = greeting("api.example.com");
        for end in 0..bytes.len() {
            assert_eq!(read(&bytes[..end]), Ok(Hello::Partial), "{end}");
        }
        assert_eq!(read(&bytes), Ok(Hello::Complete(Some("api.example.com".into()))));
        assert_eq!(read(&greeting("127.0.0.1")), Ok(Hello::Complete(None)));
        for record in [1, 5, 60, 4096] {
            let bytes = made(&[(SERVER_NAME, &name(b"a.b"))], record);
            assert_eq!(read(&bytes), Ok(Hello::Complete(Some("a.b".into()))), "{record}");
        }
    }

    #[test]
    fn what_could_be_read_in_two_ways_is_refused() {
        let (one, two) = (name(b"good.example"), name(b"evil.example"));
        let both: Vec<u8> = [&[0, 30][..], &one[2..], &two[2..]].concat();
        for (extensions, words) in [
            (&[(SERVER_NAME, one.as_slice()), (SERVER_NAME, two.as_slice())][..], "twice"),
            (&[(SERVER_NAME, both.as_slice())], "malformed"),
            (&[(SERVER_NAME, &[])], "malformed"),
            (&[(SERVER_NAME, one.as_slice()), (ENCRYPTED_CLIENT_HELLO, &[0])], "hides the server name"),
        ] {
            let error = read(&made(extensions, 4096)).unwrap_err();
            assert!(error.contains(words), "{extensions:?}: {error}");
        }
        for (bytes, words) in [
            (&b"CONNECT evil.example:443 HTTP/1.1\r\n"[..], "another tunnel"),
            (b"GET / HTTP/1.1\r\n", "no TLS"),
            (b"SSH-2.0-x", "no TLS"),
            (b"\x16\x02\x00\x00\x10", "no TLS"),
            (b"\x16\x03\x01\x00\x04\x02\x00\x00\x00", "does not begin"),
            (b"\x16\x03\x01\x00\x04\x01\xff\xff\xff", "does not begin"),
        ] {
            let error = read(bytes).unwrap_err();
            assert!(error.contains(words), "{bytes:?}: {error}");
        }
    }

    proptest! {
        #[test]
        fn no_bytes_are_read_amiss(bytes in proptest::collection::vec(any::<u8>(), 0..200), at in 0_usize..200, to: u8) {
            let _ = read(&bytes);
            let mut real = greeting("api.example.com");
            let at = at % real.len();
            real[at] = to;
            let _ = read(&real);
        }
    }
}
