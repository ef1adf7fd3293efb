//! Where an answer leads on to (RFC 9110, 15.4), and whether a request may follow.

use super::Fault;
use crate::model::Host;
use reqwest::{Method, StatusCode};
use url::Url;

/// One step of a request: what is asked, where, and whether the body goes along.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Hop {
    pub(super) method: Method,
    pub(super) url: Url,
    pub(super) with_body: bool,
}

impl Hop {
    /// The host and port that it goes to.
    pub(super) fn target(&self) -> Result<(Host, u16), Fault> {
        let host = Host::parse(self.url.host_str().unwrap_or_default())
            .map_err(|e| Fault::redirect(e.to_string()))?;
        Ok((host, self.url.port_or_known_default().unwrap_or_default()))
    }

    /// The next step that an answer asks for; `None` where it asks for none.
    pub(super) fn next(&self, status: StatusCode, location: Option<&str>) -> Result<Option<Self>, Fault> {
        let method = match status.as_u16() {
            303 if self.method != Method::HEAD => Method::GET,
            301 | 302 if self.method == Method::POST => Method::GET,
            301..=303 | 307 | 308 => self.method.clone(),
            _ => return Ok(None),
        };
        let Some(location) = location else { return Ok(None) };
        let url = self
            .url
            .join(location)
            .map_err(|e| Fault::redirect(format!("its address cannot be used: {e}")))?;
        let url = self.follow(url)?;
        let with_body = self.with_body && method == self.method;
        Ok(Some(Self { method, url, with_body }))
    }

    fn follow(&self, mut url: Url) -> Result<Url, Fault> {
        let host =
            Host::parse(url.host_str().unwrap_or_default()).map_err(|e| Fault::redirect(e.to_string()))?;
        match url.scheme() {
            "https" => {}
            "http" if self.url.scheme() == "http" && host.is_loopback() => {}
            "http" => return Err(Fault::redirect(format!("it leads to `{host}` without TLS"))),
            _ => return Err(Fault::redirect("it leads away from HTTP")),
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(Fault::redirect("its address holds a user or a password"));
        }
        // One spelling, so that what is judged is what is asked.
        url.set_host(Some(&host.to_string())).map_err(|e| Fault::redirect(e.to_string()))?;
        url.set_fragment(None);
        Ok(url)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn next(
        method: &str,
        from: &str,
        status: u16,
        to: &str,
    ) -> Result<Option<(String, String, bool)>, String> {
        let method = Method::from_bytes(method.as_bytes()).unwrap();
        let hop = Hop { method, url: Url::parse(from).unwrap(), with_body: true };
        match hop.next(StatusCode::from_u16(status).unwrap(), Some(to)) {
            Ok(next) => Ok(next.map(|hop| (hop.method.to_string(), hop.url.to_string(), hop.with_body))),
            Err(fault) => Err(fault.message),
        }
    }

    #[test]
    fn the_method_is_what_the_status_says() {
        for (method, status, expected) in [
            ("POST", 301, Some(("GET", false))),
            ("POST", 302, Some(("GET", false))),
            ("POST", 303, Some(("GET", false))),
            ("POST", 307, Some(("POST", true))),
            ("POST", 308, Some(("POST", true))),
            ("PUT", 301, Some(("PUT", true))),
            ("DELETE", 303, Some(("GET", false))),
            ("HEAD", 303, Some(("HEAD", true))),
            ("GET", 302, Some(("GET", true))),
            ("GET", 200, None),
            ("GET", 300, None),
            ("GET", 304, None),
            ("GET", 305, None),
            ("GET", 404, None),
        ] {
            let got = next(method, "https://a.example/x", status, "/y").unwrap();
            let expected = expected.map(|(m, body)| (m.to_owned(), "https://a.example/y".to_owned(), body));
            assert_eq!(got, expected, "{method} {status}");
        }
        let hop =
            Hop { method: Method::GET, url: Url::parse("https://a.example").unwrap(), with_body: false };
        assert_eq!(hop.next(StatusCode::FOUND, None), Ok(None));
    }

    #[test]
    fn where_a_redirect_may_lead() {
        for (from, to, expected) in [
            ("https://a.example/x/y", "../z?q=1#f", Ok("https://a.example/z?q=1")),
            ("https://a.example/", "//B.example./", Ok("https://b.example/")),
            ("http://127.0.0.1:1/", "http://localhost:2/", Ok("http://localhost:2/")),
            ("http://127.0.0.1:1/", "https://b.example/", Ok("https://b.example/")),
            ("http://127.0.0.1:1/", "http://0x7f.1:2/", Ok("http://127.0.0.1:2/")),
            ("https://a.example/", "http://a.example/", Err("without TLS")),
            ("https://a.example/", "http://127.0.0.1:1/", Err("without TLS")),
            ("http://127.0.0.1:1/", "http://b.example/", Err("without TLS")),
            ("https://a.example/", "file:///etc/passwd", Err("")),
            ("https://a.example/", "ftp://a.example/", Err("away from HTTP")),
            ("https://a.example/", "javascript:1", Err("")),
            ("https://a.example/", "https://u:p@a.example/", Err("a user or a password")),
            ("https://a.example/", "https://[fe80::1%25eth0]/", Err("")),
        ] {
            match (next("GET", from, 302, to), expected) {
                (Ok(Some((_, url, _))), Ok(expected)) => assert_eq!(url, expected, "{from} {to}"),
                (Err(why), Err(words)) => assert!(why.contains(words), "{from} {to}: {why}"),
                (got, _) => panic!("{from} {to}: {got:?}"),
            }
        }
    }
}
