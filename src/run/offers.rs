//! What each case is offered: the suite's tools, narrowed by the case, plus the distractors drawn for it.

use crate::suite::{Case, Pick, Suite};
use proofhouse_manager::{
    model::ToolId,
    resolve::{
        ResolveIndex,
        bm25::{Population, Query},
    },
};
use std::{
    collections::{BTreeMap, BTreeSet},
    hash::{DefaultHasher, Hash as _, Hasher as _},
    sync::Arc,
};

/// The populations of a run, by case and number of distractors.
#[derive(Debug, Default)]
pub struct Offers {
    by_case: BTreeMap<(usize, u32), Arc<Population>>,
}

impl Offers {
    /// Draws them. `distractors` are the ids of the tools that are only there to distract.
    pub fn draw(
        suite: &Suite,
        cases: &[usize],
        index: &ResolveIndex,
        distractors: &BTreeSet<ToolId>,
        seed: u64,
    ) -> Self {
        let mut by_case = BTreeMap::new();
        let counts = suite.distractors.as_ref().map_or(vec![0], |d| d.counts.clone());
        // Cases that offer the same share one population.
        let mut shared: BTreeMap<Vec<u32>, Arc<Population>> = BTreeMap::new();
        for &number in cases {
            let case = &suite.cases[number];
            if case.offer.is_none() && distractors.is_empty() {
                continue;
            }
            let own = own_tools(case, index, distractors);
            let drawn = drawn(suite, case, index, distractors, seed);
            for &count in &counts {
                let mut members = own.clone();
                members.extend(drawn.iter().take(count as usize));
                members.sort_unstable();
                let population = shared
                    .entry(members)
                    .or_insert_with_key(|members| {
                        Arc::new(Population::of(index.words(), |at| members.binary_search(&at).is_ok()))
                    })
                    .clone();
                by_case.insert((number, count), population);
            }
        }
        Self { by_case }
    }

    /// What a case is offered; `None` is every tool.
    pub fn of(&self, case: usize, distractors: u32) -> Option<&Population> {
        self.by_case.get(&(case, distractors)).map(AsRef::as_ref)
    }
}

fn own_tools(case: &Case, index: &ResolveIndex, distractors: &BTreeSet<ToolId>) -> Vec<u32> {
    let offered = |at: &u32| {
        let id = index.tool(*at).id();
        !distractors.contains(id) && case.offer.as_ref().is_none_or(|globs| globs.is_match(id.as_str()))
    };
    (0..index.words().len()).filter(offered).collect()
}

/// The distractors of a case, in the order in which they are added.
fn drawn(
    suite: &Suite,
    case: &Case,
    index: &ResolveIndex,
    distractors: &BTreeSet<ToolId>,
    seed: u64,
) -> Vec<u32> {
    let Some(spec) = &suite.distractors else { return Vec::new() };
    let mut pool: Vec<u32> =
        (0..index.words().len()).filter(|at| distractors.contains(index.tool(*at).id())).collect();
    let near = nearness(case, index);
    let id = |at: &u32| index.tool(*at).id();
    match spec.pick {
        Pick::Adjacent => pool.sort_by(|a, b| near(*b).total_cmp(&near(*a)).then_with(|| id(a).cmp(id(b)))),
        Pick::Orthogonal => pool.sort_by(|a, b| near(*a).total_cmp(&near(*b)).then_with(|| id(a).cmp(id(b)))),
        Pick::Random => pool.sort_by_cached_key(|at| {
            let mut hasher = DefaultHasher::new();
            (seed, &case.id, id(at).as_str()).hash(&mut hasher);
            (hasher.finish(), *at)
        }),
    }
    let most = spec.counts.iter().copied().max().unwrap_or(0);
    pool.truncate(most as usize);
    pool
}

/// How near a tool's words are to those of the tools that the case expects; where it expects none, to those
/// of its prompts.
fn nearness<'a>(case: &Case, index: &'a ResolveIndex) -> impl Fn(u32) -> f32 + 'a {
    let expected: BTreeSet<&ToolId> =
        case.turns.iter().flat_map(|t| t.expect.iter().flatten()).map(|e| &e.tool).collect();
    let mut text = String::new();
    for at in 0..index.words().len() {
        let tool = index.tool(at);
        if expected.contains(tool.id()) {
            text.push_str(&format!("{} {} ", tool.id(), tool.descriptor().description.summary));
        }
    }
    if text.is_empty() {
        text = case.turns.iter().map(|t| t.prompt.as_str()).collect::<Vec<_>>().join(" ");
    }
    let scores = index.words().score(&Query::new(&text), index.everything());
    move |at| scores.of(at)
}
