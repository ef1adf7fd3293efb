//! The tree: values that know where they stand.

use super::{Place, field, split_pointer};
use serde_json::{Map, Number, Value};

/// A value of a document and where it begins.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// Where it begins.
    pub place: Place,
    /// What it is.
    pub content: Content,
}

/// What a value is.
#[derive(Debug, Clone, PartialEq)]
pub enum Content {
    /// Nothing.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number; `5` and `5.0` stay apart.
    Number(Number),
    /// Text.
    String(String),
    /// A list.
    Array(Vec<Node>),
    /// An object, in the order of the file; no key twice.
    Object(Vec<Member>),
}

/// A key and its value.
#[derive(Debug, Clone, PartialEq)]
pub struct Member {
    /// The key.
    pub key: String,
    /// Where the key begins.
    pub place: Place,
    /// The value.
    pub value: Node,
}

impl Node {
    /// The value without places.
    pub fn to_value(&self) -> Value {
        match &self.content {
            Content::Null => Value::Null,
            Content::Bool(value) => Value::Bool(*value),
            Content::Number(number) => Value::Number(number.clone()),
            Content::String(text) => Value::String(text.clone()),
            Content::Array(items) => Value::Array(items.iter().map(Self::to_value).collect()),
            Content::Object(members) => Value::Object(
                members.iter().map(|m| (m.key.clone(), m.value.to_value())).collect::<Map<_, _>>(),
            ),
        }
    }

    /// The node that a JSON pointer names.
    pub fn at(&self, pointer: &str) -> Option<&Self> {
        if !pointer.is_empty() && !pointer.starts_with('/') {
            return None;
        }
        split_pointer(pointer).try_fold(self, |node, segment| node.child(&segment))
    }

    /// The node that a JSON pointer names, or the nearest one above it: where to point for something that
    /// should be there and is not.
    pub fn nearest(&self, pointer: &str) -> &Self {
        let mut node = self;
        for segment in split_pointer(pointer) {
            match node.child(&segment) {
                Some(child) => node = child,
                None => break,
            }
        }
        node
    }

    /// Where the key stands that leads to what a JSON pointer names; for an item of a list, the item itself.
    pub fn key_place(&self, pointer: &str) -> &Place {
        let leads = pointer.rsplit_once('/').and_then(|(parent, _)| {
            let key = split_pointer(pointer).last()?;
            self.at(parent)?.member(&key)
        });
        leads.map_or(&self.nearest(pointer).place, |member| &member.place)
    }

    /// The member of that name, if this is an object that has it.
    pub fn member(&self, key: &str) -> Option<&Member> {
        self.members().iter().find(|member| member.key == key)
    }

    /// The value of that name, if this is an object that has it.
    pub fn get(&self, key: &str) -> Option<&Self> {
        self.member(key).map(|member| &member.value)
    }

    /// The members; none if this is no object.
    pub fn members(&self) -> &[Member] {
        match &self.content {
            Content::Object(members) => members,
            _ => &[],
        }
    }

    /// The items, if this is a list.
    pub fn items(&self) -> Option<&[Self]> {
        match &self.content {
            Content::Array(items) => Some(items),
            _ => None,
        }
    }

    /// The text, if this is text.
    pub fn as_str(&self) -> Option<&str> {
        match &self.content {
            Content::String(text) => Some(text),
            _ => None,
        }
    }

    /// What kind of value it is, in a user's words.
    pub fn kind(&self) -> &'static str {
        match &self.content {
            Content::Null => "null",
            Content::Bool(_) => "a boolean",
            Content::Number(_) => "a number",
            Content::String(_) => "text",
            Content::Array(_) => "a list",
            Content::Object(_) => "an object",
        }
    }

    fn child(&self, segment: &str) -> Option<&Self> {
        match &self.content {
            Content::Array(items) => items.get(field::index(segment)?),
            Content::Object(_) => self.get(segment),
            _ => None,
        }
    }
}
