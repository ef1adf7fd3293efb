//! A report in JUnit's XML, from `<testsuites>` or a `<testsuite>` down to each `<testcase>`.
//!
//! Only what is counted is read: tags, their attributes, and the text of a failure. Document types and entities of
//! their own are refused.

use super::{Said, tests_told::Told};
use serde_json::Value;

pub(super) fn parse(said: &Said<'_>) -> Result<Value, String> {
    let mut told = Told::default();
    let mut open: Option<Case<'_>> = None;
    let mut cases = 0;
    let mut rest = said.stdout;
    let mut suites = 0;
    while let Some((text, after)) = rest.split_once('<') {
        if let Some(case) = open.as_mut().filter(|case| case.inside) {
            case.message.push_str(&unescape(text)?);
        }
        let (tag, after) = tag(after)?;
        rest = after;
        match tag {
            Tag::Opens { name: "testcase", attributes, closed } => {
                cases += 1;
                let case = Case::new(attributes)?;
                if closed { case.count(&mut told) } else { open = Some(case) }
            }
            Tag::Opens { name: kind @ ("failure" | "error" | "skipped"), attributes, closed } => {
                if let Some(case) = open.as_mut() {
                    case.end = kind;
                    case.message = attribute(attributes, "message")?.unwrap_or_default();
                    case.inside = !closed && kind != "skipped" && case.message.is_empty();
                }
            }
            Tag::Opens { name: "testsuites" | "testsuite", .. } => suites += 1,
            Tag::Closes("testcase") => {
                if let Some(case) = open.take() {
                    case.count(&mut told);
                }
            }
            Tag::Closes("failure" | "error") => open.iter_mut().for_each(|case| case.inside = false),
            Tag::Text(text) => {
                if let Some(case) = open.as_mut().filter(|case| case.inside) {
                    case.message.push_str(text);
                }
            }
            Tag::Opens { .. } | Tag::Closes(_) | Tag::Other => {}
        }
    }
    if suites == 0 || open.is_some() {
        return Err(format!("its output is no whole JUnit report ({suites} suites, {cases} cases)"));
    }
    Ok(told.named("skipped"))
}

struct Case<'x> {
    name: String,
    end: &'x str,
    message: String,
    /// Whether the text that follows is the failure's.
    inside: bool,
}

impl Case<'_> {
    fn new(attributes: &str) -> Result<Self, String> {
        let own = attribute(attributes, "name")?.unwrap_or_default();
        let name = match attribute(attributes, "classname")?.filter(|class| !class.is_empty()) {
            Some(class) => format!("{class}.{own}"),
            None => own,
        };
        Ok(Self { name, end: "passed", message: String::new(), inside: false })
    }

    fn count(self, told: &mut Told) {
        match self.end {
            "passed" => told.passed += 1,
            "skipped" => told.skipped += 1,
            _ => {
                told.failed += 1;
                told.fail(&self.name, &self.message);
            }
        }
    }
}

enum Tag<'x> {
    Opens {
        name: &'x str,
        attributes: &'x str,
        closed: bool,
    },
    Closes(&'x str),
    /// `<![CDATA[…]]>`
    Text(&'x str),
    Other,
}

/// Reads a tag after its `<`.
fn tag(text: &str) -> Result<(Tag<'_>, &str), String> {
    let until = |from: &'_ str, end: &str| -> Option<usize> { from.find(end) };
    for (start, end) in [("![CDATA[", "]]>"), ("!--", "-->"), ("?", "?>")] {
        if let Some(inside) = text.strip_prefix(start) {
            let at = until(inside, end).ok_or_else(cut)?;
            let tag = if start == "![CDATA[" { Tag::Text(&inside[..at]) } else { Tag::Other };
            return Ok((tag, &inside[at + end.len()..]));
        }
    }
    if text.starts_with('!') {
        return Err("its report declares a document type, which is not read".to_owned());
    }
    let at = end_of_tag(text).ok_or_else(cut)?;
    let (inside, rest) = (&text[..at], &text[at + 1..]);
    if let Some(name) = inside.strip_prefix('/') {
        return Ok((Tag::Closes(name.trim()), rest));
    }
    let closed = inside.ends_with('/');
    let inside = inside.trim_end_matches('/');
    let (name, attributes) = inside.split_once(char::is_whitespace).unwrap_or((inside, ""));
    Ok((Tag::Opens { name, attributes, closed }, rest))
}

/// Where a tag ends: a `>` in an attribute does not end it.
fn end_of_tag(text: &str) -> Option<usize> {
    let mut quote = None;
    text.char_indices().find_map(|(at, c)| {
        match (quote, c) {
            (None, '>') => return Some(at),
            (None, '"' | '\'') => quote = Some(c),
            (Some(open), _) if open == c => quote = None,
            _ => {}
        }
        None
    })
}

fn attribute(attributes: &str, name: &str) -> Result<Option<String>, String> {
    let mut rest = attributes.trim_start();
    while let Some((key, after)) = rest.split_once('=') {
        let after = after.trim_start();
        let quote = after.chars().next().filter(|c| matches!(c, '"' | '\'')).ok_or_else(cut)?;
        let (value, after) = after[1..].split_once(quote).ok_or_else(cut)?;
        if key.trim() == name {
            return unescape(value).map(Some);
        }
        rest = after.trim_start();
    }
    Ok(None)
}

/// Text with the five entities of XML and characters by number.
fn unescape(text: &str) -> Result<String, String> {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('&') {
        let (entity, after) = after.split_once(';').ok_or_else(cut)?;
        plain.push_str(before);
        let number = entity.strip_prefix('#').and_then(|number| match number.strip_prefix(['x', 'X']) {
            Some(hex) => u32::from_str_radix(hex, 16).ok(),
            None => number.parse().ok(),
        });
        plain.push(match entity {
            "lt" => '<',
            "gt" => '>',
            "amp" => '&',
            "quot" => '"',
            "apos" => '\'',
            _ => number
                .and_then(char::from_u32)
                .ok_or_else(|| format!("`&{entity};` in its report is not known"))?,
        });
        rest = after;
    }
    Ok(plain + rest)
}

fn cut() -> String {
    "its report ends in the middle".to_owned()
}

#[cfg(test)]
mod tests {
    use super::{super::stdout, *};
    use serde_json::json;

    #[test]
    fn cases_are_counted_and_failures_named() {
        let report = r#"<?xml version="1.0"?><!-- a > b -->
<testsuites><testsuite name="s" tests="5">
 <testcase classname="a.B" name="one" time="0.1"/>
 <testcase name="two &gt; three"><failure message="1 &#33;= 2">trace</failure></testcase>
 <testcase name="four"><error><![CDATA[<boom>]]></error><system-out>&amp; more</system-out></testcase>
 <testcase name="five"><failure type="E">left
right</failure></testcase>
 <testcase name="six"><skipped message="later"/></testcase>
</testsuite></testsuites>"#;
        let expected = json!({
            "passed": 1, "failed": 3, "skipped": 1,
            "failures": [
                { "name": "two > three", "message": "1 != 2" },
                { "name": "four", "message": "<boom>" },
                { "name": "five", "message": "left\nright" },
            ],
        });
        assert_eq!(stdout(parse, 1, report), Ok(expected));
    }

    #[test]
    fn what_is_not_whole_or_not_safe_is_refused() {
        for wrong in [
            "",
            "<html></html>",
            "<testsuite><testcase name=\"a\">",
            "<testsuite><testcase name=\"a",
            "<!DOCTYPE x [<!ENTITY a \"b\">]><testsuite/>",
            "<testsuite><testcase name=\"&a;\"/></testsuite>",
        ] {
            assert!(stdout(parse, 0, wrong).is_err(), "{wrong}");
        }
        assert_eq!(stdout(parse, 0, "<testsuite/>").unwrap()["passed"], 0);
    }
}
