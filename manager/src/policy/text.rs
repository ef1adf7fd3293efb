//! Policies as text: parsed, named, and each mistake with its place.

use crate::document::{DocumentError, Place};
use cedar_policy::{Policy, PolicyId, PolicySet};
use miette::Diagnostic;
use std::{str::FromStr, sync::Arc};

/// Bytes of all policies together.
const MAX_TEXT: usize = 256 << 10;
/// Bytes of one policy.
const MAX_POLICY: usize = 8 << 10;
/// How deeply brackets may be nested in a policy.
const MAX_NESTING: usize = 32;

/// A file of policies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PolicyText {
    /// The file, as the user named it.
    pub file: Arc<str>,
    /// What stands in it.
    pub text: String,
}

/// A policy, and where it stands.
pub(super) struct Stated {
    pub(super) policy: Policy,
    pub(super) source: usize,
}

impl PolicyText {
    /// A file's text.
    pub fn new(file: impl Into<Arc<str>>, text: impl Into<String>) -> Self {
        Self { file: file.into(), text: text.into() }
    }

    fn start(&self) -> Place {
        Place::start(Arc::clone(&self.file))
    }

    /// The place of a byte offset.
    fn place(&self, offset: usize) -> Place {
        let before = self.text.get(..offset).unwrap_or_default();
        let line = before.rsplit('\n').next().unwrap_or_default();
        let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        self.start().moved(count(before.matches('\n').count() + 1), count(line.chars().count() + 1))
    }

    /// Where a policy says something: at the words, else at its `@id`, else at the start of the file.
    pub(super) fn place_of(&self, id: &str, words: &str) -> Place {
        let policy = self.text.find(&format!("@id({id:?})")).unwrap_or(0);
        let within = self.text[policy..].find(words).filter(|_| !words.is_empty());
        self.place(policy + within.unwrap_or(0))
    }

    /// A mistake that Cedar found, told in our form.
    pub(super) fn mistake(&self, id: &str, found: &dyn Diagnostic) -> DocumentError {
        let offset = found.labels().and_then(|mut labels| labels.next()).map(|label| label.offset());
        let place = offset.map_or_else(|| self.place_of(id, ""), |offset| self.place(offset));
        let message = found.to_string();
        let message = message.strip_prefix(&format!("for policy `{id}`, ")).unwrap_or(&message);
        let hint = found.help().map(|help| help.to_string());
        DocumentError { place, field: id.to_owned(), message: message.to_owned(), hint }
    }

    fn wrong(&self, at: usize, message: &str, hint: &str) -> DocumentError {
        let place = self.place(at);
        DocumentError {
            place,
            field: String::new(),
            message: message.to_owned(),
            hint: Some(hint.to_owned()),
        }
    }

    /// The policies of this file, each under its `@id`.
    pub(super) fn parse(&self, source: usize) -> Result<Vec<Stated>, Vec<DocumentError>> {
        self.bounded().map_err(|e| vec![e])?;
        let set = PolicySet::from_str(&self.text)
            .map_err(|errors| errors.iter().map(|e| self.mistake("", e)).collect::<Vec<_>>())?;
        if let Some(template) = set.templates().next() {
            let at = self.text.find('?').unwrap_or(0);
            let message = format!("`{}` is a template, and nothing fills its slots", template.id());
            return Err(vec![self.wrong(at, &message, "write the principal or tool out")]);
        }
        if set.is_empty() {
            return Err(vec![self.wrong(
                0,
                "there is no policy in the file",
                "a set without a policy denies everything; remove the file, or write a policy",
            )]);
        }
        let named = |policy: &Policy| match policy.annotation("id").filter(|id| !id.is_empty()) {
            Some(id) => Ok(Stated { policy: policy.new_id(PolicyId::new(id)), source }),
            None => {
                let text = policy.to_string();
                let at = self.text.find(&text).unwrap_or(0);
                Err(self.wrong(at, "a policy has no `@id`", "add `@id(\"…\")` above it: decisions name it"))
            }
        };
        let (named, wrong): (Vec<_>, Vec<_>) = set.policies().map(named).partition(Result::is_ok);
        let wrong: Vec<DocumentError> = wrong.into_iter().filter_map(Result::err).collect();
        if wrong.is_empty() { Ok(named.into_iter().filter_map(Result::ok).collect()) } else { Err(wrong) }
    }

    /// Refuses what could exhaust the stack of a parser, before one sees it.
    fn bounded(&self) -> Result<(), DocumentError> {
        const HINT: &str = "split it, or name a set of values instead of a chain of conditions";
        let (mut depth, mut start, mut quoted, mut comment, mut escaped) = (0usize, 0, false, false, false);
        for (at, byte) in self.text.bytes().enumerate() {
            match byte {
                b'\n' => comment = false,
                _ if comment => {}
                _ if escaped => escaped = false,
                b'\\' if quoted => escaped = true,
                b'"' => quoted = !quoted,
                _ if quoted => {}
                b'/' if self.text[at..].starts_with("//") => comment = true,
                b'(' | b'[' | b'{' => depth += 1,
                b')' | b']' | b'}' => depth = depth.saturating_sub(1),
                b';' if depth == 0 => start = at + 1,
                _ => {}
            }
            if depth > MAX_NESTING {
                return Err(self.wrong(at, &format!("brackets are nested deeper than {MAX_NESTING}"), HINT));
            }
            if at.saturating_sub(start) > MAX_POLICY {
                let message = format!("a policy is longer than {} KiB", MAX_POLICY >> 10);
                return Err(self.wrong(start, &message, HINT));
            }
        }
        Ok(())
    }
}

/// Refuses more text than a set of policies needs.
pub(super) fn check_size(texts: &[PolicyText]) -> Result<(), DocumentError> {
    let mut total = 0;
    for text in texts {
        total += text.text.len();
        if total > MAX_TEXT {
            let message = format!("the policies are larger than {} KiB together", MAX_TEXT >> 10);
            return Err(text.wrong(
                0,
                &message,
                "every call waits for all of them; remove what is not needed",
            ));
        }
    }
    Ok(())
}
