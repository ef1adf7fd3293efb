//! The credential broker: what was bound in a home, read from where it is kept at the moment a run needs it.
//!
//! A binding is a fact of the registry's journal and holds a reference; [`source`] has a file for each kind of
//! place that a secret may be kept in. Nothing is cached: each run reads its secrets anew, and what a run was
//! lent is remembered only to keep it out of everything that leaves. A process that holds a secret leaves no
//! core and cannot be looked into.

mod broker;
mod hardening;
pub mod source;

pub use broker::Broker;

#[cfg(test)]
mod tests;
