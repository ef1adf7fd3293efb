//! Credentials of a request: each goes to the host that it is for, and to no other.

use super::Fault;
use crate::{
    model::{Host, Secret},
    port::{Injection, Leased},
};
use reqwest::header::{
    CONNECTION, CONTENT_LENGTH, HOST, HeaderMap, HeaderName, HeaderValue, TRANSFER_ENCODING,
};
use std::sync::Arc;

/// A header with a secret, for one host.
pub(super) struct Credential {
    host: Host,
    port: u16,
    name: HeaderName,
    value: HeaderValue,
    secret: Arc<Secret>,
}

/// Binds what was lent to a request for this host.
///
/// # Errors
/// [`Fault`] if one is for another host, for none, or is not handed over in a header: then nothing is sent at all.
pub(super) fn bind(
    leases: Vec<Leased>,
    host: &Host,
    port: u16,
    own: &HeaderMap,
) -> Result<Vec<Credential>, Fault> {
    let mut bound: Vec<Credential> = Vec::new();
    for lease in leases {
        let credential = credential(lease)?;
        let no = |why: String| Err(Fault::new("credential_refused", why));
        if !credential.is_for(host, port) {
            return no(format!(
                "a credential of the tool is for `{}:{}`, and the request for `{host}:{port}`",
                credential.host, credential.port
            ));
        }
        if own.contains_key(&credential.name) || bound.iter().any(|other| other.name == credential.name) {
            return no(format!("the header `{}` would be set twice", credential.name));
        }
        bound.push(credential);
    }
    Ok(bound)
}

fn credential(lease: Leased) -> Result<Credential, Fault> {
    let Leased { reference, secret, injection, audience, .. } = lease;
    let no = |why: String| Fault::new("credential_refused", why);
    let Injection::Header { name, prefix } = injection else {
        return Err(no(format!(
            "the credential `{reference}` is not handed over in a header, as a request needs it"
        )));
    };
    let audience = audience.as_deref().and_then(Host::of_audience);
    let (host, port) = audience.ok_or_else(|| no(format!("the credential `{reference}` is for no host")))?;
    let unusable = |what: &str| no(format!("the credential `{reference}` has {what}"));
    let name = HeaderName::from_bytes(name.as_bytes()).map_err(|_| unusable("no name of a header"))?;
    if [HOST, CONTENT_LENGTH, TRANSFER_ENCODING, CONNECTION].contains(&name) {
        return Err(unusable("a header that steers the connection"));
    }
    let mut value = HeaderValue::from_str(&format!("{prefix}{}", secret.expose()))
        .map_err(|_| unusable("a character that no header has"))?;
    value.set_sensitive(true);
    Ok(Credential { host, port, name, value, secret })
}

impl Credential {
    /// Whether it may be sent to this host.
    pub(super) fn is_for(&self, host: &Host, port: u16) -> bool {
        self.host == *host && self.port == port
    }

    /// Puts it into the headers of a request.
    pub(super) fn add_to(&self, headers: &mut HeaderMap) {
        headers.insert(self.name.clone(), self.value.clone());
    }

    /// Whether a text gives the secret away, plainly or percent-encoded.
    pub(super) fn is_in(&self, text: &str) -> bool {
        let secret = self.secret.expose();
        let decoded: String =
            url::form_urlencoded::parse(text.as_bytes()).flat_map(|(k, v)| [k, v]).collect();
        text.contains(secret) || decoded.contains(secret)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(crate) fn lease(secret: &str, injection: Injection, audience: Option<&str>) -> Leased {
        Leased {
            binding: "b".into(),
            reference: "credential:b".to_owned(),
            name: "TOKEN".to_owned(),
            secret: Arc::new(Secret::new(secret.to_owned())),
            injection,
            audience: audience.map(str::to_owned),
        }
    }

    pub(crate) fn bearer() -> Injection {
        Injection::Header { name: "Authorization".to_owned(), prefix: "Bearer ".to_owned() }
    }

    fn bound(leases: Vec<Leased>) -> Result<usize, String> {
        let mut own = HeaderMap::new();
        own.insert("x-own", HeaderValue::from_static("1"));
        let host = Host::parse("api.example").unwrap();
        bind(leases, &host, 443, &own).map(|bound| bound.len()).map_err(|fault| fault.message)
    }

    #[test]
    fn a_credential_goes_to_its_host_alone() {
        for audience in ["https://api.example", "https://API.example./v1", "api.example", "api.example:443"] {
            assert_eq!(bound(vec![lease("s", bearer(), Some(audience))]), Ok(1), "{audience}");
        }
        let header = |name: &str| Injection::Header { name: name.to_owned(), prefix: String::new() };
        for (injection, audience, words) in [
            (bearer(), Some("https://other.example"), "is for `other.example:443`"),
            (bearer(), Some("https://api.example.evil.net"), "is for `api.example.evil.net:443`"),
            (bearer(), Some("https://api.example:8443"), "is for `api.example:8443`"),
            (bearer(), Some("http://api.example"), "is for `api.example:80`"),
            (bearer(), Some("*.example"), "for no host"),
            (bearer(), Some(""), "for no host"),
            (bearer(), None, "for no host"),
            (Injection::Variable("TOKEN".to_owned()), Some("api.example"), "not handed over in a header"),
            (header("Host"), Some("api.example"), "steers the connection"),
            (header("a b"), Some("api.example"), "no name of a header"),
            (header("X-Own"), Some("api.example"), "set twice"),
        ] {
            let why = bound(vec![lease("s", injection.clone(), audience)]).unwrap_err();
            assert!(why.contains(words), "{injection:?} {audience:?}: {why}");
        }
        let twice =
            vec![lease("s", bearer(), Some("api.example")), lease("t", bearer(), Some("api.example"))];
        assert!(bound(twice).unwrap_err().contains("set twice"));
        assert!(
            bound(vec![lease("a\nb", bearer(), Some("api.example"))]).unwrap_err().contains("no header has")
        );
    }
}
