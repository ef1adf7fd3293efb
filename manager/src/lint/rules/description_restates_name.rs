//! A description that says the name once more.

use crate::{
    lint::{Check, Lint, LintStage, Report, Severity, Subject},
    normalize::verbs,
    resolve::bm25,
};

pub(super) const LINT: Lint = Lint {
    code: "description-restates-name",
    stage: LintStage::Description,
    severity: Severity::Warning,
    finds: "The description consists of the words of the name.",
    why: "It tells a model nothing that the name does not.",
    fix: "say what comes back, and when another tool is the right one",
    check: Check::Tool(check),
};

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    let (name, summary) = (terms(&verbs::words(subject.name()).join(" ")), terms(subject.summary()));
    if !summary.is_empty() && summary.iter().all(|word| name.contains(word)) {
        report.at(subject, "/description/summary", "the description repeats the name");
    }
}

fn terms(text: &str) -> Vec<bm25::Term> {
    let mut terms = Vec::new();
    bm25::words(text, |word| terms.push(bm25::Term::of(word)));
    terms
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::check;

    #[test]
    fn a_description_says_more_than_the_name() {
        let of = |name: &'static str, summary: &'static str| {
            move |t: &mut crate::model::ToolDescriptor| {
                t.canonical_name = name.into();
                t.description.summary = summary.into();
            }
        };
        check(&LINT, of("show_build_settings", "Shows the settings of a build as text."), &[]);
        for summary in ["Show build settings.", "Shows the build's settings"] {
            let told = ["/description/summary: the description repeats the name"];
            check(&LINT, of("show_build_settings", summary), &told);
        }
    }
}
