//! What the registry journal proves about each tool version, and whether it may be called.
//!
//! A ledger is a fold over the events of registrations and grants; nothing in it is stored, and nothing in
//! the journal says *callable*. That follows from evidence alone, bound to the contract's digest, in the order
//! of [`Step::ALL`]:
//!
//! ```text
//! discovered ▶ parsed ▶ normalized ▶ lints ▶ review ▶ health ▶ eval ▶ verified ▶ enabled ▶ granted ⇒ callable
//! ```
//!
//! - A *yes* counts in its place alone. What comes early, for another digest, a second time or behind a block
//!   counts for nothing, and the ledger says so ([`Track::strays`]).
//! - A *no* counts whenever it comes and takes back every step from its own on.
//! - A block, and a definition that drifted, take back everything from the review on; only a person's
//!   review of exactly this contract opens the way again.
//! - Two contracts never share a version: the later one stops the earlier.
//!
//! A ledger is built from a journal whose chain holds ([`Ledger::read`]). A line that was changed, dropped,
//! moved or added by hand leaves no ledger at all, so nothing is callable and the error names the line.
//!
//! It reads no file and no clock, and knows neither lints, models nor policy: only what events say.

mod callable;
mod claim;
mod demand;
mod grants;
mod step;
mod track;

#[cfg(test)]
mod tests;

pub(super) use claim::is_person;

pub use callable::{Asker, Callable, NotCallable};
pub use demand::Demand;
pub use grants::Permit;
pub use step::Step;
pub use track::{Enabling, Evidence, Halt, Stray, Track};

use crate::{
    event::{
        Chain, ChainFault, DecodeError, Fact, LineMemory, decode,
        fact::{BlockCause, ToolBlocked, ToolNormalized, ToolRegistrationFailed},
    },
    model::{Digest, EventId, GrantId, PrincipalId, ToolId, ToolVersion},
};
use chrono::{DateTime, Utc};
use claim::Claim;
use std::collections::{BTreeMap, HashSet};
use track::Seen;

/// What a registry journal proves.
#[derive(Debug, Clone, Default)]
pub struct Ledger {
    tools: BTreeMap<ToolId, ToolRecord>,
    revoked: HashSet<GrantId>,
    events: u64,
}

/// One tool: what is known before there is a contract, and its contracts.
#[derive(Debug, Clone, Default)]
pub struct ToolRecord {
    /// By the digest of the definition.
    discovered: BTreeMap<Digest, Evidence>,
    parsed: BTreeMap<Digest, Evidence>,
    /// Where it was seen last.
    source: Option<String>,
    /// What it looked like there.
    definition: Option<Digest>,
    tracks: Vec<Track>,
    block: Option<ToolBlocked>,
    drifted: bool,
    failure: Option<Halt>,
}

/// A registry journal that proves nothing.
#[derive(Debug, thiserror::Error)]
pub enum LedgerError {
    /// A line was changed, dropped, moved or added.
    #[error(
        "the registry journal is not what was written: {0}\nhint: nothing in it counts, so no tool is callable; restore the file, or set it aside and register again"
    )]
    Broken(#[from] ChainFault),
    /// A line whose hash holds is no event.
    #[error(
        "the registry journal cannot be read: line {line}: {source}\nhint: it was written by another program; no tool is callable"
    )]
    NoEvent {
        /// Its line, from 1.
        line: u64,
        /// What is wrong.
        source: DecodeError,
    },
}

impl Ledger {
    /// Folds a whole journal, as its bytes stand in the file. A last line without an end is what a crash
    /// left, and no event.
    ///
    /// # Errors
    /// [`LedgerError`] for the first line that breaks the chain or is no event; there is no part of a ledger.
    pub fn read(journal: &[u8]) -> Result<Self, LedgerError> {
        let (mut ledger, mut chain, mut memory) = (Self::default(), Chain::default(), LineMemory::default());
        let whole = journal.iter().rposition(|b| *b == b'\n').map_or(0, |end| end + 1);
        for line in journal[..whole].split(|b| *b == b'\n').filter(|l| !l.is_empty()) {
            chain.follow(line, &mut memory)?;
            let event =
                decode(line).map_err(|source| LedgerError::NoEvent { line: chain.next_seq() - 1, source })?;
            ledger.take(&event.fresh.event_id, event.fresh.ts, &event.fresh.fact);
        }
        Ok(ledger)
    }

    /// Takes one event into account: one that was read from a journal whose chain holds, or has just been
    /// appended to one.
    pub(crate) fn take(&mut self, event: &EventId, at: DateTime<Utc>, fact: &Fact) {
        self.events += 1;
        let seen = Seen { number: self.events, event, at, fact };
        match fact {
            Fact::ToolDiscovered(f) => {
                let tool = self.tool(&f.tool_id);
                tool.source = Some(f.source.clone());
                tool.definition = Some(f.definition_digest.clone());
                tool.discovered
                    .entry(f.definition_digest.clone())
                    .or_insert_with(|| seen.proves(Step::Discovered, None));
                tool.refresh(&f.definition_digest);
            }
            Fact::ToolParsed(f) => {
                let tool = self.tool(&f.tool_id);
                if tool.discovered.contains_key(&f.definition_digest) {
                    let proof = || seen.proves(Step::Parsed, None);
                    tool.parsed.entry(f.definition_digest.clone()).or_insert_with(proof);
                    tool.refresh(&f.definition_digest);
                }
            }
            Fact::ToolNormalized(f) => self.tool(&f.tool_id).normalize(f, seen),
            Fact::ToolLinted(f) => self.claim((&f.tool_id, &f.descriptor_digest), f.into(), seen),
            Fact::ToolSecurityReviewed(f) => self.claim((&f.tool_id, &f.descriptor_digest), f.into(), seen),
            Fact::ToolHealthChecked(f) => self.claim((&f.tool_id, &f.descriptor_digest), f.into(), seen),
            Fact::EvalCompleted(f) => {
                self.claim((&f.eval.tool_id, &f.eval.descriptor_digest), f.into(), seen);
            }
            Fact::ToolRegistrationFailed(f) => self.fail(f, seen),
            Fact::ToolVerified(f) => {
                self.track_mut(&f.tool_id, &f.descriptor_digest).into_iter().for_each(|t| t.verify(f, seen));
            }
            Fact::ToolEnabled(f) => self.tool(&f.tool_id).enable(f, seen),
            Fact::ToolGranted(f) => {
                let permit = Permit {
                    grant: f.grant_id.clone(),
                    principal: f.principal.clone(),
                    session: None,
                    expires_at: None,
                };
                self.permit((&f.tool_id, &f.descriptor_digest), permit, seen);
            }
            Fact::GrantIssued(f) => {
                if let Some(permit) = Permit::of(&f.grant) {
                    self.permit((&f.grant.tool_id, &f.grant.descriptor_digest), permit, seen);
                }
            }
            Fact::GrantRevoked(f) => drop(self.revoked.insert(f.grant_id.clone())),
            Fact::ToolDeprecated(f) => {
                let version = |track: &&mut Track| *track.version() == f.tool_version;
                let tool = self.tool(&f.tool_id);
                tool.tracks.iter_mut().filter(version).for_each(|t| t.deprecated = Some(f.clone()));
            }
            Fact::ToolBlocked(f) => self.tool(&f.tool_id).stop(f),
            // What a ledger is not about: the log itself, credentials, turns and calls.
            _ => {}
        }
    }

    fn tool(&mut self, id: &ToolId) -> &mut ToolRecord {
        self.tools.entry(id.clone()).or_default()
    }

    fn track_mut(&mut self, tool: &ToolId, digest: &Digest) -> Option<&mut Track> {
        self.tools.get_mut(tool)?.tracks.iter_mut().find(|track| track.digest() == digest)
    }

    fn claim(&mut self, (tool, digest): (&ToolId, &Digest), claim: Claim, seen: Seen<'_>) {
        if let Some(track) = self.track_mut(tool, digest) {
            track.take(claim, seen);
        }
    }

    fn permit(&mut self, (tool, digest): (&ToolId, &Digest), permit: Permit, seen: Seen<'_>) {
        if let Some(track) = self.track_mut(tool, digest) {
            track.permit(permit, seen);
        }
    }

    fn fail(&mut self, fact: &ToolRegistrationFailed, seen: Seen<'_>) {
        let Some(digest) = &fact.descriptor_digest else {
            let halt = Halt { state: fact.state, reason: fact.reason.clone() };
            self.tool(&fact.tool_id).failure = Some(halt);
            return;
        };
        if let Some(claim) = Claim::of_failure(fact) {
            self.claim((&fact.tool_id, digest), claim, seen);
        }
    }

    /// Every tool that an event names, by id.
    pub fn tools(&self) -> impl Iterator<Item = (&ToolId, &ToolRecord)> {
        self.tools.iter()
    }

    /// One tool.
    pub fn get(&self, tool: &str) -> Option<&ToolRecord> {
        self.tools.get(tool)
    }

    /// One contract of a tool.
    pub fn track(&self, tool: &str, digest: &Digest) -> Option<&Track> {
        self.get(tool)?.tracks.iter().find(|track| track.digest() == digest)
    }

    /// A ledger that holds one tool of this one alone.
    pub(super) fn clone_of(&self, tool: &ToolId) -> Self {
        let record = self.tools.get(tool).cloned();
        let tools = record.into_iter().map(|record| (tool.clone(), record)).collect();
        Self { tools, revoked: HashSet::new(), events: self.events }
    }

    /// Whether a principal holds a permit without an end for a contract.
    pub(super) fn permits(&self, track: &Track, principal: &PrincipalId) -> bool {
        let lasting = |p: &Permit| p.principal == *principal && p.session.is_none() && p.expires_at.is_none();
        track.permits.iter().any(|permit| lasting(permit) && !self.revoked.contains(&permit.grant))
    }

    /// How many events it was folded from.
    pub fn events(&self) -> u64 {
        self.events
    }
}

impl ToolRecord {
    /// Its contracts, in the order in which they came.
    pub fn tracks(&self) -> &[Track] {
        &self.tracks
    }

    /// The contract of what was seen last; where that has none, the one that came last.
    pub fn latest(&self) -> Option<&Track> {
        let current = |track: &&Track| Some(&track.contract.definition_digest) == self.definition.as_ref();
        self.tracks.iter().rev().find(current).or(self.tracks.last())
    }

    /// The contract that was enabled last and still is.
    pub fn enabled(&self) -> Option<&Track> {
        self.tracks.iter().filter(|track| track.is_enabled()).max_by_key(|track| track.enabled_at)
    }

    /// The contract of a version: of what was seen last, or the one that came last.
    pub fn version(&self, version: &ToolVersion) -> Option<&Track> {
        let of_version = |track: &&Track| track.version() == version;
        self.latest().filter(of_version).or_else(|| self.tracks.iter().rev().find(of_version))
    }

    /// Where it was seen last.
    pub fn source(&self) -> Option<&str> {
        self.source.as_deref()
    }

    /// Why it has no contract, where it never got so far.
    pub fn failure(&self) -> Option<&Halt> {
        self.failure.as_ref()
    }

    /// Whether a definition was seen at a source.
    pub fn knows_definition(&self, definition: &Digest) -> bool {
        self.discovered.contains_key(definition)
    }

    /// What the tool looked like where it was seen last.
    pub fn definition(&self) -> Option<&Digest> {
        self.definition.as_ref()
    }

    /// Whether a definition could be read.
    pub fn has_parsed(&self, definition: &Digest) -> bool {
        self.parsed.contains_key(definition)
    }

    fn normalize(&mut self, fact: &ToolNormalized, seen: Seen<'_>) {
        self.failure = None;
        let mut proofs = self.before_normalization(&fact.definition_digest);
        if proofs.len() == Step::Normalized.place() {
            proofs.push(seen.proves(Step::Normalized, fact.by.clone()));
        }
        self.step_aside(&fact.tool_version, &fact.descriptor_digest);
        if let Some(track) = self.tracks.iter_mut().find(|t| *t.digest() == fact.descriptor_digest) {
            return track.begin(proofs);
        }
        let mut track = Track::new(fact);
        track.begin(proofs);
        if self.drifted {
            track.demand = Some(Demand::Drift);
        }
        if let Some(block) = &self.block {
            track.stop(block);
        }
        self.tracks.push(track);
    }

    /// What is proven of a definition before it has a contract.
    fn before_normalization(&self, definition: &Digest) -> Vec<Evidence> {
        let proofs = [&self.discovered, &self.parsed].map(|seen| seen.get(definition).cloned());
        proofs.into_iter().map_while(|proof| proof).collect()
    }

    /// Tells contracts that came too early what is proven of their definition since.
    fn refresh(&mut self, definition: &Digest) {
        let proofs = self.before_normalization(definition);
        let early = |t: &&mut Track| t.contract.definition_digest == *definition;
        self.tracks.iter_mut().filter(early).for_each(|track| track.begin(proofs.clone()));
    }

    /// Stops every other contract of a version: only one can be meant by it.
    fn step_aside(&mut self, version: &ToolVersion, digest: &Digest) {
        if mutant!(DriftIgnored) {
            return;
        }
        let others = self.tracks.iter_mut().filter(|t| t.version() == version && t.digest() != digest);
        for other in others.filter(|t| t.block.is_none()) {
            self.drifted |= other.is_enabled();
            other.supersede(digest);
        }
    }

    fn enable(&mut self, fact: &crate::event::fact::ToolEnabled, seen: Seen<'_>) {
        let found = self.tracks.iter_mut().find(|t| *t.digest() == fact.descriptor_digest);
        if found.is_some_and(|track| track.enable(fact, seen)) {
            self.step_aside(&fact.tool_version, &fact.descriptor_digest);
        }
    }

    fn stop(&mut self, fact: &ToolBlocked) {
        let meant = |track: &&mut Track| fact.tool_version.as_ref().is_none_or(|v| track.version() == v);
        self.tracks.iter_mut().filter(meant).for_each(|track| track.stop(fact));
        if fact.tool_version.is_none() {
            self.block = Some(fact.clone());
        }
        if fact.cause == BlockCause::Drift {
            self.drifted = true;
            // Whatever else is on its way was not looked at with the change in mind.
            let waiting = self.tracks.iter_mut().filter(|t| t.next() <= Step::Review);
            waiting.for_each(|track| track.demand = Some(Demand::Drift));
        }
    }
}
