//! `MODEL[@BASE_URL]`: which model, on which server.

use super::open::ModelError;
use reqwest::Url;

/// A model on a server.
#[derive(Debug, Clone)]
pub(super) struct Address {
    /// The model, as the server knows it.
    pub(super) model: String,
    /// Where the server is.
    pub(super) base: Url,
    /// Whether the base URL was stated, and is not the provider's own.
    pub(super) stated: bool,
}

impl Address {
    /// Reads `MODEL[@BASE_URL]`. A model's name may hold an `@`: only one before a URL ends it.
    pub(super) fn parse(text: &str, default_base: &str) -> Result<Self, ModelError> {
        let at = text.find("@http://").or_else(|| text.find("@https://"));
        let (model, base) = match at {
            Some(at) => (&text[..at], &text[at + 1..]),
            None => (text, default_base),
        };
        if model.is_empty() {
            return Err(ModelError::BadAddress("the model's name is missing before the base URL".into()));
        }
        Ok(Self { model: model.to_owned(), base: base_url(base)?, stated: at.is_some() })
    }

    /// The URL of an operation below the base.
    pub(super) fn url(&self, path: &str) -> String {
        format!("{}{path}", self.base.as_str().trim_end_matches('/'))
    }

    /// Whether the server is on this machine.
    pub(super) fn is_loopback(&self) -> bool {
        match self.base.host_str() {
            Some("localhost" | "[::1]") => true,
            Some(host) => host.parse::<std::net::Ipv4Addr>().is_ok_and(|ip| ip.is_loopback()),
            None => false,
        }
    }

    /// Whether a key may be sent: over TLS, or without leaving this machine.
    pub(super) fn is_private(&self) -> bool {
        self.base.scheme() == "https" || self.is_loopback()
    }

    /// The server, where it was stated.
    pub(super) fn endpoint(&self) -> Option<String> {
        self.stated.then(|| self.url(""))
    }
}

fn base_url(text: &str) -> Result<Url, ModelError> {
    let url =
        Url::parse(text).map_err(|e| ModelError::BadAddress(format!("`{text}` is no base URL: {e}")))?;
    // Such a URL ends up in manifests and reports. It is not shown here either.
    if !url.username().is_empty() || url.password().is_some() {
        return Err(ModelError::BadAddress("a base URL must not hold a user or a password".into()));
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err(ModelError::BadAddress("a base URL must not hold a query or a fragment".into()));
    }
    Ok(url)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Result<(&str, &str, bool, bool), &str>) {
        let address = Address::parse(text, "https://api.example.com/v1");
        match (address, expected) {
            (Ok(a), Ok((model, url, loopback, private))) => {
                assert_eq!(
                    (a.model.as_str(), a.url("/x").as_str(), a.is_loopback(), a.is_private()),
                    (model, url, loopback, private),
                    "{text}"
                );
            }
            (Err(error), Err(part)) => assert!(error.to_string().contains(part), "{text}: {error}"),
            (got, _) => panic!("{text}: {got:?}"),
        }
    }

    #[test]
    fn addresses() {
        check("gpt-5", Ok(("gpt-5", "https://api.example.com/v1/x", false, true)));
        check(
            "llama3.2:3b@http://127.0.0.1:11434/v1",
            Ok(("llama3.2:3b", "http://127.0.0.1:11434/v1/x", true, true)),
        );
        check("m@http://localhost:1/v1/", Ok(("m", "http://localhost:1/v1/x", true, true)));
        check("m@http://[::1]:1", Ok(("m", "http://[::1]:1/x", true, true)));
        check("m@http://10.0.0.5/v1", Ok(("m", "http://10.0.0.5/v1/x", false, false)));
        check("a@2024@https://h/v1", Ok(("a@2024", "https://h/v1/x", false, true)));
        check("a@2024", Ok(("a@2024", "https://api.example.com/v1/x", false, true)));
        check("@http://h", Err("name is missing"));
        check("m@http://", Err("no base URL"));
        check("m@http://u:secret@h/v1", Err("must not hold a user"));
        check("m@http://h/v1?key=1", Err("must not hold a query"));
    }

    #[test]
    fn a_password_in_an_address_is_not_repeated() {
        let error = Address::parse("m@http://u:hunter2@h/v1", "https://x").unwrap_err();
        assert!(!format!("{error} {error:?}").contains("hunter2"));
    }
}
