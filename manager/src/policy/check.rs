//! What is wrong with a set of policies, found before it is used.
//!
//! A policy that cannot match, or that speaks of something that does not exist, is a mistake: what its
//! author wanted forbidden would not be.

use super::{
    text::{PolicyText, Stated},
    uses::{Uses, Wanted},
    vocabulary::{self, TypedTool, TypedTools, Vocabulary},
    words,
};
use crate::document::{DocumentError, did_you_mean};
use cedar_policy::{PolicyId, PolicySet, ValidationMode, Validator};
use std::collections::{BTreeMap, BTreeSet};

/// At most this many tools get an action of their own.
const MAX_TYPED: usize = 1_000;

/// A policy with what it speaks of.
pub(super) struct Read {
    pub(super) stated: Stated,
    pub(super) uses: Uses,
}

/// A set that nothing is wrong with, and the tools whose arguments it speaks of.
pub(super) struct Checked {
    pub(super) policies: Vec<Read>,
    pub(super) typed: TypedTools,
    /// Whether a policy speaks of arguments without naming the tools.
    pub(super) open: bool,
}

/// Checks policies with the vocabulary.
pub(super) fn check(
    stated: Vec<Stated>,
    texts: &[PolicyText],
    vocabulary: &Vocabulary<'_>,
) -> Result<Checked, Vec<DocumentError>> {
    let mut problems = duplicates(&stated, texts);
    let mut policies = Vec::new();
    for stated in stated {
        match Uses::of(&stated.policy) {
            Ok(uses) => policies.push(Read { stated, uses }),
            Err(error) => problems.push(texts[stated.source].mistake(stated.policy.id().as_ref(), &error)),
        }
    }
    let open = policies.iter().any(|p| p.uses.args.is_some() && p.uses.tools_of_scope().is_none());
    let typed = if open {
        if vocabulary.len() > MAX_TYPED {
            problems.extend(too_open(&policies, texts, vocabulary.len()));
            return Err(problems);
        }
        vocabulary.typed(vocabulary.ids())
    } else {
        vocabulary.typed(policies.iter().flat_map(|p| p.uses.called_tools()))
    };
    let of_names: Vec<_> = policies
        .iter()
        .map(|policy| {
            Names { policy, text: &texts[policy.stated.source], vocabulary, typed: &typed }.problems()
        })
        .collect();
    let told: BTreeSet<&PolicyId> = policies
        .iter()
        .zip(&of_names)
        .filter(|(_, problems)| !problems.is_empty())
        .map(|(policy, _)| policy.stated.policy.id())
        .collect();
    problems.extend(validate(&policies, texts, &typed, &told));
    problems.extend(of_names.into_iter().flatten());
    problems.sort_by(|a, b| a.place.cmp(&b.place));
    if problems.is_empty() { Ok(Checked { policies, typed, open }) } else { Err(problems) }
}

fn duplicates(stated: &[Stated], texts: &[PolicyText]) -> Vec<DocumentError> {
    let mut seen: BTreeMap<&PolicyId, usize> = BTreeMap::new();
    let mut problems = Vec::new();
    for Stated { policy, source } in stated {
        if let Some(first) = seen.insert(policy.id(), *source) {
            problems.push(DocumentError {
                place: texts[*source].place_of(policy.id().as_ref(), ""),
                field: policy.id().to_string(),
                message: format!("two policies have this id; the other stands in `{}`", texts[first].file),
                hint: Some("give each its own: decisions name policies by it".to_owned()),
            });
        }
    }
    problems
}

fn too_open(policies: &[Read], texts: &[PolicyText], tools: usize) -> Option<DocumentError> {
    let policy = policies.iter().find(|p| p.uses.args.is_some() && p.uses.tools_of_scope().is_none())?;
    let id = policy.stated.policy.id().to_string();
    Some(DocumentError {
        place: texts[policy.stated.source].place_of(&id, "context"),
        message: format!(
            "it speaks of the arguments of all {tools} tools, and at most {MAX_TYPED} can be checked"
        ),
        hint: Some("name the tools in the head: `action in [Action::\"call:TOOL\", …]`".to_owned()),
        field: id,
    })
}

/// Validates with Cedar: what speaks of named tools with the whole schema, the rest with the fixed part.
fn validate(
    policies: &[Read],
    texts: &[PolicyText],
    typed: &TypedTools,
    told: &BTreeSet<&PolicyId>,
) -> Vec<DocumentError> {
    let (special, plain): (Vec<&Read>, Vec<&Read>) =
        policies.iter().partition(|p| p.uses.args.is_some() || p.uses.called_tools().next().is_some());
    let mut problems = Vec::new();
    for (group, typed) in [(plain, &TypedTools::new()), (special, typed)] {
        // A duplicate is told already.
        let mut set = PolicySet::new();
        for read in &group {
            set.add(read.stated.policy.clone()).ok();
        }
        let schema = match vocabulary::schema(typed) {
            Ok(schema) => schema,
            Err(error) => {
                problems.extend(group.first().map(|read| DocumentError {
                    place: texts[read.stated.source].place_of("", ""),
                    field: String::new(),
                    message: format!("the tools' arguments make no schema: {error}"),
                    hint: None,
                }));
                continue;
            }
        };
        let result = Validator::new(schema).validate(&set, ValidationMode::Strict);
        let source = |id: &PolicyId| {
            group.iter().find(|read| read.stated.policy.id() == id).map(|read| &texts[read.stated.source])
        };
        let errors = result.validation_errors().map(|e| (e.policy_id(), e as &dyn miette::Diagnostic));
        let warnings = result.validation_warnings().map(|w| (w.policy_id(), w as &dyn miette::Diagnostic));
        let found = errors.chain(warnings).filter(|(id, _)| !told.contains(id));
        problems.extend(found.filter_map(|(id, e)| Some(source(id)?.mistake(id.as_ref(), e))));
    }
    // Cedar says the same once for every action.
    problems.sort_by(|a, b| (&a.place, &a.message).cmp(&(&b.place, &b.message)));
    problems.dedup_by(|a, b| a.place == b.place && a.field == b.field);
    problems
}

impl Uses {
    /// The tools that it names as `call:TOOL`.
    pub(super) fn called_tools(&self) -> impl Iterator<Item = &str> {
        self.actions.iter().filter_map(|action| action.strip_prefix("call:"))
    }

    /// The only tools that it can be about, where its head says so.
    fn tools_of_scope(&self) -> Option<Vec<&str>> {
        let scope = self.scope.as_ref()?;
        scope.iter().filter(|action| *action != "expose").map(|action| action.strip_prefix("call:")).collect()
    }
}

/// The names that one policy uses.
struct Names<'a> {
    policy: &'a Read,
    text: &'a PolicyText,
    vocabulary: &'a Vocabulary<'a>,
    typed: &'a TypedTools,
}

impl Names<'_> {
    fn problems(&self) -> Vec<DocumentError> {
        let uses = &self.policy.uses;
        let mut problems: Vec<DocumentError> =
            uses.called_tools().filter_map(|t| self.tool(t, "call:")).collect();
        problems.extend(uses.tools.iter().filter_map(|t| self.tool(t, "")));
        if uses.exact_actions.contains("call") {
            problems.push(self.problem(
                "Action::\"call\"",
                "no call has the action `call`: it is the group of all calls",
                Some("write `action in Action::\"call\"`".to_owned()),
            ));
        }
        problems.extend(uses.words.iter().filter_map(|(path, word)| self.word(path, word)));
        problems.extend(self.arguments());
        problems
    }

    fn problem(&self, words: &str, message: impl Into<String>, hint: Option<String>) -> DocumentError {
        let id = self.policy.stated.policy.id().to_string();
        DocumentError { place: self.text.place_of(&id, words), field: id, message: message.into(), hint }
    }

    fn tool(&self, tool: &str, prefix: &str) -> Option<DocumentError> {
        if self.vocabulary.has(tool) {
            return None;
        }
        let hint = match did_you_mean(tool, self.vocabulary.ids()) {
            Some(known) => format!("did you mean `{known}`?"),
            None if self.vocabulary.len() == 0 => {
                "no tools are known here; name them beside the policies".to_owned()
            }
            None => "register the tool first, or remove the policy".to_owned(),
        };
        Some(self.problem(&format!("{prefix}{tool}"), format!("no tool `{tool}` is registered"), Some(hint)))
    }

    fn word(&self, path: &str, word: &str) -> Option<DocumentError> {
        let known = words::of(path, self.vocabulary)?;
        if known.iter().any(|k| k == word) {
            return None;
        }
        let hint = match did_you_mean(word, known.iter().map(String::as_str)) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None if known.is_empty() => "no registered tool has any".to_owned(),
            None => format!("it is one of {}", enumerate(&known)),
        };
        let message = format!("`{path}` is never `{word}`, so this can never match");
        Some(self.problem(word, message, Some(hint)))
    }

    /// Arguments that a tool in its head hides from policy, or that none of those tools has.
    fn arguments(&self) -> Vec<DocumentError> {
        let uses = &self.policy.uses;
        let names = uses.args.as_ref().and_then(Wanted::names);
        let (Some(names), Some(tools)) = (names, uses.tools_of_scope()) else { return Vec::new() };
        let typed: Vec<_> = tools.iter().filter_map(|tool| Some((*tool, self.typed.get(*tool)?))).collect();
        names.filter_map(|name| self.argument(name, &typed)).collect()
    }

    fn argument(&self, name: &str, tools: &[(&str, &TypedTool)]) -> Option<DocumentError> {
        let hidden = tools.iter().find_map(|(tool, of)| Some((tool, of.arguments.unseen.get(name)?)));
        if let Some((tool, why)) = hidden {
            let message = format!("policy cannot see the argument `{name}` of `{tool}`: {}", why.reason());
            let hint = "decide by another argument, or give it one type in the tool's input schema";
            return Some(self.problem(name, message, Some(hint.to_owned())));
        }
        let (tool, of) = tools.first()?;
        if tools.iter().any(|(_, of)| of.arguments.properties.contains_key(name)) {
            return None;
        }
        let known: Vec<String> = of.arguments.properties.keys().cloned().collect();
        let hint = match did_you_mean(name, known.iter().map(String::as_str)) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None if known.is_empty() => format!("`{tool}` has no argument that policy can see"),
            None => format!("it has {}", enumerate(&known)),
        };
        Some(self.problem(name, format!("the tool `{tool}` has no argument `{name}`"), Some(hint)))
    }
}

fn enumerate(words: &[String]) -> String {
    const MAX: usize = 12;
    let shown: Vec<String> = words.iter().take(MAX).map(|w| format!("`{w}`")).collect();
    let more = if words.len() > MAX { format!(" and {} more", words.len() - MAX) } else { String::new() };
    format!("{}{more}", shown.join(", "))
}
