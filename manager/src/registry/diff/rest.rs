//! Whatever differs and no group answers for, so that nothing changes in silence.

use super::{
    Change, Direction, GROUPS,
    sides::{Sides, change, from_to, shown},
};
use serde_json::Value;
use std::collections::BTreeSet;

pub(super) fn compare(sides: &Sides<'_>, changes: &mut Vec<Change>) {
    let (before, after) = sides.json();
    walk("", Some(before), Some(after), changes);
}

/// Fields that are no part of a contract's digest.
const NOT_IN_THE_CONTRACT: [&str; 2] = ["/lifecycle", "/provenance/signature"];

fn walk(pointer: &str, before: Option<&Value>, after: Option<&Value>, changes: &mut Vec<Change>) {
    let owned = GROUPS.iter().flat_map(|group| group.pointers).any(|own| *own == pointer);
    if before == after || owned || NOT_IN_THE_CONTRACT.contains(&pointer) {
        return;
    }
    let (Some(Value::Object(a)), Some(Value::Object(b))) = (before, after) else {
        let message = from_to(shown(before), shown(after));
        changes.push(change(pointer, Direction::Neutral, message));
        return;
    };
    let keys: BTreeSet<&String> = a.keys().chain(b.keys()).collect();
    for key in keys {
        let below = format!("{pointer}/{}", key.replace('~', "~0").replace('/', "~1"));
        walk(&below, a.get(key), b.get(key), changes);
    }
}
