//! The matchers: one file each, and one line in [`ALL`].

mod absent;
mod all_of;
mod any;
mod any_of;
mod approx;
mod contains;
mod date;
mod each;
mod equals;
mod length;
mod not;
mod one_of;
mod range;
mod regex;
mod schema;
mod starts_with;
mod unordered;

use super::{PatternError, Report, SchemaView, Scope};
use serde_json::Value;
use std::{fmt, sync::Arc};

/// Every matcher, in the order in which they are documented.
pub const ALL: &[&dyn MatcherKind] = &[
    &equals::Equals,
    &one_of::OneOf,
    &not::Not,
    &contains::Contains,
    &starts_with::StartsWith,
    &regex::Regex,
    &range::Range,
    &approx::Approx,
    &date::Date,
    &schema::Schema,
    &any::Any,
    &absent::Absent,
    &length::Length,
    &unordered::Unordered,
    &each::Each,
    &all_of::AllOf,
    &any_of::AnyOf,
];

/// A kind of matcher: what `$name` means.
pub trait MatcherKind: Sync {
    /// Its key, with the `$`.
    fn name(&self) -> &'static str;

    /// What it asks for, in one sentence.
    fn docs(&self) -> &'static str;

    /// JSON Schema of its operand; `#/$defs/pattern` is any pattern.
    fn operand(&self) -> Value;

    /// Compiles its operand.
    ///
    /// # Errors
    /// An operand that makes no sense, with its place.
    fn compile(&self, operand: &Value, scope: &Scope<'_>) -> Result<Arc<dyn Matcher>, PatternError>;
}

/// A matcher with its operand, ready to be asked.
///
/// An argument that is absent matches only `$absent`, and what is built from it: no other matcher is a way to
/// say that an argument may be missing.
pub trait Matcher: fmt::Debug + Send + Sync {
    /// Whether a value, or its absence, matches.
    fn matches(&self, value: Option<&Value>, schema: SchemaView<'_>) -> bool;

    /// What is expected, in words.
    fn expected(&self) -> String;

    /// Notes where a value that does not match goes wrong.
    fn explain(&self, value: Option<&Value>, schema: SchemaView<'_>, report: &mut Report) {
        let _ = schema;
        report.mismatch(self.expected(), value);
    }

    /// A value that probably matches; whoever asks checks it.
    fn witness(&self, schema: SchemaView<'_>) -> Option<Witness>;
}

/// An answer that satisfies a pattern.
#[derive(Debug, Clone, PartialEq)]
pub enum Witness {
    /// This value.
    Value(Value),
    /// Leaving the argument out.
    Absent,
}

impl Witness {
    /// The value, where leaving it out is no choice.
    pub fn into_value(self) -> Option<Value> {
        match self {
            Self::Value(value) => Some(value),
            Self::Absent => None,
        }
    }

    /// The value as the matchers take it.
    pub fn as_value(&self) -> Option<&Value> {
        match self {
            Self::Value(value) => Some(value),
            Self::Absent => None,
        }
    }
}

/// The matcher of that name.
pub(crate) fn matcher_of(name: &str) -> Option<&'static dyn MatcherKind> {
    ALL.iter().copied().find(|kind| kind.name() == name)
}

/// The schema of an operand that is any pattern.
fn pattern_schema() -> Value {
    serde_json::json!({ "$ref": "#/$defs/pattern" })
}

/// The patterns of an operand that is a list of them.
fn patterns(operand: &Value, scope: &Scope<'_>) -> Result<Vec<super::Pattern>, PatternError> {
    let items = operand.as_array().filter(|items| !items.is_empty());
    let Some(items) = items else {
        return Err(scope.error(format!("expected a list with at least one item, found `{operand}`")));
    };
    let items = items.iter().enumerate();
    items.map(|(index, item)| super::Pattern::compile(item, &scope.operand(&index.to_string())?)).collect()
}

/// The schema of an operand that is a list of patterns.
fn patterns_schema() -> Value {
    serde_json::json!({ "type": "array", "minItems": 1, "items": pattern_schema() })
}

/// The first of some witnesses that satisfies the matcher.
fn first_that_matches(
    matcher: &dyn Matcher,
    schema: SchemaView<'_>,
    candidates: impl IntoIterator<Item = Witness>,
) -> Option<Witness> {
    candidates.into_iter().find(|candidate| matcher.matches(candidate.as_value(), schema))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_of_this_folder_is_in_the_table() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/matcher/kinds");
        let mut files: Vec<String> = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().path().file_stem().unwrap().to_str().unwrap().to_owned())
            .filter(|stem| stem != "mod")
            .collect();
        let mut table: Vec<String> = ALL.iter().map(|kind| snake_case(kind.name())).collect();
        files.sort();
        table.sort();
        assert_eq!(files, table);
    }

    fn snake_case(name: &str) -> String {
        let name = name.strip_prefix('$').unwrap();
        name.chars().fold(String::new(), |text, c| {
            if c.is_uppercase() { format!("{text}_{}", c.to_lowercase()) } else { format!("{text}{c}") }
        })
    }

    #[test]
    fn every_matcher_documents_itself() {
        for kind in ALL {
            assert!(kind.docs().ends_with('.') && kind.docs().len() > 20, "{}", kind.name());
            assert!(kind.operand().is_object(), "{}", kind.name());
        }
    }
}
