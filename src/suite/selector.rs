//! `forbid`: which calls are unsafe in a case.

use super::{Selector, format::ForbidFile};
use crate::matcher::{ArgsMode, ArgsPattern, Normalize, PatternError};
use globset::{GlobBuilder, GlobMatcher};
use proofhouse_manager::model::{EffectLevel, ToolId};

/// What is wrong with a selector: a pointer into it, what, and what to do.
pub(super) type SelectorError = PatternError;

/// Compiles a glob over tool ids; `*` stands for anything, dots and slashes included.
pub(super) fn tool_glob(text: &str) -> Result<GlobMatcher, String> {
    let glob = GlobBuilder::new(text).build().map_err(|error| error.kind().to_string())?;
    Ok(glob.compile_matcher())
}

impl Selector {
    pub(super) fn compile(file: &ForbidFile, normalize: &Normalize) -> Result<Self, SelectorError> {
        let tool = file.tool.as_deref().map(compile_tool).transpose()?;
        let (at_least, at_most) = file.level.as_deref().map(levels).transpose()?.unwrap_or_default();
        let args = file.args.as_ref().map(|args| {
            let compiled = ArgsPattern::compile(args, ArgsMode::Partial, normalize);
            compiled.map_err(|error| PatternError { pointer: format!("/args{}", error.pointer), ..error })
        });
        let args = args.transpose()?;
        if tool.is_none() && at_least.is_none() && at_most.is_none() {
            return Err(error("", "neither `tool` nor `level` is given")
                .with_hint("write a tool's id, a glob, or a level such as `>=L4`"));
        }
        Ok(Self { tool, at_least, at_most, args, text: text_of(file) })
    }

    /// Whether a call of that tool, at that level, is meant, whatever its arguments.
    pub fn selects(&self, tool: &ToolId, level: Option<EffectLevel>) -> bool {
        self.tool.as_ref().is_none_or(|glob| glob.is_match(tool.as_str()))
            && self.at_least.is_none_or(|least| level.is_some_and(|level| level >= least))
            && self.at_most.is_none_or(|most| level.is_some_and(|level| level <= most))
    }
}

fn compile_tool(text: &str) -> Result<GlobMatcher, SelectorError> {
    if text.is_empty() {
        return Err(error("/tool", "the tool's id is empty"));
    }
    tool_glob(text).map_err(|reason| error("/tool", &format!("`{text}` is no glob: {reason}")))
}

/// The lowest and the highest level that `>=L4` and its like select.
fn levels(text: &str) -> Result<(Option<EffectLevel>, Option<EffectLevel>), SelectorError> {
    let wrong =
        |message: String| error("/level", &message).with_hint("write `>=L4`, `>L3`, `<=L1`, `<L2` or `==L5`");
    let operator_end = text.find(|c| !"<>=".contains(c)).unwrap_or(text.len());
    let (operator, level) = text.split_at(operator_end);
    let level: EffectLevel =
        level.trim().parse().map_err(|_| wrong(format!("`{text}` selects no effect level")))?;
    let beside = |step: i8| {
        let number = level.number().checked_add_signed(step);
        let found = EffectLevel::ALL.into_iter().find(|other| Some(other.number()) == number);
        found.ok_or_else(|| wrong(format!("no effect level is `{text}`")))
    };
    match operator {
        ">=" => Ok((Some(level), None)),
        "<=" => Ok((None, Some(level))),
        ">" => Ok((Some(beside(1)?), None)),
        "<" => Ok((None, Some(beside(-1)?))),
        "=" | "==" => Ok((Some(level), Some(level))),
        _ => Err(wrong(format!("`{text}` does not say how levels are compared"))),
    }
}

fn error(pointer: &str, message: &str) -> SelectorError {
    PatternError { pointer: pointer.to_owned(), message: message.to_owned(), hint: None }
}

fn text_of(file: &ForbidFile) -> String {
    let parts = [
        file.tool.clone(),
        file.level.as_ref().map(|level| format!("level {level}")),
        file.args.as_ref().map(|args| format!("args {args}")),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(" with ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use EffectLevel as L;

    fn compile(tool: Option<&str>, level: Option<&str>) -> Result<Selector, SelectorError> {
        let file = ForbidFile { tool: tool.map(Into::into), level: level.map(Into::into), args: None };
        Selector::compile(&file, &Normalize::default())
    }

    #[test]
    fn levels_select_both_ways() {
        for (text, least, most) in [
            (">=L4", Some(L::ExternalWrite), None),
            (">L3", Some(L::ExternalWrite), None),
            ("<=L1", None, Some(L::LocalCompute)),
            ("<L2", None, Some(L::LocalCompute)),
            ("== L5", Some(L::DestructiveOrAdmin), Some(L::DestructiveOrAdmin)),
            (">=external_write", Some(L::ExternalWrite), None),
        ] {
            let selector = compile(None, Some(text)).unwrap();
            assert_eq!((selector.at_least, selector.at_most), (least, most), "{text}");
        }
    }

    #[test]
    fn what_selects_nothing_is_refused() {
        for (tool, level, message) in [
            (None, Some(">=L9"), "`>=L9` selects no effect level"),
            (None, Some("L4"), "`L4` does not say how levels are compared"),
            (None, Some(">L5"), "no effect level is `>L5`"),
            (None, Some("<L0"), "no effect level is `<L0`"),
            (None, None, "neither `tool` nor `level` is given"),
            (Some(""), None, "the tool's id is empty"),
            (Some("a[b"), None, "`a[b` is no glob: unclosed character class; missing ']'"),
        ] {
            assert_eq!(compile(tool, level).unwrap_err().message, message);
        }
    }

    #[test]
    fn every_stated_property_must_hold() {
        let selector = compile(Some("db.*"), Some(">=L4")).unwrap();
        assert_eq!(selector.text, "db.* with level >=L4");
        for (tool, level, selected) in [
            ("db.drop", Some(L::DestructiveOrAdmin), true),
            ("db.select", Some(L::PureRead), false),
            ("db.other", None, false),
            ("mail.send", Some(L::ExternalWrite), false),
        ] {
            assert_eq!(selector.selects(&tool.into(), level), selected, "{tool}");
        }
    }
}
