//! The story of one call: its own events, what led to them, and what they refer to.

use crate::{
    event::{
        Event,
        fact::{
            ArgsStatus, GrantIssued, GrantRevoked, Kind, ToolArgsValidated, ToolCallBlocked,
            ToolCallCancelled, ToolCallFinished, ToolCallRequested, ToolCallStarted, ToolNormalized,
        },
    },
    model::{CallId, Digest, EventId, GrantId, StopReason},
};
use memchr::memmem;
use std::collections::BTreeSet;

/// Everything that the journal says about one call.
#[derive(Debug, Clone, PartialEq)]
pub struct CallStory {
    call: CallId,
    /// With its id, in order.
    own: Vec<Event>,
    /// The chain of causes, in order.
    causes: Vec<Event>,
    /// Grants and contracts that its own events name.
    background: Vec<Event>,
}

/// A fact, with the event that states it.
#[derive(Debug)]
pub struct Found<'a, K> {
    /// The event.
    pub event: &'a Event,
    /// What it says.
    pub fact: &'a K,
}

/// How far a call came.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum End<'a> {
    /// It was stopped before it ran.
    Blocked(&'a StopReason),
    /// It was called off.
    Cancelled(&'a ToolCallCancelled),
    /// It ran and ended.
    Finished(&'a ToolCallFinished),
    /// It runs, or nobody knows how it ended.
    Running,
    /// It was proposed, and nothing has ended it.
    Open,
}

/// Collects the story of a call from a journal that is read from its end to its beginning.
///
/// A cause stands before its effect, so one pass backwards is enough, with the memory of one call.
#[derive(Debug)]
pub struct Gather {
    call: CallId,
    own: Vec<Event>,
    causes: Vec<Event>,
    wanted: BTreeSet<EventId>,
}

impl Gather {
    /// Nothing yet of that call.
    pub fn new(call: CallId) -> Self {
        Self { call, own: Vec::new(), causes: Vec::new(), wanted: BTreeSet::new() }
    }

    /// Whether a line may belong to the story; false is certain, for a line as we write it.
    pub fn concerns(&self, line: &[u8]) -> bool {
        let holds = |id: &str| memmem::find(line, id.as_bytes()).is_some();
        holds(&self.call) || self.wanted.iter().any(|id| holds(id))
    }

    /// Takes the next event towards the beginning.
    pub fn take(&mut self, event: Event) {
        let fresh = &event.fresh;
        let caused = self.wanted.remove(&fresh.event_id);
        let own = fresh.scope.call_id.as_ref() == Some(&self.call);
        if !own && !caused {
            return;
        }
        self.wanted.extend(fresh.parent.clone());
        if own { self.own.push(event) } else { self.causes.push(event) }
    }

    /// Whether causes are still missing.
    pub fn wants_more(&self) -> bool {
        !self.wanted.is_empty()
    }

    /// The story; `None` if the journal never names the call.
    pub fn finish(mut self) -> Option<CallStory> {
        self.own.reverse();
        self.causes.reverse();
        let Self { call, own, causes, .. } = self;
        (!own.is_empty()).then_some(CallStory { call, own, causes, background: Vec::new() })
    }
}

/// What a story refers to by name: to be looked up in the journals, in any order.
#[derive(Debug, Clone, PartialEq)]
pub struct References {
    contract: Option<Digest>,
    grants: BTreeSet<GrantId>,
}

impl References {
    /// Whether a line may be one of them; false is certain, for a line as we write it.
    pub fn concerns(&self, line: &[u8]) -> bool {
        let holds = |text: &str| memmem::find(line, text.as_bytes()).is_some();
        let contract = || self.contract.as_ref().is_some_and(|d| holds(d.as_str()));
        let grant = || self.grants.iter().any(|id| holds(id));
        (holds("\"ToolNormalized\"") && contract())
            || ((holds("\"GrantIssued\"") || holds("\"GrantRevoked\"")) && grant())
    }

    fn names(&self, event: &Event) -> bool {
        let fact = &event.fresh.fact;
        ToolNormalized::from_fact(fact).is_some_and(|f| self.contract.as_ref() == Some(&f.descriptor_digest))
            || GrantIssued::from_fact(fact).is_some_and(|f| self.grants.contains(&f.grant.grant_id))
            || GrantRevoked::from_fact(fact).is_some_and(|f| self.grants.contains(&f.grant_id))
    }

    /// Whether there is nothing to look up.
    pub fn is_empty(&self) -> bool {
        self.contract.is_none() && self.grants.is_empty()
    }
}

impl CallStory {
    /// The story of a call in events that are at hand, in their order.
    pub fn from_events(events: &[Event], call: &CallId) -> Option<Self> {
        let mut gather = Gather::new(call.clone());
        events.iter().rev().for_each(|event| gather.take(event.clone()));
        let mut story = gather.finish()?;
        let references = story.references();
        events.iter().filter(|e| references.names(e)).for_each(|e| story.background.push(e.clone()));
        Some(story)
    }

    /// The call.
    pub fn id(&self) -> &CallId {
        &self.call
    }

    /// What led to the call and its own events, in order.
    pub fn events(&self) -> impl Iterator<Item = &Event> {
        self.causes.iter().chain(&self.own)
    }

    /// The call's own events, in order.
    pub fn own(&self) -> &[Event] {
        &self.own
    }

    /// What the story refers to.
    pub fn references(&self) -> References {
        let started = self.all::<ToolCallStarted>().filter_map(|f| f.fact.grant_id.clone());
        let contract = self.find::<ToolCallRequested>().and_then(|f| f.fact.descriptor_digest.clone());
        References { contract, grants: started.collect() }
    }

    /// Takes an event that the story refers to; any other is left out.
    pub fn learn(&mut self, event: Event) {
        if self.references().names(&event) {
            self.background.push(event);
        }
    }

    /// The latest fact of a kind: of the call, else of what led to it, else of what it refers to.
    pub fn find<'a, K: Kind + 'a>(&'a self) -> Option<Found<'a, K>> {
        let backwards =
            self.own.iter().rev().chain(self.causes.iter().rev()).chain(self.background.iter().rev());
        found(backwards).next()
    }

    /// The call's own facts of a kind, in order.
    pub fn all<'a, K: Kind + 'a>(&'a self) -> impl Iterator<Item = Found<'a, K>> {
        found(self.own.iter())
    }

    /// How far the call came.
    pub fn end(&self) -> End<'_> {
        // What happened last counts: a call may be tried again after an interruption.
        for event in self.own.iter().rev() {
            let fact = &event.fresh.fact;
            if let Some(blocked) = ToolCallBlocked::from_fact(fact) {
                return End::Blocked(&blocked.reason);
            } else if let Some(finished) = ToolCallFinished::from_fact(fact) {
                return End::Finished(finished);
            } else if let Some(cancelled) = ToolCallCancelled::from_fact(fact) {
                return End::Cancelled(cancelled);
            } else if ToolCallStarted::from_fact(fact).is_some() {
                return End::Running;
            }
        }
        End::Open
    }

    /// Why there is no event of a kind that a call goes through.
    pub fn silence<K: Kind>(&self) -> String {
        let name = K::NAME;
        let last = self.own.last().map_or("", |e| e.fresh.fact.kind());
        match self.end() {
            End::Blocked(reason) => format!("the call was stopped before: {reason}"),
            End::Cancelled(off) => format!("the call was called off by {}: {}", off.by, off.reason),
            End::Finished(_) => format!("the call has ended, and none of its events is a `{name}`"),
            End::Running | End::Open => format!("the last event of the call is `{last}`"),
        }
    }

    /// Why there is no event of a kind among what led to the call.
    pub fn uncaused<K: Kind>(&self) -> String {
        format!("no `{}` is among what led to the call", K::NAME)
    }

    /// Whether the arguments were found valid; `None` where nobody looked.
    pub fn is_valid(&self) -> Option<bool> {
        self.find::<ToolArgsValidated>().map(|f| f.fact.status == ArgsStatus::Passed)
    }
}

fn found<'a, K: Kind + 'a>(events: impl Iterator<Item = &'a Event>) -> impl Iterator<Item = Found<'a, K>> {
    events.filter_map(|event| K::from_fact(&event.fresh.fact).map(|fact| Found { event, fact }))
}
