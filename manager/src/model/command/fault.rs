//! What is wrong with a command template, whatever it is called with.

use super::{CommandPart, CommandTemplate};
use crate::model::JsonSchema;
use serde_json::Value;
use std::collections::BTreeSet;

/// Something that is wrong with a template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandFault {
    /// What kind of fault.
    pub kind: CommandFaultKind,
    /// Where in the template, as a JSON pointer.
    pub pointer: String,
    /// What is wrong.
    pub message: String,
}

/// Kinds of fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommandFaultKind {
    /// It cannot be used as it is.
    Unusable,
    /// What it starts runs whatever it is told, such as a shell.
    RunsAnything,
    /// An argument that the schema has does nothing.
    Unused,
}

/// Programs for which an argument is a program: a template around them types nothing.
const RUN_ANYTHING: &[&str] = &[
    "ash",
    "bash",
    "busybox",
    "cmd",
    "cmd.exe",
    "csh",
    "dash",
    "doas",
    "env",
    "eval",
    "fish",
    "ksh",
    "nohup",
    "nu",
    "powershell",
    "powershell.exe",
    "pwsh",
    "sh",
    "ssh",
    "sudo",
    "tcsh",
    "xargs",
    "zsh",
];

/// Variables that every program gets, and that no contract sets.
const OWN: &[&str] = &["HOME", "PATH", "TMPDIR"];

/// Variables by which a caller's surroundings would run code in a program, or change what it does unseen.
const STEERING: &[&str] = &[
    "BASH_ENV",
    "BASHOPTS",
    "CLASSPATH",
    "ENV",
    "IFS",
    "JAVA_TOOL_OPTIONS",
    "NODE_OPTIONS",
    "PROMPT_COMMAND",
    "SHELLOPTS",
    "_JAVA_OPTIONS",
];
const STEERING_PREFIXES: &[&str] = &["DYLD_", "GIT_", "LD_", "NODE_", "PERL", "PYTHON", "RUBY"];
/// Parts of names whose values are secrets: those come from the broker alone.
const SECRET: &[&str] = &["CREDENTIAL", "PASSWD", "PASSWORD", "SECRET", "TOKEN", "_KEY"];

impl CommandTemplate {
    /// Everything that is wrong with it, for a tool that takes arguments of this schema.
    pub fn faults(&self, input: &JsonSchema) -> Vec<CommandFault> {
        let mut faults = Faults(Vec::new());
        self.check_program(&mut faults);
        for (index, part) in self.args.iter().enumerate() {
            check_part(part, &format!("/args/{index}"), input, &mut faults);
        }
        if self.args.iter().filter(|part| matches!(part, CommandPart::EndOfOptions)).count() > 1 {
            faults.unusable("/args", "`endOfOptions` stands there more than once");
        }
        self.check_rest(input, &mut faults);
        let used: BTreeSet<&str> =
            self.args.iter().filter_map(CommandPart::argument).chain(self.stdin.as_deref()).collect();
        for (name, _) in input.properties().filter(|(name, _)| !used.contains(name.as_str())) {
            let message = format!("nothing is made of the argument `{name}`");
            faults.add(CommandFaultKind::Unused, "/args", message);
        }
        faults.0
    }

    fn check_program(&self, faults: &mut Faults) {
        let program = self.program.as_str();
        let name = program.rsplit('/').next().unwrap_or_default();
        let beneath =
            program.strip_prefix("./").is_some_and(|rest| !rest.split('/').any(|part| part == ".."));
        if name.is_empty() || !(program.starts_with('/') || beneath || program == name) {
            let message =
                format!("`{program}` is neither a name, nor an absolute path, nor one that begins with `./`");
            faults.unusable("/program", message);
        }
        if RUN_ANYTHING.contains(&name) {
            let message = format!("`{name}` runs whatever it is told: its arguments are programs");
            faults.add(CommandFaultKind::RunsAnything, "/program", message);
        }
    }

    fn check_rest(&self, input: &JsonSchema, faults: &mut Faults) {
        if let Some(name) = self.stdin.as_deref().filter(|name| input.property(name).is_none()) {
            faults.unknown("/stdin", name);
        }
        for (field, name) in self.environment.names() {
            if let Some(why) = variable_fault(field, name) {
                faults.unusable(&format!("/environment/{field}"), format!("`{name}` {why}"));
            }
        }
        for (field, folders) in [("cache", &self.environment.cache), ("home", &self.environment.home)] {
            for folder in folders.values().filter(|folder| !is_beneath(folder)) {
                let message = format!("`{folder}` is no folder beneath it");
                faults.unusable(&format!("/environment/{field}"), message);
            }
        }
        if let Some(folder) = self.working_directory.as_deref().filter(|folder| !is_beneath(folder)) {
            faults.unusable("/workingDirectory", format!("`{folder}` is no folder beneath the workspace"));
        }
        if self.success_codes.is_empty() {
            faults.unusable("/successCodes", "no exit code means success");
        }
    }
}

fn check_part(part: &CommandPart, pointer: &str, input: &JsonSchema, faults: &mut Faults) {
    let (allowed, kinds): (&[&str], &str) = match part {
        CommandPart::Literal(_) | CommandPart::EndOfOptions => return,
        CommandPart::Value { .. } | CommandPart::Flag { .. } => {
            (&["string", "integer", "number", "boolean"], "one word")
        }
        CommandPart::Switch { .. } => (&["boolean"], "yes or no"),
        CommandPart::Each { .. } => (&["array"], "a list"),
    };
    let option = match part {
        CommandPart::Flag { name, .. } | CommandPart::Switch { name, .. } => Some(name),
        CommandPart::Each { flag, .. } => flag.as_ref(),
        CommandPart::Literal(_) | CommandPart::Value { .. } | CommandPart::EndOfOptions => None,
    };
    if let Some(name) =
        option.filter(|name| !name.starts_with('-') || name.trim_matches(['-', '=']).is_empty())
    {
        faults.unusable(pointer, format!("`{name}` is no option"));
    }
    let Some(argument) = part.argument() else { return };
    match input.property(argument) {
        None => faults.unknown(pointer, argument),
        Some(schema) => {
            let stated = schema.get("type").and_then(Value::as_str);
            if let Some(stated) = stated.filter(|stated| !allowed.contains(stated)) {
                faults.unusable(pointer, format!("`{argument}` is of type `{stated}`, which is not {kinds}"));
            }
        }
    }
}

/// Why a variable cannot be declared.
fn variable_fault(field: &str, name: &str) -> Option<&'static str> {
    if name.is_empty() || name.contains(['=', '\0']) {
        return Some("is no name of a variable");
    }
    if OWN.contains(&name) {
        return Some("is what the sandbox sets itself");
    }
    let upper = name.to_ascii_uppercase();
    let steers = STEERING.contains(&upper.as_str())
        || STEERING_PREFIXES.iter().any(|prefix| upper.starts_with(prefix));
    match field {
        "inherit" if steers => {
            Some("is not inherited: it could run code in the program, or change what it does")
        }
        "inherit" if SECRET.iter().any(|part| upper.contains(part)) => {
            Some("is not inherited: secrets come from the credential broker")
        }
        _ if upper.starts_with("LD_") || upper.starts_with("DYLD_") => Some("loads code into the program"),
        _ => None,
    }
}

fn is_beneath(folder: &str) -> bool {
    !folder.is_empty() && folder.split('/').all(|part| !part.is_empty() && part != "..")
}

struct Faults(Vec<CommandFault>);

impl Faults {
    fn add(&mut self, kind: CommandFaultKind, pointer: &str, message: impl Into<String>) {
        self.0.push(CommandFault { kind, pointer: pointer.to_owned(), message: message.into() });
    }

    fn unusable(&mut self, pointer: &str, message: impl Into<String>) {
        self.add(CommandFaultKind::Unusable, pointer, message);
    }

    fn unknown(&mut self, pointer: &str, argument: &str) {
        self.unusable(pointer, format!("the input schema has no argument `{argument}`"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// Pointers of the faults of a template, whose tool takes a text, a switch and a list.
    fn faults(template: Value) -> Vec<String> {
        let template: CommandTemplate = serde_json::from_value(template).unwrap();
        let schema = json!({ "type": "object", "properties": {
            "text": { "type": "string" }, "yes": { "type": "boolean" }, "list": { "type": "array" },
        }});
        let schema: JsonSchema = serde_json::from_value(schema).unwrap();
        template.faults(&schema).into_iter().map(|f| format!("{}: {}", f.pointer, f.message)).collect()
    }

    #[test]
    fn a_template_that_uses_every_argument_as_what_it_is_has_no_fault() {
        let good = json!({
            "program": "tool",
            "args": [
                { "literal": "run" }, { "switch": { "name": "-v", "when": "yes" } },
                { "each": { "of": "list", "flag": "--only=" } }, "endOfOptions", { "value": { "of": "text" } },
            ],
            "environment": { "set": { "NODE_OPTIONS": "" }, "inherit": ["LANG"], "cache": { "C": "a/b" } },
            "workingDirectory": "sub",
        });
        assert_eq!(faults(good), Vec::<String>::new());
    }

    #[test]
    fn each_fault_is_told_with_its_place() {
        let all = json!([{ "value": { "of": "text" } }, { "switch": { "name": "-v", "when": "yes" } }, { "each": { "of": "list" } }]);
        let with = |field: &str, value: Value| {
            let mut template = json!({ "program": "tool", "args": all.clone() });
            template[field] = value;
            template
        };
        let rows = [
            (with("program", json!("a/b")), "/program: `a/b` is neither"),
            (with("program", json!("./../b")), "/program: `./../b` is neither"),
            (with("program", json!("/usr/bin/bash")), "/program: `bash` runs whatever"),
            (
                with("args", json!([{ "value": { "of": "other" } }])),
                "/args/0: the input schema has no argument `other`",
            ),
            (
                with("args", json!([{ "value": { "of": "list" } }])),
                "/args/0: `list` is of type `array`, which is not one word",
            ),
            (
                with("args", json!([{ "switch": { "name": "v", "when": "yes" } }])),
                "/args/0: `v` is no option",
            ),
            (with("args", json!(["endOfOptions", "endOfOptions"])), "/args: `endOfOptions` stands"),
            (with("args", json!([])), "/args: nothing is made of the argument `text`"),
            (with("stdin", json!("other")), "/stdin: the input schema has no argument `other`"),
            (
                with("environment", json!({ "inherit": ["LD_PRELOAD"] })),
                "/environment/inherit: `LD_PRELOAD` is not",
            ),
            (
                with("environment", json!({ "inherit": ["API_TOKEN"] })),
                "/environment/inherit: `API_TOKEN` is not",
            ),
            (
                with("environment", json!({ "set": { "LD_AUDIT": "x" } })),
                "/environment/set: `LD_AUDIT` loads",
            ),
            (with("environment", json!({ "set": { "PATH": "x" } })), "/environment/set: `PATH` is what"),
            (with("environment", json!({ "cache": { "C": "../x" } })), "/environment/cache: `../x` is no"),
            (with("workingDirectory", json!("/etc")), "/workingDirectory: `/etc` is no"),
            (with("successCodes", json!([])), "/successCodes: no exit code"),
        ];
        for (template, expected) in rows {
            let told = faults(template);
            assert!(told.first().is_some_and(|first| first.starts_with(expected)), "{expected}: {told:?}");
        }
    }
}
