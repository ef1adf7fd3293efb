//! The deterministic planner: what kinds of action does a prompt ask for?
//!
//! It stands where an agent's own planner would, so that a case needs none. It knows a small lexicon of verbs
//! (`lexicon`) and nothing about any tool. Its first rule is to hide nothing on a guess: it names action types
//! only where every clause of a prompt is an order whose verb it knows, each verb names *all* the kinds of action
//! that it can mean, and looking first is always among them. Otherwise the types stay open, and the
//! capability match lets everything pass.

mod lexicon;
pub mod literal;

use crate::model::{ActionType, Target, TargetKind};
use crate::resolve::bm25::words;
use lexicon::Family;
use literal::{Kind, Piece, pieces};

/// What the planner made of a prompt.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// Kinds of action that may be next, the likeliest first; empty: open.
    pub action_types: Vec<ActionType>,
    /// What is acted upon, where the prompt names it.
    pub target: Option<Target>,
    /// 0 to 1: how sure the planner is of the types; 0 where it leaves them open.
    pub confidence: f64,
    /// Why, in words for people.
    pub rationale: String,
}

/// Reads a prompt.
pub fn plan(prompt: &str) -> Plan {
    let pieces = pieces(prompt);
    let target = target(&pieces);
    match orders(&pieces) {
        Ok(orders) => {
            let verbs: Vec<String> = orders.iter().map(|(word, _)| format!("\"{word}\"")).collect();
            Plan {
                action_types: action_types(&orders),
                target,
                confidence: if orders.len() == 1 { 0.9 } else { 0.7 },
                rationale: format!("the prompt orders {}", verbs.join(", ")),
            }
        }
        Err(why) => Plan { action_types: Vec::new(), target, confidence: 0.0, rationale: why },
    }
}

type Order = (String, &'static Family);

/// The verbs that a prompt orders by; an error says why the types stay open.
fn orders(pieces: &[Piece<'_>]) -> Result<Vec<Order>, String> {
    let mut orders: Vec<Order> = Vec::new();
    for clause in clauses(pieces) {
        let Some(head) = clause.iter().find(|word| !lexicon::is_filler(word)) else { continue };
        if lexicon::family(head).is_none() {
            return Err(format!(
                "\"{head}\" is no order that the planner knows, so the kind of action stays open"
            ));
        }
        // Verbs further on can only add: "go through the list and delete …" is an order to delete.
        let known = clause.iter().filter_map(|word| Some((word.clone(), lexicon::family(word)?)));
        orders.extend(known);
    }
    if orders.is_empty() { Err("no order, so the kind of action stays open".to_owned()) } else { Ok(orders) }
}

/// The folded words of each clause, literals left out.
fn clauses(pieces: &[Piece<'_>]) -> Vec<Vec<String>> {
    let mut clauses = vec![Vec::new()];
    for piece in pieces {
        if lexicon::is_conjunction(piece.text) {
            clauses.push(Vec::new());
        } else if let (Kind::Word, Some(clause)) = (piece.kind, clauses.last_mut()) {
            words(piece.text, |word| clause.push(word.to_owned()));
        }
        if piece.ends_clause {
            clauses.push(Vec::new());
        }
    }
    clauses
}

fn action_types(orders: &[Order]) -> Vec<ActionType> {
    let mut types = Vec::new();
    let named = orders.iter().flat_map(|(_, family)| family.means.iter());
    for action in named.chain(&lexicon::LOOKING) {
        if !types.contains(action) {
            types.push(*action);
        }
    }
    types
}

/// The first thing that the prompt names and whose kind is plain from its form.
fn target(pieces: &[Piece<'_>]) -> Option<Target> {
    pieces.iter().find_map(|piece| {
        let kind = match piece.kind {
            Kind::Url => TargetKind::Url,
            Kind::Email => TargetKind::Email,
            Kind::Path => TargetKind::File,
            Kind::Word | Kind::Quotation | Kind::Number | Kind::Date | Kind::Name => return None,
        };
        Some(Target { kind, reference: piece.text.to_owned() })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::ActionType::{Delete, Deploy, ExternalSend, Purchase, Read, Write};

    /// What must be among the types, and what must not; both empty for a prompt that stays open.
    #[track_caller]
    fn check(prompt: &str, with: &[ActionType], without: &[ActionType]) {
        let plan = plan(prompt);
        let has = |a: &ActionType| plan.action_types.contains(a);
        assert_eq!(plan.action_types.is_empty(), with.is_empty(), "{prompt}: {}", plan.rationale);
        assert_eq!(plan.confidence == 0.0, with.is_empty());
        assert!(with.iter().all(has), "{prompt}: {:?}", plan.action_types);
        assert!(!without.iter().any(has), "{prompt}: {:?}", plan.action_types);
    }

    #[test]
    fn an_order_names_its_kinds_and_looking_first() {
        check("please delete logs/old.log", &[Delete, Read], &[Purchase, Deploy]);
        check("show me package.json", &[Read], &[Delete, Write, ExternalSend, Deploy]);
        check("lösch bitte die Datei a.log", &[Delete], &[Deploy]);
        check("find the old tables and drop them", &[Read, Delete], &[Purchase]);
        check("can you buy 3 runners", &[Purchase], &[Delete]);
        check("send it to ops@example.com", &[ExternalSend], &[Delete, Purchase]);
    }

    #[test]
    fn whatever_is_no_plain_order_stays_open() {
        for prompt in [
            "",
            "thanks!",
            "what would go if you deleted the cache?",
            "the dist folder is stale",
            "list the files and zap the old ones",
            "same again",
            "\"delete everything\"",
            "???",
            "it's broken. fix it somehow, whatever",
            "show me a.txt, then frobnicate it",
        ] {
            check(prompt, &[], &[]);
        }
    }

    #[test]
    fn the_target_is_named_by_its_form() {
        for (prompt, kind, reference) in [
            ("read src/main.rs", TargetKind::File, "src/main.rs"),
            ("get https://a.example/x", TargetKind::Url, "https://a.example/x"),
            ("mail kim@example.com", TargetKind::Email, "kim@example.com"),
        ] {
            let expected = Target { kind, reference: reference.to_owned() };
            assert_eq!(plan(prompt).target, Some(expected), "{prompt}");
        }
        assert_eq!(plan("what's up").target, None);
    }
}
