//! What the views offered, each view once.

use super::intern::Texts;
use crate::run::OfferedTool;
use proofhouse_manager::model::{Decision, EffectLevel};
use serde::Serialize;
use std::collections::HashMap;

/// Once this many offers are stored, further views keep only their first [`KEPT_OF_A_LARGE_VIEW`].
///
/// A view of every tool would otherwise weigh more than all trials together.
const OFFERS_IN_FULL: usize = 400_000;

/// The offers that are kept of a view that comes late. The report says how many there were.
const KEPT_OF_A_LARGE_VIEW: usize = 24;

/// The views of a run, numbered as they come.
#[derive(Debug, Default)]
pub(super) struct Views {
    list: Vec<View>,
    numbers: HashMap<String, usize>,
    stored: usize,
}

/// A view: its digest, how many tools it offered, and those that are kept.
#[derive(Debug, Serialize)]
pub(super) struct View(String, usize, Vec<Offer>);

/// A tool, why it is offered, what policy would answer, how far it reaches.
#[derive(Debug, Serialize)]
struct Offer(usize, usize, Decision, EffectLevel);

impl Views {
    /// The number of the view with this digest.
    ///
    /// A writer leaves `offered` out where an earlier line has it, so the first that brings it fills it in.
    pub(super) fn number(
        &mut self,
        digest: &str,
        offered: &[OfferedTool],
        tools: &mut Texts,
        texts: &mut Texts,
    ) -> usize {
        let number = match self.numbers.get(digest) {
            Some(&number) => number,
            None => {
                self.list.push(View(digest.to_owned(), 0, Vec::new()));
                self.numbers.insert(digest.to_owned(), self.list.len() - 1);
                self.list.len() - 1
            }
        };
        if self.list[number].1 == 0 && !offered.is_empty() {
            let kept = &offered[..self.room_for(offered.len())];
            self.stored += kept.len();
            self.list[number].1 = offered.len();
            self.list[number].2 = kept.iter().map(|offer| row(offer, tools, texts)).collect();
        }
        number
    }

    fn room_for(&self, offers: usize) -> usize {
        if self.stored + offers <= OFFERS_IN_FULL { offers } else { offers.min(KEPT_OF_A_LARGE_VIEW) }
    }

    /// The views, in the order in which they came.
    pub(super) fn list(&self) -> &[View] {
        &self.list
    }
}

fn row(offer: &OfferedTool, tools: &mut Texts, texts: &mut Texts) -> Offer {
    Offer(tools.number(&offer.tool), texts.number(&offer.reason), offer.decision, offer.level)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offers(count: usize) -> Vec<OfferedTool> {
        let offer = |at: usize| OfferedTool {
            tool: format!("tool.{at}").into(),
            reason: "ranked".into(),
            decision: Decision::Allow,
            level: EffectLevel::PureRead,
        };
        (0..count).map(offer).collect()
    }

    #[test]
    fn a_view_is_stored_once_and_filled_by_the_first_line_that_brings_it() {
        let (mut views, mut tools, mut texts) = (Views::default(), Texts::default(), Texts::default());
        let mut number = |digest, count| views.number(digest, &offers(count), &mut tools, &mut texts);
        assert_eq!([number("a", 0), number("b", 2), number("a", 3), number("a", 0)], [0, 1, 0, 0]);
        assert_eq!(views.list()[0].2.len(), 3);
        assert_eq!(texts.list(), ["ranked"]);
    }

    #[test]
    fn beyond_the_budget_a_view_keeps_its_head_and_its_count() {
        let (mut views, mut tools, mut texts) = (Views::default(), Texts::default(), Texts::default());
        views.stored = OFFERS_IN_FULL;
        views.number("late", &offers(100), &mut tools, &mut texts);
        assert_eq!((views.list()[0].1, views.list()[0].2.len()), (100, KEPT_OF_A_LARGE_VIEW));
    }
}
