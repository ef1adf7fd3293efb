//! `--filter`: which cases are run.
//!
//! Terms separated by blanks; all of them must hold. `-TERM` turns a term round. A term is `tag:…`, `tool:…`
//! (a tool that the case expects), `kind:…`, `id:…`, a bare glob over ids, or `failed` (the case did not pass
//! in the latest run). Values are globs, alternatives separated by commas.

use crate::suite::Case;
use globset::{Glob, GlobSet, GlobSetBuilder};
use std::collections::BTreeSet;

/// A parsed filter.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    terms: Vec<Term>,
}

#[derive(Debug, Clone)]
struct Term {
    negated: bool,
    test: Test,
}

#[derive(Debug, Clone)]
enum Test {
    Id(GlobSet),
    Tag(GlobSet),
    Tool(GlobSet),
    Kind(GlobSet),
    Failed,
}

/// A filter that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FilterError {
    /// An unknown key.
    #[error(
        "unknown filter `{0}`\nhint: use `id:…`, `tag:…`, `tool:…`, `kind:…`, a glob over case ids, or `failed`"
    )]
    UnknownKey(String),
    /// A broken glob.
    #[error("filter `{term}`: {message}")]
    Glob {
        /// The term.
        term: String,
        /// What is wrong.
        message: String,
    },
}

impl Filter {
    /// Parses a filter; an empty text lets every case through.
    ///
    /// # Errors
    /// [`FilterError`] for an unknown key or a broken glob.
    pub fn parse(text: &str) -> Result<Self, FilterError> {
        text.split_whitespace().map(term).collect::<Result<_, _>>().map(|terms| Self { terms })
    }

    /// Whether the filter asks what failed before.
    pub fn needs_failed(&self) -> bool {
        self.terms.iter().any(|t| matches!(t.test, Test::Failed))
    }

    /// Whether a case is run. `failed` holds the ids of the cases that did not pass in the latest run.
    pub fn admits(&self, case: &Case, failed: &BTreeSet<String>) -> bool {
        self.terms.iter().all(|t| t.negated != t.test.holds(case, failed))
    }
}

impl Test {
    fn holds(&self, case: &Case, failed: &BTreeSet<String>) -> bool {
        match self {
            Self::Id(globs) => globs.is_match(&case.id),
            Self::Tag(globs) => case.tags.iter().any(|t| globs.is_match(t)),
            Self::Tool(globs) => {
                let expected = case.turns.iter().flat_map(|t| t.expect.iter().flatten());
                expected.into_iter().any(|e| globs.is_match(e.tool.as_str()))
            }
            Self::Kind(globs) => {
                serde_json::to_value(case.kind).is_ok_and(|k| k.as_str().is_some_and(|k| globs.is_match(k)))
            }
            Self::Failed => failed.contains(&case.id),
        }
    }
}

fn term(text: &str) -> Result<Term, FilterError> {
    let (negated, rest) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
    let test = match rest.split_once(':') {
        None if rest == "failed" => Test::Failed,
        None => Test::Id(globs(text, rest)?),
        Some(("id", value)) => Test::Id(globs(text, value)?),
        // A tag may hold a colon itself, such as `lang:de`.
        Some(("tag", value)) => Test::Tag(globs(text, value)?),
        Some(("tool", value)) => Test::Tool(globs(text, value)?),
        Some(("kind", value)) => Test::Kind(globs(text, value)?),
        Some(_) => return Err(FilterError::UnknownKey(text.to_owned())),
    };
    Ok(Term { negated, test })
}

fn globs(term: &str, value: &str) -> Result<GlobSet, FilterError> {
    let error = |e: globset::Error| FilterError::Glob { term: term.to_owned(), message: e.to_string() };
    let mut set = GlobSetBuilder::new();
    for glob in value.split(',') {
        set.add(Glob::new(glob).map_err(error)?);
    }
    set.build().map_err(error)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::suite::Suite;

    fn admitted(filter: &str) -> Vec<String> {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/suites/coding-agent.yaml");
        let suite = Suite::load(std::path::Path::new(file)).unwrap();
        let filter = Filter::parse(filter).unwrap();
        let failed = BTreeSet::from(["show-package-json".to_owned()]);
        suite.cases.iter().filter(|c| filter.admits(c, &failed)).map(|c| c.id.clone()).collect()
    }

    #[test]
    fn every_term_must_hold() {
        let all = admitted("").len();
        assert_eq!(admitted("failed"), ["show-package-json"]);
        assert_eq!(admitted("id:show-package-*"), admitted("show-package-json"));
        let negative = admitted("kind:negative").len();
        assert!(negative >= 40 && negative + admitted("-kind:negative").len() == all);
        let files = admitted("tool:file.*");
        assert!(files.len() > admitted("tool:file.read").len());
        assert!(admitted("tool:file.* -tag:files").len() < files.len());
        assert!(admitted("tool:file.read,file.list").len() >= admitted("tool:file.list").len());
        assert!(admitted("no-such-case").is_empty());
    }

    #[test]
    fn what_cannot_be_read_is_told() {
        assert!(Filter::parse("tga:files").unwrap_err().to_string().contains("unknown filter `tga:files`"));
        assert!(Filter::parse("id:[").is_err());
    }
}
