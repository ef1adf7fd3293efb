//! Pictures in a description.

use crate::lint::{Check, Lint, LintStage, Report, Severity, Subject};

pub(super) const LINT: Lint = Lint {
    code: "description-emoji",
    stage: LintStage::Description,
    severity: Severity::Note,
    finds: "A description holds emoji.",
    why: "They say nothing that words do not, cost several tokens each, and draw attention from other tools.",
    fix: "say it in words",
    check: Check::Tool(check),
};

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    for (pointer, text) in subject.texts() {
        if let Some(found) = text.chars().find(|c| is_emoji(*c)) {
            report.at(subject, pointer, format!("`{found}` is in the description"));
        }
    }
}

/// Pictographs; arrows, box drawing and check marks are punctuation.
fn is_emoji(c: char) -> bool {
    matches!(c, '\u{1f000}'..='\u{1faff}' | '\u{2600}'..='\u{26ff}' | '\u{2705}' | '\u{270a}'..='\u{2712}'
        | '\u{2728}' | '\u{274c}' | '\u{274e}' | '\u{2753}'..='\u{2757}' | '\u{2764}' | '\u{2795}'..='\u{2797}'
        | '\u{2b50}' | '\u{2b55}' | '\u{231a}' | '\u{231b}' | '\u{23e9}'..='\u{23f3}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::check_summary;

    #[test]
    fn a_description_is_words() {
        check_summary(&LINT, "Größe → 3 × 4 ✓ 日本", &[]);
        check_summary(&LINT, "💡 Tip: use", &["/description/summary: `💡` is in the description"]);
    }
}
