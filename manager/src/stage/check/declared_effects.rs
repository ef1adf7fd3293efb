//! Whether everything that was observed is within what the contract declares (invariant 13).

use super::Check;
use crate::{
    model::{EffectsObserved, ResourcePattern, ResourceRef, ToolDescriptor},
    port::Ran,
};
use globset::GlobBuilder;

/// The check.
pub(super) struct DeclaredEffects;

impl Check for DeclaredEffects {
    fn name(&self) -> &'static str {
        "declared_effects"
    }

    fn check(&self, tool: &ToolDescriptor, ran: &Ran) -> Option<Result<(), String>> {
        Some(declared(tool, &ran.effects))
    }
}

/// Whether effects are within what a contract declares.
///
/// # Errors
/// The first effect that is not, for people.
pub(crate) fn declared(tool: &ToolDescriptor, observed: &EffectsObserved) -> Result<(), String> {
    let declared = &tool.effects;
    let writes: Vec<&ResourcePattern> = declared.writes.iter().chain(&declared.deletes).collect();
    let outside = undeclared("reads", &observed.reads, &declared.reads.iter().collect::<Vec<_>>())
        .or_else(|| undeclared("writes", &observed.writes, &writes))
        .or_else(|| undeclared("deletes", &observed.deletes, &declared.deletes.iter().collect::<Vec<_>>()));
    let called = observed.external_calls.first().filter(|_| !declared.external_calls);
    let calls = called.map(|host| format!("it calls `{host}`, and no external call is declared"));
    outside.or(calls).map_or(Ok(()), Err)
}

fn undeclared(verb: &str, observed: &[ResourceRef], declared: &[&ResourcePattern]) -> Option<String> {
    let outside = observed.iter().find(|seen| !declared.iter().any(|pattern| covers(pattern, seen)))?;
    Some(format!("it {verb} `{}`, which its contract does not declare", outside.0))
}

/// Whether a pattern covers a resource. A pattern that is no glob covers nothing.
fn covers(pattern: &ResourcePattern, seen: &ResourceRef) -> bool {
    let (scheme, glob) = (pattern.scheme(), rest(&pattern.0));
    let seen_pattern = ResourcePattern(seen.0.clone());
    let compiled = GlobBuilder::new(glob).literal_separator(true).build();
    scheme == seen_pattern.scheme() && compiled.is_ok_and(|g| g.compile_matcher().is_match(rest(&seen.0)))
}

fn rest(text: &str) -> &str {
    text.split_once(':').map_or(text, |(_, rest)| rest)
}
