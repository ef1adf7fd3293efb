//! A resolver with prepared answers, for tests.

use super::{EgressRules, Gate};
use crate::{
    model::{Egress, NetworkRules},
    port::Resolver,
};
use std::{
    io,
    net::IpAddr,
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

/// Answers in the order given, the last one of a name for ever; remembers what was asked.
#[derive(Clone, Default)]
pub(crate) struct Answers(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    answers: Vec<(String, Vec<IpAddr>)>,
    asked: Vec<String>,
}

impl Answers {
    pub(crate) fn of(answers: &[(&str, &[&str])]) -> Self {
        let parsed = |addresses: &[&str]| addresses.iter().map(|a| a.parse().unwrap()).collect();
        let answers = answers.iter().map(|(name, at)| ((*name).to_owned(), parsed(at))).collect();
        Self(Arc::new(Mutex::new(State { answers, asked: Vec::new() })))
    }

    /// The names that were asked for.
    pub(crate) fn asked(&self) -> Vec<String> {
        self.0.lock().unwrap().asked.clone()
    }
}

impl Resolver for Answers {
    fn resolve(&self, name: &str, _: Instant) -> io::Result<Vec<IpAddr>> {
        let mut state = self.0.lock().unwrap();
        state.asked.push(name.to_owned());
        let mut own = state.answers.iter().enumerate().filter(|(_, (of, _))| of == name).map(|(at, _)| at);
        match (own.next(), own.next().is_some()) {
            (Some(at), true) => Ok(state.answers.remove(at).1),
            (Some(at), false) => Ok(state.answers[at].1.clone()),
            (None, _) => Err(io::ErrorKind::NotFound.into()),
        }
    }
}

/// A gate to these hosts.
pub(crate) fn gate(allowed: &[&str], answers: &Answers) -> Gate {
    let allow_domains = allowed.iter().map(|a| (*a).to_owned()).collect();
    let network = NetworkRules { egress: Egress::Allowlist, allow_domains, deny_private_networks: true };
    Gate::new(EgressRules::of(&network, &[]).unwrap(), Arc::new(answers.clone()))
}

/// A deadline that no test waits for.
pub(crate) fn soon() -> Instant {
    Instant::now() + Duration::from_secs(10)
}
