//! A reading verb whose hints speak of changes.

use crate::{
    lint::{Check, Lint, LintStage, Report, Severity, Subject},
    model::EffectLevel,
    normalize::verbs,
};

pub(super) const LINT: Lint = Lint {
    code: "hints-overstate",
    stage: LintStage::Permission,
    severity: Severity::Note,
    finds: "The name speaks of reading alone, and the hints say that the tool changes or destroys something.",
    why: "Either the name hides what the tool does, or every call is approved for nothing and people stop looking.",
    fix: "correct the hint, or say in the name what else the tool does",
    check: Check::Tool(check),
};

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    if !reads(subject) {
        return;
    }
    for (hint, value, says) in [
        ("destructiveHint", true, "the hints say that it destroys"),
        ("readOnlyHint", false, "the hints say that it changes something"),
    ] {
        if subject.hint(hint) == Some(value) {
            let message = format!("`{}` sounds like reading, and {says}", subject.name());
            report.served(subject, format!("/annotations/{hint}"), message);
            return;
        }
    }
}

/// Whether the name begins with a verb of reading, after the name of its source.
fn reads(subject: &Subject<'_>) -> bool {
    // Something is stored, run or reported as well.
    const MORE: [&str; 6] = ["download", "export", "check", "audit", "load", "validate"];
    let source = verbs::words(&subject.tool.source.source_id);
    let words = verbs::words(subject.name());
    let first = words.iter().find(|word| !source.contains(word));
    let only_reads = |word: &String| {
        !MORE.contains(&word.as_str())
            && verbs::action_of(word).is_some_and(|action| action.floor() == EffectLevel::PureRead)
    };
    subject.verb_level() == Some(EffectLevel::PureRead) && first.is_some_and(only_reads)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::check_served;
    use serde_json::json;

    #[test]
    fn a_reader_is_a_reader() {
        let of = |name, hint: &str, value| json!({ "name": name, "inputSchema": {}, "annotations": { hint: value } });
        check_served(&LINT, of("get_a", "readOnlyHint", true), &[]);
        check_served(&LINT, of("find_and_replace", "destructiveHint", true), &[]);
        check_served(&LINT, of("stop_search", "readOnlyHint", false), &[]);
        check_served(&LINT, of("export_csv", "readOnlyHint", false), &[]);
        check_served(
            &LINT,
            of("read_sheet", "destructiveHint", true),
            &[
                "/annotations/destructiveHint: `read_sheet` sounds like reading, and the hints say that it destroys",
            ],
        );
        check_served(
            &LINT,
            of("get_a", "readOnlyHint", false),
            &[
                "/annotations/readOnlyHint: `get_a` sounds like reading, and the hints say that it changes something",
            ],
        );
    }
}
