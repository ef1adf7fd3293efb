//! Characters that nobody sees.

use crate::{
    document::escape_segment,
    lint::{Check, Lint, LintStage, Report, Severity, Subject, subject::INPUT},
};
use serde_json::Value;

pub(super) const LINT: Lint = Lint {
    code: "hidden-unicode",
    stage: LintStage::Security,
    severity: Severity::Error,
    finds: "A name, description or schema holds invisible characters, text that runs backwards, or control characters.",
    why: "A model reads what a reviewer cannot see: whole instructions fit into tag characters, and bidirectional controls \
          show a text in another order than it is read.",
    fix: "remove the characters",
    check: Check::Tool(check),
};

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    let tool = subject.tool;
    let names = [
        ("/toolId", tool.tool_id.as_str()),
        ("/canonicalName", &tool.canonical_name),
        ("/displayName", &tool.display_name),
    ];
    let texts = names.map(|(pointer, text)| (pointer.to_owned(), text));
    for (pointer, text) in texts.into_iter().chain(subject.texts()) {
        look(subject, report, &pointer, text);
    }
    for (name, schema) in &tool.schemas.input_schema.0 {
        walk(subject, report, &format!("{INPUT}/{}", escape_segment(name)), schema, 0);
    }
}

/// Deeper schemas are refused by themselves.
const MAX_DEPTH: usize = 64;

fn walk(subject: &Subject<'_>, report: &mut Report<'_>, pointer: &str, value: &Value, depth: usize) {
    match value {
        _ if depth > MAX_DEPTH => {}
        Value::String(text) => look(subject, report, pointer, text),
        Value::Array(items) => items
            .iter()
            .enumerate()
            .for_each(|(i, item)| walk(subject, report, &format!("{pointer}/{i}"), item, depth + 1)),
        Value::Object(map) => {
            for (key, item) in map {
                let pointer = format!("{pointer}/{}", escape_segment(key));
                look(subject, report, &pointer, key);
                walk(subject, report, &pointer, item, depth + 1);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn look(subject: &Subject<'_>, report: &mut Report<'_>, pointer: &str, text: &str) {
    if let Some((found, count)) = hidden(text) {
        let message = format!("{count} hidden: U+{:04X}", u32::from(found));
        report.at(subject, pointer, message);
    }
}

/// The first hidden character that has no business where it stands, and how many there are.
fn hidden(text: &str) -> Option<(char, usize)> {
    if text.bytes().all(|byte| byte.is_ascii_graphic() || matches!(byte, b' ' | b'\n' | b'\t')) {
        return None;
    }
    let chars: Vec<char> = text.chars().collect();
    let mut found =
        (0..chars.len()).filter(|at| is_hidden(chars[*at]) && !has_business(&chars, *at)).map(|at| chars[at]);
    let first = found.next()?;
    Some((first, 1 + found.count()))
}

/// Whether a character is invisible, reorders text, or controls a terminal.
pub(in crate::lint) fn is_hidden(c: char) -> bool {
    match c {
        '\n' | '\t' | '\r' => false,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' => true,
        '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' => true,
        '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}' => true,
        '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}' => true,
        _ => c.is_control(),
    }
}

/// Joiners build emoji and shape Indic and Arabic words; direction marks belong beside right-to-left text.
fn has_business(chars: &[char], at: usize) -> bool {
    let near = |offset: isize| at.checked_add_signed(offset).and_then(|i| chars.get(i)).copied();
    let (before, after) = (near(-1), near(1));
    match chars[at] {
        '\u{200c}' => before.is_some_and(is_shaped) && after.is_some_and(is_shaped),
        '\u{200d}' => {
            let shaped = before.is_some_and(is_shaped);
            let emoji =
                |c: char| matches!(c, '\u{2190}'..='\u{2bff}' | '\u{fe0f}' | '\u{1f000}'..='\u{1faff}');
            shaped || (before.is_some_and(emoji) && after.is_some_and(emoji))
        }
        '\u{200e}' | '\u{200f}' | '\u{61c}' => chars.iter().any(|c| matches!(c, '\u{590}'..='\u{8ff}')),
        _ => false,
    }
}

fn is_shaped(c: char) -> bool {
    matches!(c, '\u{600}'..='\u{6ff}' | '\u{750}'..='\u{77f}' | '\u{900}'..='\u{dff}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::{check_schema, check_summary};
    use serde_json::json;

    #[test]
    fn hidden_characters_are_found() {
        for (text, told) in [
            ("Reads\u{200b} a file", "1 hidden: U+200B"),
            ("Reads \u{202e}elif", "1 hidden: U+202E"),
            ("Reads\u{e0041}\u{e0042}", "2 hidden: U+E0041"),
            ("Reads\u{1b}[2J", "1 hidden: U+001B"),
            ("a\u{200d}b", "1 hidden: U+200D"),
            ("\u{feff}Reads", "1 hidden: U+FEFF"),
        ] {
            check_summary(&LINT, text, &[&format!("/description/summary: {told}")]);
        }
        check_schema(
            &LINT,
            json!({ "properties": { "a\u{200b}": { "enum": ["x\u{2066}"] } } }),
            &["/properties/a\u{200b}: 1 hidden: U+200B", "/properties/a\u{200b}/enum/0: 1 hidden: U+2066"],
        );
    }

    #[test]
    fn what_a_script_needs_is_not() {
        for text in [
            "Größe\n\t1",
            "👩\u{200d}💻 ❤\u{fe0f}",
            "می\u{200c}خواهم",
            "क्\u{200d}ष",
            "אב\u{200f} c",
            "日本語",
        ] {
            check_summary(&LINT, text, &[]);
        }
    }
}
