//! Whether a change is small enough to be read.

use super::{Builtin, HookCall, Ran};
use std::collections::BTreeSet;

/// More paths are not a small change.
const PATHS: usize = 20;
/// More changed lines are not, either.
const LINES: usize = 400;

/// The hook.
pub(super) struct DiffIsSmall;

impl Builtin for DiffIsSmall {
    fn name(&self) -> &'static str {
        "diff-is-small"
    }

    fn judge(&self, ran: &Ran, _: &HookCall<'_>) -> Result<(), String> {
        let changed: BTreeSet<&str> = ran
            .effects
            .writes
            .iter()
            .chain(&ran.effects.deletes)
            .map(|resource| resource.0.as_str())
            .collect();
        if changed.len() > PATHS {
            return Err(format!("{} paths were changed, more than {PATHS}", changed.len()));
        }
        let stated = ran.structured.as_ref().and_then(|s| s.get("diff")?.as_str());
        let text = stated.map_or_else(|| String::from_utf8_lossy(&ran.output), Into::into);
        let lines = changed_lines(&text);
        if lines > LINES { Err(format!("{lines} lines were changed, more than {LINES}")) } else { Ok(()) }
    }
}

/// The lines that a unified diff adds and removes; of a text that is none, no line.
fn changed_lines(text: &str) -> usize {
    let mut in_hunk = false;
    let mut lines = 0;
    for line in text.lines() {
        match line.as_bytes().first() {
            _ if line.starts_with("@@ ") => in_hunk = true,
            _ if line.starts_with("--- ") || line.starts_with("+++ ") || line.starts_with("diff ") => {}
            Some(b'+' | b'-') if in_hunk => lines += 1,
            _ => {}
        }
    }
    lines
}
