//! One compiled pattern: a literal, an object, a list or a matcher.

use super::{
    ArgsMode, Folds, Matcher, PatternError, Report, SchemaView, Scope, Witness, equality,
    kinds::{self, MatcherKind},
    sample, words,
};
use proofhouse_manager::document::{did_you_mean, split_pointer};
use serde_json::{Map, Value};
use std::{collections::BTreeMap, sync::Arc};

/// What one value must look like.
#[derive(Debug, Clone)]
pub enum Pattern {
    /// Equal to this.
    Literal(Literal),
    /// An object whose members match.
    Object(ObjectPattern),
    /// A list whose items match, one by one.
    Array(Vec<Pattern>),
    /// What a matcher says.
    Matcher(Arc<dyn Matcher>),
}

/// A value to be equal to.
#[derive(Debug, Clone)]
pub struct Literal {
    written: Value,
    folded: Value,
    folds: Folds,
}

impl Literal {
    /// The value, compared under the folds of the scope.
    pub fn new(written: &Value, scope: &Scope<'_>) -> Self {
        let folds = scope.folds();
        Self { written: written.clone(), folded: equality::folded(written, folds), folds }
    }

    /// Whether the value is equal.
    pub fn equals(&self, value: &Value) -> bool {
        equality::equal(&self.folded, value, self.folds)
    }

    /// The value as it was written.
    pub fn written(&self) -> &Value {
        &self.written
    }
}

/// Members to match.
#[derive(Debug, Clone)]
pub struct ObjectPattern {
    mode: ArgsMode,
    members: BTreeMap<String, Pattern>,
    /// By JSON pointer, with the member that it goes through.
    pointed: Vec<(String, String, Pattern)>,
}

impl Pattern {
    /// Compiles what a suite writes.
    ///
    /// # Errors
    /// The first matcher that is unknown or has a wrong operand.
    pub fn compile(written: &Value, scope: &Scope<'_>) -> Result<Self, PatternError> {
        match written {
            Value::Object(members) => match matcher_in(members, scope)? {
                Some((kind, operand)) => {
                    kind.compile(operand, &scope.operand(kind.name())?).map(Self::Matcher)
                }
                None => ObjectPattern::compile(members, scope).map(Self::Object),
            },
            Value::Array(items) => {
                let items = items.iter().enumerate();
                let items = items.map(|(i, item)| Self::compile(item, &scope.inner(&i.to_string())?));
                items.collect::<Result<_, _>>().map(Self::Array)
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
                Ok(Self::Literal(Literal::new(written, scope)))
            }
        }
    }

    /// Whether a value, or its absence, matches.
    pub fn matches(&self, value: Option<&Value>, schema: SchemaView<'_>) -> bool {
        match (self, value) {
            (Self::Matcher(matcher), _) => matcher.matches(value, schema),
            (Self::Literal(literal), Some(value)) => literal.equals(value),
            (Self::Object(object), Some(Value::Object(members))) => object.matches(members, schema),
            (Self::Array(patterns), Some(Value::Array(items))) => {
                patterns.len() == items.len()
                    && patterns
                        .iter()
                        .zip(items)
                        .enumerate()
                        .all(|(index, (pattern, item))| pattern.matches(Some(item), schema.item(index)))
            }
            (Self::Literal(_) | Self::Object(_) | Self::Array(_), _) => false,
        }
    }

    /// Notes where a value that does not match goes wrong.
    pub fn explain(&self, value: Option<&Value>, schema: SchemaView<'_>, report: &mut Report) {
        match (self, value) {
            (Self::Matcher(matcher), _) => matcher.explain(value, schema, report),
            (Self::Object(object), Some(Value::Object(members))) => object.explain(members, schema, report),
            (Self::Array(patterns), Some(Value::Array(items))) if patterns.len() == items.len() => {
                for (index, (pattern, item)) in patterns.iter().zip(items).enumerate() {
                    let schema = schema.item(index);
                    if !pattern.matches(Some(item), schema) {
                        report.within(&index.to_string(), |r| pattern.explain(Some(item), schema, r));
                    }
                }
            }
            (Self::Literal(_) | Self::Object(_) | Self::Array(_), _) => {
                report.mismatch(self.expected(), value);
            }
        }
    }

    /// What is expected, in words.
    pub fn expected(&self) -> String {
        match self {
            Self::Literal(literal) => words::value(&literal.written),
            Self::Matcher(matcher) => matcher.expected(),
            Self::Object(object) => object.expected(),
            Self::Array(patterns) => format!("[{}]", words::list(patterns.iter().map(Self::expected))),
        }
    }

    /// A value that matches, or the absence of one.
    pub fn witness(&self, schema: SchemaView<'_>) -> Option<Witness> {
        match self {
            Self::Literal(literal) => Some(Witness::Value(literal.written.clone())),
            Self::Matcher(matcher) => matcher.witness(schema),
            Self::Object(object) => object.witness(schema).map(|map| Witness::Value(Value::Object(map))),
            Self::Array(patterns) => {
                let items = patterns.iter().enumerate();
                let items = items.map(|(index, pattern)| pattern.witness(schema.item(index))?.into_value());
                items.collect::<Option<_>>().map(|items| Witness::Value(Value::Array(items)))
            }
        }
    }

    pub(super) fn matches_members(&self, members: &Map<String, Value>, schema: SchemaView<'_>) -> bool {
        match self {
            Self::Object(object) => object.matches(members, schema),
            // INVARIANT: only a matcher stands at the root beside an object, and the copy is its price.
            other => other.matches(Some(&Value::Object(members.clone())), schema),
        }
    }

    pub(super) fn explain_members(
        &self,
        members: &Map<String, Value>,
        schema: SchemaView<'_>,
        report: &mut Report,
    ) {
        match self {
            Self::Object(object) => object.explain(members, schema, report),
            other => other.explain(Some(&Value::Object(members.clone())), schema, report),
        }
    }
}

impl ObjectPattern {
    fn compile(written: &Map<String, Value>, scope: &Scope<'_>) -> Result<Self, PatternError> {
        let mut object = Self { mode: scope.mode(), members: BTreeMap::new(), pointed: Vec::new() };
        for (key, value) in written {
            if scope.is_root() && key.starts_with('/') {
                let pattern = Pattern::compile(value, &scope.pointed(key)?)?;
                let head = split_pointer(key).next().unwrap_or_default().into_owned();
                object.pointed.push((key.clone(), head, pattern));
            } else {
                object.members.insert(key.clone(), Pattern::compile(value, &scope.inner(key)?)?);
            }
        }
        Ok(object)
    }

    fn matches(&self, members: &Map<String, Value>, schema: SchemaView<'_>) -> bool {
        self.members.iter().all(|(key, pattern)| pattern.matches(members.get(key), schema.member(key)))
            && self.pointed.iter().all(|(pointer, _, pattern)| {
                pattern.matches(resolve(members, pointer), schema.pointed(pointer))
            })
            && members.iter().all(|(key, value)| !self.is_unexpected(key, value, schema))
    }

    fn explain(&self, members: &Map<String, Value>, schema: SchemaView<'_>, report: &mut Report) {
        for (key, pattern) in &self.members {
            let (value, schema) = (members.get(key), schema.member(key));
            if !pattern.matches(value, schema) {
                report.within(key, |report| pattern.explain(value, schema, report));
            }
        }
        for (pointer, _, pattern) in &self.pointed {
            let (value, schema) = (resolve(members, pointer), schema.pointed(pointer));
            if !pattern.matches(value, schema) {
                report.pointed(pointer, |report| pattern.explain(value, schema, report));
            }
        }
        for (key, value) in members {
            if self.is_unexpected(key, value, schema) {
                report.within(key, |report| report.mismatch("no such argument".to_owned(), Some(value)));
            }
        }
    }

    fn is_unexpected(&self, key: &str, value: &Value, schema: SchemaView<'_>) -> bool {
        self.mode == ArgsMode::Exact
            && !self.members.contains_key(key)
            && !self.pointed.iter().any(|(_, head, _)| head == key)
            && !schema.member(key).default_value().is_some_and(|d| equality::equal(d, value, Folds::NONE))
    }

    fn expected(&self) -> String {
        let members = self.members.iter().map(|(key, pattern)| format!("{key}: {}", pattern.expected()));
        format!("{{{}}}", words::list(members))
    }

    /// Beside what is named, what the schema requires; in exact mode nothing else, it would not match.
    fn witness(&self, schema: SchemaView<'_>) -> Option<Map<String, Value>> {
        let mut found = match (self.mode, sample::sample(schema)) {
            (ArgsMode::Partial | ArgsMode::Ignore, Some(Value::Object(required))) => required,
            _ => Map::new(),
        };
        for (key, pattern) in &self.members {
            match pattern.witness(schema.member(key))? {
                Witness::Value(value) => found.insert(key.clone(), value),
                Witness::Absent => found.shift_remove(key),
            };
        }
        for (pointer, _, pattern) in &self.pointed {
            if let Witness::Value(value) = pattern.witness(schema.pointed(pointer))? {
                sample::place(&mut found, pointer, value, schema)?;
            }
        }
        Some(found)
    }
}

/// The matcher that an object is, if a key of it starts with `$`.
fn matcher_in<'v>(
    members: &'v Map<String, Value>,
    scope: &Scope<'_>,
) -> Result<Option<(&'static dyn MatcherKind, &'v Value)>, PatternError> {
    let Some((key, operand)) = members.iter().find(|(key, _)| key.starts_with('$')) else {
        return Ok(None);
    };
    let Some(kind) = kinds::matcher_of(key) else {
        return Err(unknown(key, &scope.operand(key)?));
    };
    match members.keys().find(|other| *other != key) {
        None => Ok(Some((kind, operand))),
        Some(other) => {
            Err(scope.operand(key)?.error(format!("the matcher `{key}` stands beside `{other}`")).with_hint(
                "a matcher is an object with one key; a literal object with such a key goes under `$equals`",
            ))
        }
    }
}

fn unknown(key: &str, scope: &Scope<'_>) -> PatternError {
    let names = || kinds::ALL.iter().map(|kind| kind.name());
    let error = scope.error(format!("unknown matcher `{key}`"));
    match did_you_mean(key, names()) {
        Some(meant) => error.with_hint(format!("did you mean `{meant}`? a literal goes under `$equals`")),
        None => error.with_hint(format!(
            "the matchers are {}; a literal object with such a key goes under `$equals`",
            names().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(" ")
        )),
    }
}

/// What a JSON pointer names in arguments.
fn resolve<'v>(members: &'v Map<String, Value>, pointer: &str) -> Option<&'v Value> {
    let mut segments = split_pointer(pointer);
    let first = members.get(&*segments.next()?)?;
    segments.try_fold(first, |value, segment| match value {
        Value::Object(map) => map.get(&*segment),
        Value::Array(items) => items.get(segment.parse::<usize>().ok()?),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
    })
}
