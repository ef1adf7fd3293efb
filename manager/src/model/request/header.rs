//! Headers that no argument and no contract sets: they say who asks, for whom, and where a request ends.

/// Set by the adapter, by the connection, or read by a proxy on the way.
const RESERVED: &[&str] = &[
    "accept-encoding",
    "connection",
    "content-encoding",
    "content-length",
    "content-type",
    "date",
    "expect",
    "forwarded",
    "host",
    "http2-settings",
    "keep-alive",
    "referer",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "via",
    "x-http-method",
    "x-http-method-override",
    "x-method-override",
    "x-original-url",
    "x-real-ip",
    "x-rewrite-url",
];
const RESERVED_PREFIXES: &[&str] = &["proxy-", "sec-", "x-forwarded-"];
/// Words of headers by which somebody shows who they are: those come from the broker alone.
const CREDENTIAL: &[&str] = &[
    "apikey",
    "auth",
    "authentication",
    "authorization",
    "cookie",
    "cookie2",
    "credential",
    "credentials",
    "jwt",
    "password",
    "secret",
    "session",
    "signature",
    "token",
];

/// Whether a header of this name is never a tool's own, nor an argument's.
pub fn is_reserved_header(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    RESERVED.contains(&name.as_str())
        || RESERVED_PREFIXES.iter().any(|prefix| name.starts_with(prefix))
        || name.split(['-', '_']).any(|word| CREDENTIAL.contains(&word))
        || name.replace('_', "-").contains("api-key")
}

/// Whether it is a name at all (RFC 9110, 5.6.2: a token).
pub(super) fn is_header_name(name: &str) -> bool {
    let token = |b: u8| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b);
    !name.is_empty() && name.bytes().all(token)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_that_says_who_asks_is_nobodys_own() {
        for name in [
            "Authorization",
            "AUTHORIZATION",
            "authorization",
            "Proxy-Authorization",
            "Cookie",
            "Set-Cookie",
            "Host",
            "Content-Length",
            "Transfer-Encoding",
            "Connection",
            "X-Forwarded-For",
            "X-Forwarded-Host",
            "Forwarded",
            "X-Api-Key",
            "x_api_key",
            "Api-Key",
            "ApiKey",
            "X-Auth-Token",
            "X-Amz-Security-Token",
            "X-CSRF-Token",
            "Private-Token",
            "X-Vault-Token",
            "Sec-Fetch-Mode",
            "X-HTTP-Method-Override",
            "X-Original-URL",
            "X-Session-Id",
            "Upgrade",
            "TE",
            "Via",
            "Content-Type",
            "X-Hub-Signature",
        ] {
            assert!(is_reserved_header(name), "{name}");
        }
        for name in
            ["Accept", "Accept-Language", "X-Author", "X-Request-Id", "If-Match", "Idempotency-Key", "Range"]
        {
            assert!(!is_reserved_header(name), "{name}");
        }
    }

    #[test]
    fn a_name_is_a_token() {
        for (name, is) in
            [("X-A", true), ("", false), ("a b", false), ("a:b", false), ("a\r\nb", false), ("ä", false)]
        {
            assert_eq!(is_header_name(name), is, "{name:?}");
        }
    }
}
