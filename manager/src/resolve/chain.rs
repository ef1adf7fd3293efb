//! The chain: population → filters → ranked candidates.

use super::{
    bm25::Query,
    filter,
    rank::{Ranked, rank},
    reason::reason,
    turn::{Selection, Turn, TurnState},
};
use crate::{
    model::{ActionType, Dropped, PolicyId, ResolveFilter, ToolCandidate, ToolIntent},
    registry::RegisteredTool,
};
use std::{borrow::Cow, sync::Arc};

/// What an intent resolved to, before the token budget.
#[derive(Debug, Clone)]
pub struct Resolution {
    /// What passed every filter and is among the best, best first.
    pub candidates: Vec<ToolCandidate>,
    /// What was left out so far, in the order of registration.
    pub dropped: Vec<Dropped>,
    pub(super) details: Vec<Detail>,
    pub(super) max_tokens: Option<u64>,
}

/// What a view says about a candidate; parallel to the candidates.
#[derive(Debug, Clone)]
pub(super) struct Detail {
    pub(super) tool: Arc<RegisteredTool>,
    pub(super) reason: String,
    pub(super) policy_ids: Vec<PolicyId>,
}

/// Everything that is allowed was to be shown, and it does not fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "{allowed} tools are allowed and the view holds {budget}\nhint: raise `view.maxTools`, narrow what is \
     offered, or set `view.select: ranked`"
)]
pub struct ViewTooLarge {
    /// How many tools passed the filters.
    pub allowed: usize,
    /// How many the view may hold.
    pub budget: usize,
}

/// Resolves an intent: who is a candidate, in which order, and what was dropped by which filter.
///
/// `query` is the text whose words rank the tools: as a rule, what the user said last.
///
/// # Errors
/// [`ViewTooLarge`] with [`Selection::All`], if more is allowed than the budget holds.
pub fn resolve(intent: &ToolIntent, query: &str, state: &TurnState<'_>) -> Result<Resolution, ViewTooLarge> {
    let turn = Turn::new(intent, state);
    let population = state.population();
    let mut dropped: Vec<(u32, ResolveFilter, Cow<'static, str>)> =
        Vec::with_capacity(population.members().len());
    let passed = filtered(&turn, &mut dropped);
    let limit = state.budget.max_tools_visible;
    if state.selection == Selection::All && passed.len() > limit {
        return Err(ViewTooLarge { allowed: passed.len(), budget: limit });
    }

    let query = Query::new(query);
    let scores = state.index.words().score(&query, population);
    let (ranked, beyond) = rank(&passed, &scores, state.index, limit);
    dropped.extend(beyond.into_iter().map(|at| (at, ResolveFilter::Rank, Cow::Borrowed(BEYOND))));
    dropped.sort_unstable_by_key(|(at, ..)| *at);

    let explain = |(at, tool): (usize, &Ranked)| {
        let words = scores.matched(&query, tool.at);
        detail(&turn, tool.at, |serves| reason(at + 1, passed.len(), &words, serves), &intent.action_types)
    };
    Ok(Resolution {
        candidates: ranked.iter().map(|tool| candidate(&turn, *tool)).collect(),
        details: ranked.iter().enumerate().map(explain).collect(),
        dropped: dropped.into_iter().map(|(at, filter, reason)| drop_of(state, at, filter, reason)).collect(),
        max_tokens: state.budget.max_tokens,
    })
}

const BEYOND: &str = "ranked behind the tools that the view has room for";

/// The population's tools that no filter drops.
fn filtered(turn: &Turn<'_>, dropped: &mut Vec<(u32, ResolveFilter, Cow<'static, str>)>) -> Vec<u32> {
    let mut passed = Vec::new();
    for at in turn.state.population().members() {
        let verdict = filter::ALL.iter().find_map(|f| f.drops(*at, turn).map(|reason| (f.name(), reason)));
        match verdict {
            Some((filter, reason)) => dropped.push((*at, filter, reason)),
            None => passed.push(*at),
        }
    }
    passed
}

fn candidate(turn: &Turn<'_>, ranked: Ranked) -> ToolCandidate {
    let tool = turn.state.index.tool(ranked.at);
    ToolCandidate {
        tool_id: tool.id().clone(),
        tool_version: tool.version().clone(),
        relevance: f64::from(ranked.relevance),
        level: tool.level(),
        decision: turn.answer(ranked.at).decision,
    }
}

fn detail(
    turn: &Turn<'_>,
    at: u32,
    reason: impl FnOnce(&[ActionType]) -> String,
    wanted: &[ActionType],
) -> Detail {
    let tool = turn.state.index.tool(at);
    let actions = &tool.descriptor().intent.action_types;
    let served: Vec<ActionType> = actions.iter().copied().filter(|a| wanted.contains(a)).collect();
    // Where the intent is open, or the tool's types were inferred, what the tool is for says more than nothing.
    let serves = if served.is_empty() { actions.as_slice() } else { &served };
    Detail { tool: Arc::clone(tool), reason: reason(serves), policy_ids: turn.answer(at).policy_ids.clone() }
}

fn drop_of(state: &TurnState<'_>, at: u32, filter: ResolveFilter, reason: Cow<'static, str>) -> Dropped {
    Dropped { tool_id: state.index.tool(at).id().clone(), filter, reason }
}
