//! What a descriptor's fields must mean together, which their types alone cannot say.

use crate::{
    model::{EffectLevel, Locality, ResourcePattern, ToolDescriptor},
    registry::{Arguments, SchemaFault},
};

/// Something in a descriptor that cannot be meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::adapters) struct Flaw {
    /// JSON pointer to the field.
    pub(in crate::adapters) pointer: String,
    /// What is wrong.
    pub(in crate::adapters) message: String,
    /// What to do.
    pub(super) hint: &'static str,
}

/// Every flaw of a descriptor.
///
/// # Errors
/// [`SchemaFault`] if its input schema cannot be used, and so neither can the tool.
pub(in crate::adapters) fn flaws(tool: &ToolDescriptor) -> Result<Vec<Flaw>, SchemaFault> {
    let arguments = Arguments::compile(&tool.schemas.input_schema)?;
    let mut flaws = Vec::new();
    identity(tool, &mut flaws);
    intent(tool, &mut flaws);
    effects(tool, &mut flaws);
    permissions(tool, &mut flaws);
    examples(tool, &arguments, &mut flaws);
    Ok(flaws)
}

/// Where in the schema a fault is.
pub(super) fn pointer_of(fault: &SchemaFault) -> &str {
    match fault {
        SchemaFault::Invalid { path, .. } => path,
        SchemaFault::RootNotObject(_) => "/type",
        SchemaFault::TooDeep | SchemaFault::TooLarge | SchemaFault::Explodes | SchemaFault::Remote(_) => "",
    }
}

fn flaw(pointer: impl Into<String>, message: impl Into<String>, hint: &'static str) -> Flaw {
    Flaw { pointer: pointer.into(), message: message.into(), hint }
}

fn identity(tool: &ToolDescriptor, flaws: &mut Vec<Flaw>) {
    if tool.tool_id.trim().is_empty() {
        flaws.push(flaw("/toolId", "the tool has no id", "name it, such as `file.read`"));
    }
    if tool.version.trim().is_empty() {
        flaws.push(flaw("/version", "the version is empty", "give one, such as `1.0.0`"));
    }
    let name = &tool.canonical_name;
    if !is_canonical(name) {
        let message = format!("`{name}` is no canonical name");
        let hint =
            "use lower-case words of letters, digits, `_` and `-`, joined by dots, such as `file.read`";
        flaws.push(flaw("/canonicalName", message, hint));
    }
}

fn is_canonical(name: &str) -> bool {
    let allowed = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'_' | b'-');
    let word = |word: &str| {
        word.bytes().next().is_some_and(|b| b.is_ascii_alphanumeric()) && word.bytes().all(allowed)
    };
    name.split('.').all(word)
}

fn intent(tool: &ToolDescriptor, flaws: &mut Vec<Flaw>) {
    if tool.intent.action_types.is_empty() {
        let hint = "name at least one, such as `read`; without one no intent finds the tool";
        flaws.push(flaw("/intent/actionTypes", "the tool serves no action type", hint));
    }
    if tool.description.summary.trim().is_empty() {
        let hint = "say in a sentence what the tool does; a model chooses by it";
        flaws.push(flaw("/description/summary", "the summary is empty", hint));
    }
}

fn effects(tool: &ToolDescriptor, flaws: &mut Vec<Flaw>) {
    let effects = &tool.effects;
    let lasting = |patterns: &[ResourcePattern]| patterns.iter().any(|p| p.locality() > Locality::Scratch);
    let changes = lasting(&effects.writes) || lasting(&effects.deletes);
    if changes && !effects.mutates_state {
        let message = "the tool writes or deletes, and `mutatesState` is false";
        flaws.push(flaw("/effects/mutatesState", message, "set it to true, or empty `writes` and `deletes`"));
    }
    if effects.mutates_state && effects.writes.is_empty() && effects.deletes.is_empty() {
        let message = "`mutatesState` is true, and nothing is written or deleted";
        flaws.push(flaw("/effects/mutatesState", message, "name what it changes in `writes` or `deletes`"));
    }
    if lasting(&effects.deletes) && !tool.risk.destructive {
        let message = "the tool deletes, and `destructive` is false";
        flaws.push(flaw("/risk/destructive", message, "set it to true, or empty `effects.deletes`"));
    }
}

fn permissions(tool: &ToolDescriptor, flaws: &mut Vec<Flaw>) {
    let level = tool.level();
    if level >= EffectLevel::WorkspaceWrite && tool.permissions.required_scopes.is_empty() {
        let message = format!("a tool of {level} needs at least one scope");
        let hint = "name one, such as `workspace:write`; policy denies the tool to everybody otherwise";
        flaws.push(flaw("/permissions/requiredScopes", message, hint));
    }
}

fn examples(tool: &ToolDescriptor, arguments: &Arguments, flaws: &mut Vec<Flaw>) {
    for (index, example) in tool.description.examples.iter().enumerate() {
        for fault in arguments.faults(&example.expected_args) {
            let pointer = format!("/description/examples/{index}/expectedArgs{}", fault.path);
            let hint = "an example must satisfy the tool's own `inputSchema`";
            flaws.push(flaw(pointer, fault.message, hint));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{ActionType, ToolExample, testing::descriptor};
    use serde_json::json;

    fn check(change: impl FnOnce(&mut ToolDescriptor), expected: &[(&str, &str)]) {
        let mut tool = descriptor("file.read");
        change(&mut tool);
        let flaws = flaws(&tool).unwrap();
        let told: Vec<_> = flaws.iter().map(|f| (f.pointer.as_str(), f.message.as_str())).collect();
        assert_eq!(told, expected);
    }

    #[test]
    fn each_flaw_is_told_at_its_field() {
        check(|_| {}, &[]);
        check(|t| t.version = " ".into(), &[("/version", "the version is empty")]);
        for name in ["File.read", "file..read", "", ".", "file read", "-x"] {
            let message = format!("`{name}` is no canonical name");
            check(|t| t.canonical_name = name.into(), &[("/canonicalName", &message)]);
        }
        check(
            |t| t.intent.action_types.clear(),
            &[("/intent/actionTypes", "the tool serves no action type")],
        );
        check(
            |t| {
                t.effects.writes = vec!["file:**".into()];
                t.permissions.required_scopes = vec!["w".into()];
            },
            &[("/effects/mutatesState", "the tool writes or deletes, and `mutatesState` is false")],
        );
        check(|t| t.effects.writes = vec!["temp:**".into()], &[]);
        check(
            |t| t.intent.action_types = vec![ActionType::Write],
            &[("/permissions/requiredScopes", "a tool of L2 needs at least one scope")],
        );
        check(
            |t| {
                t.schemas.input_schema.0 = json!({ "properties": { "a": { "type": "integer" } } })
                    .as_object()
                    .cloned()
                    .unwrap_or_default();
                t.description.examples =
                    vec![ToolExample { user_request: "x".into(), expected_args: json!({ "a": "1" }) }];
            },
            &[("/description/examples/0/expectedArgs/a", "\"1\" is not of type \"integer\"")],
        );
    }
}
