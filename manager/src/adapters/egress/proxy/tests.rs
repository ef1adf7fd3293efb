//! The proxy as a program meets it, with services on loopback that are named as an owner would name them.

use super::*;
use crate::adapters::egress::testing::{Answers, gate};
use hello::tests::greeting;
use std::{
    io::{Read as _, Write as _},
    net::{SocketAddr, TcpStream},
    sync::mpsc,
    time::Instant,
};

/// A proxy, and a service behind it that tells what it was sent, and answers what it is told to.
struct Bench {
    proxy: Proxy,
    at: SocketAddr,
    service: u16,
    got: mpsc::Receiver<Vec<u8>>,
}

/// The service answers each connection with `answer` when `until` has arrived, and closes.
fn bench(until: &'static [u8], answer: &'static [u8], bounds: ProxyBounds) -> Bench {
    let service = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = service.local_addr().unwrap().port();
    let (tell, got) = mpsc::channel();
    thread::spawn(move || {
        for stream in service.incoming() {
            let mut stream = stream.unwrap();
            let (mut all, mut buffer) = (Vec::new(), [0; 4096]);
            while !all.windows(until.len()).any(|w| w == until) {
                match stream.read(&mut buffer) {
                    Ok(n) if n > 0 => all.extend_from_slice(&buffer[..n]),
                    _ => break,
                }
            }
            stream.write_all(answer).ok();
            if tell.send(all).is_err() {
                return;
            }
        }
    });
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let at = listener.local_addr().unwrap();
    let allowed = [format!("localhost:{port}"), format!("127.0.0.1:{port}"), "private.example".to_owned()];
    let answers = Answers::of(&[("private.example", &["10.0.0.1"])]);
    let gate = gate(&allowed.each_ref().map(String::as_str), &answers);
    Bench { proxy: serve_proxy(listener, gate, bounds).unwrap(), at, service: port, got }
}

impl Bench {
    /// Sends this and reads to the end.
    fn ask(&self, text: &[u8]) -> String {
        let mut stream = TcpStream::connect(self.at).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
        stream.write_all(text).unwrap();
        let mut all = Vec::new();
        stream.read_to_end(&mut all).ok();
        String::from_utf8_lossy(&all).into_owned()
    }

    /// Opens a tunnel to `host` and sends this through it, to the end.
    fn through(&self, host: &str, bytes: &[u8]) -> Vec<u8> {
        let mut stream = self.tunnel(host);
        stream.write_all(bytes).unwrap();
        let mut all = Vec::new();
        stream.read_to_end(&mut all).ok();
        all
    }

    fn tunnel(&self, host: &str) -> TcpStream {
        let mut stream = TcpStream::connect(self.at).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
        let port = self.service;
        stream
            .write_all(format!("CONNECT {host}:{port} HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n").as_bytes())
            .unwrap();
        let expected = "HTTP/1.1 200 Connection established\r\n\r\n";
        let mut head = vec![0; expected.len()];
        stream.read_exact(&mut head).unwrap();
        assert_eq!(String::from_utf8_lossy(&head), expected);
        stream
    }

    fn get(&self, host: &str) -> Vec<u8> {
        let port = self.service;
        format!("GET http://{host}:{port}/x HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n").into_bytes()
    }
}

const OK: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi";

#[test]
fn a_plain_request_reaches_the_service_that_is_named() {
    let bench = bench(b"\r\n\r\n", OK, ProxyBounds::default());
    let answer = bench.ask(&bench.get("localhost"));
    assert!(answer.ends_with("hi"), "{answer}");
    let got = String::from_utf8(bench.got.recv().unwrap()).unwrap();
    assert_eq!(
        got,
        format!("GET /x HTTP/1.1\r\nHost: localhost:{}\r\nConnection: close\r\n\r\n", bench.service)
    );
    let contacts = bench.proxy.stop();
    assert_eq!(contacts.reached(), [format!("localhost:{}", bench.service)]);
    let [contact] = contacts.listed() else { panic!("{contacts:?}") };
    assert_eq!((contact.sent, contact.received), (got.len() as u64, OK.len() as u64));
}

#[test]
fn a_second_request_on_the_same_connection_goes_nowhere() {
    let bench = bench(b"end", OK, ProxyBounds::default());
    let port = bench.service;
    let first = format!(
        "POST http://localhost:{port}/ HTTP/1.1\r\nHost: localhost:{port}\r\nContent-Length: 3\r\n\r\nend"
    );
    let answer = bench.ask(format!("{first}GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n").as_bytes());
    assert!(answer.ends_with("hi"), "{answer}");
    let got = String::from_utf8(bench.got.recv().unwrap()).unwrap();
    assert!(got.ends_with("\r\n\r\nend") && !got.contains("evil"), "{got}");
}

#[test]
fn a_tunnel_carries_tls_to_the_host_that_it_was_asked_for() {
    let bench = bench(b"more", b"answer", ProxyBounds::default());
    let sent = [greeting("localhost"), b"more".to_vec()].concat();
    assert_eq!(bench.through("localhost", &sent), b"answer");
    assert_eq!(bench.got.recv().unwrap(), sent);
    let sent = [greeting("127.0.0.1"), b"more".to_vec()].concat();
    assert_eq!(bench.through("127.0.0.1", &sent), b"answer");
    let contacts = bench.proxy.stop();
    assert_eq!(contacts.reached().len(), 2);
    assert_eq!(contacts.listed()[0].sent, greeting("localhost").len() as u64 + 4);
}

#[test]
fn a_tunnel_carries_nothing_else() {
    let bench = bench(b"never", b"answer", ProxyBounds::default());
    for (host, bytes, why) in [
        ("localhost", greeting("evil.example"), "its greeting names `evil.example`"),
        // no name: the server behind the address would choose
        ("localhost", greeting("127.0.0.1"), "its greeting names no server"),
        ("127.0.0.1", greeting("localhost"), "its greeting names `localhost`"),
        ("localhost", b"CONNECT evil.example:443 HTTP/1.1\r\n\r\n".to_vec(), "it asks for another tunnel"),
        ("localhost", b"GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n".to_vec(), "it is no TLS"),
        ("localhost", b"SSH-2.0-x\r\n".to_vec(), "it is no TLS"),
    ] {
        assert_eq!(bench.through(host, &bytes), UNRECOGNIZED, "{why}");
        assert_eq!(bench.got.recv().unwrap(), b"", "{why}: something was sent");
        let refused = bench.proxy.ledger.take();
        assert_eq!(refused.refused().map(|c| c.refused.as_deref()).collect::<Vec<_>>(), [Some(why)]);
        assert_eq!(refused.reached(), [""; 0]);
    }
}

const UNRECOGNIZED: [u8; 7] = [21, 3, 1, 0, 2, 2, 112];

#[test]
fn what_no_rule_allows_is_refused_with_its_reason() {
    let bench = bench(b"never", b"", ProxyBounds::default());
    // a port that is free: nobody listens
    let other = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    for (request, status, words) in [
        ("CONNECT evil.example:443 HTTP/1.1\r\n\r\n".to_owned(), "403", "not among the hosts"),
        ("CONNECT 169.254.169.254:80 HTTP/1.1\r\n\r\n".to_owned(), "403", "not among the hosts"),
        ("CONNECT private.example:443 HTTP/1.1\r\n\r\n".to_owned(), "403", "private, RFC 1918"),
        (format!("CONNECT 127.0.0.1:{other} HTTP/1.1\r\n\r\n"), "403", "not among the hosts"),
        (
            "GET http://evil.example/ HTTP/1.1\r\nHost: evil.example\r\n\r\n".to_owned(),
            "403",
            "not among the hosts",
        ),
        (
            "GET http://private.example/ HTTP/1.1\r\nHost: evil.example\r\n\r\n".to_owned(),
            "403",
            "another host",
        ),
        ("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".to_owned(), "400", "serves nothing itself"),
        (format!("GET http://a.example/{} HTTP/1.1\r\n", "x".repeat(20_000)), "431", "longer than"),
    ] {
        let answer = bench.ask(request.as_bytes());
        assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{request}: {answer}");
        assert!(answer.contains(words), "{request}: {answer}");
    }
    assert!(bench.got.try_recv().is_err(), "somebody was asked");
    let contacts = bench.proxy.stop();
    assert_eq!(contacts.reached(), [""; 0]);
    assert_eq!(contacts.refused().map(|c| c.times).sum::<u64>(), 8);
}

#[test]
fn the_slow_and_the_silent_are_cut() {
    let soon = Duration::from_millis(50);
    let bench = bench(
        b"never",
        b"",
        ProxyBounds { head_time: soon, idle: soon, connections: 1, ..Default::default() },
    );
    let answer = bench.ask(b"GET http://localhost/ HTTP/1.1\r\nHos");
    assert!(answer.starts_with("HTTP/1.1 408 "), "{answer}");
    // no greeting
    assert_eq!(bench.through("localhost", b"\x16\x03"), UNRECOGNIZED);
    // a greeting, and silence
    assert_eq!(bench.through("localhost", &greeting("localhost")), b"");
}

#[test]
fn stopping_cuts_what_is_open() {
    let bench = bench(b"never", b"", ProxyBounds::default());
    let mut stream = bench.tunnel("localhost");
    stream.write_all(&greeting("localhost")).unwrap();
    let begun = Instant::now();
    let at = bench.at;
    let contacts = bench.proxy.stop();
    let mut rest = Vec::new();
    stream.read_to_end(&mut rest).ok();
    assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
    assert!(TcpStream::connect(at).is_err(), "it still listens");
    assert!(contacts.listed().len() <= 1);
    // the service sees the end as well
    bench.got.recv_timeout(Duration::from_secs(5)).unwrap();
}

#[test]
fn the_end_of_its_time_cuts_what_is_open() {
    let total = Duration::from_millis(50);
    let bench = bench(b"never", b"", ProxyBounds { total, ..Default::default() });
    let mut stream = bench.tunnel("localhost");
    stream.write_all(&greeting("localhost")).unwrap();
    let mut rest = Vec::new();
    stream.read_to_end(&mut rest).ok();
    bench.got.recv_timeout(Duration::from_secs(5)).unwrap();
    assert!(TcpStream::connect(bench.at).is_err(), "it still listens");
}
