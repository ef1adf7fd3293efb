//! A whole `args:` block, compiled.

use super::{ArgsMode, Folds, Normalize, Pattern, PatternError, Report, SchemaView, Scope, Witness};
use crate::run::Mismatch;
use serde_json::{Map, Value};
use std::sync::Arc;

/// What the arguments of a call must look like.
///
/// Cheap to clone. The tool's schema is handed in when it is asked, since one pattern may stand for several
/// tools; all that it adds is that an argument which equals its default is never unexpected.
#[derive(Debug, Clone)]
pub struct ArgsPattern(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    written: Value,
    mode: ArgsMode,
    normalize: Normalize,
    pattern: Option<Pattern>,
}

impl ArgsPattern {
    /// The pattern of a call whose arguments are not looked at.
    pub fn anything() -> Self {
        Self(Arc::new(Inner {
            written: Value::Null,
            mode: ArgsMode::Ignore,
            normalize: Normalize::default(),
            pattern: None,
        }))
    }

    /// Compiles an `args:` block.
    ///
    /// # Errors
    /// The first matcher that is unknown or has a wrong operand, with its place in the block.
    pub fn compile(written: &Value, mode: ArgsMode, normalize: &Normalize) -> Result<Self, PatternError> {
        let scope = Scope::root(mode, normalize);
        if !written.is_object() {
            return Err(scope
                .error(format!("arguments are an object, and this is `{written}`"))
                .with_hint("write `args: { name: value }`"));
        }
        let pattern = Pattern::compile(written, &scope)?;
        Ok(Self(Arc::new(Inner {
            written: written.clone(),
            mode,
            normalize: normalize.clone(),
            pattern: Some(pattern),
        })))
    }

    /// The block as it was written; null if there was none.
    pub fn written(&self) -> &Value {
        &self.0.written
    }

    /// How strictly arguments are compared.
    pub fn mode(&self) -> ArgsMode {
        self.0.mode
    }

    /// What is disregarded when text is compared in the argument that a JSON pointer names.
    pub fn folds(&self, pointer: &str) -> Folds {
        self.0.normalize.at(pointer)
    }

    /// Whether the arguments match.
    pub fn accepts(&self, args: &Map<String, Value>, schema: Option<&Value>) -> bool {
        self.looked_at().is_none_or(|pattern| pattern.matches_members(args, SchemaView::new(schema)))
    }

    /// Where the arguments differ from what is expected; empty if they match.
    pub fn matches(&self, args: &Map<String, Value>, schema: Option<&Value>) -> Vec<Mismatch> {
        let mut report = Report::default();
        match self.looked_at() {
            Some(pattern) if !self.accepts(args, schema) => {
                pattern.explain_members(args, SchemaView::new(schema), &mut report);
            }
            _ => {}
        }
        report.into_mismatches()
    }

    /// Arguments that satisfy the pattern, if some can be found; valid by the schema where that is in reach.
    pub fn witness(&self, schema: Option<&Value>) -> Option<Map<String, Value>> {
        let view = SchemaView::new(schema);
        let witness = match &self.0.pattern {
            Some(pattern) => pattern.witness(view)?,
            None => Witness::Value(
                view.value().and_then(|_| super::sample::sample(view)).unwrap_or(Value::Object(Map::new())),
            ),
        };
        match witness {
            Witness::Value(Value::Object(args)) if self.accepts(&args, schema) => Some(args),
            _ => None,
        }
    }

    fn looked_at(&self) -> Option<&Pattern> {
        self.0.pattern.as_ref().filter(|_| self.0.mode != ArgsMode::Ignore)
    }
}
