//! Our own manager behind the driver protocol, so that the scenarios can be played on it.
//!
//! The suite knows no manager, and the manager no suite: this is the only place that knows both. It adds nothing to
//! what the manager decides. What the types of the manager do not let anybody say, such as starting a call twice, is
//! answered with `out_of_order`: the driver holds no value with which it could ask.

mod answers;
mod calls;
mod clock;
mod fixture;
mod journal;
mod measured;
mod outbox;
mod session;
mod skill;
mod unserved;

use crate::conform::{
    driver::{Driver, DriverError, Drivers},
    protocol::{self as p, Answer},
};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;
use session::Session;

/// Our manager in this process; each session has a home of its own in a temporary folder.
#[derive(Debug, Clone, Copy, Default)]
pub struct OurManager;

impl Drivers for OurManager {
    fn start(&self) -> Result<Box<dyn Driver>, DriverError> {
        Ok(Box::<Ours>::default())
    }
}

/// One session with our manager.
#[derive(Debug, Default)]
pub struct Ours {
    session: Option<Session>,
}

/// Why our own driver cannot answer: the surroundings fail, or the suite asks what it must not.
type Failure = Box<dyn std::error::Error + Send + Sync>;

/// An answer, or a failure of the surroundings.
type Said<T> = Result<Answer<T>, Failure>;

type Handler = fn(&mut Session, Value) -> Result<Value, Failure>;

/// Every method that our manager has, `initialize` aside.
const METHODS: &[(&str, Handler)] = &[
    ("discover", |s, v| ask(v, |q| s.discover(q))),
    ("register", |s, v| ask(v, |q| s.register(q))),
    ("enable", |s, v| ask(v, |q| s.enable(q))),
    ("resolve", |s, v| ask(v, |q| s.resolve(&q))),
    ("compileView", |s, v| ask(v, |_: p::CompileView| s.compile_view())),
    ("validateArgs", |s, v| ask(v, |q| s.validate_args(q))),
    ("authorize", |s, v| ask(v, |q| s.authorize(&q))),
    ("approve", |s, v| ask(v, |q| s.approve(q))),
    ("prepareRuntime", |s, v| ask(v, |q| s.prepare(&q))),
    ("execute", |s, v| ask(v, |q| s.execute(&q))),
    ("verify", |s, v| ask(v, |q| s.verify(&q))),
    ("observe", |s, v| ask(v, |q| s.observe(q))),
    ("explain", |s, v| ask(v, |q| s.explain(&q))),
    ("revoke", |s, v| ask(v, |q| s.revoke(q))),
    ("seedSecret", |s, v| ask(v, |q| s.seed_secret(q))),
    ("loadSkill", |s, v| ask(v, |q| s.load_skill(&q))),
    ("advanceClock", |s, v| ask(v, |q| s.advance_clock(&q))),
    (p::JOURNAL, |s, v| ask(v, |q| s.journal(&q))),
];

fn ask<Q: DeserializeOwned, A: Serialize>(
    params: Value,
    answer: impl FnOnce(Q) -> Result<A, Failure>,
) -> Result<Value, Failure> {
    Ok(serde_json::to_value(answer(serde_json::from_value(params)?)?)?)
}

/// The code of an error that is no refusal.
const FAILED: i64 = -32000;

impl Driver for Ours {
    fn call(&mut self, method: &str, params: Value) -> Result<Value, DriverError> {
        let failed = |error: Failure| DriverError::Failed {
            method: method.to_owned(),
            code: FAILED,
            message: error.to_string(),
        };
        if method == p::INITIALIZE {
            let session = ask(params, |q| {
                self.session = Some(Session::open(q)?);
                Ok(initialized())
            });
            return session.map_err(failed);
        }
        let found = METHODS.iter().find(|(name, _)| *name == method);
        let (_, handler) = found.ok_or_else(|| DriverError::NoMethod { method: method.to_owned() })?;
        let session = self.session.as_mut().ok_or_else(|| failed("no session was begun".into()))?;
        handler(session, params).map_err(failed)
    }
}

fn initialized() -> p::Initialized {
    p::Initialized {
        protocol_version: p::VERSION.to_owned(),
        manager: "proofhouse".to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        capabilities: METHODS.iter().map(|(name, _)| (*name).to_owned()).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_method_is_one_of_the_protocol() {
        for (name, _) in METHODS {
            assert!(p::Method::named(name).is_some(), "{name}");
        }
    }
}
