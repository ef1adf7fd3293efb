//! The way out to the network: which hosts may be reached, at which addresses, and the proxy that is a sandbox's only
//! door.
//!
//! The rules are pure ([`EgressRules`], and the table of special addresses); [`Gate`] puts a resolver beside them and is
//! the only maker of connections; [`serve_proxy`] lets a sandboxed program through the gate. Absent: tools, credentials.

pub mod address;
mod gate;
mod proxy;
mod resolve;
mod rules;
#[cfg(test)]
pub(crate) mod testing;

pub use gate::{Gate, Refusal};
pub use proxy::{Contact, Contacts, Proxy, ProxyBounds, proxy_variables, serve_proxy};
pub use resolve::SystemResolver;
pub use rules::{EgressRules, RuleError};
