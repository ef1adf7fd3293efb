//! Any OpenAI-compatible endpoint, through `async-openai`.
//!
//! The crate builds and sends the requests; its typed replies are too strict for compatible servers, its own
//! retries would falsify latency and attempts, and it logs the bodies that it cannot read. So the replies are
//! ours ([`chat`], [`responses`]), and between the crate and the network stands [`service`], which lets
//! through nothing but JSON.

pub(super) mod chat;
pub(super) mod responses;
mod service;

use super::{
    Fault,
    address::Address,
    http::Http,
    open::ModelError,
    redact::{OPENAI_API_KEY, key},
    settings::ProviderSettings,
};
use async_openai::{Client, config::Config, error::OpenAIError};
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderValue};
use secrecy::SecretString;
use serde::Serialize;
use serde_json::Value;

const BASE: &str = "https://api.openai.com/v1";
/// What stands behind the colon of these kinds.
const TAKES: &str = "MODEL[@BASE_URL]";

/// Where the server is and who asks; stated in full, where the crate's own reads the environment.
struct Endpoint {
    base: String,
    headers: HeaderMap,
    key: SecretString,
}

impl Config for Endpoint {
    fn headers(&self) -> HeaderMap {
        self.headers.clone()
    }

    fn url(&self, path: &str) -> String {
        format!("{}{path}", self.base)
    }

    fn query(&self) -> Vec<(&str, &str)> {
        Vec::new()
    }

    fn api_base(&self) -> &str {
        &self.base
    }

    fn api_key(&self) -> &SecretString {
        &self.key
    }
}

/// A client for one server.
struct OpenAi(Client<Endpoint>);

impl OpenAi {
    fn new(address: &Address, settings: &ProviderSettings) -> Result<Self, ModelError> {
        let http = Http::new(address, settings)?;
        let endpoint =
            Endpoint { base: address.url(""), headers: headers(address, settings)?, key: "".into() };
        let client = Client::build(http.client().clone(), endpoint);
        Ok(Self(client.with_http_service(service::Exchange::new(http))))
    }

    async fn chat(&self, body: impl Serialize) -> Result<Value, Fault> {
        self.0.chat().create_byot(body).await.map_err(fault)
    }

    async fn respond(&self, body: impl Serialize) -> Result<Value, Fault> {
        self.0.responses().create_byot(body).await.map_err(fault)
    }
}

/// The headers that carry the key: sent over TLS or within this machine, and nowhere else.
fn headers(address: &Address, settings: &ProviderSettings) -> Result<HeaderMap, ModelError> {
    let unusable = |problem| ModelError::Key {
        variable: OPENAI_API_KEY,
        problem,
        usage: "`openai:MODEL@http://127.0.0.1:PORT/v1`",
    };
    let mut headers = HeaderMap::new();
    match key(&settings.env, OPENAI_API_KEY).filter(|_| address.is_private()) {
        Some(key) => {
            let mut value = HeaderValue::from_str(&format!("Bearer {}", key.expose()))
                .map_err(|_| unusable("holds characters that no key has"))?;
            value.set_sensitive(true);
            headers.insert(AUTHORIZATION, value);
        }
        None if address.stated => {}
        None => return Err(unusable("is not set")),
    }
    Ok(headers)
}

/// The fault that [`service`] put in, or what little else can go wrong around it.
fn fault(error: OpenAIError) -> Fault {
    match error {
        OpenAIError::Boxed(inner) => match inner.downcast::<Fault>() {
            Ok(fault) => *fault,
            Err(other) => Fault::Connection(other.to_string()),
        },
        OpenAIError::Reqwest(error) => Fault::Connection(error.without_url().to_string()),
        OpenAIError::ApiError(error) => Fault::Status {
            status: error.status_code.as_u16(),
            message: super::http::cut(&error.api_error.message),
            retry_after: None,
        },
        // Its text holds the whole body: only the parser's words go on.
        OpenAIError::JSONDeserialize(error, _) => Fault::Protocol(error.to_string()),
        OpenAIError::FileSaveError(text)
        | OpenAIError::FileReadError(text)
        | OpenAIError::InvalidArgument(text) => Fault::Setup(text),
        OpenAIError::StreamError(error) => Fault::Protocol(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provider::testing::{KEY, settings};

    fn check(address: &str, sent: bool) {
        let address = Address::parse(address, BASE).unwrap();
        let headers = headers(&address, &settings()).unwrap();
        assert_eq!(headers.contains_key(AUTHORIZATION), sent, "{address:?}");
        assert!(!format!("{headers:?}").contains(KEY));
    }

    #[test]
    fn the_key_leaves_this_machine_over_tls_only() {
        check("m", true);
        check("m@https://gateway.example/v1", true);
        check("m@http://127.0.0.1:8000/v1", true);
        check("m@http://10.0.0.5:8000/v1", false);
        check("m@http://127.0.0.1.example/v1", false);
    }
}
