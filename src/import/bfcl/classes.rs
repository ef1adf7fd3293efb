//! Why the leaderboard's rules and ours say different things of an answer.

use super::ours::{OurCase, TextOf};
use crate::{
    matcher::bfcl::{ErrorType, Verdict},
    provider::Reply,
    run::AnswerOutcome,
    score::TurnScore,
};
use serde_json::Value;

/// One list for the classes and what is said of them.
macro_rules! classes {
    ($($(#[$doc:meta])* $name:ident = $text:literal,)*) => {
        /// A kind of disagreement.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Class {
            $($(#[$doc])* $name,)*
        }

        impl Class {
            /// Every one.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// What it is called.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$name => $text,)*
                }
            }
        }
    };
}

classes! {
    /// Right there: a call that cannot be read passes for saying no.
    Unreadable = "right there: an unreadable call passes for calling nothing",
    /// Right there: arguments that the tool's own schema refuses.
    Schema = "right there: arguments against the tool's own schema",
    /// Right there: text that our `normalize` takes for equal too, where a suite asks for that.
    Text = "right there: text that differs in what `normalize` would disregard",
    /// Right there: text that differs in signs or in space that is there or not, and for `normalize` too.
    Signs = "right there: text that differs in signs, or in whether there is space",
    /// Right there: a truth value in place of a number, or the other way round.
    Truth = "right there: a truth value for a number",
    /// Right there: an empty list or object, or empty text, given where the argument may be left out.
    Empty = "right there: something empty where the argument may be left out",
    /// Right there, for another reason.
    OtherRight = "right there: something else",
    /// Right here: paired otherwise than first come, first served.
    Pairing = "right here: another pairing of calls fits",
    /// Right here: a number in another notation.
    Number = "right here: the same number in another notation",
    /// Right here: an argument that says what the schema's default says.
    Default = "right here: an argument that equals its default",
    /// Right here: a key of an object left out that may be.
    Key = "right here: a key left out that may be",
    /// Right here, for another reason.
    OtherHere = "right here: something else",
}

/// The class of a disagreement.
pub(super) fn class_of(case: &OurCase, reply: &Reply, ours: &TurnScore, verdict: Verdict) -> Class {
    match verdict.error {
        None => right_there(case, reply, ours),
        Some(error) => right_here(case, ours, error),
    }
}

fn right_there(case: &OurCase, reply: &Reply, ours: &TurnScore) -> Class {
    if reply.outcome == AnswerOutcome::Unparsable {
        return Class::Unreadable;
    }
    if ours.calls.iter().any(|call| call.args_valid == Some(false)) {
        return Class::Schema;
    }
    if case.score(reply, TextOf::Folded).problems.is_empty() {
        return Class::Text;
    }
    let given = ours.pairs.iter().flat_map(|pair| {
        let args = &ours.calls[pair.call].args;
        pair.mismatches.iter().filter_map(|mismatch| args.pointer(&mismatch.path))
    });
    let some = given.clone().next().is_some();
    if some && given.clone().all(is_empty) {
        Class::Empty
    } else if some && given.clone().all(|value| holds(value, Value::is_string)) {
        Class::Signs
    } else if given.clone().any(|value| holds(value, Value::is_boolean)) {
        Class::Truth
    } else {
        Class::OtherRight
    }
}

/// Whether a value is of a kind, or something in it is.
fn holds(value: &Value, kind: fn(&Value) -> bool) -> bool {
    kind(value)
        || match value {
            Value::Array(items) => items.iter().any(|item| holds(item, kind)),
            Value::Object(members) => members.values().any(|member| holds(member, kind)),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
        }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::String(text) => text.trim().is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(members) => members.is_empty(),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

fn right_here(case: &OurCase, ours: &TurnScore, error: ErrorType) -> Class {
    // Of several calls it is only told that they do not fit: the first that does not, in our pairing, says why.
    let of_pairs =
        || ours.pairs.iter().find_map(|pair| case.fault(pair.expected, &ours.calls[pair.call].args));
    let error = match error {
        ErrorType::NoMatch => of_pairs(),
        other => Some(other),
    };
    match error {
        None => Class::Pairing,
        Some(ErrorType::Type | ErrorType::ItemType | ErrorType::Value | ErrorType::List) => Class::Number,
        Some(ErrorType::UnexpectedParameter) => Class::Default,
        Some(ErrorType::DictItems | ErrorType::DictKey) => Class::Key,
        Some(_) => Class::OtherHere,
    }
}
