//! A value of the ground truth, owned, and the plain equality that it is compared by.

use super::{
    kind::Kind,
    norm::{is_norm_of, norm},
    tape::{Number, View},
};
use smol_str::SmolStr;

/// An allowed value, or a part of one.
#[derive(Debug, Clone)]
pub(super) enum Datum {
    Null,
    Bool(bool),
    Int(i64),
    /// An integer beyond 64 bits, as it is written.
    Big(Box<str>),
    Float(f64),
    Text(Text),
    List(Box<[Datum]>),
    Dict(Box<[(SmolStr, Datum)]>),
}

/// An allowed text, with what of it counts.
#[derive(Debug, Clone)]
pub(super) struct Text {
    exact: Box<str>,
    normed: SmolStr,
}

/// How text is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TextRule {
    Exact,
    Normed,
}

impl Datum {
    /// Copies a value.
    pub(super) fn of(view: View<'_>) -> Self {
        match view.kind() {
            Kind::Null | Kind::Never => Self::Null,
            Kind::Bool => Self::Bool(view.boolean() == Some(true)),
            Kind::Int | Kind::Float => match view.number() {
                Some(Number::Int(value)) => Self::Int(value),
                Some(Number::Big(text)) => Self::Big(text.into()),
                Some(Number::Float(value)) => Self::Float(value),
                None => Self::Null,
            },
            Kind::Text => Self::Text(Text::of(view.text().unwrap_or_default())),
            Kind::List => Self::List(view.items().map(Self::of).collect()),
            Kind::Dict => Self::Dict(view.members().map(|(k, v)| (k.into(), Self::of(v))).collect()),
        }
    }

    pub(super) fn kind(&self) -> Kind {
        match self {
            Self::Null => Kind::Null,
            Self::Bool(_) => Kind::Bool,
            Self::Int(_) | Self::Big(_) => Kind::Int,
            Self::Float(_) => Kind::Float,
            Self::Text(_) => Kind::Text,
            Self::List(_) => Kind::List,
            Self::Dict(_) => Kind::Dict,
        }
    }

    /// Whether it is `""`, which says that a value may be left out.
    pub(super) fn is_blank(&self) -> bool {
        matches!(self, Self::Text(text) if text.exact.is_empty())
    }

    /// Whether a value equals it as Python's `==` has it: 1, 1.0 and true are equal.
    pub(super) fn equals(&self, value: View<'_>) -> bool {
        self.equals_by(value, TextRule::Exact)
    }

    /// The same, by a rule for text that holds for itself and not for what is inside of it.
    pub(super) fn equals_by(&self, value: View<'_>, rule: TextRule) -> bool {
        match self {
            Self::Null => value.is_null(),
            Self::Text(text) => value.text().is_some_and(|value| text.equals(value, rule)),
            Self::List(items) => value.is_list() && same_items(items, value, TextRule::Exact),
            Self::Dict(members) => value.is_dict() && same_members(members, value),
            Self::Bool(_) | Self::Int(_) | Self::Big(_) | Self::Float(_) => {
                value.number().is_some_and(|number| self.equals_number(number))
            }
        }
    }

    /// Whether it is that number.
    pub(super) fn equals_number(&self, number: Number<'_>) -> bool {
        let own = match self {
            Self::Bool(value) => Number::Int(i64::from(*value)),
            Self::Int(value) => Number::Int(*value),
            Self::Big(text) => Number::Big(text),
            Self::Float(value) => Number::Float(*value),
            Self::Null | Self::Text(_) | Self::List(_) | Self::Dict(_) => return false,
        };
        same_number(own, number)
    }
}

impl Text {
    fn of(text: &str) -> Self {
        Self { exact: text.into(), normed: norm(text).into() }
    }

    pub(super) fn as_str(&self) -> &str {
        &self.exact
    }

    fn equals(&self, value: &str, rule: TextRule) -> bool {
        match rule {
            TextRule::Exact => *self.exact == *value,
            TextRule::Normed => is_norm_of(&self.normed, value),
        }
    }
}

/// Whether a list holds these items, in this order; text at its first level by the rule.
pub(super) fn same_items(items: &[Datum], list: View<'_>, rule: TextRule) -> bool {
    let mut values = list.items();
    items.iter().all(|item| values.next().is_some_and(|value| item.equals_by(value, rule)))
        && values.next().is_none()
}

fn same_members(members: &[(SmolStr, Datum)], dict: View<'_>) -> bool {
    let equal =
        |(key, value): (&str, View<'_>)| member(members, key).is_some_and(|datum| datum.equals(value));
    dict.members().count() == members.len() && dict.members().all(equal)
}

/// The member of that key.
pub(super) fn member<'d>(members: &'d [(SmolStr, Datum)], key: &str) -> Option<&'d Datum> {
    members.iter().find(|(name, _)| name == key).map(|(_, datum)| datum)
}

/// Equality of numbers by value, across kinds, without rounding.
fn same_number(one: Number<'_>, other: Number<'_>) -> bool {
    match (one, other) {
        (Number::Int(one), Number::Int(other)) => one == other,
        (Number::Float(one), Number::Float(other)) => one == other,
        (Number::Big(one), Number::Big(other)) => one == other,
        (Number::Int(int), Number::Float(float)) | (Number::Float(float), Number::Int(int)) => {
            // Beyond 2^53 the integer may have no such decimal, so both are compared as integers.
            float.fract() == 0.0 && float.abs() < 1e19 && float as i128 == i128::from(int)
        }
        (Number::Big(int), Number::Float(float)) | (Number::Float(float), Number::Big(int)) => {
            float.is_finite() && format!("{float:.0}") == int
        }
        (Number::Int(_), Number::Big(_)) | (Number::Big(_), Number::Int(_)) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matcher::bfcl::Tape;

    #[test]
    fn equality_is_that_of_python() {
        let check = |one: &str, other: &str, expected: bool| {
            let (left, right) = (Tape::parse(one).unwrap(), Tape::parse(other).unwrap());
            let (left, right) = (left.root().unwrap(), right.root().unwrap());
            assert_eq!(Datum::of(left).equals(right), expected, "{one} == {other}");
            assert_eq!(Datum::of(right).equals(left), expected, "{other} == {one}");
        };
        check("1", "1.0", true);
        check("1", "true", true);
        check("1.0", "true", true);
        check("0", "false", true);
        check("0", "null", false);
        check("null", "null", true);
        check("null", "\"\"", false);
        check("1", "\"1\"", false);
        check("\"A\"", "\"a\"", false);
        check("[1, [true]]", "[1.0, [1]]", true);
        check("[1]", "[1, 2]", false);
        check("[]", "{}", false);
        check(r#"{"a": 1, "b": 2}"#, r#"{"b": 2.0, "a": 1}"#, true);
        check(r#"{"a": 1}"#, r#"{"a": 1, "b": 2}"#, false);
        check("9007199254740993", "9007199254740992", false);
        check("9007199254740993", "9007199254740992.0", false);
        check("9007199254740992", "9007199254740992.0", true);
        check("100000000000000000000", "1e20", true);
        check("100000000000000000001", "1e20", false);
        check("100000000000000000001", "100000000000000000001", true);
        check("-0", "0.0", true);
        check("1e400", "1e500", true);
    }
}
