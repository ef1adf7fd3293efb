//! From a node to a typed value, with the deserializer's complaints turned into places and plain words.

use super::{Diagnostics, DocumentError, Field, Node, did_you_mean, escape_segment};
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_path_to_error::{Path, Segment};

impl Node {
    /// The typed value that this node writes.
    ///
    /// The type should be plain structs: `flatten`, `untagged` and internally tagged enums make serde forget
    /// where it was.
    ///
    /// # Errors
    /// The first field that does not fit, with its place.
    pub fn decode<T: DeserializeOwned>(&self) -> Result<T, DocumentError> {
        self.decode_within(&Field::root())
    }

    /// The same for a node that is itself a field of a larger document: errors name the whole path.
    ///
    /// # Errors
    /// The first field that does not fit, with its place.
    pub fn decode_within<T: DeserializeOwned>(&self, outer: &Field) -> Result<T, DocumentError> {
        serde_path_to_error::deserialize(self.to_value()).map_err(|error| {
            let pointer = pointer_of(error.path());
            self.explain(outer, &pointer, &error.inner().to_string())
        })
    }

    /// The typed value, with every unknown field told and not only the first; nothing if anything is wrong.
    pub fn decode_into<T: DeserializeOwned>(&self, outer: &Field, errors: &mut Diagnostics) -> Option<T> {
        let (mut value, before) = (self.to_value(), errors.len());
        loop {
            let error = match serde_path_to_error::deserialize(&value) {
                Ok(decoded) => return (errors.len() == before).then_some(decoded),
                Err(error) => error,
            };
            let (pointer, message) = (pointer_of(error.path()), error.inner().to_string());
            errors.push(self.explain(outer, &pointer, &message));
            if !without_unknown_field(&mut value, &pointer, &message) {
                return None;
            }
        }
    }

    fn explain(&self, outer: &Field, pointer: &str, message: &str) -> DocumentError {
        let outer = outer.to_pointer();
        let field = |pointer: &str| Field::of_pointer(&format!("{outer}{pointer}"));
        match Complaint::of(message) {
            Complaint::UnknownField { name, known } => {
                let parent = parent_of(pointer, name);
                let place = self.nearest(parent).member(name).map(|member| member.place.clone());
                let place = place.unwrap_or_else(|| self.nearest(pointer).place.clone());
                let field = field(&format!("{parent}/{}", escape_segment(name)));
                unknown(DocumentError::new(place, &field, format!("unknown field `{name}`")), name, &known)
            }
            Complaint::UnknownWord { name, known } => {
                let place = self.nearest(pointer).place.clone();
                unknown(
                    DocumentError::new(place, &field(pointer), format!("unknown word `{name}`")),
                    name,
                    &known,
                )
            }
            Complaint::MissingField { name } => {
                let field = field(&format!("{pointer}/{}", escape_segment(name)));
                DocumentError::new(self.nearest(pointer).place.clone(), &field, "this field is missing")
            }
            Complaint::Other(message) => {
                DocumentError::new(self.nearest(pointer).place.clone(), &field(pointer), message)
            }
        }
    }
}

/// What a deserializer's message says.
enum Complaint<'m> {
    UnknownField { name: &'m str, known: Vec<&'m str> },
    UnknownWord { name: &'m str, known: Vec<&'m str> },
    MissingField { name: &'m str },
    Other(String),
}

impl<'m> Complaint<'m> {
    fn of(message: &'m str) -> Self {
        let mut quoted = message.split('`').skip(1).step_by(2);
        if message.starts_with("unknown field `") {
            Self::UnknownField { name: quoted.next().unwrap_or_default(), known: quoted.collect() }
        } else if message.starts_with("unknown variant `") {
            Self::UnknownWord { name: quoted.next().unwrap_or_default(), known: quoted.collect() }
        } else if message.starts_with("missing field `") {
            Self::MissingField { name: quoted.next().unwrap_or_default() }
        } else {
            Self::Other(plain_words(message))
        }
    }
}

fn unknown(error: DocumentError, name: &str, known: &[&str]) -> DocumentError {
    match did_you_mean(name, known.iter().copied()) {
        Some(meant) => error.with_suggestion(Some(meant)),
        None if known.is_empty() => error.with_hint("no field is known here; remove it"),
        None => error.with_hint(format!("expected {}", one_of(known))),
    }
}

fn one_of(known: &[&str]) -> String {
    let known: Vec<String> = known.iter().map(|name| format!("`{name}`")).collect();
    match known.as_slice() {
        [only] => only.clone(),
        several => format!("one of {}", several.join(", ")),
    }
}

/// Takes the field out that the deserializer does not know; says whether there was one.
fn without_unknown_field(value: &mut Value, pointer: &str, message: &str) -> bool {
    let Complaint::UnknownField { name, .. } = Complaint::of(message) else { return false };
    let object = value.pointer_mut(parent_of(pointer, name)).and_then(Value::as_object_mut);
    object.is_some_and(|object| object.shift_remove(name).is_some())
}

/// The deserializer names an unknown field by its parent or by itself; either way, its parent.
fn parent_of<'p>(pointer: &'p str, name: &str) -> &'p str {
    pointer.strip_suffix(&*escape_segment(name)).and_then(|p| p.strip_suffix('/')).unwrap_or(pointer)
}

fn pointer_of(path: &Path) -> String {
    path.iter().fold(String::new(), |pointer, segment| match segment {
        Segment::Seq { index } => format!("{pointer}/{index}"),
        Segment::Map { key } => format!("{pointer}/{}", escape_segment(key)),
        Segment::Enum { variant } => format!("{pointer}/{}", escape_segment(variant)),
        Segment::Unknown => pointer,
    })
}

/// `invalid type: string "x", expected u32` in the words of a user.
fn plain_words(message: &str) -> String {
    let complaint = ["invalid type: ", "invalid value: "]
        .iter()
        .find_map(|prefix| message.strip_prefix(prefix))
        .and_then(|rest| rest.rsplit_once(", expected "));
    match complaint {
        Some((found, expected)) => format!("expected {}, found {}", plain_type(expected), plain_found(found)),
        None => message.to_owned(),
    }
}

fn plain_type(expected: &str) -> &str {
    match expected {
        "u8" | "u16" | "u32" | "u64" | "usize" => "a whole number, 0 or more",
        "i8" | "i16" | "i32" | "i64" | "isize" => "a whole number",
        "f32" | "f64" => "a number",
        "a string" | "string" | "str" => "text",
        "a sequence" => "a list",
        "a map" => "an object",
        other if other.starts_with("struct ") || other.starts_with("internally tagged") => "an object",
        other => other,
    }
}

fn plain_found(found: &str) -> String {
    let found = found.replacen("string ", "", 1);
    match found.as_str() {
        "unit value" => "null".to_owned(),
        "sequence" => "a list".to_owned(),
        "map" => "an object".to_owned(),
        _ => found.replace("floating point ", "").replace("integer ", "").replace("boolean ", ""),
    }
}
