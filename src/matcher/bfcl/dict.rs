//! Objects, and lists of objects, against the allowed ones.

use super::{
    datum::{Datum, TextRule, member},
    norm::{is_norm_of, norm},
    tape::View,
    verdict::{ErrorType, Rules},
};
use smol_str::SmolStr;

type Members = [(SmolStr, Datum)];

/// Whether an object is one of the allowed ones; the error is that of the last one tried.
pub(super) fn check(value: View<'_>, allowed: &[Datum], rules: Rules) -> Result<(), ErrorType> {
    let mut error = ErrorType::DictUnclear;
    for datum in allowed.iter().filter(|datum| !datum.is_blank()) {
        match check_one(value, datum, rules) {
            Ok(()) => return Ok(()),
            Err(found) => error = found,
        }
    }
    Err(error)
}

/// Whether a list of objects is one of the allowed ones: as many, and pairwise right.
pub(super) fn check_list(value: View<'_>, allowed: &[Datum], rules: Rules) -> Result<(), ErrorType> {
    let mut error = ErrorType::ListOfDictUnclear;
    for datum in allowed {
        match check_list_one(value, datum, rules) {
            Ok(()) => return Ok(()),
            Err(found) => error = found,
        }
    }
    Err(error)
}

fn check_list_one(list: View<'_>, allowed: &Datum, rules: Rules) -> Result<(), ErrorType> {
    let count = list.items().count();
    let Datum::List(items) = allowed else {
        // An allowed `""` acts as the empty list.
        let same = size(allowed) == Some(count);
        return match (same, count) {
            (true, 0) => Ok(()),
            (true, _) => Err(ErrorType::DictUnclear),
            (false, _) => Err(ErrorType::ListOfDictCount),
        };
    };
    if items.len() != count {
        return Err(ErrorType::ListOfDictCount);
    }
    list.items().zip(items).try_for_each(|(value, item)| check(value, std::slice::from_ref(item), rules))
}

fn size(datum: &Datum) -> Option<usize> {
    match datum {
        Datum::Text(text) => Some(text.as_str().chars().count()),
        Datum::List(items) => Some(items.len()),
        Datum::Dict(members) => Some(members.len()),
        Datum::Null | Datum::Bool(_) | Datum::Int(_) | Datum::Big(_) | Datum::Float(_) => None,
    }
}

fn check_one(value: View<'_>, allowed: &Datum, rules: Rules) -> Result<(), ErrorType> {
    let Datum::Dict(members) = allowed else { return Err(ErrorType::DictUnclear) };
    if !value.is_dict() {
        return Err(ErrorType::DictUnclear);
    }
    match rules {
        Rules::V2024 => {
            // Nothing may be left out, whatever is allowed for it.
            if value.members().count() != members.len() {
                return Err(ErrorType::DictItems);
            }
            check_members(value, members, rules)
        }
        Rules::V4 => {
            let given = check_members(value, members, rules);
            // A missing key is what is told, even where a value was wrong before.
            let missing =
                |(key, allowed): &(SmolStr, Datum)| value.get(key).is_none() && !holds_blank(allowed);
            if members.iter().any(missing) { Err(ErrorType::DictKey) } else { given }
        }
    }
}

fn check_members(value: View<'_>, members: &Members, rules: Rules) -> Result<(), ErrorType> {
    value.members().try_for_each(|(key, value)| match member(members, key) {
        None => Err(ErrorType::DictKey),
        Some(allowed @ Datum::Dict(_)) if rules == Rules::V2024 => {
            check(value, std::slice::from_ref(allowed), rules)
        }
        Some(allowed) if is_among(value, allowed) => Ok(()),
        Some(_) => Err(ErrorType::DictValue),
    })
}

/// Whether a value is among those allowed for its key: text by its norm, all else plainly.
fn is_among(value: View<'_>, allowed: &Datum) -> bool {
    match allowed {
        Datum::List(items) => items.iter().any(|item| item.equals_by(value, TextRule::Normed)),
        // Text in place of a list acts as the list of its letters.
        Datum::Text(text) => value.text().is_some_and(|value| {
            text.as_str().chars().any(|letter| is_norm_of(&norm(letter.encode_utf8(&mut [0; 4])), value))
        }),
        Datum::Null | Datum::Bool(_) | Datum::Int(_) | Datum::Big(_) | Datum::Float(_) | Datum::Dict(_) => {
            false
        }
    }
}

/// Whether a key may be left out.
fn holds_blank(allowed: &Datum) -> bool {
    match allowed {
        Datum::List(items) => items.iter().any(Datum::is_blank),
        Datum::Text(_) => true,
        Datum::Dict(members) => member(members, "").is_some(),
        Datum::Null | Datum::Bool(_) | Datum::Int(_) | Datum::Big(_) | Datum::Float(_) => false,
    }
}
