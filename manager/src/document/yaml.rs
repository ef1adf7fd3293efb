//! YAML with places.
//!
//! YAML 1.2: `no` and `on` are text, not booleans; `0755` and `1_000` are text, not numbers. Anchors, aliases
//! and merge keys work, within budgets that a bomb exceeds at once.

use super::{
    Content, DocumentError, Field, Member, Node, Place,
    json::{duplicate_key, is_rounded_integer, too_large},
};
use serde::{
    Deserialize, Deserializer,
    de::{MapAccess, SeqAccess, Visitor},
};
use serde_json::Number;
use serde_saphyr::{
    Location, Options, Spanned,
    options::{MergeKeyPolicy, NonFiniteFloatPolicy},
};
use std::{collections::HashSet, fmt};

/// Reads one YAML document that begins at `start`.
pub(super) fn parse(start: &Place, text: &str) -> Result<Node, DocumentError> {
    let root: Spanned<Raw> =
        serde_saphyr::from_str_with_options(text, options()).map_err(|error| explain(start, &error))?;
    if matches!(root.value, Raw::Null) {
        return Err(DocumentError::new(start.clone(), &Field::root(), "the file holds no value"));
    }
    Locator { start, text }.node(root, &Field::root())
}

/// How deeply YAML may be nested: less than JSON, because the parser takes some 40 KiB of stack a level in an
/// unoptimised build, and a thread may have only 2 MiB.
const MAX_YAML_DEPTH: usize = 32;

/// Bounds that files written by people stay far below.
fn options() -> Options {
    serde_saphyr::options! {
        budget: serde_saphyr::budget! {
            max_depth: MAX_YAML_DEPTH,
            flow_nesting_limit: MAX_YAML_DEPTH,
            max_nodes: 1_000_000,
            max_events: 2_000_000,
            max_aliases: 10_000,
            max_anchors: 10_000,
            max_recorded_anchor_events: 50_000,
            max_merge_keys: 10_000,
        },
        alias_limits: serde_saphyr::alias_limits! {
            max_total_replayed_events: 50_000,
            max_replay_stack_depth: 16,
        },
        strict_booleans: true,
        leading_zero_numbers_as_strings: true,
        underscored_numbers_as_strings: true,
        null_as_string: true,
        reject_unsupported_tags: true,
        merge_keys: MergeKeyPolicy::Merge,
        non_finite_float_policy: NonFiniteFloatPolicy::Reject,
        with_snippet: false,
    }
}

/// What the parser hands over, before places are resolved and keys are checked.
enum Raw {
    Null,
    Bool(bool),
    Number(Number),
    String(String),
    Array(Vec<Spanned<Raw>>),
    Object(Vec<(Spanned<String>, Spanned<Raw>)>),
}

impl<'de> Deserialize<'de> for Raw {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(RawVisitor)
    }
}

struct RawVisitor;

impl<'de> Visitor<'de> for RawVisitor {
    type Value = Raw;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<Raw, E> {
        Ok(Raw::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Raw, E> {
        Ok(Raw::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Raw, E> {
        Ok(Raw::Number(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Raw, E> {
        Ok(Raw::Number(value.into()))
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<Raw, E> {
        Number::from_f64(value).map(Raw::Number).ok_or_else(|| E::custom("the number is not finite"))
    }

    fn visit_str<E>(self, text: &str) -> Result<Raw, E> {
        Ok(Raw::String(text.to_owned()))
    }

    fn visit_string<E>(self, text: String) -> Result<Raw, E> {
        Ok(Raw::String(text))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Raw, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = seq.next_element()? {
            items.push(item);
        }
        Ok(Raw::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Raw, A::Error> {
        let mut members = Vec::new();
        while let Some(key) = map.next_key::<Spanned<String>>()? {
            let value = map.next_value()?;
            members.push((key, value));
        }
        Ok(Raw::Object(members))
    }
}

struct Locator<'t> {
    start: &'t Place,
    text: &'t str,
}

impl Locator<'_> {
    fn node(&self, raw: Spanned<Raw>, field: &Field) -> Result<Node, DocumentError> {
        let place = place(self.start, raw.referenced);
        let content = match raw.value {
            Raw::Null => Content::Null,
            Raw::Bool(value) => Content::Bool(value),
            Raw::Number(number) => self.number(number, raw.defined, &place, field)?,
            Raw::String(text) => Content::String(text),
            Raw::Array(items) => self.array(items, field)?,
            Raw::Object(members) => self.object(members, field)?,
        };
        Ok(Node { place, content })
    }

    fn array(&self, items: Vec<Spanned<Raw>>, field: &Field) -> Result<Content, DocumentError> {
        let items = items.into_iter().enumerate();
        let items = items.map(|(index, item)| self.node(item, &field.clone().index(index)));
        items.collect::<Result<_, _>>().map(Content::Array)
    }

    fn object(
        &self,
        raw: Vec<(Spanned<String>, Spanned<Raw>)>,
        field: &Field,
    ) -> Result<Content, DocumentError> {
        let mut members = Vec::with_capacity(raw.len());
        let mut seen = HashSet::new();
        for (key, value) in raw {
            let place = place(self.start, key.referenced);
            let key = key.value;
            if !seen.insert(key.clone()) {
                return Err(duplicate_key(place, field, &key));
            }
            let value = self.node(value, &field.clone().key(&key))?;
            members.push(Member { key, place, value });
        }
        Ok(Content::Object(members))
    }

    /// The number, unless it is a float only because its integer does not fit.
    fn number(
        &self,
        number: Number,
        defined: Location,
        place: &Place,
        field: &Field,
    ) -> Result<Content, DocumentError> {
        let written = number.is_f64().then(|| self.word_at(defined)).flatten();
        match written {
            Some(word) if is_rounded_integer(word) => Err(too_large(place.clone(), field, word)),
            _ => Ok(Content::Number(number)),
        }
    }

    /// The run of number characters that begins at a location.
    fn word_at(&self, location: Location) -> Option<&str> {
        let offset = usize::try_from(location.span().byte_offset()?).ok()?;
        let rest = self.text.get(offset..)?;
        rest.split(|c: char| !c.is_ascii_alphanumeric() && !"+-.".contains(c)).next()
    }
}

fn place(start: &Place, location: Location) -> Place {
    let bounded = |number: u64| u32::try_from(number).unwrap_or(u32::MAX).max(1);
    start.moved(bounded(location.line()), bounded(location.column()))
}

/// The parser's error in our words.
fn explain(start: &Place, error: &serde_saphyr::Error) -> DocumentError {
    use serde_saphyr::Error as E;
    let place = error.location().map_or_else(|| start.clone(), |location| place(start, location));
    let at = |message: &str| DocumentError::new(place.clone(), &Field::root(), message);
    match error {
        E::MultipleDocuments { .. } => {
            at("a second document begins here").with_hint("keep one document a file: remove the `---`")
        }
        E::DuplicateMappingKey { key: Some(key), .. } => duplicate_key(place, &Field::root(), key),
        E::NonFiniteFloat { value, .. } => at(&format!("`{value}` is not a finite number"))
            .with_hint("write a finite number, or quote it if it is text"),
        E::Unexpected { expected: "string scalar", .. } => {
            at("a key must be text").with_hint("write `key: value`, with a plain or quoted key")
        }
        E::RecursiveReferencesRequireWeakTypes { .. } => at("an alias stands inside its own anchor"),
        E::Budget { .. }
        | E::AliasReplayLimitExceeded { .. }
        | E::AliasExpansionLimitExceeded { .. }
        | E::AliasReplayStackDepthExceeded { .. } => too_much(&at, &error.to_string()),
        _ => syntax(&at, &error.to_string()),
    }
}

/// A bound was exceeded: depth in most cases, else size.
fn too_much(at: &dyn Fn(&str) -> DocumentError, message: &str) -> DocumentError {
    if message.contains("Depth") {
        too_deep(at)
    } else if message.to_lowercase().contains("alias") || message.to_lowercase().contains("anchor") {
        at("the aliases of this file unfold to more than it may hold").with_hint("write the values out")
    } else {
        at("the file is larger than a YAML file may be").with_hint("split it, or write its cases as JSONL")
    }
}

fn too_deep(at: &dyn Fn(&str) -> DocumentError) -> DocumentError {
    at(&format!("nested more than {MAX_YAML_DEPTH} levels deep")).with_hint("flatten the structure")
}

/// The parser's own sentence, without the place that it repeats.
fn syntax(at: &dyn Fn(&str) -> DocumentError, message: &str) -> DocumentError {
    let message = message.split(" at line ").next().unwrap_or(message);
    if message.contains("recursion limit") {
        return too_deep(at);
    }
    // a breach while an alias unfolds comes wrapped, so that only its text tells
    if message.starts_with("budget breached") {
        return too_much(at, message);
    }
    let error = at(&message.replace("`@'", "`@`"));
    match message {
        m if m.starts_with("tabs disallowed") => error.with_hint("indent with spaces"),
        m if m.starts_with("mapping values are not allowed") => {
            error.with_hint("quote the text if it holds `: `, and check the indentation")
        }
        m if m.starts_with("unexpected character") => error.with_hint("quote the text if it begins so"),
        m if m.starts_with("unsupported tag") => {
            error.with_hint("remove the tag; quote the text if it begins with `!`")
        }
        _ => error,
    }
}
