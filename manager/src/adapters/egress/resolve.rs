//! The system's resolver, within a deadline.

use crate::port::Resolver;
use std::{
    io,
    net::{IpAddr, ToSocketAddrs as _},
    sync::mpsc,
    thread,
    time::Instant,
};

/// Asks the system.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemResolver;

impl Resolver for SystemResolver {
    fn resolve(&self, name: &str, deadline: Instant) -> io::Result<Vec<IpAddr>> {
        // The root's dot keeps the search list out: `example.com` must not become `example.com.cluster.local`.
        let absolute = format!("{name}.");
        let (tell, told) = mpsc::channel();
        // The system's call has no deadline. One that is late ends by its own time limit, with nobody listening.
        thread::Builder::new().name("resolver".to_owned()).spawn(move || {
            let found = (absolute.as_str(), 0).to_socket_addrs();
            tell.send(found.map(|found| found.map(|at| at.ip()).collect())).ok();
        })?;
        let left = deadline.saturating_duration_since(Instant::now());
        told.recv_timeout(left).unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()))
    }
}
