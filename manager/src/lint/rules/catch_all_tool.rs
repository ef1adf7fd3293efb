//! A tool that takes a whole command line, query, program or request.

use crate::{
    lint::{Check, Lint, LintStage, Report, Severity, Subject, Subschema, text::pattern},
    model::ActionType,
    normalize::verbs,
};
use regex::Regex;
use serde_json::Value;
use std::sync::LazyLock;

pub(super) const LINT: Lint = Lint {
    code: "catch-all-tool",
    stage: LintStage::Security,
    severity: Severity::Warning,
    finds: "A parameter takes a whole command line, program, query or HTTP request, or the name of something else to call.",
    why: "What such a call does stands in free text: its arguments cannot be validated, its permission cannot be split, \
          and whoever approves must read code (anti-pattern 2: one universal shell).",
    fix: "make a tool of each thing that is done in practice; keep the catch-all for what is left, asked about every time \
          and run in a strict sandbox",
    check: Check::Tool(check),
};

/// A parameter through which anything can be done.
pub(super) struct Raw {
    pub(super) what: &'static str,
    pub(super) pointer: String,
}

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    if let Some(Raw { what, pointer }) = of(subject) {
        report.at(subject, pointer, format!("the tool takes {what}"));
    }
}

/// Whether a parameter, by its name in words, takes one kind of thing whole.
type IsRaw = fn(&Subject<'_>, &Subschema<'_>, &str) -> bool;

/// What the tool takes whole, if it does.
pub(super) fn of(subject: &Subject<'_>) -> Option<Raw> {
    let kinds: [(&str, IsRaw); 5] = [
        ("a whole command line", is_command),
        ("a whole query", is_query),
        ("a whole program", is_program),
        ("a whole HTTP request", is_request),
        ("the name of something else to call, and its arguments", is_dispatcher),
    ];
    kinds.into_iter().find_map(|(what, is)| {
        let free = subject.parameters().filter(|parameter| is_free(parameter));
        let mut named = free.map(|parameter| (parameter, name_of(parameter)));
        let (found, _) = named.find(|(parameter, name)| is(subject, parameter, name))?;
        Some(Raw { what, pointer: found.pointer.clone() })
    })
}

/// The words of a parameter's name, as `snake_case`.
fn name_of(parameter: &Subschema<'_>) -> String {
    verbs::words(parameter.property.unwrap_or_default()).join("_")
}

/// Whether any text may stand there.
fn is_free(parameter: &Subschema<'_>) -> bool {
    let bound = ["enum", "const", "pattern", "format"];
    let text = parameter.allows("string") || parameter.is("array");
    text && !bound.iter().any(|keyword| parameter.schema.contains_key(*keyword))
}

fn is_command(subject: &Subject<'_>, parameter: &Subschema<'_>, name: &str) -> bool {
    static RUNS: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"\b(shell|terminal|bash|powershell|cron|command[- ]line|kubectl|(execut|run|invok)\w*( [\w-]+){0,4} commands?)\b",
        )
    });
    let named = ["command", "cmd", "command_line", "commandline", "shell_command", "bash", "shell"];
    let said = [subject.summary(), parameter.text("description").unwrap_or_default()];
    named.contains(&name)
        && !hands_on(subject)
        && (runs(subject) || said.iter().any(|text| RUNS.is_match(text)))
}

fn is_query(subject: &Subject<'_>, parameter: &Subschema<'_>, name: &str) -> bool {
    static LANGUAGE: LazyLock<Regex> = LazyLock::new(|| {
        pattern(r"\b(sql|promql|logql|cypher|graphql mutation|kql|mql|hogql|t-sql|ddl|migration)\b")
    });
    static WHOLE: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"\b((sql|promql|cypher|kql|ddl)( \w+)? (query|queries|statement|expression|command|script)|(query|statement)s? (written in|to (run|execute)))",
        )
    });
    let said = parameter.text("description").unwrap_or_default();
    match name {
        "sql" | "sql_query" | "sql_statement" | "statement" | "promql" | "cypher" => true,
        "query" | "queries" => {
            WHOLE.is_match(said)
                || (LANGUAGE.is_match(said) && runs(subject))
                || (runs(subject) && LANGUAGE.is_match(&subject.name().replace(['_', '-'], " ")))
                || (WHOLE.is_match(subject.summary()) && LANGUAGE.is_match(subject.summary()))
        }
        _ => false,
    }
}

fn is_program(subject: &Subject<'_>, parameter: &Subschema<'_>, name: &str) -> bool {
    static CODE: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"\b((execut|evaluat|run)\w* (\w+ ){0,6}(code|javascript|python|script|snippet|expression|function|cells?)|javascript (code )?to (execute|run|evaluate))\b",
        )
    });
    let named =
        ["code", "script", "source_code", "javascript", "python", "expression", "function", "js", "source"];
    let said = [subject.summary(), parameter.text("description").unwrap_or_default()];
    named.contains(&name) && runs(subject) && said.iter().any(|text| CODE.is_match(text))
}

/// A tool whose name says only that a request is sent, and that says where to.
fn is_request(subject: &Subject<'_>, _: &Subschema<'_>, name: &str) -> bool {
    const PLAIN: [&str; 14] = [
        "get", "post", "put", "patch", "delete", "head", "http", "api", "rest", "request", "generic", "tool",
        "call", "fetch",
    ];
    let source = verbs::words(&subject.tool.source.source_id);
    let plain = |word: &String| PLAIN.contains(&word.as_str()) || source.contains(word);
    let words = verbs::words(subject.name());
    let squeezed = source.concat();
    let says_nothing_else =
        words.iter().all(|word| plain(word) || squeezed.starts_with(word.as_str()) || word == "search");
    let has = |names: &[&str]| subject.parameters().any(|p| names.contains(&name_of(p).as_str()));
    ["path", "endpoint", "url", "uri"].contains(&name)
        && says_nothing_else
        && has(&["method", "body", "data", "json_body", "payload", "value"])
}

fn is_dispatcher(subject: &Subject<'_>, _: &Subschema<'_>, name: &str) -> bool {
    const CALLED: [&str; 9] = [
        "tool",
        "tool_name",
        "command",
        "actor",
        "operation",
        "procedure",
        "function_name",
        "api_name",
        "action",
    ];
    CALLED.contains(&name) && hands_on(subject)
}

/// Whether an object of arguments is handed on that nothing describes.
fn hands_on(subject: &Subject<'_>) -> bool {
    const ARGUMENTS: [&str; 7] =
        ["arguments", "args", "parameters", "params", "input", "payload", "tool_arguments"];
    subject.parameters().any(|parameter| {
        let described =
            parameter.schema.get("properties").and_then(Value::as_object).is_some_and(|p| !p.is_empty());
        ARGUMENTS.contains(&name_of(parameter).as_str()) && parameter.is("object") && !described
    })
}

/// Whether the name says that something is run.
fn runs(subject: &Subject<'_>) -> bool {
    let words = verbs::words(subject.name());
    let run = [
        "run", "exec", "execute", "eval", "evaluate", "shell", "bash", "terminal", "query", "command", "sql",
        "python",
    ];
    subject.verbs().contains(&ActionType::Execute) || words.iter().any(|word| run.contains(&word.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::{check, check_served};
    use serde_json::json;

    #[test]
    fn what_takes_anything_is_found() {
        for (name, summary, parameters, what) in [
            ("run_command", "Runs a command", json!({ "command": {} }), "a whole command line"),
            ("execute_sql", "Runs SQL", json!({ "query": {} }), "a whole query"),
            ("query", "Run a read-only SQL query", json!({ "sql": {} }), "a whole query"),
            ("execute_code", "Executes Python code", json!({ "code": {} }), "a whole program"),
            ("srv_post", "Posts", json!({ "path": {}, "body": {} }), "a whole HTTP request"),
            (
                "call_actor",
                "Calls an actor",
                json!({ "actor": {}, "input": { "type": "object" } }),
                "the name of something else to call, and its arguments",
            ),
        ] {
            let schema = json!({ "properties": parameters });
            let first = parameters.as_object().unwrap().keys().next().unwrap();
            let definition = json!({ "name": name, "description": summary, "inputSchema": schema });
            check_served(&LINT, definition, &[&format!("/properties/{first}: the tool takes {what}")]);
        }
    }

    #[test]
    fn what_takes_something_stated_is_not() {
        for (name, summary, parameters) in [
            ("search", "Searches pages", json!({ "query": { "description": "What to look for" } })),
            ("git_branch", "Manages branches", json!({ "command": { "enum": ["list", "create"] } })),
            ("redeem", "Redeems a voucher", json!({ "code": {} })),
            ("create_call", "Starts a call", json!({ "url": {}, "method": {} })),
            (
                "call_actor",
                "Calls",
                json!({ "actor": {}, "input": { "type": "object", "properties": { "a": {} } } }),
            ),
        ] {
            let schema = json!({ "properties": parameters });
            check_served(&LINT, json!({ "name": name, "description": summary, "inputSchema": schema }), &[]);
        }
        check(&LINT, |_| {}, &[]);
    }
}
