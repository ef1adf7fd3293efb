//! The two contracts, and the comparisons that groups share.

use super::{Change, Direction};
use crate::model::ToolDescriptor;
use serde_json::Value;
use std::{collections::BTreeSet, fmt::Display};

/// A contract before and after.
pub(super) struct Sides<'a> {
    pub(super) before: &'a ToolDescriptor,
    pub(super) after: &'a ToolDescriptor,
    json: [Value; 2],
}

/// Which way more of something goes.
#[derive(Debug, Clone, Copy)]
pub(super) enum More {
    /// More of it lets the tool do more.
    Widens,
    /// More of it holds the tool back.
    Narrows,
}

impl More {
    fn direction(self, is_more: bool) -> Direction {
        match (self, is_more) {
            (Self::Widens, true) | (Self::Narrows, false) => Direction::Widening,
            (Self::Widens, false) | (Self::Narrows, true) => Direction::Narrowing,
        }
    }
}

impl<'a> Sides<'a> {
    pub(super) fn new(before: &'a ToolDescriptor, after: &'a ToolDescriptor) -> Self {
        let json = |tool| serde_json::to_value(tool).unwrap_or_default();
        Self { before, after, json: [json(before), json(after)] }
    }

    /// Both as JSON.
    pub(super) fn json(&self) -> (&Value, &Value) {
        (&self.json[0], &self.json[1])
    }

    /// What stands at a pointer, before and after.
    fn at(&self, pointer: &str) -> [Option<&Value>; 2] {
        [0, 1].map(|side| self.json[side].pointer(pointer).filter(|value| !value.is_null()))
    }

    /// A list whose order does not matter.
    pub(super) fn set(&self, pointer: &str, more: More, changes: &mut Vec<Change>) {
        let [before, after] = self.at(pointer).map(texts);
        for added in after.difference(&before) {
            changes.push(change(pointer, more.direction(true), format!("gains `{added}`")));
        }
        for gone in before.difference(&after) {
            changes.push(change(pointer, more.direction(false), format!("loses `{gone}`")));
        }
    }

    /// Yes or no; absent is no.
    pub(super) fn flag(&self, pointer: &str, yes: More, changes: &mut Vec<Change>) {
        let [before, after] = self.at(pointer).map(|v| v.and_then(Value::as_bool).unwrap_or(false));
        if before != after {
            changes.push(change(pointer, yes.direction(after), from_to(before, after)));
        }
    }

    /// One of several words, the least first; absent stands before all of them.
    pub(super) fn scale(&self, pointer: &str, words: &[&str], more: More, changes: &mut Vec<Change>) {
        let sides = self.at(pointer);
        if sides[0] == sides[1] {
            return;
        }
        let [before, after] = sides.map(|v| {
            let word = v.and_then(Value::as_str);
            word.map(|word| words.iter().position(|w| *w == word))
        });
        let direction = match (before, after) {
            // A word that the scale does not know.
            (Some(None), _) | (_, Some(None)) => Direction::Widening,
            (before, after) => more.direction(after > before),
        };
        changes.push(change(pointer, direction, from_to(shown(sides[0]), shown(sides[1]))));
    }

    /// A number; absent is without a bound.
    pub(super) fn bound(&self, pointer: &str, changes: &mut Vec<Change>) {
        let sides = self.at(pointer);
        if sides[0] == sides[1] {
            return;
        }
        let [before, after] = sides.map(|v| v.map_or(f64::INFINITY, |v| v.as_f64().unwrap_or(f64::INFINITY)));
        let direction = More::Widens.direction(after > before);
        changes.push(change(pointer, direction, from_to(shown(sides[0]), shown(sides[1]))));
    }

    /// Something that cannot be ordered.
    pub(super) fn other(&self, pointer: &str, direction: Direction, changes: &mut Vec<Change>) {
        let sides = self.at(pointer);
        if sides[0] != sides[1] {
            changes.push(change(pointer, direction, from_to(shown(sides[0]), shown(sides[1]))));
        }
    }
}

pub(super) fn change(pointer: &str, direction: Direction, message: impl Into<String>) -> Change {
    Change { pointer: pointer.to_owned(), direction, message: message.into() }
}

pub(super) fn from_to(before: impl Display, after: impl Display) -> String {
    format!("{before} → {after}")
}

/// A value in a few words.
pub(super) fn shown(value: Option<&Value>) -> String {
    const MAX: usize = 80;
    let text = match value {
        None => return "nothing".to_owned(),
        Some(Value::String(text)) => format!("`{text}`"),
        Some(other) => other.to_string(),
    };
    match text.char_indices().nth(MAX) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

fn texts(list: Option<&Value>) -> BTreeSet<String> {
    let entries = list.and_then(Value::as_array).into_iter().flatten();
    entries.map(|entry| entry.as_str().map_or_else(|| entry.to_string(), str::to_owned)).collect()
}
