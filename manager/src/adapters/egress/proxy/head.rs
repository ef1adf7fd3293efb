//! The head of a request to the proxy: what is asked for, read so that nobody behind reads it otherwise.

use crate::model::Host;
use url::{Position, Url};

const MOST_HEADERS: usize = 100;

/// What a request asks for.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Asked {
    /// A tunnel to a host (RFC 9110, 9.3.6).
    Tunnel(Target),
    /// A plain request, to be handed on with this head and so many bytes of body.
    Plain {
        /// For whom.
        target: Target,
        /// The head for the server: in origin form, without what is between us and the client only.
        head: Vec<u8>,
        /// How much follows; what comes after it is not part of the request.
        body: u64,
    },
}

/// A host and a port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Target {
    pub(super) host: Host,
    pub(super) port: u16,
}

/// A request that is not served.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Bad {
    pub(super) status: &'static str,
    pub(super) why: String,
    /// For whom it was, where that could be read.
    pub(super) target: Option<Target>,
}

impl Bad {
    fn request(why: impl Into<String>) -> Self {
        Self { status: "400 Bad Request", why: why.into(), target: None }
    }

    fn of(self, target: Target) -> Self {
        Self { target: Some(target), ..self }
    }
}

/// Reads the head at the front of what has arrived, and how long it is; `None` while it is incomplete.
///
/// # Errors
/// [`Bad`] for what is no request to a proxy, or could be read in two ways.
pub(super) fn read(bytes: &[u8]) -> Result<Option<(Asked, usize)>, Bad> {
    let mut headers = [httparse::EMPTY_HEADER; MOST_HEADERS];
    let mut request = httparse::Request::new(&mut headers);
    let length = match request.parse(bytes) {
        Ok(httparse::Status::Complete(length)) => length,
        Ok(httparse::Status::Partial) => return Ok(None),
        Err(error) => return Err(Bad::request(format!("it is no HTTP/1 request: {error}"))),
    };
    let asked = match request.method {
        Some("CONNECT") => tunnel(&request)?,
        _ => plain(&request)?,
    };
    Ok(Some((asked, length)))
}

fn tunnel(request: &httparse::Request<'_, '_>) -> Result<Asked, Bad> {
    let target = match Host::with_port(request.path.unwrap_or_default()) {
        Ok((host, Some(port))) => Target { host, port },
        Ok((_, None)) => return Err(Bad::request("a tunnel leads to a host and its port")),
        Err(error) => return Err(Bad::request(error.to_string())),
    };
    // Some clients send none with a tunnel; one that is there says the same.
    if let Some(host) = single(request, "host").map_err(|bad| bad.of(target.clone()))? {
        same_host(&host, &target, target.port)?;
    }
    if body(request).map_err(|bad| bad.of(target.clone()))? > 0 {
        return Err(Bad::request("a tunnel is asked for without a body").of(target));
    }
    Ok(Asked::Tunnel(target))
}

fn plain(request: &httparse::Request<'_, '_>) -> Result<Asked, Bad> {
    let text = request.path.unwrap_or_default();
    let url = Url::parse(text).ok().filter(Url::has_host);
    let url = url.ok_or_else(|| Bad::request("this is a proxy: it serves nothing itself"))?;
    let port = url.port_or_known_default().unwrap_or_default();
    let host = Host::parse(url.host_str().unwrap_or_default());
    let target = Target { host: host.map_err(|e| Bad::request(e.to_string()))?, port };
    let bad = |why: &str| Bad::request(why).of(target.clone());
    if url.scheme() != "http" {
        return Err(bad("only plain HTTP is asked for by its whole address; a tunnel is for the rest"));
    }
    if !url.username().is_empty() || url.password().is_some() || url.fragment().is_some() {
        return Err(bad("an address holds no user, password or fragment here"));
    }
    match single(request, "host").map_err(|bad| bad.of(target.clone()))? {
        Some(host) => same_host(&host, &target, 80)?,
        None => return Err(bad("its host header is missing")),
    }
    let body = body(request).map_err(|bad| bad.of(target.clone()))?;
    let head = forwarded(request, &url, &target);
    Ok(Asked::Plain { target, head, body })
}

/// The header of that name, which must not be there twice.
fn single(request: &httparse::Request<'_, '_>, name: &str) -> Result<Option<String>, Bad> {
    let mut found = request.headers.iter().filter(|header| header.name.eq_ignore_ascii_case(name));
    let (first, second) = (found.next(), found.next());
    match (first, second) {
        (None, _) => Ok(None),
        (Some(_), Some(_)) => Err(Bad::request(format!("its header `{name}` is there twice"))),
        (Some(header), None) => match std::str::from_utf8(header.value) {
            Ok(value) => Ok(Some(value.trim().to_owned())),
            Err(_) => Err(Bad::request(format!("its header `{name}` is no text"))),
        },
    }
}

fn same_host(header: &str, target: &Target, default: u16) -> Result<(), Bad> {
    let same = Host::with_port(header)
        .is_ok_and(|(host, port)| host == target.host && port.unwrap_or(default) == target.port);
    let why = "its host header names another host than its address";
    if same { Ok(()) } else { Err(Bad { status: "403 Forbidden", ..Bad::request(why) }.of(target.clone())) }
}

/// How many bytes of body follow. A body whose end only its own text says could hide a second request.
fn body(request: &httparse::Request<'_, '_>) -> Result<u64, Bad> {
    if single(request, "transfer-encoding")?.is_some() {
        let why = "a body in chunks is not handed on; send it with its length";
        return Err(Bad { status: "411 Length Required", ..Bad::request(why) });
    }
    let Some(length) = single(request, "content-length")? else { return Ok(0) };
    let digits = !length.is_empty() && length.bytes().all(|b| b.is_ascii_digit());
    digits
        .then(|| length.parse().ok())
        .flatten()
        .ok_or_else(|| Bad::request("its content length is no number"))
}

/// Between two neighbours only (RFC 9110, 7.6.1), or set here.
const HOP: [&str; 11] = [
    "host",
    "connection",
    "keep-alive",
    "proxy-connection",
    "proxy-authenticate",
    "proxy-authorization",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "http2-settings",
];

fn forwarded(request: &httparse::Request<'_, '_>, url: &Url, target: &Target) -> Vec<u8> {
    let named_by_connection: Vec<String> = request
        .headers
        .iter()
        .filter(|header| header.name.eq_ignore_ascii_case("connection"))
        .flat_map(|header| {
            let listed = String::from_utf8_lossy(header.value).to_ascii_lowercase();
            listed.split(',').map(|name| name.trim().to_owned()).collect::<Vec<_>>()
        })
        .collect();
    let host =
        if target.port == 80 { target.host.to_string() } else { format!("{}:{}", target.host, target.port) };
    let path = &url[Position::BeforePath..Position::AfterQuery];
    let version = request.version.unwrap_or(1);
    let mut head =
        format!("{} {path} HTTP/1.{version}\r\nHost: {host}\r\n", request.method.unwrap_or_default())
            .into_bytes();
    for header in request.headers.iter() {
        let name = header.name.to_ascii_lowercase();
        // a length is never between neighbours only, whatever the client says: the body's end hangs on it
        let dropped =
            HOP.contains(&name.as_str()) || (named_by_connection.contains(&name) && name != "content-length");
        if !dropped {
            head.extend_from_slice(header.name.as_bytes());
            head.extend_from_slice(b": ");
            head.extend_from_slice(header.value);
            head.extend_from_slice(b"\r\n");
        }
    }
    head.extend_from_slice(b"Connection: close\r\n\r\n");
    head
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is asked for, or the status and a word of why not.
    fn asked(text: &str) -> Result<Asked, (String, String)> {
        match read(text.as_bytes()) {
            Ok(Some((asked, length))) => {
                assert_eq!(length, text.len(), "{text}");
                Ok(asked)
            }
            Ok(None) => panic!("{text:?} is incomplete"),
            Err(bad) => Err((bad.status[..3].to_owned(), bad.why)),
        }
    }

    fn target(host: &str, port: u16) -> Target {
        Target { host: Host::parse(host).unwrap(), port }
    }

    #[test]
    fn tunnels() {
        for (text, host, port) in [
            ("CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n", "example.com", 443),
            ("CONNECT EXAMPLE.com.:443 HTTP/1.1\r\nHost: example.com\r\n\r\n", "example.com", 443),
            ("CONNECT example.com:8443 HTTP/1.0\r\n\r\n", "example.com", 8443),
            ("CONNECT 0x7f.1:443 HTTP/1.1\r\n\r\n", "127.0.0.1", 443),
            ("CONNECT [::1]:443 HTTP/1.1\r\nHost: [::1]:443\r\n\r\n", "::1", 443),
        ] {
            assert_eq!(asked(text), Ok(Asked::Tunnel(target(host, port))), "{text}");
        }
    }

    #[test]
    fn a_plain_request_is_handed_on_in_origin_form_without_what_is_ours() {
        let text = "POST http://Example.com:8080/a/../b?q=1 HTTP/1.1\r\nHost: example.com:8080\r\nX-A: 1\r\n\
                    Proxy-Authorization: Basic eA==\r\nConnection: x-b, content-length\r\nX-B: 2\r\nUpgrade: websocket\r\n\
                    Content-Length: 3\r\n\r\n";
        let Ok(Asked::Plain { target: to, head, body }) = asked(text) else { panic!("{:?}", asked(text)) };
        assert_eq!((to, body), (target("example.com", 8080), 3));
        let expected = "POST /b?q=1 HTTP/1.1\r\nHost: example.com:8080\r\nX-A: 1\r\nContent-Length: 3\r\nConnection: close\r\n\r\n";
        assert_eq!(String::from_utf8(head).unwrap(), expected);
    }

    #[test]
    fn what_could_be_read_in_two_ways_is_refused() {
        let get = |rest: &str| format!("GET http://a.example/ HTTP/1.1\r\n{rest}\r\n");
        for (text, status, words) in [
            // no port of its own: nothing is served here
            ("GET / HTTP/1.1\r\nHost: a\r\n\r\n".to_owned(), "400", "serves nothing itself"),
            ("GET /admin HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".to_owned(), "400", "serves nothing itself"),
            ("OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n".to_owned(), "400", "serves nothing itself"),
            ("PRI * HTTP/2.0\r\n\r\n".to_owned(), "400", "no HTTP/1"),
            (get(""), "400", "host header is missing"),
            (get("Host: b.example\r\n"), "403", "another host"),
            (get("Host: a.example:8080\r\n"), "403", "another host"),
            (get("Host: a.example\r\nhost: a.example\r\n"), "400", "twice"),
            (get("Host: a.example@b.example\r\n"), "403", "another host"),
            (get("Host: a.example\r\nTransfer-Encoding: chunked\r\n"), "411", "in chunks"),
            (get("Host: a.example\r\nContent-Length: 3\r\nContent-Length: 4\r\n"), "400", "twice"),
            (get("Host: a.example\r\nContent-Length: +3\r\n"), "400", "no number"),
            (get("Host: a.example\r\nContent-Length: 99999999999999999999\r\n"), "400", "no number"),
            (
                "GET https://a.example/ HTTP/1.1\r\nHost: a.example\r\n\r\n".to_owned(),
                "400",
                "only plain HTTP",
            ),
            ("GET ftp://a.example/ HTTP/1.1\r\nHost: a.example\r\n\r\n".to_owned(), "400", "only plain HTTP"),
            ("GET http://u:p@a.example/ HTTP/1.1\r\nHost: a.example\r\n\r\n".to_owned(), "400", "no user"),
            ("CONNECT a.example HTTP/1.1\r\n\r\n".to_owned(), "400", "its port"),
            ("CONNECT http://a.example:443 HTTP/1.1\r\n\r\n".to_owned(), "400", "no host"),
            (
                "CONNECT a.example:443 HTTP/1.1\r\nHost: b.example:443\r\n\r\n".to_owned(),
                "403",
                "another host",
            ),
            (
                "CONNECT a.example:443 HTTP/1.1\r\nContent-Length: 9\r\n\r\n".to_owned(),
                "400",
                "without a body",
            ),
            ("nonsense\r\n\r\n".to_owned(), "400", "no HTTP/1"),
        ] {
            let (got, why) = asked(&text).expect_err(&text);
            assert_eq!(got, status, "{text}: {why}");
            assert!(why.contains(words), "{text}: {why}");
        }
    }

    #[test]
    fn a_head_is_read_when_it_is_whole() {
        let text = "CONNECT a.example:443 HTTP/1.1\r\nHost: a.example:443\r\n\r\n\x16\x03";
        for end in 0..text.len() - 2 {
            assert_eq!(read(&text.as_bytes()[..end]), Ok(None), "{end}");
        }
        let (_, length) = read(text.as_bytes()).unwrap().unwrap();
        assert_eq!(length, text.len() - 2);
    }
}
