//! How findings are written.

use super::{Item, sarif};
use clap::ValueEnum;
use proofhouse_manager::lint::Severity;
use serde_json::json;

/// The forms in which findings are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(super) enum Format {
    /// For people
    #[default]
    Text,
    /// One JSON document
    Json,
    /// SARIF 2.1.0, for code hosts and editors
    Sarif,
    /// Annotations of GitHub Actions
    Github,
}

impl Format {
    /// Whether every note is written, so that programs can choose.
    pub(super) fn is_whole(self) -> bool {
        matches!(self, Self::Json | Self::Sarif)
    }

    /// All items in this form.
    pub(super) fn write(self, items: &[Item], notes: bool) -> String {
        let shown = || items.iter().filter(|item| notes || item.severity > Severity::Note);
        match self {
            Self::Text => shown().map(text).collect(),
            Self::Json => format!("{:#}\n", json!({ "findings": items })),
            Self::Sarif => sarif::write(items),
            Self::Github => shown().map(annotation).collect(),
        }
    }
}

fn text(item: &Item) -> String {
    let Item { place, tool, code, severity, field, message, hint, .. } = item;
    let place = place.as_ref().map_or_else(String::new, |place| format!("{place}: "));
    let code = code.as_ref().map_or_else(String::new, |code| format!("{severity}[{code}]: "));
    let tool =
        tool.as_ref().filter(|_| item.code.is_some()).map_or_else(String::new, |tool| format!("`{tool}`: "));
    let field = match &item.code {
        None if !field.is_empty() => format!("`{field}`: "),
        _ => String::new(),
    };
    let hint = if hint.is_empty() { String::new() } else { format!("\nhint: {hint}") };
    format!("{place}{code}{tool}{field}{message}{hint}\n\n")
}

fn annotation(item: &Item) -> String {
    let level = match item.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "notice",
    };
    let place = item.place.as_ref().map_or_else(String::new, |place| {
        format!("file={},line={},col={},", property(&place.file), place.line, place.column)
    });
    let title = property(item.code.as_deref().unwrap_or("proofhouse"));
    let tool = item.tool.as_ref().map_or_else(String::new, |tool| format!("`{tool}`: "));
    let hint = if item.hint.is_empty() { String::new() } else { format!("\nhint: {}", item.hint) };
    format!("::{level} {place}title={title}::{}\n", data(&format!("{tool}{}{hint}", item.message)))
}

/// Text after `::`, which ends with its line.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// A property, which ends with a comma or colon as well.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn an_annotation_cannot_be_broken_out_of() {
        let item = Item::mistake(Path::new("a,b:c.yaml"), "100%\n::error::x");
        assert_eq!(
            annotation(&item),
            "::error file=a%2Cb%3Ac.yaml,line=1,col=1,title=proofhouse::100%25%0A::error::x\n"
        );
        assert_eq!(text(&item), "a,b:c.yaml:1:1: 100%\n::error::x\n\n");
    }
}
