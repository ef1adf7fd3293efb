//! Deciding again: what a recorded decision was made from, put to a policy set once more.

use crate::{
    event::{
        Event,
        fact::{
            IntentRecorded, Kind, REDACTED, ToolCallBlocked, ToolCallCancelled, ToolCallFinished,
            ToolCallRequested, ToolPolicyChecked, ToolsResolved,
        },
    },
    model::{CallId, Digest, Domain, Principal, SessionId, Surroundings, ToolId, ToolIntent, digest_value},
    policy::{Actor, Asks, Place, PolicyAnswer, PolicyEngine, Question, Scene},
    registry::{RegisteredTool, Registry},
};
use serde::Serialize;
use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
};

/// Tool versions to decide with, by their contract's digest.
#[derive(Debug, Default)]
pub struct KnownTools {
    by_digest: BTreeMap<Digest, Arc<RegisteredTool>>,
    by_id: HashMap<ToolId, Arc<RegisteredTool>>,
}

impl KnownTools {
    /// Adds a tool version. Of several with one id, the last is meant where only the id is known.
    pub fn insert(&mut self, tool: Arc<RegisteredTool>) {
        self.by_id.insert(tool.id().clone(), Arc::clone(&tool));
        self.by_digest.insert(tool.digest().clone(), tool);
    }

    /// The tool with exactly this contract.
    pub fn contract(&self, digest: &Digest) -> Option<&Arc<RegisteredTool>> {
        self.by_digest.get(digest)
    }

    /// Every contract, in the order of their digests.
    pub fn all(&self) -> impl Iterator<Item = &Arc<RegisteredTool>> {
        self.by_digest.values()
    }

    /// A tool of that id, in whichever version.
    pub fn named(&self, id: &ToolId) -> Option<&Arc<RegisteredTool>> {
        self.by_id.get(id)
    }
}

impl From<&Registry> for KnownTools {
    fn from(registry: &Registry) -> Self {
        let mut known = Self::default();
        registry.tools().iter().for_each(|tool| known.insert(Arc::clone(tool)));
        known
    }
}

/// Policy sets to decide with, by their digest.
#[derive(Debug, Default)]
pub struct PolicySets(HashMap<Digest, PolicyEngine>);

impl PolicySets {
    /// Adds a set.
    pub fn insert(&mut self, engine: PolicyEngine) {
        self.0.insert(engine.digest().clone(), engine);
    }

    /// The set of that digest.
    pub fn get(&self, digest: &Digest) -> Option<&PolicyEngine> {
        self.0.get(digest)
    }
}

/// What deciding again lacks.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, thiserror::Error)]
#[serde(tag = "lacks", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Missing {
    /// The proposal.
    #[error("the journal does not hold its `ToolCallRequested`")]
    Proposal,
    /// The arguments.
    #[error("the tool does not log its arguments")]
    Arguments,
    /// The arguments as they were.
    #[error("its arguments do not have the digest that was recorded with them")]
    ExactArguments,
    /// Who acted, with which scopes.
    #[error("the journal does not say for which principal")]
    Principal,
    /// The intent.
    #[error("the journal does not hold its intent")]
    Intent,
    /// The tool's contract.
    #[error("the contract {} of `{tool}` is not known", .digest.as_ref().map_or("", Digest::short))]
    Contract {
        /// The tool.
        tool: ToolId,
        /// Its contract, where the journal says which.
        digest: Option<Digest>,
    },
    /// The policy set.
    #[error("the policy set {} is not known", .digest.short())]
    Policies {
        /// Which.
        digest: Digest,
    },
}

/// What was lacking, and how often.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MissingCount {
    /// What.
    #[serde(flatten)]
    pub missing: Missing,
    /// In words.
    pub reason: String,
    /// How many decisions lack it.
    pub count: u64,
}

pub(super) fn counted(missing: BTreeMap<Missing, u64>) -> Vec<MissingCount> {
    let count =
        |(missing, count): (Missing, u64)| MissingCount { reason: missing.to_string(), missing, count };
    missing.into_iter().map(count).collect()
}

/// Turns and calls under way at some point of a journal, as far as deciding again needs them.
#[derive(Debug, Default)]
pub(super) struct Underway {
    turns: HashMap<SessionId, TurnSeen>,
    calls: HashMap<CallId, Proposed>,
}

/// What is known of a session's turn.
#[derive(Debug, Clone, Default)]
pub(super) struct TurnSeen {
    pub(super) intent: Option<Arc<ToolIntent>>,
    pub(super) principal: Option<Arc<Principal>>,
    pub(super) surroundings: Option<Arc<Surroundings>>,
}

/// A proposed call, with the intent of its turn.
#[derive(Debug, Clone)]
pub(super) struct Proposed {
    pub(super) requested: ToolCallRequested,
    pub(super) intent: Option<Arc<ToolIntent>>,
}

impl Underway {
    /// Takes the next event into account.
    pub(super) fn note(&mut self, event: &Event) {
        let (scope, fact) = (&event.fresh.scope, &event.fresh.fact);
        if let Some(recorded) = IntentRecorded::from_fact(fact) {
            let intent = Some(Arc::new(recorded.intent.clone()));
            self.turns.insert(scope.session_id.clone(), TurnSeen { intent, ..TurnSeen::default() });
        } else if let Some(resolved) = ToolsResolved::from_fact(fact) {
            let turn = self.turns.entry(scope.session_id.clone()).or_default();
            turn.principal.clone_from(&resolved.principal);
            turn.surroundings.clone_from(&resolved.surroundings);
        }
        let Some(call) = &scope.call_id else { return };
        if let Some(requested) = ToolCallRequested::from_fact(fact) {
            let intent = self.turns.get(&scope.session_id).and_then(|turn| turn.intent.clone());
            self.calls.insert(call.clone(), Proposed { requested: requested.clone(), intent });
        } else if ToolCallFinished::from_fact(fact).is_some()
            || ToolCallBlocked::from_fact(fact).is_some()
            || ToolCallCancelled::from_fact(fact).is_some()
        {
            self.calls.remove(call);
        }
    }

    pub(super) fn call(&self, event: &Event) -> Result<&Proposed, Missing> {
        let call = event.fresh.scope.call_id.as_ref();
        call.and_then(|call| self.calls.get(call)).ok_or(Missing::Proposal)
    }

    pub(super) fn turn(&self, session: &SessionId) -> TurnSeen {
        self.turns.get(session).cloned().unwrap_or_default()
    }
}

impl Proposed {
    /// Whether the journal holds the arguments.
    pub(super) fn is_redacted(&self) -> bool {
        self.requested.args.as_str() == Some(REDACTED)
    }

    /// The arguments have the digest that was recorded with them.
    pub(super) fn is_exact(&self) -> bool {
        digest_value(Domain::Plain, &self.requested.args).ok() == self.requested.args_digest
    }

    /// The contract that the call was for.
    pub(super) fn contract<'t>(&self, tools: &'t KnownTools) -> Result<&'t Arc<RegisteredTool>, Missing> {
        let digest = &self.requested.descriptor_digest;
        digest
            .as_ref()
            .and_then(|digest| tools.contract(digest))
            .ok_or_else(|| Missing::Contract { tool: self.requested.tool_id.clone(), digest: digest.clone() })
    }
}

/// Puts recorded questions to a policy set.
#[derive(Debug)]
pub struct Inquiry<'a> {
    engine: &'a PolicyEngine,
    tools: &'a KnownTools,
    /// Principals are few and questions are many.
    actors: HashMap<Arc<Principal>, Actor>,
    exposures: HashMap<(Arc<Principal>, Place, bool, Digest), PolicyAnswer>,
}

impl<'a> Inquiry<'a> {
    /// Asks these policies about these tools.
    pub fn new(engine: &'a PolicyEngine, tools: &'a KnownTools) -> Self {
        Self { engine, tools, actors: HashMap::new(), exposures: HashMap::new() }
    }

    /// The digest of the policies.
    pub fn policy_set(&self) -> &Digest {
        self.engine.digest()
    }

    /// What they answer to a recorded call.
    pub(super) fn call(
        &mut self,
        proposed: &Proposed,
        checked: &ToolPolicyChecked,
    ) -> Result<PolicyAnswer, Missing> {
        if proposed.is_redacted() {
            return Err(Missing::Arguments);
        }
        if !proposed.is_exact() {
            return Err(Missing::ExactArguments);
        }
        let intent = proposed.intent.as_ref().ok_or(Missing::Intent)?;
        let principal = checked.principal.as_ref().ok_or(Missing::Principal)?;
        let tool = proposed.contract(self.tools)?;
        Ok(self.engine.decide(&Question {
            actor: actor(&mut self.actors, principal),
            tool: tool.subject(),
            scene: &scene(checked.surroundings.as_ref()),
            asks: Asks::Call { intent, args: &proposed.requested.args },
        }))
    }

    /// What they answer to showing a tool in a recorded turn.
    pub(super) fn exposure(
        &mut self,
        turn: &TurnSeen,
        tool: &RegisteredTool,
    ) -> Result<PolicyAnswer, Missing> {
        let intent = turn.intent.as_ref().ok_or(Missing::Intent)?;
        let principal = turn.principal.as_ref().ok_or(Missing::Principal)?;
        let confirmation = intent.constraints.require_confirmation;
        let scene = scene(turn.surroundings.as_ref());
        let key = (Arc::clone(principal), scene.place().clone(), confirmation, tool.digest().clone());
        if let Some(known) = self.exposures.get(&key) {
            return Ok(known.clone());
        }
        let answer = self.engine.decide(&Question {
            actor: actor(&mut self.actors, principal),
            tool: tool.subject(),
            scene: &scene,
            asks: Asks::Expose { confirmation },
        });
        self.exposures.insert(key, answer.clone());
        Ok(answer)
    }

    pub(super) fn tools(&self) -> &'a KnownTools {
        self.tools
    }
}

fn actor<'m>(actors: &'m mut HashMap<Arc<Principal>, Actor>, principal: &Arc<Principal>) -> &'m Actor {
    actors.entry(Arc::clone(principal)).or_insert_with(|| Actor::new((**principal).clone()))
}

/// The surroundings that were recorded; none means the default ones.
fn scene(surroundings: Option<&Arc<Surroundings>>) -> Scene {
    Scene::new(surroundings.map(|s| (**s).clone()).unwrap_or_default())
}
