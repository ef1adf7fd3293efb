//! A badge for a front page: an SVG that says in a glance how it stands.

use super::{Format, FormatError};
use crate::conform::{Report, Standing, Verdict};

pub(super) struct Badge;

/// Wide enough for a letter of 11 pixels Verdana, on average.
const LETTER: usize = 7;
const LABEL: &str = "tool manager";

impl Format for Badge {
    fn name(&self) -> &'static str {
        "badge"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["svg"]
    }

    fn tell(&self, report: &Report) -> Result<String, FormatError> {
        let (all, holds) = (report.rulings.len(), report.standing(Standing::Holds).count());
        // Both pass WCAG AA under white text.
        let (words, colour) = match report.verdict() {
            Verdict::Conforms => (format!("{holds} of {all} invariants hold"), "#2b7a3d"),
            Verdict::Fails => match report.violated().len() {
                0 => ("evidence was changed".to_owned(), "#b3261e"),
                n => (format!("{n} of {all} invariants violated"), "#b3261e"),
            },
            Verdict::Undecided => (format!("{holds} of {all} proven"), "#8a5a00"),
        };
        let (left, right) = (LABEL.len() * LETTER + 12, words.len() * LETTER + 12);
        let (width, middle) = (left + right, left + right / 2);
        Ok(format!(
            r##"<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="20" role="img" aria-label="{LABEL}: {words}"><title>{LABEL}: {words}</title><clipPath id="r"><rect width="{width}" height="20" rx="3"/></clipPath><g clip-path="url(#r)"><rect width="{left}" height="20" fill="#444"/><rect x="{left}" width="{right}" height="20" fill="{colour}"/></g><g fill="#fff" text-anchor="middle" font-family="Verdana,Geneva,sans-serif" font-size="11"><text x="{half}" y="14">{LABEL}</text><text x="{middle}" y="14">{words}</text></g></svg>
"##,
            half = left / 2
        ))
    }
}
