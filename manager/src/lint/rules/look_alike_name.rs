//! A name that looks like another.

use crate::lint::{Check, Lint, LintStage, Report, Severity, Subject};
use unicode_normalization::UnicodeNormalization as _;

pub(super) const LINT: Lint = Lint {
    code: "look-alike-name",
    stage: LintStage::Security,
    severity: Severity::Error,
    finds: "A name mixes Latin letters with letters of another script that look like them, or uses letters in disguise.",
    why: "`reаd_file` with a Cyrillic `а` passes for `read_file` before every eye, and is another tool with other rights.",
    fix: "write the name in one script, best in ASCII",
    check: Check::Tool(check),
};

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    let tool = subject.tool;
    let names = [("/canonicalName", tool.canonical_name.as_str()), ("/displayName", &tool.display_name)];
    for (pointer, name) in names {
        look(subject, report, pointer, name);
    }
    for (name, schema) in subject.properties() {
        look(subject, report, &schema.pointer, name);
    }
}

fn look(subject: &Subject<'_>, report: &mut Report<'_>, pointer: &str, name: &str) {
    if name.is_ascii() {
        return;
    }
    if let Some(word) = name.split(|c: char| !c.is_alphanumeric()).find(|word| is_mixed(word)) {
        report.at(subject, pointer, format!("`{word}` mixes scripts: {}", ascii(word)));
    } else if let Some(word) = name.split(|c: char| !c.is_alphanumeric()).find(|word| is_disguised(word)) {
        report.at(subject, pointer, format!("`{word}` is ASCII in disguise: {}", ascii(word)));
    }
}

/// Latin letters beside letters of a script with look-alikes of them.
fn is_mixed(word: &str) -> bool {
    let alike = |c: char| matches!(c, '\u{370}'..='\u{3ff}' | '\u{400}'..='\u{52f}' | '\u{530}'..='\u{58f}' | '\u{13a0}'..='\u{13ff}' | '\u{a640}'..='\u{a69f}');
    word.chars().any(|c| c.is_ascii_alphabetic()) && word.chars().any(alike)
}

/// Full-width, mathematical or other forms that only dress up ASCII.
fn is_disguised(word: &str) -> bool {
    !word.is_ascii() && word.nfkc().collect::<String>().is_ascii()
}

fn ascii(word: &str) -> String {
    word.chars().flat_map(char::escape_default).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::{check, check_schema};
    use serde_json::json;

    #[test]
    fn names_are_of_one_script() {
        for name in ["Datei öffnen", "ファイル", "файл read", "α beta", "Ωmega"] {
            let told = ["/displayName: `Ωmega` mixes scripts: \\u{3a9}mega"];
            check(&LINT, |t| t.display_name = name.into(), if name == "Ωmega" { &told } else { &[] });
        }
        check(
            &LINT,
            |t| t.canonical_name = "re\u{430}d_file".into(),
            &["/canonicalName: `re\u{430}d` mixes scripts: re\\u{430}d"],
        );
        check_schema(
            &LINT,
            json!({ "properties": { "ｐath": {} } }),
            &["/properties/ｐath: `ｐath` is ASCII in disguise: \\u{ff50}ath"],
        );
    }
}
