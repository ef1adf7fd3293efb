//! JSON with places: RFC 8259 and nothing more.

use super::{Content, DocumentError, Field, MAX_DEPTH, Member, Node, Place, place::Cursor};
use jsonc_parser::{
    CollectOptions, ParseOptions,
    ast::{Array, Object, ObjectProp, StringLit, Value},
    common::Ranged,
    parse_to_ast,
};
use std::collections::HashSet;

/// Reads one JSON text that begins at `start`.
pub(super) fn parse(start: &Place, text: &str) -> Result<Node, DocumentError> {
    check_surface(start, text)?;
    let tree = parse_to_ast(text, &CollectOptions::default(), &STRICT)
        .map_err(|error| at(start, text, error.range().start, &lower_first(&error.kind().to_string())))?;
    let value = tree.value.ok_or_else(|| at(start, text, 0, "the file is empty"))?;
    Reader { text, cursor: Cursor::new(start, text) }.node(value, &Field::root())
}

const STRICT: ParseOptions = ParseOptions {
    allow_comments: false,
    allow_loose_object_property_names: false,
    allow_trailing_commas: false,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

fn at(start: &Place, text: &str, offset: usize, message: &str) -> DocumentError {
    DocumentError::new(Cursor::new(start, text).at(offset), &Field::root(), message)
}

fn lower_first(message: &str) -> String {
    let mut characters = message.chars();
    characters.next().map_or_else(String::new, |c| c.to_lowercase().chain(characters).collect())
}

/// Refuses deep nesting before the recursive parser sees it, and white space that JSON does not know.
fn check_surface(start: &Place, text: &str) -> Result<(), DocumentError> {
    let (mut depth, mut in_string, mut escaped) = (0usize, false, false);
    for (offset, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            _ if in_string => {}
            b'[' | b'{' => depth += 1,
            b']' | b'}' => depth = depth.saturating_sub(1),
            b'\t' | b'\n' | b'\r' | b' '..=b'~' => {}
            _ => return Err(at(start, text, offset, "unexpected character outside of text")),
        }
        if depth > MAX_DEPTH {
            let message = format!("nested more than {MAX_DEPTH} levels deep");
            return Err(at(start, text, offset, &message).with_hint("flatten the structure"));
        }
    }
    Ok(())
}

struct Reader<'t> {
    text: &'t str,
    cursor: Cursor<'t>,
}

impl Reader<'_> {
    fn node(&mut self, value: Value<'_>, field: &Field) -> Result<Node, DocumentError> {
        let place = self.cursor.at(value.range().start);
        let content = match value {
            Value::NullKeyword(_) => Content::Null,
            Value::BooleanLit(literal) => Content::Bool(literal.value),
            Value::NumberLit(literal) => self.number(literal.value, &place, field)?,
            Value::StringLit(literal) => Content::String(self.string(literal, &place, field)?),
            Value::Array(array) => self.array(array, field)?,
            Value::Object(object) => self.object(object, field)?,
        };
        Ok(Node { place, content })
    }

    fn array(&mut self, array: Array<'_>, field: &Field) -> Result<Content, DocumentError> {
        let items = array.elements.into_iter().enumerate();
        let items = items.map(|(index, item)| self.node(item, &field.clone().index(index)));
        items.collect::<Result<_, _>>().map(Content::Array)
    }

    fn object(&mut self, object: Object<'_>, field: &Field) -> Result<Content, DocumentError> {
        let mut members = Vec::with_capacity(object.properties.len());
        let mut seen = HashSet::new();
        for property in object.properties {
            let member = self.member(property, field)?;
            if !seen.insert(member.key.clone()) {
                return Err(duplicate_key(member.place, field, &member.key));
            }
            members.push(member);
        }
        Ok(Content::Object(members))
    }

    fn member(&mut self, property: ObjectProp<'_>, field: &Field) -> Result<Member, DocumentError> {
        let place = self.cursor.at(property.range.start);
        let key = property.name.into_string();
        let value = self.node(property.value, &field.clone().key(&key))?;
        Ok(Member { key, place, value })
    }

    fn number(&self, text: &str, place: &Place, field: &Field) -> Result<Content, DocumentError> {
        if is_rounded_integer(text) {
            return Err(too_large(place.clone(), field, text));
        }
        serde_json::from_str(text).map(Content::Number).map_err(|_| {
            DocumentError::new(place.clone(), field, format!("`{text}` is no number that JSON knows"))
                .with_hint("write text in double quotes")
        })
    }

    fn string(&self, literal: StringLit<'_>, place: &Place, field: &Field) -> Result<String, DocumentError> {
        let raw = self.text.get(literal.range.start..literal.range.end).unwrap_or_default();
        match raw.chars().find(|c| *c < ' ') {
            Some(control) => Err(DocumentError::new(
                place.clone(),
                field,
                format!("the text holds a raw control character U+{:04X}", u32::from(control)),
            )
            .with_hint("write it as an escape, such as `\\n` or `\\t`")),
            None => Ok(literal.value.into_owned()),
        }
    }
}

/// The error for a key that stands twice in one object.
pub(super) fn duplicate_key(place: Place, field: &Field, key: &str) -> DocumentError {
    DocumentError::new(place, &field.clone().key(key), format!("the key `{key}` stands twice in one object"))
        .with_hint("keep one of them")
}

/// The error for an integer that no machine integer holds.
pub(super) fn too_large(place: Place, field: &Field, text: &str) -> DocumentError {
    DocumentError::new(place, field, format!("the integer `{text}` would be rounded"))
        .with_hint("write it in quotes if it is an identifier, or with an exponent if it is a quantity")
}

/// Whether the text writes an integer beyond 64 bits, which would silently become a float.
pub(super) fn is_rounded_integer(text: &str) -> bool {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    let integer = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    integer && text.parse::<u64>().is_err() && text.parse::<i64>().is_err()
}
