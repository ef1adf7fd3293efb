//! What a schema asks for, read once.

use proofhouse_manager::resolve::bm25::{Term, every_word};
use serde_json::Value;

/// The parameters of a tool.
#[derive(Debug)]
pub(in super::super) struct Parameters {
    /// In the schema's order.
    pub(super) all: Vec<Parameter>,
    /// The words of the tool's name.
    pub(super) tool: Vec<Term>,
}

/// One parameter.
#[derive(Debug)]
pub(super) struct Parameter {
    pub(super) name: String,
    /// The words of its name, in order.
    pub(super) words: Vec<Term>,
    pub(super) required: bool,
    pub(super) shape: Shape,
}

/// What values it takes.
#[derive(Debug)]
pub(super) enum Shape {
    Text(Role),
    Number {
        integer: bool,
        minimum: f64,
        maximum: f64,
    },
    Switch,
    /// Each value, with its words.
    Choice(Vec<(String, Vec<Term>)>),
    /// Several texts.
    Texts(Role),
    /// Objects and mixtures: no rule fills them.
    Other,
}

/// What a text is, judged by the parameter's name and format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Url,
    Email,
    Path,
    Date,
    /// Words to search for.
    Query,
    /// Something to say: a message, a title, contents.
    Prose,
    /// A name, an id, a key.
    Name,
}

impl Parameters {
    /// Reads the input schema of the tool of that name.
    pub(in super::super) fn read(tool: &str, schema: &Value) -> Self {
        let required: Vec<&str> =
            schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let properties = schema["properties"].as_object().into_iter().flatten();
        let parameter = |(name, schema): (&String, &Value)| {
            Parameter::read(name, schema, required.contains(&name.as_str()))
        };
        let mut names = Vec::new();
        every_word(tool, |word| names.push(Term::of(word)));
        Self { all: properties.map(parameter).collect(), tool: names }
    }
}

impl Parameter {
    fn read(name: &str, schema: &Value, required: bool) -> Self {
        let mut folded = Vec::new();
        every_word(name, |word| folded.push(word.to_owned()));
        let shape = Shape::read(schema, &folded);
        Self { name: name.to_owned(), words: folded.iter().map(|w| Term::of(w)).collect(), required, shape }
    }
}

impl Shape {
    fn read(schema: &Value, name: &[String]) -> Self {
        if let Some(values) = schema["enum"].as_array() {
            return Self::Choice(values.iter().filter_map(Value::as_str).map(choice).collect());
        }
        match type_of(schema) {
            Some("string") => Self::Text(Role::of(schema, name)),
            Some("boolean") => Self::Switch,
            Some(number @ ("integer" | "number")) => Self::Number {
                integer: number == "integer",
                minimum: schema["minimum"].as_f64().unwrap_or(f64::MIN),
                maximum: schema["maximum"].as_f64().unwrap_or(f64::MAX),
            },
            Some("array")
                if type_of(&schema["items"]) == Some("string") && schema["items"]["enum"].is_null() =>
            {
                Self::Texts(Role::of(&schema["items"], name))
            }
            _ => Self::Other,
        }
    }
}

fn choice(value: &str) -> (String, Vec<Term>) {
    let mut terms = Vec::new();
    every_word(value, |word| terms.push(Term::of(word)));
    (value.to_owned(), terms)
}

/// The type of a schema; of a nullable one the type beside `null`.
fn type_of(schema: &Value) -> Option<&str> {
    match &schema["type"] {
        Value::String(one) => Some(one),
        Value::Array(several) => several.iter().filter_map(Value::as_str).find(|t| *t != "null"),
        _ => ["anyOf", "oneOf"].iter().find_map(|key| {
            let alternatives = schema[*key].as_array()?;
            alternatives.iter().filter_map(|s| s["type"].as_str()).find(|t| *t != "null")
        }),
    }
}

impl Role {
    fn of(schema: &Value, name: &[String]) -> Self {
        match schema["format"].as_str() {
            Some("uri" | "url") => return Self::Url,
            Some("email") => return Self::Email,
            Some("date" | "date-time") => return Self::Date,
            _ => (),
        }
        let has = |words: &[&str]| name.iter().any(|n| words.contains(&n.as_str()));
        if has(&["url", "urls", "uri", "link", "website", "href"]) {
            Self::Url
        } else if has(&["email", "emails", "to", "cc", "bcc", "recipient", "recipients"]) {
            Self::Email
        } else if has(&[
            "path",
            "paths",
            "file",
            "files",
            "filename",
            "folder",
            "directory",
            "dir",
            "source",
            "destination",
            "output",
            "attachments",
            "from",
        ]) {
            Self::Path
        } else if has(&["date", "since", "until", "after", "before", "start", "end", "due", "day"]) {
            Self::Date
        } else if has(&[
            "query", "q", "search", "keyword", "keywords", "question", "term", "terms", "find", "pattern",
        ]) {
            Self::Query
        } else if has(&[
            "message",
            "title",
            "subject",
            "content",
            "contents",
            "body",
            "text",
            "comment",
            "description",
            "summary",
            "replace",
            "prompt",
            "command",
            "note",
        ]) {
            Self::Prose
        } else {
            Self::Name
        }
    }
}
