//! Literals of an expectation against a tool's schema: what no valid call can contain is a mistake of the case.

use crate::matcher::{ArgsMode, ArgsPattern, Folds, SchemaView};
use jsonschema::{PatternOptions, Validator};
use proofhouse_manager::document::{did_you_mean, escape_segment, split_pointer};
use serde_json::{Map, Value};

/// One thing that no valid call can contain.
#[derive(Debug, PartialEq)]
pub(super) struct Fault {
    /// JSON pointer into the `args:` block.
    pub(super) pointer: String,
    pub(super) message: String,
    pub(super) hint: Option<String>,
}

/// What in a pattern contradicts the tool's input schema.
pub(super) fn faults(args: &ArgsPattern, schema: &Value) -> Vec<Fault> {
    let Some(written) =
        args.written().as_object().filter(|_| args.profile().is_none() && args.mode() != ArgsMode::Ignore)
    else {
        return Vec::new();
    };
    let mut checker = Checker { args, root: schema, found: Vec::new() };
    checker.arguments(written);
    checker.found
}

struct Checker<'a> {
    args: &'a ArgsPattern,
    root: &'a Value,
    found: Vec<Fault>,
}

impl Checker<'_> {
    fn wrong(&mut self, pointer: &str, message: String, hint: Option<String>) {
        self.found.push(Fault { pointer: pointer.to_owned(), message, hint });
    }

    fn arguments(&mut self, written: &Map<String, Value>) {
        let view = SchemaView::new(Some(self.root));
        if matcher(written).is_some() {
            return;
        }
        let heads: Vec<String> = written.keys().map(|key| head(key)).collect();
        for ((key, pattern), head) in written.iter().zip(&heads) {
            let pointer = format!("/{}", escape_segment(key));
            if self.is_unknown(view, head, &pointer) {
                continue;
            }
            if key.starts_with('/') {
                self.value(pattern, view.pointed(key), &pointer, key);
            } else {
                self.value(pattern, view.member(key), &pointer, &pointer);
            }
        }
        self.required(view, written, &heads);
    }

    /// A parameter that the schema rules out.
    fn is_unknown(&mut self, view: SchemaView<'_>, name: &str, pointer: &str) -> bool {
        let Some(schema) = view.value() else { return false };
        let known = schema.get("properties").and_then(Value::as_object);
        let closed = schema.get("additionalProperties") == Some(&Value::Bool(false));
        let composed =
            ["patternProperties", "allOf", "anyOf", "oneOf"].iter().any(|k| schema.get(k).is_some());
        if !closed || composed || known.is_some_and(|known| known.contains_key(name)) {
            return false;
        }
        let meant = did_you_mean(name, known.into_iter().flatten().map(|(key, _)| key.as_str()));
        let hint = meant.map(|meant| format!("did you mean `{meant}`?"));
        self.wrong(pointer, format!("the tool has no parameter `{name}`"), hint);
        true
    }

    /// In exact mode a required parameter that is not named can neither come nor stay away.
    fn required(&mut self, view: SchemaView<'_>, written: &Map<String, Value>, heads: &[String]) {
        let required = view.value().and_then(|schema| schema.get("required")?.as_array());
        for name in required.into_iter().flatten().filter_map(Value::as_str) {
            let absent = written.get(name).and_then(Value::as_object).and_then(matcher);
            if matches!(absent, Some(("$absent", _))) {
                let pointer = format!("/{}", escape_segment(name));
                self.wrong(&pointer, format!("the tool requires `{name}`, so it cannot be absent"), None);
            }
            let named = heads.iter().any(|head| head == name);
            if !named && self.args.mode() == ArgsMode::Exact && view.member(name).default_value().is_none() {
                let message = format!("the tool requires `{name}`, and this expectation rules it out");
                let hint = format!(
                    "name it (`{name}: {{ $any: true }}` takes any value), or say `argsMode: partial`"
                );
                self.wrong("", message, Some(hint));
            }
        }
    }

    fn value(&mut self, pattern: &Value, view: SchemaView<'_>, pointer: &str, argument: &str) {
        match pattern {
            Value::Object(members) => match matcher(members) {
                Some((name, operand)) => self.operand(name, operand, view, pointer, argument),
                None if self.is_literal(pattern) => self.literal(pattern, view, pointer, argument),
                None => {
                    for (key, inner) in members {
                        let segment = escape_segment(key);
                        let pointer = format!("{pointer}/{segment}");
                        if !self.is_unknown(view, key, &pointer) {
                            self.value(inner, view.member(key), &pointer, &format!("{argument}/{segment}"));
                        }
                    }
                }
            },
            Value::Array(items) if !self.is_literal(pattern) => {
                for (index, item) in items.iter().enumerate() {
                    self.value(
                        item,
                        view.item(index),
                        &format!("{pointer}/{index}"),
                        &format!("{argument}/{index}"),
                    );
                }
            }
            literal => self.literal(literal, view, pointer, argument),
        }
    }

    fn operand(&mut self, name: &str, operand: &Value, view: SchemaView<'_>, pointer: &str, argument: &str) {
        let pointer = format!("{pointer}/{}", escape_segment(name));
        match (name, operand) {
            ("$equals", literal) => self.literal(literal, view, &pointer, argument),
            ("$unordered", Value::Array(items)) => {
                for (index, item) in items.iter().enumerate() {
                    self.value(
                        item,
                        view.item(index),
                        &format!("{pointer}/{index}"),
                        &format!("{argument}/{index}"),
                    );
                }
            }
            ("$oneOf" | "$anyOf", Value::Array(items)) => self.alternatives(items, view, &pointer, argument),
            _ => {}
        }
    }

    /// One of the alternatives must be possible.
    fn alternatives(&mut self, items: &[Value], view: SchemaView<'_>, pointer: &str, argument: &str) {
        let before = self.found.len();
        let mut impossible = 0;
        for (index, item) in items.iter().enumerate() {
            let found = self.found.len();
            self.value(item, view, &format!("{pointer}/{index}"), argument);
            impossible += usize::from(self.found.len() > found);
        }
        if impossible < items.len() {
            self.found.truncate(before);
        }
    }

    /// Whether nothing in it is a matcher, and it stands for a whole value.
    fn is_literal(&self, pattern: &Value) -> bool {
        match pattern {
            Value::Object(members) => {
                self.args.mode() == ArgsMode::Exact
                    && matcher(members).is_none()
                    && members.values().all(|inner| self.is_literal(inner))
            }
            Value::Array(items) => items.iter().all(|item| self.is_literal(item)),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => true,
        }
    }

    fn literal(&mut self, literal: &Value, view: SchemaView<'_>, pointer: &str, argument: &str) {
        // folded text may stand for another spelling, which the schema may well accept
        if self.args.folds(argument) != Folds::NONE {
            return;
        }
        let Some(validator) = view.value().and_then(|schema| validator(schema, self.root)) else { return };
        if let Some(error) = validator.iter_errors(literal).next() {
            let pointer = format!("{pointer}{}", error.instance_path());
            self.wrong(&pointer, format!("no valid call has this: {error}"), None);
        }
    }
}

/// The argument that a key of an `args:` block names.
fn head(key: &str) -> String {
    match key.strip_prefix('/') {
        Some(_) => split_pointer(key).next().unwrap_or_default().into_owned(),
        None => key.to_owned(),
    }
}

fn matcher(members: &Map<String, Value>) -> Option<(&str, &Value)> {
    members.iter().find(|(key, _)| key.starts_with('$')).map(|(key, operand)| (key.as_str(), operand))
}

/// A part of a schema, compiled with the definitions that it may refer to.
fn validator(schema: &Value, root: &Value) -> Option<Validator> {
    let mut whole = schema.as_object()?.clone();
    for definitions in ["$defs", "definitions", "$schema"] {
        if let Some(given) = root.get(definitions) {
            whole.entry(definitions).or_insert_with(|| given.clone());
        }
    }
    let options =
        jsonschema::options().with_pattern_options(PatternOptions::fancy_regex().backtrack_limit(10_000));
    options.build(&Value::Object(whole)).ok()
}
