//! Where a pattern is being compiled, and under which settings.

use super::{ArgsMode, Folds, Normalize, PatternError};
use proofhouse_manager::document::escape_segment;
use serde_json::{Map, Value};

/// How deeply a pattern may be nested.
const MAX_DEPTH: usize = 64;

/// The settings and the position of a pattern that is being compiled.
#[derive(Debug, Clone)]
pub struct Scope<'n> {
    mode: ArgsMode,
    normalize: &'n Normalize,
    /// Into the pattern as it is written, for errors.
    written: String,
    /// Into the arguments, for settings of one parameter.
    argument: String,
    depth: usize,
}

impl<'n> Scope<'n> {
    /// The scope of a whole `args:` block.
    pub(super) fn root(mode: ArgsMode, normalize: &'n Normalize) -> Self {
        Self { mode, normalize, written: String::new(), argument: String::new(), depth: 0 }
    }

    /// How unnamed members of objects are treated.
    pub fn mode(&self) -> ArgsMode {
        self.mode
    }

    /// What is disregarded when text is compared here.
    pub fn folds(&self) -> Folds {
        self.normalize.at(&self.argument)
    }

    /// Whether this is the `args:` block itself.
    pub fn is_root(&self) -> bool {
        self.written.is_empty()
    }

    /// The scope of a member or an item of the value here.
    pub fn inner(&self, segment: &str) -> Result<Self, PatternError> {
        let segment = escape_segment(segment);
        let argument = format!("{}/{segment}", self.argument);
        self.step(&segment, argument)
    }

    /// The scope of an argument that a JSON pointer names.
    pub fn pointed(&self, pointer: &str) -> Result<Self, PatternError> {
        self.step(&escape_segment(pointer), pointer.to_owned())
    }

    /// The scope of a part of a matcher's operand: another pattern for the same argument.
    pub fn operand(&self, segment: &str) -> Result<Self, PatternError> {
        self.step(&escape_segment(segment), self.argument.clone())
    }

    fn step(&self, segment: &str, argument: String) -> Result<Self, PatternError> {
        if self.depth >= MAX_DEPTH {
            return Err(self.error(format!("nested more than {MAX_DEPTH} levels deep")));
        }
        let written = format!("{}/{segment}", self.written);
        Ok(Self { mode: self.mode, normalize: self.normalize, written, argument, depth: self.depth + 1 })
    }

    /// An error about what stands here.
    pub fn error(&self, message: impl Into<String>) -> PatternError {
        PatternError { pointer: self.written.clone(), message: message.into(), hint: None }
    }

    /// The operand as an object that has no other fields than these.
    pub fn fields<'v>(
        &self,
        operand: &'v Value,
        known: &[&str],
    ) -> Result<&'v Map<String, Value>, PatternError> {
        let names: Vec<String> = known.iter().map(|name| format!("`{name}`")).collect();
        let names = names.join(", ");
        let Some(fields) = operand.as_object() else {
            return Err(self.error(format!("expected an object with {names}, found `{operand}`")));
        };
        match fields.keys().find(|key| !known.contains(&key.as_str())) {
            Some(key) => Err(self
                .operand(key)?
                .error(format!("unknown field `{key}`"))
                .with_hint(format!("the fields here are {names}"))),
            None => Ok(fields),
        }
    }
}
