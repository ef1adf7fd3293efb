//! Which tool, or none.

use super::Known;
use proofhouse_manager::resolve::bm25::{Query, idf};
use std::sync::Arc;

/// What the words of a prompt point at.
#[derive(Debug, PartialEq)]
pub(super) enum Choice {
    /// The offered tool of that number.
    Tool(usize),
    /// None, and why.
    None(String),
}

/// The evidence below which nothing is called.
///
/// Evidence is the best tool's score in units of one perfect word: a word that one offered tool alone has and
/// that saturates there. Measured so, it is comparable over prompts of any length and offers of any size. A
/// higher threshold trades right calls for right abstentions: over the public corpus of real servers, this one,
/// with the other two reasons to abstain, keeps about 70 % of the calls whose tool is ranked first rightly and
/// abstains in about 70 % of the prompts that want no call.
pub(super) const THRESHOLD: f32 = 0.40;

/// Chooses among the offered tools; of equals the first, which the view ranked higher.
pub(super) fn choose(query: &Query, tools: &[Arc<Known>]) -> Choice {
    let offered = tools.len();
    if offered == 0 {
        return Choice::None("no tool is offered".to_owned());
    }
    let mut scores = vec![0.0_f32; offered];
    let mut weights = vec![0.0_f32; offered];
    for term in query.terms() {
        let mut found = 0;
        for (weight, tool) in weights.iter_mut().zip(tools) {
            *weight = tool.document.weight(term.term);
            found += u32::from(*weight > 0.0);
        }
        let factor = idf(offered as u32, found) * term.weight;
        scores.iter_mut().zip(&weights).for_each(|(score, weight)| *score += factor * weight);
    }
    let (at, best) = scores
        .iter()
        .enumerate()
        .fold((0, 0.0), |best, (at, score)| if *score > best.1 { (at, *score) } else { best });
    let evidence = best / idf(offered as u32, 1);
    if evidence >= THRESHOLD {
        return Choice::Tool(at);
    }
    Choice::None(format!(
        "the words fit no offered tool well enough ({evidence:.2} where {THRESHOLD:.2} is needed)"
    ))
}
