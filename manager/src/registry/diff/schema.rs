//! What a tool takes and gives: whether a schema now lets more or fewer values through.

use super::{
    Change, Direction, Group,
    sides::{Sides, change, from_to, shown},
};
use serde_json::{Map, Value};
use std::collections::BTreeSet;

pub(super) const GROUP: Group = Group { pointers: &["/schemas"], compare };

/// Bounds by which way a higher number goes.
const UPPER: [&str; 5] = ["maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"];
const LOWER: [&str; 5] = ["minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"];
/// Words for readers, which let nothing through.
const NOTES: [&str; 7] = ["title", "description", "default", "examples", "$schema", "$comment", "deprecated"];

fn compare(sides: &Sides<'_>, changes: &mut Vec<Change>) {
    let (before, after) = sides.json();
    for pointer in ["/schemas/inputSchema", "/schemas/outputSchema", "/schemas/errorSchema"] {
        match (before.pointer(pointer), after.pointer(pointer)) {
            (Some(before), Some(after)) => schema(pointer, before, after, changes),
            (None, Some(_)) => changes.push(change(pointer, Direction::Narrowing, "says now what it holds")),
            (Some(_), None) => {
                changes.push(change(pointer, Direction::Widening, "no longer says what it holds"));
            }
            (None, None) => {}
        }
    }
}

fn schema(pointer: &str, before: &Value, after: &Value, changes: &mut Vec<Change>) {
    if before == after {
        return;
    }
    let (Value::Object(a), Value::Object(b)) = (before, after) else {
        let direction = match after {
            Value::Bool(false) => Direction::Narrowing,
            _ => Direction::Widening,
        };
        changes.push(change(pointer, direction, from_to(shown(Some(before)), shown(Some(after)))));
        return;
    };
    let keys: BTreeSet<&String> = a.keys().chain(b.keys()).collect();
    for key in keys.into_iter().filter(|key| a.get(*key) != b.get(*key)) {
        let below = format!("{pointer}/{key}");
        let (before, after) = (a.get(key), b.get(key));
        match key.as_str() {
            "properties" => properties(&below, [a, b], changes),
            "required" => required(&below, before, after, changes),
            "type" => types(&below, before, after, changes),
            "enum" => choices(&below, before, after, changes),
            "additionalProperties" => additional(&below, before, after, changes),
            "items" => match (before, after) {
                (Some(before), Some(after)) => schema(&below, before, after, changes),
                _ => presence(&below, before, after, changes),
            },
            bound if UPPER.contains(&bound) => limit(&below, before, after, true, changes),
            bound if LOWER.contains(&bound) => limit(&below, before, after, false, changes),
            note if NOTES.contains(&note) => {
                let message = from_to(shown(before), shown(after));
                changes.push(change(&below, Direction::Neutral, message));
            }
            // `pattern`, `format`, `const`, `anyOf` …: gone lets more through, new lets less; another one
            // cannot be compared.
            _ => presence(&below, before, after, changes),
        }
    }
}

fn presence(pointer: &str, before: Option<&Value>, after: Option<&Value>, changes: &mut Vec<Change>) {
    let direction = if before.is_none() { Direction::Narrowing } else { Direction::Widening };
    changes.push(change(pointer, direction, from_to(shown(before), shown(after))));
}

fn properties(pointer: &str, [before, after]: [&Map<String, Value>; 2], changes: &mut Vec<Change>) {
    let of = |schema: &Map<String, Value>| {
        schema.get("properties").and_then(Value::as_object).cloned().unwrap_or_default()
    };
    let (a, b) = (of(before), of(after));
    for (name, new) in &b {
        let below = format!("{pointer}/{}", name.replace('~', "~0").replace('/', "~1"));
        match a.get(name) {
            Some(old) => schema(&below, old, new, changes),
            None => changes.push(change(&below, Direction::Widening, format!("`{name}` is new"))),
        }
    }
    for name in a.keys().filter(|name| !b.contains_key(*name)) {
        let below = format!("{pointer}/{}", name.replace('~', "~0").replace('/', "~1"));
        changes.push(change(&below, Direction::Narrowing, format!("`{name}` is gone")));
    }
}

fn entries(value: Option<&Value>) -> Vec<&Value> {
    value.and_then(Value::as_array).into_iter().flatten().collect()
}

fn required(pointer: &str, before: Option<&Value>, after: Option<&Value>, changes: &mut Vec<Change>) {
    let (before, after) = (entries(before), entries(after));
    for gone in before.iter().filter(|name| !after.contains(name)) {
        changes.push(change(
            pointer,
            Direction::Widening,
            format!("no longer asks for {}", shown(Some(gone))),
        ));
    }
    for new in after.iter().filter(|name| !before.contains(name)) {
        changes.push(change(pointer, Direction::Narrowing, format!("asks for {}", shown(Some(new)))));
    }
}

/// A type and what it holds: every integer is a number.
fn types(pointer: &str, before: Option<&Value>, after: Option<&Value>, changes: &mut Vec<Change>) {
    let names = |value: Option<&Value>| -> Option<BTreeSet<String>> {
        let mut names: BTreeSet<String> = match value? {
            Value::Array(all) => all.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
            one => one.as_str().map(str::to_owned).into_iter().collect(),
        };
        if names.contains("number") {
            names.insert("integer".to_owned());
        }
        Some(names)
    };
    let direction = match (names(before), names(after)) {
        (None, _) => Direction::Narrowing,
        (Some(a), Some(b)) if b.is_subset(&a) => Direction::Narrowing,
        _ => Direction::Widening,
    };
    changes.push(change(pointer, direction, from_to(shown(before), shown(after))));
}

fn choices(pointer: &str, before: Option<&Value>, after: Option<&Value>, changes: &mut Vec<Change>) {
    if before.is_none() || after.is_none() {
        return presence(pointer, before, after, changes);
    }
    let (before, after) = (entries(before), entries(after));
    for new in after.iter().filter(|value| !before.contains(value)) {
        changes.push(change(pointer, Direction::Widening, format!("also takes {}", shown(Some(new)))));
    }
    for gone in before.iter().filter(|value| !after.contains(value)) {
        changes.push(change(pointer, Direction::Narrowing, format!("no longer takes {}", shown(Some(gone)))));
    }
    if changes.last().is_none_or(|last| last.pointer != pointer) {
        changes.push(change(pointer, Direction::Neutral, "in another order"));
    }
}

/// Absent lets every further property through, as `true` does.
fn additional(pointer: &str, before: Option<&Value>, after: Option<&Value>, changes: &mut Vec<Change>) {
    let open = Value::Bool(true);
    let (a, b) = (before.unwrap_or(&open), after.unwrap_or(&open));
    let direction = match (a, b) {
        (a, b) if a == b => Direction::Neutral,
        (Value::Bool(true), _) | (_, Value::Bool(false)) => Direction::Narrowing,
        _ => Direction::Widening,
    };
    changes.push(change(pointer, direction, from_to(shown(before), shown(after))));
}

fn limit(
    pointer: &str,
    before: Option<&Value>,
    after: Option<&Value>,
    upper: bool,
    changes: &mut Vec<Change>,
) {
    let number = |value: Option<&Value>| value.and_then(Value::as_f64);
    let widens = match (number(before), number(after)) {
        (_, None) => true,
        (None, Some(_)) => false,
        (Some(before), Some(after)) => (after > before) == upper,
    };
    let direction = if widens { Direction::Widening } else { Direction::Narrowing };
    changes.push(change(pointer, direction, from_to(shown(before), shown(after))));
}
