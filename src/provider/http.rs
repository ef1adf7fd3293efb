//! One HTTP exchange with a model's server: bounded in time and size, free of keys, never repeated.
//!
//! Whoever calls this sees either the text of a JSON answer or a [`Fault`]; status lines, headers and
//! half-read bodies end here.

use super::{
    Fault,
    address::Address,
    open::ModelError,
    redact::Redactor,
    settings::{Clock, ProviderSettings},
};
use chrono::DateTime;
use proofhouse_manager::model::parse_strict;
use reqwest::{Client, Request, Response, StatusCode, header::HeaderMap, redirect};
use serde_json::Value;
use std::{error::Error, time::Duration};

/// No answer of a model is anywhere near as long; whoever sends more is broken or hostile.
pub(super) const MAX_ANSWER: usize = 10 << 20;
const MAX_ERROR_BODY: usize = 64 << 10;
const MAX_MESSAGE: usize = 500;

/// A client for one server.
#[derive(Clone)]
pub(super) struct Http {
    client: Client,
    redactor: Redactor,
    timeout: Duration,
    now: Clock,
}

impl Http {
    /// Makes the client.
    pub(super) fn new(address: &Address, settings: &ProviderSettings) -> Result<Self, ModelError> {
        // reqwest panics without one; a second installation is refused, and that is as good.
        rustls::crypto::ring::default_provider().install_default().ok();
        // A redirect would carry the key somewhere else, and turn the POST into a GET.
        let mut client = Client::builder().timeout(settings.timeout).redirect(redirect::Policy::none());
        if address.is_loopback() {
            client = client.no_proxy();
        }
        let client = client.build().map_err(|e| ModelError::Client(chain(&e)))?;
        let redactor = Redactor::new(&settings.env);
        Ok(Self { client, redactor, timeout: settings.timeout, now: settings.now })
    }

    /// The client, to build requests with.
    pub(super) fn client(&self) -> &Client {
        &self.client
    }

    /// Sends a request once and returns the answer: JSON text without keys.
    pub(super) async fn exchange(&self, request: Request) -> Result<String, Fault> {
        let response = self.client.execute(request).await.map_err(|e| self.broken(e))?;
        let status = response.status();
        if !status.is_success() {
            return Err(self.refusal(status, response).await);
        }
        let (bytes, whole) = self.body(response, MAX_ANSWER).await?;
        if !whole {
            return Err(Fault::Protocol(format!("it is larger than {} MB", MAX_ANSWER >> 20)));
        }
        let text = self.redactor.redact(String::from_utf8_lossy(&bytes).into_owned());
        // Read in full here: whoever reads it next must find nothing to complain about, and to log.
        json(&text).map(|_| text)
    }

    /// The body, up to a bound, and whether that is all of it.
    async fn body(&self, mut response: Response, limit: usize) -> Result<(Vec<u8>, bool), Fault> {
        let mut bytes = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(|e| self.broken(e))? {
            let room = limit - bytes.len();
            if chunk.len() > room {
                bytes.extend_from_slice(&chunk[..room]);
                return Ok((bytes, false));
            }
            bytes.extend_from_slice(&chunk);
        }
        Ok((bytes, true))
    }

    async fn refusal(&self, status: StatusCode, response: Response) -> Fault {
        let retry_after = retry_after(response.headers(), self.now);
        // The status says enough where the body breaks off.
        let body = self.body(response, MAX_ERROR_BODY).await.map(|(bytes, _)| bytes).unwrap_or_default();
        let text = self.redactor.redact(String::from_utf8_lossy(&body).into_owned());
        let said = serde_json::from_str(&text).ok().and_then(|body: Value| error_message(&body));
        let message = match said.as_deref().unwrap_or(&text).trim() {
            "" => status.canonical_reason().unwrap_or("no reason given").to_owned(),
            message => cut(message),
        };
        Fault::Status { status: status.as_u16(), message, retry_after }
    }

    fn broken(&self, error: reqwest::Error) -> Fault {
        if error.is_timeout() {
            return Fault::Timeout(self.timeout);
        }
        // Without the URL: the report names the model, and a port differs in every run.
        Fault::Connection(self.redactor.redact(chain(&error.without_url())))
    }
}

/// What an error body says, in any of the usual places.
pub(super) fn error_message(body: &Value) -> Option<String> {
    let error = body.get("error").filter(|error| !error.is_null());
    let places = [error.and_then(|e| e.get("message")), error, body.get("message"), body.get("detail")];
    places.into_iter().flatten().find_map(Value::as_str).map(str::to_owned)
}

/// The fault that a `200` with an error object amounts to; some gateways send these.
pub(super) fn error_in_answer(raw: &Value) -> Option<Fault> {
    let error = raw.get("error").filter(|error| !error.is_null())?;
    let message = cut(&error_message(raw).unwrap_or_else(|| error.to_string()));
    Some(match error.get("code").and_then(status_of) {
        Some(status) => Fault::Status { status, message, retry_after: None },
        None => Fault::Protocol(format!("success was announced, and then an error sent: {message}")),
    })
}

/// The status that an error's code stands for.
fn status_of(code: &Value) -> Option<u16> {
    match code.as_str() {
        Some("rate_limit_exceeded") => Some(429),
        Some("server_error") => Some(500),
        Some(text) => text.parse().ok(),
        None => code.as_u64().and_then(|code| u16::try_from(code).ok()),
    }
    .filter(|status| (400..600).contains(status))
}

/// A text of bounded length.
pub(super) fn cut(text: &str) -> String {
    proofhouse_manager::text::shorten(text, MAX_MESSAGE).into_owned()
}

/// Reads a JSON answer; the fault says what is wrong.
pub(super) fn json(text: &str) -> Result<Value, Fault> {
    parse_strict(text).map_err(|e| Fault::Protocol(format!("no JSON ({e}): `{}`", cut(text.trim()))))
}

fn retry_after(headers: &HeaderMap, now: Clock) -> Option<Duration> {
    let text = |name: &str| headers.get(name)?.to_str().ok().map(str::trim);
    let number = |name: &str| text(name)?.parse::<f64>().ok();
    if let Some(milliseconds) = number("retry-after-ms") {
        return Duration::try_from_secs_f64(milliseconds / 1000.0).ok();
    }
    if let Some(seconds) = number("retry-after") {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let date = |name: &str| DateTime::parse_from_rfc2822(text(name)?).ok();
    let until = date("retry-after")?;
    // Against the server's own clock where it tells it, so that two clocks that differ do no harm.
    let now = date("date").unwrap_or_else(|| now().fixed_offset());
    Some((until - now).to_std().unwrap_or_default())
}

/// An error with all that caused it; reqwest's own text stops at "error sending request".
fn chain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(": ");
        text.push_str(&error.to_string());
        cause = error.source();
    }
    cut(&text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use reqwest::header::{HeaderName, HeaderValue};
    use serde_json::json;

    fn check_retry_after(headers: &[(&'static str, &'static str)], expected: Option<u64>) {
        let map = headers
            .iter()
            .map(|&(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value)));
        let got = retry_after(&map.collect(), || DateTime::UNIX_EPOCH);
        assert_eq!(got, expected.map(Duration::from_millis), "{headers:?}");
    }

    #[test]
    fn retry_after_is_read_in_all_its_forms() {
        check_retry_after(&[("retry-after", "2")], Some(2_000));
        check_retry_after(&[("retry-after", " 0.25 ")], Some(250));
        check_retry_after(&[("retry-after-ms", "40"), ("retry-after", "1")], Some(40));
        check_retry_after(
            &[("retry-after", "Wed, 21 Oct 2026 07:28:10 GMT"), ("date", "Wed, 21 Oct 2026 07:28:00 GMT")],
            Some(10_000),
        );
        check_retry_after(&[("retry-after", "Thu, 01 Jan 1970 00:00:03 GMT")], Some(3_000));
        check_retry_after(
            &[("retry-after", "Wed, 21 Oct 2026 07:28:00 GMT"), ("date", "Wed, 21 Oct 2026 07:28:09 GMT")],
            Some(0),
        );
        for nonsense in ["soon", "-1", "NaN", ""] {
            check_retry_after(&[("retry-after", nonsense)], None);
        }
        check_retry_after(&[], None);
    }

    #[test]
    fn error_messages_are_found_in_the_usual_places() {
        for (body, expected) in [
            (json!({"error": {"message": "a", "code": 1}}), Some("a")),
            (json!({"error": "a"}), Some("a")),
            (json!({"message": "a"}), Some("a")),
            (json!({"detail": "a"}), Some("a")),
            (json!({"error": null}), None),
            (json!([1]), None),
        ] {
            assert_eq!(error_message(&body).as_deref(), expected, "{body}");
        }
    }
}
