//! MCP's hints: what a source claims, and how much of it is believed.

use super::Note;
use serde_json::{Map, Value};

/// What a source claims about a tool's effects; nothing where it says nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Hints {
    /// It changes nothing.
    pub read_only: Option<bool>,
    /// It may destroy something.
    pub destructive: Option<bool>,
    /// Calling it again changes nothing more.
    pub idempotent: Option<bool>,
    /// It reaches things that nobody listed.
    pub open_world: Option<bool>,
}

impl Hints {
    pub(super) fn read(annotations: &Map<String, Value>, notes: &mut Vec<Note>) -> Self {
        let mut hint = |name: &str, pointer| match annotations.get(name) {
            Some(Value::Bool(value)) => Some(*value),
            Some(Value::Null) | None => None,
            Some(other) => {
                let message = format!("`{name}` is `{other}`, which is neither true nor false: not counted");
                notes.push(Note { pointer, message });
                None
            }
        };
        Self {
            read_only: hint("readOnlyHint", "/annotations/readOnlyHint"),
            destructive: hint("destructiveHint", "/annotations/destructiveHint"),
            idempotent: hint("idempotentHint", "/annotations/idempotentHint"),
            open_world: hint("openWorldHint", "/annotations/openWorldHint"),
        }
    }
}

/// One answer that is decided by, and whether it was stated rather than assumed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Answer {
    pub(super) value: bool,
    pub(super) stated: bool,
}

/// The answers to decide by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Believed {
    pub(super) read_only: Answer,
    pub(super) destructive: Answer,
    pub(super) idempotent: Answer,
    pub(super) open_world: Answer,
}

impl Believed {
    /// Takes the worst case where nothing is said, and where the better case is said without being trusted.
    pub(super) fn from(hints: Hints, trusted: bool, notes: &mut Vec<Note>) -> Self {
        let mut answer = |claim: Option<bool>, worst: bool, name: &str, pointer| match claim {
            Some(value) if trusted || value == worst => Answer { value, stated: true },
            Some(value) => {
                let message =
                    format!("`{name}: {value}` is claimed by a source that is not trusted: not counted");
                notes.push(Note { pointer, message });
                Answer { value: worst, stated: false }
            }
            None => Answer { value: worst, stated: false },
        };
        let mut believed = Self {
            read_only: answer(hints.read_only, false, "readOnlyHint", "/annotations/readOnlyHint"),
            destructive: answer(hints.destructive, true, "destructiveHint", "/annotations/destructiveHint"),
            idempotent: answer(hints.idempotent, false, "idempotentHint", "/annotations/idempotentHint"),
            open_world: answer(hints.open_world, true, "openWorldHint", "/annotations/openWorldHint"),
        };
        believed.settle(hints, notes);
        believed
    }

    /// A tool that only reads destroys nothing; one that says both is taken at its worst word.
    fn settle(&mut self, hints: Hints, notes: &mut Vec<Note>) {
        if !self.read_only.value {
            return;
        }
        if hints.destructive == Some(true) {
            self.read_only = Answer { value: false, stated: false };
            let message =
                "`readOnlyHint` and `destructiveHint` are both true: taken as destructive".to_owned();
            notes.push(Note { pointer: "/annotations", message });
        } else {
            self.destructive = Answer { value: false, stated: true };
            self.idempotent = Answer { value: true, stated: true };
        }
    }
}
