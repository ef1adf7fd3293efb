//! The rules.

use super::{
    parameter::{Parameter, Parameters, Role, Shape},
    words::{Prompt, Said},
};
use proofhouse_manager::plan::literal::{Kind, Piece, kind};
use serde_json::{Map, Value};

/// Arguments, and how well they cover what is required.
#[derive(Debug, PartialEq)]
pub(in super::super) struct Filled {
    /// What was found.
    pub(in super::super) arguments: Map<String, Value>,
    required: usize,
    found: usize,
}

impl Filled {
    /// Whether the tool demands something and nothing of it was said.
    pub(in super::super) fn asks_back(&self) -> bool {
        self.required > 0 && self.found == 0
    }
}

type Rule = fn(&Parameter, &mut Prompt<'_>) -> Option<Value>;

/// The rules, the surest first.
const RULES: [Rule; 7] = [outright, by_form, quotation, mentioned, number, name, search_words];

impl Parameters {
    /// Fills what the prompt says.
    pub(in super::super) fn fill(&self, pieces: &[Piece<'_>]) -> Filled {
        let mut prompt = Prompt::new(pieces);
        prompt.hush(&self.tool);
        let mut values: Vec<Option<Value>> = vec![None; self.all.len()];
        for rule in RULES {
            // What is required goes first: an optional parameter must not take its words away.
            for required in [true, false] {
                for (parameter, value) in self.all.iter().zip(&mut values) {
                    if value.is_none() && parameter.required == required {
                        *value = rule(parameter, &mut prompt);
                    }
                }
            }
        }
        let required = self.all.iter().filter(|p| p.required).count();
        let found = self.all.iter().zip(&values).filter(|(p, v)| p.required && v.is_some()).count();
        let named = self.all.iter().zip(values).filter_map(|(p, v)| Some((p.name.clone(), v?)));
        Filled { arguments: named.collect(), required, found }
    }
}

/// `name=value`, "name value", "name is value", "name called value".
fn outright(parameter: &Parameter, prompt: &mut Prompt<'_>) -> Option<Value> {
    let last = *parameter.words.last()?;
    if let Some(value) = assigned(parameter, prompt) {
        return Some(value);
    }
    for at in prompt.places(last) {
        let between = |said: &Said<'_>| {
            ["is", "to", "of", "named", "called", "the", "as", "with", "in", "="].contains(&said.text)
        };
        let next = (at + 1..prompt.0.len().min(at + 4)).find(|i| !between(&prompt.0[*i]));
        let Some(next) = next.filter(|i| prompt.0[*i].is_literal() && !prompt.0[*i].used) else { continue };
        if let Some(value) = typed(parameter, prompt.0[next].text, prompt.0[next].kind) {
            prompt.take_at(next);
            // The parameter's own name is no word of a search.
            prompt.0[at].telling = false;
            return Some(enumerated(value, next, prompt));
        }
    }
    None
}

/// "a, b and c": what follows in a row and has the same form belongs to the list too.
fn enumerated(value: Value, first: usize, prompt: &mut Prompt<'_>) -> Value {
    let Value::Array(mut list) = value else { return value };
    let kind = prompt.0[first].kind;
    let conjunction = |said: &Said<'_>| ["and", "und", "et", "y", "or", "&"].contains(&said.text);
    for at in first + 1..prompt.0.len() {
        if prompt.0[at].kind == kind && !prompt.0[at].used {
            list.push(prompt.take_at(at).into());
        } else if !conjunction(&prompt.0[at]) {
            break;
        }
    }
    Value::Array(list)
}

/// `name=value` and `name:value` as one piece, however it is quoted.
fn assigned(parameter: &Parameter, prompt: &mut Prompt<'_>) -> Option<Value> {
    let value_of = |text| {
        let (name, value) = str::split_once(text, ['=', ':'])?;
        let same = name.eq_ignore_ascii_case(&parameter.name) && !value.is_empty() && !value.starts_with('/');
        same.then_some(value.trim())
    };
    let at = prompt.0.iter().position(|said| !said.used && value_of(said.text).is_some())?;
    let value = value_of(prompt.0[at].text)?;
    let value = typed(parameter, value, kind(value))?;
    prompt.take_at(at);
    Some(value)
}

/// A text as a value of the parameter, if it is one.
fn typed(parameter: &Parameter, text: &str, kind: Kind) -> Option<Value> {
    match &parameter.shape {
        Shape::Text(role) => fits(*role, kind).then(|| text.into()),
        Shape::Texts(role) => fits(*role, kind).then(|| vec![text].into()),
        Shape::Number { .. } => number_of(&parameter.shape, text),
        Shape::Switch => text.parse::<bool>().ok().map(Value::Bool),
        Shape::Choice(values) => values
            .iter()
            .find(|(value, _)| value.eq_ignore_ascii_case(text))
            .map(|(value, _)| value.as_str().into()),
        Shape::Other => None,
    }
}

/// Whether a literal of that kind can be what the parameter is. Names and prose take anything.
fn fits(role: Role, kind: Kind) -> bool {
    match role {
        Role::Url => kind == Kind::Url,
        Role::Email => kind == Kind::Email,
        Role::Path => matches!(kind, Kind::Path | Kind::Quotation | Kind::Name | Kind::Word),
        Role::Date => kind == Kind::Date,
        Role::Query | Role::Prose | Role::Name => true,
    }
}

/// The form of a literal says what it is: addresses, paths, dates.
fn by_form(parameter: &Parameter, prompt: &mut Prompt<'_>) -> Option<Value> {
    let form = |role| match role {
        Role::Url => Some(Kind::Url),
        Role::Email => Some(Kind::Email),
        Role::Path => Some(Kind::Path),
        Role::Date => Some(Kind::Date),
        Role::Query | Role::Prose | Role::Name => None,
    };
    match &parameter.shape {
        Shape::Text(role) => {
            let kind = form(*role)?;
            prompt.take(|said| said.kind == kind).map(Value::from)
        }
        Shape::Texts(role) => {
            let kind = form(*role)?;
            let all: Vec<&str> = std::iter::from_fn(|| prompt.take(|said| said.kind == kind)).collect();
            (!all.is_empty()).then(|| all.into())
        }
        Shape::Number { .. } | Shape::Switch | Shape::Choice(_) | Shape::Other => None,
    }
}

/// What is quoted is what a text is to say or to look for.
fn quotation(parameter: &Parameter, prompt: &mut Prompt<'_>) -> Option<Value> {
    let quotable = match parameter.shape {
        Shape::Text(Role::Prose) => true,
        Shape::Text(Role::Query | Role::Name | Role::Path) => parameter.required,
        _ => false,
    };
    if !quotable {
        return None;
    }
    prompt.take(|said| said.kind == Kind::Quotation).map(Value::from)
}

/// A choice whose value is mentioned; a switch whose name is.
fn mentioned(parameter: &Parameter, prompt: &mut Prompt<'_>) -> Option<Value> {
    match &parameter.shape {
        Shape::Choice(values) => {
            let said = values.iter().find(|(_, terms)| prompt.says_all(terms));
            said.map(|(value, _)| value.as_str().into())
        }
        Shape::Switch => prompt.says_all(&parameter.words).then_some(Value::Bool(true)),
        Shape::Text(_) | Shape::Texts(_) | Shape::Number { .. } | Shape::Other => None,
    }
}

/// A number beside a word of the parameter's name, or the one number that a required parameter can mean.
fn number(parameter: &Parameter, prompt: &mut Prompt<'_>) -> Option<Value> {
    let Shape::Number { .. } = parameter.shape else { return None };
    let near = |at: usize| (at.saturating_sub(2)..=at + 2).filter(move |i| *i != at);
    let open = |prompt: &Prompt<'_>, i: usize| {
        let said = prompt.0.get(i).filter(|said| !said.used && said.kind == Kind::Number)?;
        number_of(&parameter.shape, said.text).map(|value| (i, value))
    };
    let places = parameter.words.iter().flat_map(|term| prompt.places(*term)).flat_map(near);
    let mut found = places.filter_map(|i| open(prompt, i)).next();
    if found.is_none() && parameter.required {
        found = (0..prompt.0.len()).find_map(|i| open(prompt, i));
    }
    let (at, value) = found?;
    prompt.take_at(at);
    Some(value)
}

fn number_of(shape: &Shape, text: &str) -> Option<Value> {
    let Shape::Number { integer, minimum, maximum } = shape else { return None };
    let text = text.trim_start_matches(['$', '€', '+']).trim_end_matches(['%', '€', '$']);
    let number: f64 = text.parse().ok()?;
    if number < *minimum || number > *maximum {
        return None;
    }
    match (integer, text.parse::<i64>()) {
        (_, Ok(whole)) => Some(whole.into()),
        (true, Err(_)) => None,
        (false, Err(_)) => Some(number.into()),
    }
}

/// A made-up name for a required name; a bare number serves too, for ids.
fn name(parameter: &Parameter, prompt: &mut Prompt<'_>) -> Option<Value> {
    let Shape::Text(Role::Name | Role::Path) = parameter.shape else { return None };
    if !parameter.required {
        return None;
    }
    let mut take = |kind| prompt.take(|said| said.kind == kind);
    take(Kind::Name).or_else(|| take(Kind::Path)).or_else(|| take(Kind::Number)).map(Value::from)
}

/// What is left of the prompt, for a search that must have words.
fn search_words(parameter: &Parameter, prompt: &mut Prompt<'_>) -> Option<Value> {
    let Shape::Text(Role::Query) = parameter.shape else { return None };
    if !parameter.required {
        return None;
    }
    // The first word is the order itself: "search", "find".
    let left = prompt.0.iter().skip(1).filter(|said| !said.used && said.telling);
    let words: Vec<&str> = left.map(|said| said.text).collect();
    (!words.is_empty()).then(|| words.join(" ").into())
}
