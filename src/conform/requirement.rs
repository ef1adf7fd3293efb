//! What is demanded, point by point: each check of the judge has an id, a level and a place in the
//! specification, and a list of them is frozen with every version of the suite.
//!
//! An invariant declares its requirements beside the check that makes them; a finding names the one that was not
//! met. What is in the list of a version never changes: a check that is added, dropped or sharpened makes the
//! next version, so that *conforms to version 1* means the same for ever.

use super::invariants;
use serde::{Deserialize, Serialize};

/// The version of the suite.
pub const SUITE: &str = "1.0";

/// How binding a requirement is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Level {
    /// Not met, the invariant is violated.
    #[default]
    Must,
    /// Not met, it is told as advice, and the invariant holds all the same.
    Should,
}

impl Level {
    /// Its word, as specifications write it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Must => "MUST",
            Self::Should => "SHOULD",
        }
    }
}

/// One check of the judge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Requirement {
    /// The invariant's number and its own: `R5.2`.
    pub id: &'static str,
    /// How binding it is.
    pub level: Level,
    /// Where the specification says so.
    pub section: &'static str,
    /// What is demanded, in a sentence.
    pub text: &'static str,
}

impl Requirement {
    pub(super) const fn must(id: &'static str, section: &'static str, text: &'static str) -> Self {
        Self { id, level: Level::Must, section, text }
    }

    pub(super) const fn should(id: &'static str, section: &'static str, text: &'static str) -> Self {
        Self { id, level: Level::Should, section, text }
    }

    /// Every requirement of this version, by invariant.
    pub fn all() -> impl Iterator<Item = &'static Self> {
        invariants::ALL.iter().flat_map(|invariant| invariant.requirements())
    }
}

/// The list of this version as a Markdown page.
pub fn page() -> String {
    let mut out = format!(
        "# Requirements, version {SUITE}\n\nWhat `proofhouse conform` checks. This list is frozen: a check that is added, dropped or sharpened makes the\nnext version. A *MUST* that is not met violates its invariant; a *SHOULD* is told as advice. Sections are those of\nthe tool manager's specification. `proofhouse conform --explain N` shows logs that meet and miss them.\n"
    );
    for invariant in invariants::ALL {
        out += &format!(
            "\n## {}. {}\n\n| id | level | section | what is demanded |\n| --- | --- | --- | --- |\n",
            invariant.number(),
            invariant.title()
        );
        for Requirement { id, level, section, text } in invariant.requirements() {
            out += &format!("| {id} | {} | {section} | {text} |\n", level.word());
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_their_invariants_number_and_their_own() {
        for invariant in invariants::ALL {
            let ids: Vec<&str> = invariant.requirements().iter().map(|r| r.id).collect();
            let expected: Vec<String> =
                (1..=ids.len()).map(|n| format!("R{}.{n}", invariant.number())).collect();
            assert_eq!(ids, expected);
            assert!(!ids.is_empty(), "{}", invariant.number());
        }
    }

    #[test]
    fn the_list_of_this_version_is_frozen() {
        let path = format!("{}/docs/requirements-{SUITE}.md", env!("CARGO_MANIFEST_DIR"));
        let frozen = std::fs::read_to_string(&path).unwrap_or_default();
        assert_eq!(
            page(),
            frozen,
            "version {SUITE} is frozen: other requirements are another version; \
             `proofhouse conform --requirements` prints the page"
        );
    }
}
