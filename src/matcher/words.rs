//! Values and lists of them, as short words for people.

use serde_json::Value;

/// Longer renderings are cut.
const MAX_CHARS: usize = 120;

/// A value as JSON, cut to a bound.
pub(super) fn value(value: &Value) -> String {
    shorten(&value.to_string())
}

/// What came, or that nothing did.
pub(super) fn actual(value: Option<&Value>) -> String {
    value.map_or_else(|| "nothing".to_owned(), self::value)
}

/// Several alternatives, separated by commas, cut to a bound.
pub(super) fn list(items: impl Iterator<Item = String>) -> String {
    shorten(&items.collect::<Vec<_>>().join(", "))
}

/// A text, cut to a bound.
pub(super) fn shorten(text: &str) -> String {
    proofhouse_manager::text::shorten(text, MAX_CHARS).into_owned()
}
