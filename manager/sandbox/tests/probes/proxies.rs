//! Probes about the caller's proxy.

use super::bench::Bench;
use super::customs::{Check, must, refused, run};
use super::outside;
use proofhouse_sandbox::{Cancel, Network, Spec};
use std::io::Write;
use std::net::{TcpListener, TcpStream};
use std::thread;
use std::time::Duration;

/// A run whose only way out is a proxy of ours, on a port that is free on the host.
fn proxied(bench: &Bench, act: &str) -> Result<(Spec, u16), String> {
    let free = TcpListener::bind("127.0.0.1:0").and_then(|free| free.local_addr());
    let port = free.map_err(|error| error.to_string())?.port();
    let mut spec = bench.spec(act, &[port.to_string().into()]);
    spec.network = Network::Proxy(port);
    Ok((spec, port))
}

/// Answers one connection outside; says whether anybody came.
fn answer_once(listener: &TcpListener) -> bool {
    listener.accept().is_ok_and(|(mut inside, _)| inside.write_all(b"yes\n").is_ok())
}

pub(crate) fn proxy_answers(bench: &Bench) -> Check {
    let (spec, port) = proxied(bench, "ask")?;
    let prepared = spec.prepare().map_err(|refused| refused.to_string())?;
    let (tell, told) = std::sync::mpsc::channel();
    let outcome = prepared
        .run_with_proxy(&Cancel::new().expect("a descriptor"), |listener| {
            thread::spawn(move || tell.send(answer_once(&listener)));
        })
        .map_err(|refused| refused.to_string())?;
    must(outcome.stdout.head() == b"yes\n", format!("{:?}", outcome.status))?;
    must(told.recv_timeout(Duration::from_secs(5)) == Ok(true), "nobody came")?;
    must(TcpStream::connect(("127.0.0.1", port)).is_err(), "the host listens on that port too")
}

pub(crate) fn proxy_is_the_only_way(bench: &Bench) -> Check {
    let host = bench.tcp.local_addr().unwrap().port().to_string();
    let (ask, _) = proxied(bench, "ask")?;
    let (mut connect, _) = proxied(bench, "connect")?;
    connect.args.truncate(2);
    connect.args.push(host.clone().into());
    for spec in [&ask, &connect] {
        let prepared = spec.prepare().map_err(|refused| refused.to_string())?;
        // the proxy is gone at once
        let outcome = prepared.run_with_proxy(&Cancel::new().expect("a descriptor"), drop);
        let outcome = outcome.map_err(|refused| refused.to_string())?;
        must(outcome.stdout.head().starts_with(b"no: "), format!("{:?}", outcome.status))?;
    }
    outside(bench, "connect", &[host.into()])?;
    refused(run(&ask), "no proxy")
}
