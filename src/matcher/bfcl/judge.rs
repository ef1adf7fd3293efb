//! A whole answer against its case: decoding, number of calls, pairing, abstention.

use super::{
    call::{Expected, Terms},
    case::{Case, Task},
    kind::Language,
    tape::View,
    verdict::{ErrorType, Rules, Verdict},
};

/// How function names are offered to the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Names {
    /// As the docs have them.
    #[default]
    Dotted,
    /// With `_` in place of `.`, for interfaces that refuse dots; a dotted name is wrong then.
    Underscored,
}

/// What became of decoding an answer into calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decode {
    /// It was decoded.
    Ok,
    /// It was not.
    Failed,
    /// It was decoded as something that is no list of calls.
    WrongFormat,
}

/// Whether a Java or JavaScript answer still has literals in its calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Literals {
    /// The calls hold text, and `converted` what it stands for.
    #[default]
    Written,
    /// The calls hold what the literals stand for.
    Read,
}

/// A recorded answer.
#[derive(Debug, Clone, Copy)]
pub struct Answer<'t> {
    /// Whether calls could be got out of it.
    pub decode: Decode,
    /// The calls, `[{name, arguments}]`; none or null counts as not decoded.
    pub calls: Option<View<'t>>,
    /// The same calls with Java or JavaScript literals read; literals stand for themselves without.
    pub converted: Option<View<'t>>,
    /// Whether the calls themselves hold literals.
    pub literals: Literals,
    /// How the functions were named to the model.
    pub names: Names,
}

/// Judges one answer after the other by one edition of the rules.
#[derive(Debug)]
pub struct Judge {
    rules: Rules,
    /// Which calls have found their expected one; kept to be reused.
    used: Vec<bool>,
}

impl Judge {
    /// A judge by that edition.
    pub fn new(rules: Rules) -> Self {
        Self { rules, used: Vec::new() }
    }

    /// What that edition says of an answer.
    pub fn verdict(&mut self, case: &Case, answer: &Answer<'_>) -> Verdict {
        let decoded = self.decoded(answer);
        let error = match &case.task {
            Task::NoCall if decoded.is_ok_and(is_a_call) => Err(self.called()),
            Task::AnyCall if !decoded.is_ok_and(is_a_call) => Err(ErrorType::NotCalled),
            Task::NoCall | Task::AnyCall => Ok(()),
            Task::One(_) | Task::Multiple(_) | Task::Parallel(_) => {
                decoded.and_then(|calls| self.check(case, calls, answer))
            }
        };
        Verdict { error: error.err() }
    }

    /// The calls, or why there are none.
    fn decoded<'t>(&self, answer: &Answer<'t>) -> Result<View<'t>, ErrorType> {
        let calls = answer.calls.filter(|calls| !calls.is_null());
        match (answer.decode, calls) {
            (Decode::WrongFormat, _) => Err(ErrorType::WrongFormat),
            (Decode::Failed, _) | (Decode::Ok, None) => Err(ErrorType::DecoderFailed),
            (Decode::Ok, Some(calls)) if self.is_list_of_calls(calls) => Ok(calls),
            (Decode::Ok, Some(_)) => Err(ErrorType::WrongFormat),
        }
    }

    fn is_list_of_calls(&self, calls: View<'_>) -> bool {
        let is_call = |call: View<'_>| match self.rules {
            // Any object will do.
            Rules::V2024 => call.is_dict(),
            Rules::V4 => {
                call.get("name").is_some_and(|name| name.text().is_some())
                    && call.get("arguments").is_some_and(View::is_dict)
            }
        };
        calls.is_list() && calls.items().all(is_call)
    }

    fn called(&self) -> ErrorType {
        match self.rules {
            Rules::V2024 => ErrorType::CalledOf2024,
            Rules::V4 => ErrorType::Called,
        }
    }

    fn check(&mut self, case: &Case, calls: View<'_>, answer: &Answer<'_>) -> Result<(), ErrorType> {
        let literals = match answer.literals {
            Literals::Written => case.language,
            Literals::Read => Language::Python,
        };
        let terms = Terms { rules: self.rules, names: answer.names, literals };
        let converted = answer.converted;
        match (&case.task, self.rules) {
            (Task::NoCall | Task::AnyCall, _) => Ok(()),
            (Task::One(expected), _) => {
                let call = only(calls).ok_or(ErrorType::CountOfOne)?;
                expected.check(call, converted.and_then(only), terms)
            }
            (Task::Multiple(expected), Rules::V4) => {
                let first = expected.first().filter(|_| calls.items().count() == expected.len());
                let (call, first) = calls.items().next().zip(first).ok_or(ErrorType::CountOfMultiple)?;
                let first = first.as_ref().ok_or(ErrorType::WrongName)?;
                first.check(call, converted.and_then(only), terms)
            }
            // In 2024 one call among several functions is paired like several.
            (Task::Multiple(expected) | Task::Parallel(expected), _) => {
                self.pair(expected, calls, converted, terms)
            }
        }
    }

    /// Gives each expected call the first free call that matches it. A choice is never taken back, although
    /// another one might let all of them match.
    fn pair(
        &mut self,
        expected: &[Option<Expected>],
        calls: View<'_>,
        converted: Option<View<'_>>,
        terms: Terms,
    ) -> Result<(), ErrorType> {
        if calls.items().count() != expected.len() {
            return Err(ErrorType::CountOfParallel);
        }
        self.used.clear();
        self.used.resize(expected.len(), false);
        for expected in expected {
            let Some(expected) = expected else { return Err(without_doc(terms.rules)) };
            // Each call takes its literals along, where it has some.
            let literals =
                converted.into_iter().flat_map(View::items).map(Some).chain(std::iter::repeat(None));
            let mut free = calls.items().zip(literals).zip(&mut self.used).filter(|(_, used)| !**used);
            let found = free.find(|((call, literals), _)| expected.check(*call, *literals, terms).is_ok());
            *found.ok_or(ErrorType::NoMatch)?.1 = true;
        }
        Ok(())
    }
}

fn without_doc(rules: Rules) -> ErrorType {
    match rules {
        Rules::V2024 => ErrorType::NoDescription,
        Rules::V4 => ErrorType::NoMatch,
    }
}

/// The only item of a list.
fn only(list: View<'_>) -> Option<View<'_>> {
    let mut items = list.items();
    items.next().filter(|_| items.next().is_none())
}

/// Whether there is a call at all: neither `[]` nor `[{}]` is one.
fn is_a_call(calls: View<'_>) -> bool {
    let is_empty = |call: View<'_>| call.members().next().is_none();
    calls.items().next().is_some() && !only(calls).is_some_and(is_empty)
}
