//! The proxy out of a sandbox: a program's only door, which opens onto the gate.
//!
//! It speaks HTTP/1 as a proxy does: `CONNECT` for a tunnel, and plain requests by their whole address, one a connection.
//! A tunnel carries TLS to the host that it was asked for, told by the name in its greeting, and nothing else; what a
//! host does with what it is sent is its own affair, and a host that is allowed and relays for others is allowed to.
//! There is no port to govern it by: nothing is served but what is asked of others.

mod connection;
mod contacts;
mod head;
mod hello;

pub use contacts::{Contact, Contacts};

use super::Gate;
use contacts::Ledger;
use std::{
    io,
    net::TcpListener,
    sync::Arc,
    thread::{self, JoinHandle},
    time::Duration,
};
use tokio::{
    runtime::{Builder, Runtime},
    sync::{Semaphore, oneshot},
    task::JoinSet,
    time::{sleep, timeout},
};

/// How much of everything a program may have of the proxy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProxyBounds {
    /// Connections at one time; more wait.
    pub connections: usize,
    /// Bytes of a request's head.
    pub head: usize,
    /// How long a head, or a greeting, may take.
    pub head_time: Duration,
    /// How long a connection may be silent.
    pub idle: Duration,
    /// How long the proxy lives: then everything is cut.
    pub total: Duration,
}

impl Default for ProxyBounds {
    fn default() -> Self {
        Self {
            connections: 64,
            head: 16 << 10,
            head_time: Duration::from_secs(10),
            idle: Duration::from_secs(60),
            total: Duration::from_secs(600),
        }
    }
}

/// A running proxy. It ends, and cuts every connection, when it is stopped or dropped.
#[derive(Debug)]
pub struct Proxy {
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
    ledger: Ledger,
}

impl Proxy {
    /// Cuts every connection, and says what went through.
    pub fn stop(mut self) -> Contacts {
        self.end();
        self.ledger.take()
    }

    fn end(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            // a panic in there has cut everything as well
            thread.join().ok();
        }
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.end();
    }
}

/// Lets whoever connects to this socket through the gate. Returns at once: the proxy has a thread of its own.
///
/// # Errors
/// If there is no thread or descriptor left; then the socket is closed, and nobody gets through.
pub fn serve_proxy(listener: TcpListener, gate: Gate, bounds: ProxyBounds) -> io::Result<Proxy> {
    listener.set_nonblocking(true)?;
    let runtime =
        Builder::new_current_thread().enable_all().max_blocking_threads(bounds.connections.max(1)).build()?;
    let (stop, stopped) = oneshot::channel();
    let ledger = Ledger::default();
    let life = Life { listener, gate, bounds, ledger: ledger.clone() };
    let thread =
        thread::Builder::new().name("egress proxy".to_owned()).spawn(move || life.run(runtime, stopped))?;
    Ok(Proxy { stop: Some(stop), thread: Some(thread), ledger })
}

/// The variables that point a program to the proxy on this port of its own loopback.
pub fn proxy_variables(port: u16) -> [(&'static str, String); 8] {
    let at = format!("http://127.0.0.1:{port}");
    let [http, https, all] = [at.clone(), at.clone(), at];
    [
        ("HTTP_PROXY", http.clone()),
        ("http_proxy", http),
        ("HTTPS_PROXY", https.clone()),
        ("https_proxy", https),
        ("ALL_PROXY", all.clone()),
        ("all_proxy", all),
        ("NO_PROXY", String::new()),
        ("no_proxy", String::new()),
    ]
}

struct Life {
    listener: TcpListener,
    gate: Gate,
    bounds: ProxyBounds,
    ledger: Ledger,
}

impl Life {
    fn run(self, runtime: Runtime, stopped: oneshot::Receiver<()>) {
        let total = self.bounds.total;
        runtime.block_on(async {
            tokio::select! {
                _ = stopped => {}
                _ = timeout(total, self.accept()) => {}
            }
        });
        // A name that is still being resolved is waited for by nobody.
        runtime.shutdown_background();
    }

    /// Accepts for ever. The connections live in here, so that they end with it.
    async fn accept(self) -> io::Result<()> {
        let listener = tokio::net::TcpListener::from_std(self.listener)?;
        let places = Arc::new(Semaphore::new(self.bounds.connections.max(1)));
        let mut connections = JoinSet::new();
        loop {
            let place = Arc::clone(&places).acquire_owned().await.map_err(io::Error::other)?;
            while connections.try_join_next().is_some() {}
            match listener.accept().await {
                Ok((inside, _)) => {
                    let (gate, bounds, ledger) = (self.gate.clone(), self.bounds, self.ledger.clone());
                    connections.spawn(async move {
                        connection::serve(inside, gate, bounds, ledger).await;
                        drop(place);
                    });
                }
                // One that broke off, or no descriptor left: the next may do better, a little later.
                Err(_) => sleep(Duration::from_millis(20)).await,
            }
        }
    }
}

#[cfg(test)]
mod tests;
