//! A page for people: one file without a script, that opens from a disk and loads nothing.
//!
//! It shares the style of the other reports. What comes from a journal enters through the template with
//! escaping on.

use super::{Format, FormatError, line};
use crate::conform::{Report, Requirement, Ruling, Verdict, invariants};
use serde::Serialize;
use tera::{Context, Tera};

pub(super) struct Html;

const TEMPLATE: &str = include_str!("../../../reports/templates/conform.html.tera");

const STYLE: &str = concat!(
    include_str!("../../../reports/assets/css/base.css"),
    include_str!("../../../reports/assets/conform/conform.css"),
);

/// An invariant on the page.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Row<'a> {
    #[serde(flatten)]
    ruling: &'a Ruling,
    why: &'static str,
    requirements: &'static [Requirement],
    hidden: u64,
}

impl Format for Html {
    fn name(&self) -> &'static str {
        "html"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["html", "htm"]
    }

    fn tell(&self, report: &Report) -> Result<String, FormatError> {
        let mut tera = Tera::default();
        tera.autoescape_on([".tera"]);
        tera.add_raw_template("conform.html.tera", TEMPLATE)?;
        let mut context = Context::new();
        context.insert("style", STYLE);
        context.insert("summary", &line::summary(report));
        context.insert("suite", report.suite);
        context.insert("headline", headline(report.verdict()));
        context.insert("verdict", &report.verdict());
        context.insert("events", &report.events);
        context.insert("evidence", &report.evidence);
        context.insert("rows", &report.rulings.iter().map(row).collect::<Vec<_>>());
        // Control characters have no meaning on a page and may have one where its source is shown.
        Ok(tera.render("conform.html.tera", &context)?.replace(|c: char| c.is_control() && c != '\n', "�"))
    }
}

fn row(ruling: &Ruling) -> Row<'_> {
    let invariant = invariants::ALL[usize::from(ruling.invariant) - 1];
    let hidden = ruling.violations.saturating_sub(ruling.findings.len() as u64);
    Row { ruling, why: invariant.why(), requirements: invariant.requirements(), hidden }
}

const fn headline(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Conforms => "It conforms",
        Verdict::Fails => "It does not conform",
        Verdict::Undecided => "It is not proven",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conform::{Judge, Options};

    #[test]
    fn nothing_is_loaded_and_nothing_runs() {
        let page = Html.tell(&Judge::new(&Options::default()).rule(&[])).unwrap();
        for part in ["<script", "https:", "http:", "src=", "@import", "url("] {
            assert!(!page.contains(part), "the page holds `{part}`");
        }
        assert!(page.contains("default-src 'none'") && page.contains("id=\"invariant-16\""));
    }
}
