//! A parameter that takes a password, a token or a key.

use crate::{
    lint::{Check, Lint, LintStage, Report, Severity, Subject, Subschema, text::pattern},
    normalize::verbs,
};
use regex::Regex;
use std::sync::LazyLock;

pub(super) const LINT: Lint = Lint {
    code: "secret-parameter",
    stage: LintStage::Security,
    severity: Severity::Error,
    finds: "A parameter takes a secret: a password, token, key or connection string.",
    why: "The model must see a secret to pass it on, and so do the transcript, the log and every later tool \
          (anti-pattern 4: passing tokens to the model).",
    fix: "bind the secret outside of the model (`credentials`), and take at most the name under which it is kept",
    check: Check::Tool(check),
};

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    for (name, schema) in subject.properties() {
        let is_text = schema.allows("string") && !schema.schema.contains_key("enum");
        if is_text && names_secret(name) && !is_cursor(schema) {
            report.at(subject, schema.pointer.clone(), format!("`{name}` takes a secret"));
        }
    }
}

/// Words, or pairs of words, that name a secret.
const SECRETS: [&str; 16] = [
    "password",
    "passwd",
    "passphrase",
    "pwd",
    "secret",
    "token",
    "apikey",
    "credentials",
    "credential",
    "jwt",
    "api key",
    "private key",
    "access key",
    "secret key",
    "connection string",
    "auth header",
];

/// Words after which it is something about a secret, or before which it is a token of another kind.
const ABOUT: [&str; 37] = [
    "id",
    "ids",
    "name",
    "names",
    "type",
    "types",
    "uuid",
    "sid",
    "arn",
    "ref",
    "reference",
    "selector",
    "field",
    "configurations",
    "configuration",
    "vendor",
    "provider",
    "path",
    "file",
    "env",
    "variable",
    "policy",
    "count",
    "limit",
    "length",
    "expiry",
    "expires",
    "ttl",
    "status",
    "scope",
    "scopes",
    "label",
    "hint",
    "enabled",
    "list",
    "mapping",
    "rotation",
];
const OTHER_TOKENS: [&str; 22] = [
    "page",
    "next",
    "continuation",
    "continue",
    "cursor",
    "sync",
    "version",
    "delta",
    "pagination",
    "max",
    "min",
    "idempotency",
    "confirmation",
    "client",
    "resume",
    "start",
    "starting",
    "folder",
    "list",
    "reset",
    "skip",
    "form",
];

/// Whether the last words of a name are those of a secret itself.
fn names_secret(name: &str) -> bool {
    let words = verbs::words(name);
    let value = words.last().is_some_and(|last| last == "value");
    let words = if value { &words[..words.len() - 1] } else { &words[..] };
    let Some(last) = words.last().filter(|last| !ABOUT.contains(&last.as_str())) else { return false };
    let before = words.len().checked_sub(2).map_or("", |at| words[at].as_str());
    let other = last == "token" && words.iter().any(|word| OTHER_TOKENS.contains(&word.as_str()));
    // `withCredentials` asks whether, not which.
    let switch =
        words.first().is_some_and(|first| ["with", "has", "is", "use", "include"].contains(&first.as_str()));
    (SECRETS.contains(&last.as_str()) || SECRETS.contains(&format!("{before} {last}").as_str()))
        && !other
        && !switch
}

/// Whether the description says that it is a place in a list, or something that was handed out to be handed back.
fn is_cursor(schema: &Subschema<'_>) -> bool {
    static HANDED_BACK: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"\b(pagination|paginat\w+|next page|cursor|continuation|(returned|received|obtained|given|provided|sent) (by|from|in|via)|opaque|unique identifier|the name of|not (its|the) value|resume)\b",
        )
    });
    schema.text("description").is_some_and(|text| HANDED_BACK.is_match(text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::check_schema;
    use serde_json::json;

    #[test]
    fn secrets_are_found_and_what_is_about_them_is_not() {
        for name in [
            "password",
            "apiKey",
            "api_key",
            "client_secret",
            "SipAuthPassword",
            "jupyter_token",
            "private_key",
            "connectionString",
            "secretValue",
            "AWS_SECRET_ACCESS_KEY",
        ] {
            let told = format!("/properties/{name}: `{name}` takes a secret");
            check_schema(&LINT, json!({ "properties": { name: { "type": "string" } } }), &[&told]);
        }
        for name in [
            "secretName",
            "token_vault_id",
            "aws_secret_arn",
            "page_token",
            "nextPageToken",
            "version_token",
            "passwordSelector",
            "private_key_uuid",
            "access_key_id",
            "withCredentials",
            "maxTokens",
            "key",
            "author",
        ] {
            check_schema(&LINT, json!({ "properties": { name: { "type": "string" } } }), &[]);
        }
    }

    #[test]
    fn what_is_no_text_or_a_place_in_a_list_is_no_secret() {
        let of = |schema| json!({ "properties": { "token": schema } });
        check_schema(&LINT, of(json!({ "type": "integer" })), &[]);
        check_schema(&LINT, of(json!({ "enum": ["a"] })), &[]);
        check_schema(
            &LINT,
            of(json!({ "type": "string", "description": "The token returned by the last page" })),
            &[],
        );
        let nested =
            json!({ "properties": { "login": { "properties": { "password": { "type": "string" } } } } });
        check_schema(&LINT, nested, &["/properties/login/properties/password: `password` takes a secret"]);
    }
}
