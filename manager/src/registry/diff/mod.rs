//! What a new contract changes: field group by field group, each change with its direction.
//!
//! Widening means that the tool may do more than before, or that less stands in its way: a resource that is
//! written, a parameter that is taken, a bound that falls, a lower risk that it claims. What cannot be
//! compared counts as widening. No difference between two contracts is passed over in silence: what no group
//! knows, `rest` names.

mod context;
mod credentials;
mod description;
mod effects;
mod execution;
mod permissions;
mod rest;
mod risk;
mod sandbox;
mod schema;
mod sides;

#[cfg(test)]
mod tests;

use crate::model::ToolDescriptor;
use serde::Serialize;
use sides::Sides;
use std::fmt;

/// Which way a change goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// It may do more, or less stands in its way.
    Widening,
    /// Neither.
    Neutral,
    /// It may do less, or more stands in its way.
    Narrowing,
}

impl Direction {
    /// The word, as in JSON.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Widening => "widening",
            Self::Neutral => "neutral",
            Self::Narrowing => "narrowing",
        }
    }
}

/// One difference between two contracts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Change {
    /// JSON pointer into the descriptor.
    pub pointer: String,
    /// Which way it goes.
    pub direction: Direction,
    /// What changed, for people.
    pub message: String,
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}: {}", self.direction.as_str(), self.pointer, self.message)
    }
}

/// Compares the fields of one group.
type Compare = fn(&Sides<'_>, &mut Vec<Change>);

/// A group of fields, with the pointers that it answers for.
struct Group {
    pointers: &'static [&'static str],
    compare: Compare,
}

/// Every group but the rest.
const GROUPS: &[&Group] = &[
    &effects::GROUP,
    &schema::GROUP,
    &permissions::GROUP,
    &sandbox::GROUP,
    &risk::GROUP,
    &credentials::GROUP,
    &execution::GROUP,
    &context::GROUP,
    &description::GROUP,
];

/// Every difference between two contracts, widening ones first.
pub fn diff(before: &ToolDescriptor, after: &ToolDescriptor) -> Vec<Change> {
    let sides = Sides::new(before, after);
    let mut changes = Vec::new();
    for group in GROUPS {
        (group.compare)(&sides, &mut changes);
    }
    rest::compare(&sides, &mut changes);
    changes.sort_by(|a, b| (a.direction, &a.pointer).cmp(&(b.direction, &b.pointer)));
    changes
}

/// The changes in one line: how many of each direction, and the first widening ones.
pub fn summary(changes: &[Change]) -> String {
    const SHOWN: usize = 3;
    if changes.is_empty() {
        return "nothing that the contract holds".to_owned();
    }
    let count = |direction| changes.iter().filter(|c| c.direction == direction).count();
    let counts: Vec<String> = [Direction::Widening, Direction::Neutral, Direction::Narrowing]
        .into_iter()
        .filter(|direction| count(*direction) > 0)
        .map(|direction| format!("{} {}", count(direction), direction.as_str()))
        .collect();
    let first: Vec<String> =
        changes.iter().take(SHOWN).map(|c| format!("{}: {}", c.pointer, c.message)).collect();
    let more = if changes.len() > SHOWN { "; …" } else { "" };
    format!("{} ({}{more})", counts.join(", "), first.join("; "))
}
