//! What policy says about showing a tool, remembered.
//!
//! A question to the policy engine costs as much as scoring a thousand tools, and its answer depends on
//! nothing that changes from turn to turn: the principal with its scopes, the tool version, the
//! environment, whether a confirmation is demanded, and the policy set. So every answer is asked for once.

use crate::{
    model::{Digest, Principal},
    policy::{Actor, Asks, Place, PolicyAnswer, PolicyEngine, Question, Scene},
    registry::RegisteredTool,
};
use std::{
    collections::HashMap,
    sync::{Arc, OnceLock, PoisonError, RwLock},
};

/// The answers for one principal under one policy set, by tool number.
#[derive(Debug)]
pub(super) struct Exposures(Vec<OnceLock<PolicyAnswer>>);

impl Exposures {
    /// The answer for a tool; asked now if it never was.
    pub(super) fn answer(
        &self,
        at: u32,
        tool: &RegisteredTool,
        (policy, actor, scene, confirmation): (&PolicyEngine, &Actor, &Scene, bool),
    ) -> &PolicyAnswer {
        let asks = Asks::Expose { confirmation };
        self.0[at as usize]
            .get_or_init(|| policy.decide(&Question { actor, tool: tool.subject(), scene, asks }))
    }
}

type Key = (Principal, Digest, Place, bool);

/// Answers by principal, policy set, place and demanded confirmation.
#[derive(Debug)]
pub(super) struct ExposureCache {
    tools: usize,
    known: RwLock<HashMap<Key, Arc<Exposures>>>,
}

/// Beyond this many principals the memory is emptied; a service with more asks again now and then.
const MAX_PRINCIPALS: usize = 64;

impl ExposureCache {
    pub(super) fn new(tools: usize) -> Self {
        Self { tools, known: RwLock::default() }
    }

    /// The answers for a principal, filled as far as they were asked for.
    pub(super) fn of(
        &self,
        principal: &Principal,
        policy: &PolicyEngine,
        scene: &Scene,
        confirmation: bool,
    ) -> Arc<Exposures> {
        let key = (principal.clone(), policy.digest().clone(), scene.place().clone(), confirmation);
        // A panic while the lock was held can only have lost an entry.
        if let Some(known) = self.known.read().unwrap_or_else(PoisonError::into_inner).get(&key) {
            return Arc::clone(known);
        }
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= MAX_PRINCIPALS {
            known.clear();
        }
        let fresh = || Arc::new(Exposures((0..self.tools).map(|_| OnceLock::new()).collect()));
        Arc::clone(known.entry(key).or_insert_with(fresh))
    }
}
