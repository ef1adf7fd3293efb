//! From what a program said to a structure: one file a format, and its line in [`ALL`].
//!
//! A parser reads what is there and makes nothing up: output in which it does not find what it must is no result.
//! Whether the result satisfies the tool's output schema is asked later, of every tool.

mod cargo_test;
mod exit_status;
mod git_log;
mod git_status;
mod js_test;
mod json;
mod json_lines;
mod junit_xml;
mod pytest;
mod tap;
mod tests_told;
mod text;
mod unified_diff;

use crate::model::OutputFormat;
use serde_json::Value;

/// What a program said.
#[derive(Debug, Clone, Copy)]
pub(super) struct Said<'a> {
    /// The code that it ended with.
    pub(super) code: i32,
    pub(super) stdout: &'a str,
    pub(super) stderr: &'a str,
}

/// Makes the structure, or says what is missing.
type Parser = fn(&Said<'_>) -> Result<Value, String>;

/// Every parser.
const ALL: &[(OutputFormat, Parser)] = &[
    (OutputFormat::Text, text::parse),
    (OutputFormat::Json, json::parse),
    (OutputFormat::JsonLines, json_lines::parse),
    (OutputFormat::ExitStatus, exit_status::parse),
    (OutputFormat::JunitXml, junit_xml::parse),
    (OutputFormat::CargoTest, cargo_test::parse),
    (OutputFormat::JsTest, js_test::parse),
    (OutputFormat::Pytest, pytest::parse),
    (OutputFormat::GitStatus, git_status::parse),
    (OutputFormat::GitLog, git_log::parse),
    (OutputFormat::UnifiedDiff, unified_diff::parse),
];

/// Parses what a program said.
///
/// # Errors
/// What is missing or wrong in it.
pub(super) fn parse(format: OutputFormat, said: &Said<'_>) -> Result<Value, String> {
    let (_, parser) = ALL
        .iter()
        .find(|(of, _)| *of == format)
        .ok_or_else(|| "there is no parser for this kind of output".to_owned())?;
    parser(said)
}

#[cfg(test)]
pub(super) fn stdout(parser: Parser, code: i32, stdout: &str) -> Result<Value, String> {
    parser(&Said { code, stdout, stderr: "" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_has_its_parser_and_every_file_its_line() {
        for format in OutputFormat::ALL {
            assert!(ALL.iter().any(|(of, _)| of == format), "{format:?}");
        }
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/adapters/cli/parse");
        let files = std::fs::read_dir(folder).unwrap().count();
        // this file, what test parsers share, and TAP, which is one of the dialects of `jsTest`
        assert_eq!(files - 3, ALL.len());
    }
}
