//! One contract on its way: what has been proven of it, in order.
//!
//! A *yes* counts only in its place: every step before it is proven, and no block stands. A *no* counts
//! whenever it comes, and takes back everything from its step on.

use super::{
    Demand, Step,
    claim::{Claim, Says},
    grants::Permit,
};
use crate::{
    event::{
        Fact,
        fact::{BlockCause, ToolBlocked, ToolDeprecated, ToolEnabled, ToolNormalized, ToolVerified},
    },
    model::{Digest, EnablementScope, EventId, PrincipalId, RegistrationState, ToolId, ToolVersion},
};
use chrono::{DateTime, Utc};
use serde::Serialize;

/// The event that proves a step.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Evidence {
    /// Which step.
    pub step: Step,
    /// The event.
    pub event: EventId,
    /// When it was stated.
    pub at: DateTime<Utc>,
    /// Who had it done; absent where nobody is named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<PrincipalId>,
    /// What it came to, for people.
    pub result: String,
}

/// An event that claims a step and does not count.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Stray {
    /// Which step it claims.
    pub step: Step,
    /// The event.
    pub event: EventId,
    /// Why it counts for nothing.
    pub why: String,
}

/// Why a contract stands still although nothing is missing before the step.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Halt {
    /// The state it is in.
    pub state: RegistrationState,
    /// Why.
    pub reason: String,
}

/// For whom a contract is enabled.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Enabling {
    /// For whom.
    pub scope: EnablementScope,
    /// Who says so.
    pub by: PrincipalId,
    /// The event.
    pub event: EventId,
    /// When.
    pub at: DateTime<Utc>,
}

/// Everything that is proven of one contract.
#[derive(Debug, Clone)]
pub struct Track {
    pub(super) contract: ToolNormalized,
    pub(super) proofs: Vec<Evidence>,
    pub(super) demand: Option<Demand>,
    /// The last step that said no.
    pub(super) failure: Option<(Step, Halt)>,
    pub(super) block: Option<Halt>,
    pub(super) enablings: Vec<Enabling>,
    pub(super) permits: Vec<Permit>,
    pub(super) deprecated: Option<ToolDeprecated>,
    pub(super) strays: Vec<Stray>,
    /// Place of the enabling among all events; the latest wins.
    pub(super) enabled_at: u64,
}

/// An event as a track sees it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Seen<'a> {
    pub(super) number: u64,
    pub(super) event: &'a EventId,
    pub(super) at: DateTime<Utc>,
    pub(super) fact: &'a Fact,
}

impl Seen<'_> {
    pub(super) fn proves(self, step: Step, by: Option<PrincipalId>) -> Evidence {
        Evidence { step, event: self.event.clone(), at: self.at, by, result: self.fact.summary() }
    }
}

impl Track {
    /// A contract of which nothing is proven yet.
    pub(super) fn new(contract: &ToolNormalized) -> Self {
        Self {
            demand: Demand::of(contract),
            contract: contract.clone(),
            proofs: Vec::new(),
            failure: None,
            block: None,
            enablings: Vec::new(),
            permits: Vec::new(),
            deprecated: None,
            strays: Vec::new(),
            enabled_at: 0,
        }
    }

    /// The tool.
    pub fn tool(&self) -> &ToolId {
        &self.contract.tool_id
    }

    /// Its version.
    pub fn version(&self) -> &ToolVersion {
        &self.contract.tool_version
    }

    /// The contract's digest.
    pub fn digest(&self) -> &Digest {
        &self.contract.descriptor_digest
    }

    /// What normalization said of it.
    pub fn contract(&self) -> &ToolNormalized {
        &self.contract
    }

    /// Who registered it.
    pub fn owner(&self) -> Option<&PrincipalId> {
        self.contract.by.as_ref()
    }

    /// What is proven, in order.
    pub fn proofs(&self) -> &[Evidence] {
        &self.proofs
    }

    /// Events that claim a step and count for nothing.
    pub fn strays(&self) -> &[Stray] {
        &self.strays
    }

    /// For whom it is enabled.
    pub fn enablings(&self) -> &[Enabling] {
        &self.enablings
    }

    /// Who may use it, as far as somebody said so.
    pub fn permits(&self) -> &[Permit] {
        &self.permits
    }

    /// Why a person must review it, if one must.
    pub fn demand(&self) -> Option<Demand> {
        self.demand
    }

    /// What it is deprecated with.
    pub fn deprecated(&self) -> Option<&ToolDeprecated> {
        self.deprecated.as_ref()
    }

    /// The next step that wants proof; [`Step::Granted`] once it is enabled for somebody.
    pub fn next(&self) -> Step {
        Step::ALL.get(self.proofs.len()).copied().unwrap_or(Step::Granted)
    }

    /// Whether somebody has let it be used, and nothing has taken that back.
    pub fn is_enabled(&self) -> bool {
        self.next() > Step::Enabled
    }

    /// Where it stands, whoever asks.
    pub fn state(&self) -> RegistrationState {
        if self.block.is_some() {
            return RegistrationState::Blocked;
        }
        if let Some(halt) = self.failed_at(self.next()) {
            return halt.state;
        }
        match self.next() {
            Step::Review if self.demand.is_some() => RegistrationState::SecurityReviewRequired,
            Step::Granted if self.deprecated.is_some() => RegistrationState::Deprecated,
            Step::Granted if !self.permits.is_empty() => RegistrationState::Granted,
            next => next.waiting(),
        }
    }

    /// Why it does not go on, if something has said no.
    pub fn halt(&self) -> Option<&Halt> {
        self.block.as_ref().or_else(|| self.failed_at(self.next()))
    }

    /// Why a step said no last, if it did.
    pub(in crate::registry) fn failed_at(&self, next: Step) -> Option<&Halt> {
        self.failure.as_ref().filter(|(step, _)| *step == next).map(|(_, halt)| halt)
    }

    /// Takes the first three steps, which are bound to the definition.
    pub(super) fn begin(&mut self, proofs: Vec<Evidence>) {
        if self.next() <= Step::Normalized {
            self.proofs = proofs;
        }
    }

    /// Takes a claim about a step between normalization and verification.
    pub(super) fn take(&mut self, claim: Claim, seen: Seen<'_>) {
        let Claim { step, says, by } = claim;
        match says {
            Says::No(state, reason) => {
                self.rewind(step);
                if step == Step::Review {
                    self.demand.get_or_insert(Demand::Rejected);
                }
                self.failure = Some((step, Halt { state, reason }));
            }
            Says::Nothing(why) => self.stray(step, seen, why.to_owned()),
            Says::Yes if step == Step::Review && self.demand.is_some() => {
                let demand = self.demand.map_or_else(String::new, |d| d.to_string());
                self.stray(step, seen, format!("a person must review it: {demand}"));
            }
            Says::Yes => {
                self.prove(step, by, seen);
            }
            Says::YesBut(demand) => {
                // A later finding takes back what stands on the absence of one.
                if self.next() > step && self.demand != Some(demand) {
                    self.rewind(Step::Review);
                }
                self.demand = Some(demand);
                self.prove(step, by, seen);
            }
            Says::Accepted => {
                if self.next() == Step::Review {
                    self.block = None;
                    self.prove(step, by, seen);
                } else if self.next() > Step::Review && self.block.is_none() {
                    // Nobody waits for it; it takes nothing back either.
                    self.stray(step, seen, "nothing waits for a review".to_owned());
                } else {
                    self.out_of_order(step, seen);
                }
            }
        }
    }

    pub(super) fn verify(&mut self, fact: &ToolVerified, seen: Seen<'_>) {
        let rests =
            |proof: &&Evidence| proof.step >= Step::Normalized && !fact.evidence.contains(&proof.event);
        if self.next() == Step::Verified && self.proofs.iter().any(|p| rests(&p)) {
            let lacks = self.proofs.iter().find(rests).map_or_else(String::new, |p| p.step.to_string());
            return self.stray(Step::Verified, seen, format!("it does not rest on the {lacks}"));
        }
        self.prove(Step::Verified, None, seen);
    }

    pub(super) fn enable(&mut self, fact: &ToolEnabled, seen: Seen<'_>) -> bool {
        let verified = self.proofs.get(Step::Verified.place()).map(|proof| &proof.event);
        if verified.is_some_and(|event| !fact.evidence.contains(event)) {
            self.stray(Step::Enabled, seen, "it does not rest on the verification".to_owned());
            return false;
        }
        let enabled = self.is_enabled() && self.block.is_none();
        if !enabled && !self.prove(Step::Enabled, Some(fact.by.clone()), seen) {
            return false;
        }
        if !self.enablings.iter().any(|e| e.scope == fact.scope) {
            let enabling = Enabling {
                scope: fact.scope.clone(),
                by: fact.by.clone(),
                event: seen.event.clone(),
                at: seen.at,
            };
            self.enablings.push(enabling);
        }
        self.enabled_at = seen.number;
        true
    }

    pub(super) fn permit(&mut self, permit: Permit, seen: Seen<'_>) {
        if self.is_enabled() {
            self.permits.push(permit);
        } else {
            self.out_of_order(Step::Granted, seen);
        }
    }

    /// Stops it, and asks for a person's review before anything after that counts again.
    pub(super) fn stop(&mut self, fact: &ToolBlocked) {
        let (word, demand) = match fact.cause {
            BlockCause::Person => ("blocked", Demand::Blocked),
            BlockCause::Drift => ("quarantined", Demand::Drift),
        };
        self.halted(format!("{word} by {}: {}", fact.by, fact.reason));
        self.demand = Some(demand);
    }

    /// Stops it because another contract has taken its place under the same version.
    pub(super) fn supersede(&mut self, by: &Digest) {
        let version = self.version().clone();
        self.halted(format!("another contract, {}, has come under version {version} since", by.short()));
        self.demand = Some(Demand::Drift);
    }

    fn halted(&mut self, reason: String) {
        self.rewind(Step::Review);
        self.block = Some(Halt { state: RegistrationState::Blocked, reason });
    }

    /// Takes back a step and everything that rests on it.
    pub(super) fn rewind(&mut self, step: Step) {
        self.proofs.truncate(step.place());
        if self.next() <= Step::Enabled {
            self.enablings.clear();
            self.permits.clear();
            self.enabled_at = 0;
        }
    }

    /// Whether it counted.
    fn prove(&mut self, step: Step, by: Option<PrincipalId>, seen: Seen<'_>) -> bool {
        // Up to the review, which lifts it, a block leaves the way open.
        if step != self.next() || (self.block.is_some() && step >= Step::Review) {
            self.out_of_order(step, seen);
            return false;
        }
        self.proofs.push(seen.proves(step, by));
        self.strays.retain(|stray| stray.step != step);
        self.failure = None;
        true
    }

    fn out_of_order(&mut self, step: Step, seen: Seen<'_>) {
        let why = match (&self.block, self.next()) {
            (Some(_), _) if step > Step::Review => "a block stands".to_owned(),
            (_, next) if step > next => format!("it came before the {next}"),
            _ => "the step was proven already".to_owned(),
        };
        self.stray(step, seen, why);
    }

    fn stray(&mut self, step: Step, seen: Seen<'_>, why: String) {
        self.strays.retain(|stray| stray.step != step);
        self.strays.push(Stray { step, event: seen.event.clone(), why });
    }
}
