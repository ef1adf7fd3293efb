//! One given value against the allowed ones: its kind, then what it says.

use super::{
    datum::{Datum, TextRule, same_items},
    dict,
    kind::Kind,
    norm::{is_norm_of, norm},
    tape::{Number, View},
    verdict::{ErrorType, Rules},
};

/// A parameter that stands in the doc and in the ground truth.
#[derive(Debug, Clone)]
pub(super) struct Parameter {
    /// The kind that the doc declares.
    declared: Kind,
    /// The declared kind of its items, where it has one.
    items: Option<Kind>,
    /// The kind of the first allowed value that is not `""`.
    first: Option<Kind>,
    /// Whether an integer is taken for a decimal.
    widens: bool,
    allowed: Box<[Datum]>,
}

impl Parameter {
    pub(super) fn new(declared: Kind, items: Option<Kind>, widens: bool, allowed: Box<[Datum]>) -> Self {
        Self { declared, items, first: first_kind(&allowed), widens, allowed }
    }

    /// Whether a value is right.
    pub(super) fn check(&self, value: View<'_>, rules: Rules) -> Result<(), ErrorType> {
        if self.widens && value.kind() == Kind::Int {
            return self.check_widened(value);
        }
        if self.is_variable(value)? {
            return self.check_plain(|datum| datum.equals(value));
        }
        match self.declared {
            Kind::Dict => dict::check(value, &self.allowed, rules),
            Kind::List if self.items == Some(Kind::Dict) => dict::check_list(value, &self.allowed, rules),
            Kind::Text => self.check_text(value),
            Kind::List => self.check_list(value),
            Kind::Null | Kind::Bool | Kind::Int | Kind::Float | Kind::Never => {
                self.check_plain(|datum| datum.equals(value))
            }
        }
    }

    /// Checks the kind; whether the value stands for a variable, which is compared as it is.
    fn is_variable(&self, value: View<'_>) -> Result<bool, ErrorType> {
        let kind = value.kind();
        let mut error = ErrorType::Type;
        if kind == self.declared {
            let variable = self.first.is_some_and(|first| first != self.declared);
            match self.items {
                None => return Ok(variable),
                Some(items) if self.allowed.iter().any(|allowed| has_items_of(value, items, allowed)) => {
                    return Ok(variable);
                }
                Some(_) => error = ErrorType::ItemType,
            }
        }
        match (error, self.first) {
            (ErrorType::Type, Some(first)) if first == kind => Ok(true),
            // A list with wrong items is told to have them only where lists are what is allowed.
            (ErrorType::ItemType, Some(first)) if first == kind => Err(error),
            _ => Err(ErrorType::Type),
        }
    }

    fn check_widened(&self, value: View<'_>) -> Result<(), ErrorType> {
        let widened = match value.number() {
            Some(Number::Int(int)) => int as f64,
            Some(Number::Big(text)) => text.parse().unwrap_or(f64::INFINITY),
            Some(Number::Float(float)) => float,
            None => return Err(ErrorType::Type),
        };
        self.check_plain(|datum| datum.equals_number(Number::Float(widened)))
    }

    fn check_plain(&self, equals: impl Fn(&Datum) -> bool) -> Result<(), ErrorType> {
        if self.allowed.iter().any(equals) { Ok(()) } else { Err(ErrorType::Value) }
    }

    fn check_text(&self, value: View<'_>) -> Result<(), ErrorType> {
        let right = |datum: &Datum| datum.equals_by(value, TextRule::Normed);
        let texts = self.allowed.iter().filter(|datum| datum.kind() == Kind::Text);
        if texts.into_iter().any(right) { Ok(()) } else { Err(ErrorType::Text) }
    }

    fn check_list(&self, value: View<'_>) -> Result<(), ErrorType> {
        let right = |datum: &Datum| match datum {
            Datum::List(items) => same_items(items, value, TextRule::Normed),
            Datum::Text(text) => same_letters(text.as_str(), value),
            Datum::Dict(members) => members.is_empty() && value.items().next().is_none(),
            Datum::Null | Datum::Bool(_) | Datum::Int(_) | Datum::Big(_) | Datum::Float(_) => false,
        };
        if self.allowed.iter().any(right) { Ok(()) } else { Err(ErrorType::List) }
    }
}

fn first_kind(allowed: &[Datum]) -> Option<Kind> {
    allowed.iter().find(|datum| !datum.is_blank()).map(Datum::kind)
}

/// Whether every item is of the declared kind, or of that of an allowed list's first item; what is allowed and
/// is no list, such as `""`, is content with anything.
fn has_items_of(value: View<'_>, declared: Kind, allowed: &Datum) -> bool {
    let Datum::List(items) = allowed else { return true };
    let first = first_kind(items);
    value.items().all(|item| item.kind() == declared || Some(item.kind()) == first)
}

/// Whether a list holds the letters of a text; those of `""` are the empty list.
fn same_letters(text: &str, list: View<'_>) -> bool {
    let mut values = list.items();
    let same = |letter: char| {
        let value = values.next().and_then(View::text);
        value.is_some_and(|value| is_norm_of(&norm(letter.encode_utf8(&mut [0; 4])), value))
    };
    text.chars().all(same) && values.next().is_none()
}
