//! A task with what is allowed as its answer, compiled.

use super::{
    call::{Expected, Slot},
    cursor::SyntaxError,
    datum::Datum,
    kind::{Kind, Language},
    tape::View,
    value::Parameter,
};

/// The keyword of a tool's schema that keeps the leaderboard's type where JSON Schema has another.
pub const WRITTEN_TYPE: &str = "x-bfcl-type";

/// A task, ready to judge answers.
#[derive(Debug, Clone)]
pub struct Case {
    id: Box<str>,
    category: Box<str>,
    v4_id: Option<Box<str>>,
    pub(super) language: Language,
    pub(super) task: Task,
}

/// What kind of answer a task asks for.
#[derive(Debug, Clone)]
pub(super) enum Task {
    /// No call at all.
    NoCall,
    /// Any call.
    AnyCall,
    /// One call, of the only function.
    One(Expected),
    /// One call, with several functions on offer.
    Multiple(Box<[Option<Expected>]>),
    /// These calls, in any order; none for a function that has no doc.
    Parallel(Box<[Option<Expected>]>),
}

/// What kind of answer a case asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asks {
    /// No call.
    NoCall,
    /// Any call, whatever it says.
    AnyCall,
    /// A call of the first function.
    OneCall,
    /// The calls of the ground truth.
    Calls,
}

/// Why a case cannot be judged.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{what}")]
pub struct CaseError {
    what: String,
}

impl CaseError {
    pub(super) fn unreadable(error: SyntaxError) -> Self {
        Self { what: error.to_string() }
    }

    pub(super) fn nothing() -> Self {
        error("there is no case")
    }
}

fn error(what: impl Into<String>) -> CaseError {
    CaseError { what: what.into() }
}

impl Case {
    /// Compiles a case: its `id`, `category`, `functions` and `ground_truth`.
    ///
    /// # Errors
    /// A part that is missing or has another shape.
    pub fn compile(case: View<'_>) -> Result<Self, CaseError> {
        let text = |key: &str| case.get(key).and_then(View::text);
        let id = text("id").ok_or_else(|| error("a case has no `id`"))?;
        let at = |found: CaseError| error(format!("case `{id}`: {}", found.what));
        let category = text("category").ok_or_else(|| at(error("it has no `category`")))?;
        let language = Language::of(category);
        Ok(Self {
            id: id.into(),
            category: category.into(),
            v4_id: text("v4_id").map(Into::into),
            language,
            task: Task::compile(case, category, language).map_err(at)?,
        })
    }

    /// Its name.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The part of the leaderboard that it belongs to.
    pub fn category(&self) -> &str {
        &self.category
    }

    /// What kind of answer it asks for.
    pub fn asks(&self) -> Asks {
        Asks::of(&self.category)
    }

    /// The name of the same task in version 4.
    pub fn v4_id(&self) -> Option<&str> {
        self.v4_id.as_deref()
    }

    /// Whether its answers hold literals of another language, which are judged as `converted`.
    pub fn has_literals(&self) -> bool {
        self.language != Language::Python
    }
}

impl Asks {
    /// What the cases of a category ask for.
    pub(super) fn of(category: &str) -> Self {
        // What 2024 calls relevance is called irrelevance since, and relevance is its opposite.
        if category.contains("irrelevance") || category == "relevance" {
            Self::NoCall
        } else if category.contains("relevance") {
            Self::AnyCall
        } else if category.contains("parallel") || category.contains("multiple") {
            Self::Calls
        } else {
            Self::OneCall
        }
    }
}

impl Task {
    fn compile(case: View<'_>, category: &str, language: Language) -> Result<Self, CaseError> {
        let asks = Asks::of(category);
        match asks {
            Asks::NoCall => return Ok(Self::NoCall),
            Asks::AnyCall => return Ok(Self::AnyCall),
            Asks::OneCall | Asks::Calls => {}
        }
        let functions =
            case.get("functions").filter(|f| f.is_list()).ok_or_else(|| error("it has no `functions`"))?;
        let truth = case.get("ground_truth").filter(|truth| truth.items().next().is_some());
        let truth = truth.ok_or_else(|| error("it has no `ground_truth`"))?;
        if asks == Asks::Calls {
            let expected = truth.items().map(|call| expected_of(call, functions, language));
            let expected = expected.collect::<Result<_, _>>()?;
            let parallel = category.contains("parallel");
            return Ok(if parallel { Self::Parallel(expected) } else { Self::Multiple(expected) });
        }
        let function = functions.items().next().ok_or_else(|| error("its `functions` are empty"))?;
        let call = truth.items().next().ok_or_else(|| error("it has no `ground_truth`"))?;
        Ok(Self::One(compile_call(function, named(call)?.1, language)?))
    }
}

/// The only member of an expected call: the function and what is allowed for its parameters.
fn named(call: View<'_>) -> Result<(&str, View<'_>), CaseError> {
    let member = call.members().next().filter(|(_, allowed)| allowed.is_dict());
    member.ok_or_else(|| error("an item of its `ground_truth` is no `{function: {parameter: [values]}}`"))
}

fn expected_of(
    call: View<'_>,
    functions: View<'_>,
    language: Language,
) -> Result<Option<Expected>, CaseError> {
    let (name, allowed) = named(call)?;
    let function = functions.items().find(|f| f.get("name").and_then(View::text) == Some(name));
    function.map(|function| compile_call(function, allowed, language)).transpose()
}

fn compile_call(function: View<'_>, allowed: View<'_>, language: Language) -> Result<Expected, CaseError> {
    let name = function.get("name").and_then(View::text).ok_or_else(|| error("a function has no `name`"))?;
    let doc = Doc::of(function);
    let slots = doc.slots(allowed, language)?;
    Ok(Expected {
        name: name.into(),
        underscored: name.replace('.', "_").into(),
        required: slots.iter().filter(|slot| slot.required).count(),
        needed: slots.iter().filter(|slot| slot.needed).count(),
        slots,
    })
}

/// The parameters of a function doc.
struct Doc<'t> {
    properties: Option<View<'t>>,
    required: Option<View<'t>>,
}

impl<'t> Doc<'t> {
    fn of(function: View<'t>) -> Self {
        let parameters = function.get("parameters");
        let part = |name: &str| parameters.and_then(|parameters| parameters.get(name));
        Self { properties: part("properties"), required: part("required") }
    }

    /// One slot for each name, those of the doc first, in its order.
    fn slots(&self, allowed: View<'_>, language: Language) -> Result<Box<[Slot]>, CaseError> {
        let mut names: Vec<&str> = Vec::new();
        let documented = self.properties.into_iter().flat_map(View::members).map(|(name, _)| name);
        let required = self.required.into_iter().flat_map(View::items).filter_map(View::text);
        for name in documented.chain(required).chain(allowed.members().map(|(name, _)| name)) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names.into_iter().map(|name| self.slot(name, allowed.get(name), language)).collect()
    }

    fn slot(&self, name: &str, allowed: Option<View<'_>>, language: Language) -> Result<Slot, CaseError> {
        let allowed = allowed.map(|allowed| values(name, allowed)).transpose()?;
        let documented = self.properties.and_then(|properties| properties.get(name));
        let required = self.required.is_some_and(|r| r.items().any(|item| item.text() == Some(name)));
        let needed = allowed.as_ref().is_some_and(|allowed| !allowed.iter().any(Datum::is_blank));
        let parameter = match (documented, allowed) {
            (Some(doc), Some(allowed)) => Some(parameter(name, doc, allowed, language)?),
            _ => None,
        };
        Ok(Slot { name: name.into(), required, needed, parameter })
    }
}

fn values(name: &str, allowed: View<'_>) -> Result<Box<[Datum]>, CaseError> {
    if !allowed.is_list() {
        return Err(error(format!("its `ground_truth` has no list of allowed values for `{name}`")));
    }
    Ok(allowed.items().map(Datum::of).collect())
}

fn parameter(
    name: &str,
    doc: View<'_>,
    allowed: Box<[Datum]>,
    language: Language,
) -> Result<Parameter, CaseError> {
    let written = type_of(doc).unwrap_or_default();
    let kind = language.kind(written);
    let kind = kind.ok_or_else(|| error(format!("the type `{written}` of `{name}` is unknown")))?;
    let items = doc.get("items").filter(|_| language.has_items(written));
    let items = items.and_then(type_of);
    let items = items.map(|items| language.kind(items).unwrap_or(Kind::Never));
    let widens = language == Language::Python && written == "float";
    Ok(Parameter::new(kind, items, widens, allowed))
}

/// The leaderboard's name of a type; a tool's schema has it beside the type that JSON Schema knows.
fn type_of(doc: View<'_>) -> Option<&str> {
    doc.get(WRITTEN_TYPE).or_else(|| doc.get("type")).and_then(View::text)
}
