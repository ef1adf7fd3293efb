//! Sending a request: through the gate at every step, bounded in time and size, stopped when it is called off.

use super::{
    Fault,
    credential::Credential,
    holds::{Holds, retry_after},
    redirect::Hop,
    render::Rendered,
};
use crate::{
    adapters::egress::{Gate, Refusal},
    model::Host,
    port::Interrupt,
};
use reqwest::{
    Client, Response, StatusCode,
    dns::{Addrs, Name, Resolve, Resolving},
    header::{ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, LOCATION},
    redirect::Policy,
};
use std::{
    collections::HashMap,
    error::Error,
    net::SocketAddr,
    sync::{Arc, Mutex, PoisonError},
    thread,
    time::{Duration, Instant},
};
use tokio::{runtime::Builder, time::sleep};

/// So often a request is sent elsewhere at most.
const MOST_HOPS: usize = 5;
/// Of an answer that is an error, so much is read.
pub(super) const MOST_OF_ERROR: u64 = 64 << 10;
/// So often it is looked whether the call was called off.
const LOOK: Duration = Duration::from_millis(50);

/// A request on its way.
pub(super) struct Exchange<'a> {
    pub(super) gate: Gate,
    pub(super) request: Rendered,
    pub(super) credentials: Vec<Credential>,
    /// The header by which its host knows it again, and the call's id.
    pub(super) key: Option<(HeaderName, HeaderValue)>,
    pub(super) expected: &'a [u16],
    pub(super) most: u64,
    pub(super) deadline: Instant,
    pub(super) interrupt: &'a dyn Interrupt,
    pub(super) holds: &'a Holds,
}

/// What came back.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) status: StatusCode,
    pub(super) content_type: Option<String>,
    /// How its body is compressed, though it was asked not to be.
    pub(super) encoding: Option<String>,
    pub(super) body: Vec<u8>,
    /// Where the body is longer than what was read: how much had come, and how much was announced.
    pub(super) cut: Option<(u64, Option<u64>)>,
}

/// What came back, or why nothing did; and the hosts that were sent something, one for each request.
pub(super) struct Exchanged {
    pub(super) answer: Result<Answer, Fault>,
    pub(super) contacted: Vec<String>,
}

/// Whether a status is what the contract expects.
pub(super) fn is_expected(status: StatusCode, expected: &[u16]) -> bool {
    if expected.is_empty() { status.is_success() } else { expected.contains(&status.as_u16()) }
}

impl Exchange<'_> {
    /// Sends it and reads the answer.
    pub(super) fn run(&self) -> Exchanged {
        let contacted = Mutex::new(Vec::new());
        // In a thread of its own: whoever calls may be inside a runtime, and one does not run in another.
        let answer = thread::scope(|scope| {
            let panicked = |_| Err(Fault::new("internal", "the exchange panicked"));
            match thread::Builder::new().spawn_scoped(scope, || self.block(&contacted)) {
                Ok(thread) => thread.join().unwrap_or_else(panicked),
                Err(error) => Err(Fault::new("internal", format!("there is no thread left: {error}"))),
            }
        });
        let contacted = contacted.into_inner().unwrap_or_else(PoisonError::into_inner);
        let sent =
            if contacted.is_empty() { "" } else { "; it had been sent, and what came of it is not known" };
        let answer = answer.map_err(|fault| match fault.code {
            "timeout" | "cancelled" => Fault { message: format!("{}{sent}", fault.message), ..fault },
            _ => fault,
        });
        Exchanged { answer, contacted }
    }

    fn block(&self, contacted: &Mutex<Vec<String>>) -> Result<Answer, Fault> {
        let unable =
            |e: &dyn Error| Fault::new("internal", format!("no request can be made here: {}", chain(e)));
        let runtime = Builder::new_current_thread().enable_all().build().map_err(|e| unable(&e))?;
        let judged = Judged::default();
        let client = client(judged.clone()).map_err(|e| unable(&e))?;
        let answer = runtime.block_on(async {
            tokio::select! {
                answer = self.follow(&client, &judged, contacted) => answer,
                fault = self.called_off() => Err(fault),
                () = sleep(self.left()) => Err(self.late()),
            }
        });
        // A name that is still being resolved is waited for by nobody.
        runtime.shutdown_background();
        answer
    }

    fn left(&self) -> Duration {
        self.deadline.saturating_duration_since(Instant::now())
    }

    fn late(&self) -> Fault {
        Fault::new("timeout", "there was no answer within the time that its contract allows")
    }

    async fn called_off(&self) -> Fault {
        loop {
            if let Some(reason) = self.interrupt.reason() {
                return Fault::new("cancelled", reason.to_string());
            }
            sleep(LOOK).await;
        }
    }

    async fn follow(
        &self,
        client: &Client,
        judged: &Judged,
        contacted: &Mutex<Vec<String>>,
    ) -> Result<Answer, Fault> {
        let Rendered { method, url, body, .. } = &self.request;
        let mut hop = Hop { method: method.clone(), url: url.clone(), with_body: body.is_some() };
        for _ in 0..=MOST_HOPS {
            let (host, port) = hop.target()?;
            let at = format!("{host}:{port}");
            self.hold(&at).await?;
            self.judge(&host, port, judged).await?;
            contacted.lock().unwrap_or_else(PoisonError::into_inner).push(at.clone());
            let response = self.send(client, &hop, &host, port).await?;
            if let Some(time) = busy(response.status()).then(|| retry_after(response.headers())).flatten() {
                self.holds.hold(&at, time);
            }
            match self.next(&hop, &response)? {
                Some(next) => hop = next,
                None => return self.read(response).await,
            }
        }
        Err(Fault::redirect(format!("it was sent on {MOST_HOPS} times already")))
    }

    /// Waits for a host that has asked to be left alone, where there is time for it.
    async fn hold(&self, at: &str) -> Result<(), Fault> {
        let wait = self.holds.left(at);
        if wait > self.left() {
            let message = format!("`{at}` has asked to be left alone for another {} s", wait.as_secs());
            return Err(Fault::new("rate_limited", message));
        }
        sleep(wait).await;
        Ok(())
    }

    /// Asks the gate for the addresses; the client knows these and no others.
    async fn judge(&self, host: &Host, port: u16, judged: &Judged) -> Result<(), Fault> {
        let (gate, deadline, of) = (self.gate.clone(), self.deadline, host.clone());
        let asked = tokio::task::spawn_blocking(move || gate.addresses_of(&of, port, deadline)).await;
        let addresses =
            asked.map_err(|e| Fault::new("internal", e.to_string()))?.map_err(|refusal| refused(&refusal))?;
        judged.set(host, addresses);
        Ok(())
    }

    async fn send(&self, client: &Client, hop: &Hop, host: &Host, port: u16) -> Result<Response, Fault> {
        let mut headers = self.request.headers.clone();
        headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
        if let Some((name, value)) = &self.key {
            headers.insert(name, value.clone());
        }
        // To the host that it is for; dropped at every other.
        for credential in self.credentials.iter().filter(|credential| credential.is_for(host, port)) {
            credential.add_to(&mut headers);
        }
        if !hop.with_body {
            headers.remove(CONTENT_TYPE);
        }
        let mut request = client.request(hop.method.clone(), hop.url.clone()).headers(headers);
        if let Some(body) = self.request.body.as_ref().filter(|_| hop.with_body) {
            request = request.body(body.clone());
        }
        request.send().await.map_err(broken)
    }

    fn next(&self, hop: &Hop, response: &Response) -> Result<Option<Hop>, Fault> {
        if is_expected(response.status(), self.expected) {
            return Ok(None);
        }
        let location = response.headers().get(LOCATION).map(HeaderValue::to_str).transpose();
        let location = location.map_err(|_| Fault::redirect("its address is no text"))?;
        if location.is_some_and(|to| self.credentials.iter().any(|credential| credential.is_in(to))) {
            return Err(Fault::redirect("its address holds a credential"));
        }
        hop.next(response.status(), location)
    }

    async fn read(&self, mut response: Response) -> Result<Answer, Fault> {
        let status = response.status();
        let most = if is_expected(status, self.expected) { self.most } else { self.most.min(MOST_OF_ERROR) };
        let announced = response.content_length();
        let (content_type, encoding) =
            (header(response.headers(), CONTENT_TYPE), header(response.headers(), CONTENT_ENCODING));
        let (mut body, mut cut) = (Vec::new(), None);
        while let Some(chunk) = response.chunk().await.map_err(broken)? {
            let room = usize::try_from(most).unwrap_or(usize::MAX) - body.len();
            if chunk.len() > room {
                cut = Some(((body.len() + chunk.len()) as u64, announced));
                body.extend_from_slice(&chunk[..room]);
                break;
            }
            body.extend_from_slice(&chunk);
        }
        let encoding = encoding.filter(|encoding| !encoding.eq_ignore_ascii_case("identity"));
        Ok(Answer { status, content_type, encoding, body, cut })
    }
}

/// Whether a status says that another time may be better.
pub(super) fn busy(status: StatusCode) -> bool {
    matches!(status.as_u16(), 429 | 502 | 503 | 504)
}

fn header(headers: &HeaderMap, name: HeaderName) -> Option<String> {
    headers.get(name).map(|value| crate::text::line(&String::from_utf8_lossy(value.as_bytes()), 200))
}

fn refused(refusal: &Refusal) -> Fault {
    let code = if refusal.is_rule() { "egress_denied" } else { "unavailable" };
    Fault::new(code, refusal.to_string())
}

fn broken(error: reqwest::Error) -> Fault {
    // Without the address: its query may hold what is nobody else's business.
    Fault::new("unavailable", format!("the exchange broke: {}", chain(&error.without_url())))
}

/// An error with all that caused it.
fn chain(error: &dyn Error) -> String {
    let (mut text, mut cause) = (error.to_string(), error.source());
    while let Some(error) = cause {
        text.push_str(&format!(": {error}"));
        cause = error.source();
    }
    crate::text::line(&text, 500)
}

/// A client of one call: no proxy, no redirect, no retry, no compression, no connection of an earlier call, and no
/// address but those that were judged.
fn client(judged: Judged) -> reqwest::Result<Client> {
    // reqwest panics without one; a second installation is refused, and that is as good.
    rustls::crypto::ring::default_provider().install_default().ok();
    Client::builder()
        .no_proxy()
        .redirect(Policy::none())
        .retry(reqwest::retry::never())
        .referer(false)
        .pool_max_idle_per_host(0)
        .http1_only()
        .user_agent(concat!("proofhouse/", env!("CARGO_PKG_VERSION")))
        .dns_resolver(Arc::new(judged))
        .build()
}

/// Names with the addresses that were judged; no other name exists.
#[derive(Clone, Default)]
struct Judged(Arc<Mutex<HashMap<String, Vec<SocketAddr>>>>);

impl Judged {
    fn set(&self, host: &Host, addresses: Vec<SocketAddr>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(host.to_string(), addresses);
    }
}

impl Resolve for Judged {
    fn resolve(&self, name: Name) -> Resolving {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner).get(name.as_str()).cloned();
        Box::pin(std::future::ready(match known {
            Some(addresses) => Ok(Box::new(addresses.into_iter()) as Addrs),
            None => Err("nobody has judged this name".into()),
        }))
    }
}
