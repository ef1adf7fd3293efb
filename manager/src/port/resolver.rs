//! Names of hosts to addresses.

use std::{io, net::IpAddr, time::Instant};

/// Resolves names. What it answers is believed by nobody: each address is judged before it is used.
pub trait Resolver: Send + Sync {
    /// The addresses of a name, which is canonical and absolute: no search list is applied.
    ///
    /// # Errors
    /// If there is none, or not before the deadline.
    fn resolve(&self, name: &str, deadline: Instant) -> io::Result<Vec<IpAddr>>;
}
