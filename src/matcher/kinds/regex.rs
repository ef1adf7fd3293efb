//! `$regex`: a text in which a regular expression is found.

use super::{Matcher, MatcherKind, Witness};
use crate::matcher::{PatternError, Report, SchemaView, Scope, words};
use regex_syntax::hir::{Class, Hir, HirKind};
use serde_json::{Value, json};
use std::{borrow::Cow, sync::Arc};

/// Steps that a search with look-around may take: some milliseconds, and then it is no match.
const MAX_STEPS: usize = 100_000;
/// A compiled expression may take this many bytes.
const MAX_SIZE: usize = 1 << 20;

pub(super) struct Regex;

impl MatcherKind for Regex {
    fn name(&self) -> &'static str {
        "$regex"
    }

    fn docs(&self) -> &'static str {
        "A text in which this regular expression is found anywhere (anchor it with ^ and $). A number, list or object is searched in its compact JSON form."
    }

    fn operand(&self) -> Value {
        json!({ "type": "string", "minLength": 1, "format": "regex" })
    }

    fn compile(&self, operand: &Value, scope: &Scope<'_>) -> Result<Arc<dyn Matcher>, PatternError> {
        let Some(written) = operand.as_str().filter(|text| !text.is_empty()) else {
            return Err(scope.error(format!("expected a regular expression, found `{operand}`")));
        };
        let engine = Engine::new(written).map_err(|reason| {
            scope
                .error(format!("`{written}` is no regular expression: {reason}"))
                .with_hint("quote it in single quotes in YAML, and escape what is meant literally with `\\`")
        })?;
        Ok(Arc::new(Found { written: written.to_owned(), engine }))
    }
}

#[derive(Debug)]
enum Engine {
    /// Linear in the length of the text.
    Linear(regex::Regex),
    /// With look-around or back-references: it backtracks, within a bound.
    Bounded(fancy_regex::Regex),
}

impl Engine {
    fn new(written: &str) -> Result<Self, String> {
        let linear = match regex::RegexBuilder::new(written).size_limit(MAX_SIZE).build() {
            Ok(engine) => return Ok(Self::Linear(engine)),
            Err(error) => last_line(&error.to_string()),
        };
        if !(linear.contains("look-around") || linear.contains("backreferences")) {
            return Err(linear);
        }
        let mut builder = fancy_regex::RegexBuilder::new(written);
        let engine = builder.backtrack_limit(MAX_STEPS).delegate_size_limit(MAX_SIZE).build();
        engine.map(Self::Bounded).map_err(|error| error.to_string())
    }

    fn finds(&self, text: &str) -> Result<bool, String> {
        match self {
            Self::Linear(engine) => Ok(engine.is_match(text)),
            Self::Bounded(engine) => engine.is_match(text).map_err(|_| "the search took too long".to_owned()),
        }
    }
}

/// The parser draws a picture of several lines; the reason is the last.
fn last_line(message: &str) -> String {
    let last = message.lines().last().unwrap_or(message).trim();
    last.strip_prefix("error: ").unwrap_or(last).to_owned()
}

#[derive(Debug)]
struct Found {
    written: String,
    engine: Engine,
}

impl Matcher for Found {
    fn matches(&self, value: Option<&Value>, _: SchemaView<'_>) -> bool {
        value.and_then(text).is_some_and(|text| self.engine.finds(&text) == Ok(true))
    }

    fn expected(&self) -> String {
        format!("matching /{}/", words::shorten(&self.written))
    }

    fn explain(&self, value: Option<&Value>, _: SchemaView<'_>, report: &mut Report) {
        match value.and_then(text).map(|text| self.engine.finds(&text)) {
            Some(Err(reason)) => report.noted(self.expected(), reason),
            _ => report.mismatch(self.expected(), value),
        }
    }

    fn witness(&self, schema: SchemaView<'_>) -> Option<Witness> {
        let Engine::Linear(_) = self.engine else { return None };
        let mut text = String::new();
        spell(&regex_syntax::parse(&self.written).ok()?, &mut text);
        let wants_list = schema.value().is_some_and(|s| s.get("type") == Some(&json!("array")));
        Some(Witness::Value(if wants_list { json!([text]) } else { json!(text) }))
    }
}

/// What is searched of a value. There is nothing to search in `null`.
fn text(value: &Value) -> Option<Cow<'_, str>> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(Cow::Borrowed(text)),
        other => Some(Cow::Owned(other.to_string())),
    }
}

/// Writes the plainest text that an expression describes.
fn spell(hir: &Hir, text: &mut String) {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => {}
        HirKind::Literal(literal) => text.push_str(&String::from_utf8_lossy(&literal.0)),
        HirKind::Class(class) => text.extend(plainest(class)),
        HirKind::Repetition(repetition) => (0..repetition.min).for_each(|_| spell(&repetition.sub, text)),
        HirKind::Capture(capture) => spell(&capture.sub, text),
        HirKind::Concat(parts) => parts.iter().for_each(|part| spell(part, text)),
        HirKind::Alternation(parts) => parts.iter().take(1).for_each(|part| spell(part, text)),
    }
}

/// A character of a class: a letter, digit or space where it has one.
fn plainest(class: &Class) -> Option<char> {
    let Class::Unicode(class) = class else { return None };
    let has = |c: &char| class.ranges().iter().any(|range| range.start() <= *c && *c <= range.end());
    let plain = ('a'..='z').chain('0'..='9').chain([' ', '-', '_', '.', '/']);
    plain.into_iter().find(has).or_else(|| class.ranges().first().map(|range| range.start()))
}
