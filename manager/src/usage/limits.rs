//! The counters: how much of each limit is taken, exactly, under any number of parallel calls.

use super::{Limit, Money, Most, Per, Price};
use crate::{
    event::{Fact, Fresh},
    model::{BudgetLeft, CallId, PrincipalId, SessionId, StopCode, StopReason, ToolId},
};
use chrono::{DateTime, Utc};
use std::{
    collections::{BTreeSet, HashMap},
    sync::{Mutex, MutexGuard, PoisonError},
};

/// What a call would use.
#[derive(Debug, Clone, Copy)]
pub struct Spend<'a> {
    /// The call.
    pub call: &'a CallId,
    /// How many times it was started before.
    pub attempt: u32,
    /// Who acts.
    pub principal: &'a PrincipalId,
    /// With which tool.
    pub tool: &'a ToolId,
    /// In which session.
    pub session: &'a SessionId,
    /// What it can cost.
    pub price: Price,
}

/// Limits, and how much of each is taken.
///
/// A call takes its share of every limit that is about it, or of none: checked and taken under one lock. What
/// a call takes of a budget is first the most that it can cost, and what it did cost once that is known.
#[derive(Debug, Default)]
pub struct Limits {
    limits: Vec<Limit>,
    taken: Mutex<Taken>,
}

#[derive(Debug, Default)]
struct Taken {
    counters: HashMap<Key, Counter>,
    /// The starts that are not settled, by call.
    running: HashMap<CallId, Vec<(Unit, Vec<Key>)>>,
}

/// One start of a call.
type Unit = (CallId, u32);

/// A counter's place: its limit, and what it is for.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Key {
    limit: usize,
    principal: Option<PrincipalId>,
    tool: Option<ToolId>,
    session: Option<SessionId>,
}

#[derive(Debug, Default)]
struct Counter {
    shares: HashMap<Unit, (DateTime<Utc>, u64)>,
    by_time: BTreeSet<(DateTime<Utc>, Unit)>,
    sum: u64,
}

impl Counter {
    fn put(&mut self, unit: &Unit, at: DateTime<Utc>, share: u64) {
        self.remove(unit);
        self.shares.insert(unit.clone(), (at, share));
        self.by_time.insert((at, unit.clone()));
        self.sum = self.sum.saturating_add(share);
    }

    fn remove(&mut self, unit: &Unit) -> Option<DateTime<Utc>> {
        let (at, share) = self.shares.remove(unit)?;
        self.by_time.remove(&(at, unit.clone()));
        self.sum -= share;
        Some(at)
    }

    /// Forgets what is older than the window. A clock that was set back keeps more, never less.
    fn forget(&mut self, limit: &Limit, now: DateTime<Utc>) {
        let Some(window) = limit.window else { return };
        while let Some((at, unit)) = self.by_time.first().cloned() {
            if at + window > now {
                break;
            }
            self.remove(&unit);
        }
    }
}

/// A share that is taken for a call that has not started. Dropped, it is given back.
#[derive(Debug)]
#[must_use = "dropped, the share is given back"]
pub struct Reservation<'l> {
    limits: &'l Limits,
    unit: Unit,
    kept: bool,
}

impl Reservation<'_> {
    /// The call has started: its share stays taken until it is settled, or leaves the window.
    pub fn started(mut self) {
        self.kept = true;
    }
}

impl Drop for Reservation<'_> {
    fn drop(&mut self) {
        if !self.kept {
            self.limits.release(&self.unit);
        }
    }
}

impl Limits {
    /// These limits, with nothing taken.
    pub fn new(limits: Vec<Limit>) -> Self {
        Self { limits, taken: Mutex::default() }
    }

    /// Whether nothing is limited.
    pub fn is_empty(&self) -> bool {
        self.limits.is_empty()
    }

    /// Takes a share of every limit that is about a call, or of none.
    ///
    /// # Errors
    /// [`StopReason`] with [`StopCode::LimitReached`] and the limit's id, if one of them is used up, or the
    /// call's cost is unknown and a budget limits it.
    pub fn reserve(&self, spend: &Spend<'_>, now: DateTime<Utc>) -> Result<Reservation<'_>, StopReason> {
        let mut taken = self.lock();
        let mut shares = Vec::new();
        for (key, limit) in self.about(spend) {
            let share = share(limit, spend.price)?;
            let most = most(limit);
            let sum = match taken.counters.get_mut(&key) {
                Some(counter) => {
                    counter.forget(limit, now);
                    counter.sum
                }
                None => 0,
            };
            if sum.checked_add(share).is_none_or(|sum| sum > most) {
                return Err(used_up(limit, taken.counters.get(&key), share));
            }
            shares.push((key, share));
        }
        let unit = (spend.call.clone(), spend.attempt);
        taken.put(&unit, now, shares);
        Ok(Reservation { limits: self, unit, kept: false })
    }

    /// Says what a call has cost; unknown, it has cost the most that it could.
    pub fn settle(&self, call: &CallId, cost: Option<Money>) {
        let mut taken = self.lock();
        let Taken { counters, running } = &mut *taken;
        // Of a call that was tried again, the last attempt is the one that ended.
        let Some((unit, keys)) = running.get_mut(call).and_then(Vec::pop) else { return };
        for key in keys {
            let is_budget = matches!(self.limits[key.limit].most, Most::Cost(_));
            if let (true, Some(cost), Some(counter)) = (is_budget, cost, counters.get_mut(&key))
                && let Some(at) = counter.remove(&unit)
            {
                counter.put(&unit, at, cost.0);
            }
        }
        if running.get(call).is_some_and(Vec::is_empty) {
            running.remove(call);
        }
    }

    /// What may still be used, of everything that limits a call of this tool.
    pub fn left(&self, spend: &Spend<'_>, now: DateTime<Utc>) -> BudgetLeft {
        let mut taken = self.lock();
        let mut left = BudgetLeft::default();
        for (key, limit) in self.about(spend) {
            let sum = taken.counters.get_mut(&key).map_or(0, |counter| {
                counter.forget(limit, now);
                counter.sum
            });
            let rest = most(limit).saturating_sub(sum);
            match limit.most {
                Most::Calls(_) => left.calls = Some(left.calls.map_or(rest, |c| c.min(rest))),
                Most::Cost(_) => {
                    let rest = Money(rest).usd();
                    left.cost_usd = Some(left.cost_usd.map_or(rest, |c| c.min(rest)));
                }
            }
        }
        left
    }

    /// Takes in an event of a journal: what was started counts, whoever has started it, and once.
    pub fn fold(&self, event: &Fresh) {
        let Some(call) = &event.scope.call_id else { return };
        match &event.fact {
            Fact::ToolCallStarted(started) => {
                let price = started.reserved_usd.and_then(Money::from_usd).unwrap_or_default();
                let spend = Spend {
                    call,
                    attempt: started.attempt,
                    principal: &started.principal,
                    tool: &started.tool_id,
                    session: &event.scope.session_id,
                    price: Price::AtMost(price),
                };
                let mut taken = self.lock();
                let unit = (call.clone(), started.attempt);
                let fresh = self.about(&spend).filter(|(key, _)| !taken.has(key, &unit));
                let shares: Vec<(Key, u64)> =
                    fresh.filter_map(|(key, limit)| Some((key, share(limit, spend.price).ok()?))).collect();
                if !shares.is_empty() {
                    taken.put(&unit, event.ts, shares);
                }
            }
            Fact::ToolCallFinished(finished) => {
                self.settle(call, finished.effects_observed.cost_usd.and_then(Money::from_usd));
            }
            _ => {}
        }
    }

    fn about<'s>(&'s self, spend: &'s Spend<'_>) -> impl Iterator<Item = (Key, &'s Limit)> {
        let about = self.limits.iter().enumerate().filter(|(_, l)| l.is_about(spend.principal, spend.tool));
        about.map(|(index, limit)| {
            let per = |what: Per| limit.per.contains(&what);
            let key = Key {
                limit: index,
                principal: per(Per::Principal).then(|| spend.principal.clone()),
                tool: per(Per::Tool).then(|| spend.tool.clone()),
                session: per(Per::Session).then(|| spend.session.clone()),
            };
            (key, limit)
        })
    }

    fn release(&self, unit: &Unit) {
        let mut taken = self.lock();
        let Taken { counters, running } = &mut *taken;
        let Some(starts) = running.get_mut(&unit.0) else { return };
        if let Some(at) = starts.iter().position(|(u, _)| u == unit) {
            for key in starts.remove(at).1 {
                if let Some(counter) = counters.get_mut(&key) {
                    counter.remove(unit);
                    if counter.shares.is_empty() {
                        counters.remove(&key);
                    }
                }
            }
        }
        if starts.is_empty() {
            running.remove(&unit.0);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Taken> {
        // Nothing that holds the lock panics; were it so, what is taken stays taken.
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Taken {
    fn put(&mut self, unit: &Unit, at: DateTime<Utc>, shares: Vec<(Key, u64)>) {
        if shares.is_empty() {
            return;
        }
        let keys = shares.iter().map(|(key, _)| key.clone()).collect();
        for (key, share) in shares {
            self.counters.entry(key).or_default().put(unit, at, share);
        }
        self.running.entry(unit.0.clone()).or_default().push((unit.clone(), keys));
    }

    fn has(&self, key: &Key, unit: &Unit) -> bool {
        self.counters.get(key).is_some_and(|counter| counter.shares.contains_key(unit))
    }
}

fn most(limit: &Limit) -> u64 {
    match limit.most {
        Most::Calls(most) | Most::Cost(Money(most)) => most,
    }
}

fn share(limit: &Limit, price: Price) -> Result<u64, StopReason> {
    match (limit.most, price) {
        (Most::Calls(_), _) => Ok(1),
        (Most::Cost(_), Price::AtMost(Money(cost))) => Ok(cost),
        (Most::Cost(_), Price::Unknown) => Err(StopReason::new(
            StopCode::LimitReached,
            format!("the budget `{}` holds for it, and nothing says what it can cost at most", limit.id),
        )),
    }
}

fn used_up(limit: &Limit, counter: Option<&Counter>, share: u64) -> StopReason {
    let counted = match limit.most {
        Most::Calls(most) => format!("{most} calls"),
        Most::Cost(most) => most.to_string(),
    };
    let window = limit.window.map_or("in all".to_owned(), |w| format!("in {} s", w.num_seconds()));
    let oldest = counter.and_then(|c| c.by_time.first()).zip(limit.window).map(|((at, _), w)| *at + w);
    let free = match oldest {
        Some(at) => format!("; the next share is free at {}", at.format("%Y-%m-%d %H:%M:%SZ")),
        None => String::new(),
    };
    let wants = match limit.most {
        Most::Calls(_) => String::new(),
        Most::Cost(_) => format!(", and it can cost {}", Money(share)),
    };
    let message = format!("the limit `{}` allows {counted} {window}{wants}{free}", limit.id);
    StopReason::new(StopCode::LimitReached, message)
}
