//! One call against one expected call.

use super::{
    judge::Names,
    kind::Language,
    tape::View,
    value::Parameter,
    verdict::{ErrorType, Rules},
};
use smol_str::SmolStr;

/// An expected call.
#[derive(Debug, Clone)]
pub(super) struct Expected {
    pub(super) name: SmolStr,
    /// The name as it is offered to models that take no dots.
    pub(super) underscored: SmolStr,
    /// Every parameter that the doc or the ground truth names.
    pub(super) slots: Box<[Slot]>,
    /// How many slots are required.
    pub(super) required: usize,
    /// How many slots may not be left out.
    pub(super) needed: usize,
}

/// What is known of a parameter.
#[derive(Debug, Clone)]
pub(super) struct Slot {
    pub(super) name: SmolStr,
    /// Whether the doc requires it.
    pub(super) required: bool,
    /// Whether the ground truth has no `""` for it.
    pub(super) needed: bool,
    /// How its value is judged; none if the doc or the ground truth lacks it, and giving it is wrong.
    pub(super) parameter: Option<Parameter>,
}

/// What the arguments of a call come to.
struct Given {
    /// How many of them are required.
    required: usize,
    /// How many of them may not be left out.
    needed: usize,
    /// The first that is wrong.
    values: Result<(), ErrorType>,
}

/// What holds for every call of an answer.
#[derive(Debug, Clone, Copy)]
pub(super) struct Terms {
    pub(super) rules: Rules,
    pub(super) names: Names,
    /// The language whose literals stand in the calls; Python for values that stand for themselves.
    pub(super) literals: Language,
}

impl Expected {
    /// Whether a call is the expected one. `converted` is the same call with its literals read.
    pub(super) fn check(
        &self,
        call: View<'_>,
        converted: Option<View<'_>>,
        terms: Terms,
    ) -> Result<(), ErrorType> {
        if call.get("name").and_then(View::text) != Some(self.name(terms.names)) {
            return Err(ErrorType::WrongName);
        }
        let arguments = call.get("arguments").filter(|arguments| arguments.is_dict());
        let Some(arguments) = arguments else {
            let missing = self.required > 0;
            return Err(if missing { ErrorType::MissingRequired } else { ErrorType::WrongFormat });
        };
        let converted = converted.and_then(|call| call.get("arguments"));
        let given = self.look(arguments, converted, terms);
        if given.required < self.required {
            return Err(ErrorType::MissingRequired);
        }
        given.values?;
        if given.needed < self.needed { Err(ErrorType::MissingOptional) } else { Ok(()) }
    }

    /// The parameter that a call is wrong about, where it is wrong about one.
    pub(super) fn culprit<'c>(&'c self, call: View<'c>, terms: Terms) -> Option<&'c str> {
        let arguments = call.get("arguments").filter(|arguments| arguments.is_dict())?;
        let missing = |wanted: fn(&Slot) -> bool| {
            self.slots.iter().find(|slot| wanted(slot) && arguments.get(&slot.name).is_none())
        };
        if let Some(slot) = missing(|slot| slot.required) {
            return Some(&slot.name);
        }
        let is_wrong = |(name, value): &(&str, View<'_>)| {
            let slot = self.place(name, 0).and_then(|place| self.slots[place].parameter.as_ref());
            slot.is_none_or(|parameter| parameter.check(*value, terms.rules).is_err())
        };
        let wrong = arguments.members().find(is_wrong).map(|(name, _)| name);
        wrong.or_else(|| missing(|slot| slot.needed).map(|slot| &*slot.name))
    }

    fn name(&self, names: Names) -> &str {
        match names {
            Names::Dotted => &self.name,
            Names::Underscored => &self.underscored,
        }
    }

    /// Looks at every argument once. What is missing goes before a wrong value, so the first of those is kept.
    fn look(&self, arguments: View<'_>, converted: Option<View<'_>>, terms: Terms) -> Given {
        let mut given = Given { required: 0, needed: 0, values: Ok(()) };
        let mut hint = 0;
        for (name, value) in arguments.members() {
            let slot = self.place(name, hint).map(|place| {
                hint = place + 1;
                &self.slots[place]
            });
            if let Some(slot) = slot {
                given.required += usize::from(slot.required);
                given.needed += usize::from(slot.needed);
            }
            if given.values.is_ok() {
                let parameter = slot.and_then(|slot| slot.parameter.as_ref());
                given.values = parameter.ok_or(ErrorType::UnexpectedParameter).and_then(|parameter| {
                    parameter.check(read_literal(name, value, converted, terms.literals)?, terms.rules)
                });
            }
        }
        given
    }

    /// Where a parameter is; most calls name them in the doc's order, so the search begins behind the last one.
    fn place(&self, name: &str, hint: usize) -> Option<usize> {
        let is_it = |slot: &Slot| slot.name == name;
        let (before, after) = self.slots.split_at(hint.min(self.slots.len()));
        let behind = after.iter().position(is_it).map(|place| place + before.len());
        behind.or_else(|| before.iter().position(is_it))
    }
}

/// The value that a Java or JavaScript literal stands for; other values stand for themselves.
fn read_literal<'t>(
    name: &str,
    value: View<'t>,
    converted: Option<View<'t>>,
    language: Language,
) -> Result<View<'t>, ErrorType> {
    let error = match language {
        Language::Python => return Ok(value),
        Language::Java => ErrorType::TypeOfJava,
        Language::JavaScript => ErrorType::TypeOfJavaScript,
    };
    if value.text().is_none() {
        return Err(error);
    }
    Ok(converted.and_then(|arguments| arguments.get(name)).unwrap_or(value))
}
