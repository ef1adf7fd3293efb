//! The exact kinds of values, and what the type names of function docs stand for.

/// What a value is; `5` and `5.0` differ, and a truth value is no number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Null,
    Bool,
    Int,
    Float,
    Text,
    List,
    Dict,
    /// Something that no JSON value is.
    Never,
}

/// The language that the functions of a case are written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Language {
    Python,
    Java,
    JavaScript,
}

impl Language {
    /// The language of a category, which names it unless it is Python.
    pub(super) fn of(category: &str) -> Self {
        if category.contains("javascript") {
            Self::JavaScript
        } else if category.contains("java") {
            Self::Java
        } else {
            Self::Python
        }
    }

    /// A category of cases in this language that ask for one call.
    pub(super) fn category(self) -> &'static str {
        match self {
            Self::Python => "simple",
            Self::Java => "java",
            Self::JavaScript => "javascript",
        }
    }

    /// The kind that a type name of a function doc stands for.
    pub(super) fn kind(self, name: &str) -> Option<Kind> {
        match self {
            Self::Python => python(name),
            Self::Java => java(name),
            Self::JavaScript => javascript(name),
        }
    }

    /// Whether the items of a type have a declared kind of their own.
    pub(super) fn has_items(self, name: &str) -> bool {
        match self {
            Self::Python => ["array", "tuple"].contains(&name),
            Self::Java | Self::JavaScript => ["Array", "ArrayList", "array"].contains(&name),
        }
    }
}

fn python(name: &str) -> Option<Kind> {
    Some(match name {
        "string" | "any" => Kind::Text,
        "integer" => Kind::Int,
        "float" => Kind::Float,
        "boolean" => Kind::Bool,
        "array" | "tuple" => Kind::List,
        "dict" => Kind::Dict,
        _ => return None,
    })
}

fn java(name: &str) -> Option<Kind> {
    Some(match name {
        "byte" | "short" | "integer" | "long" => Kind::Int,
        "float" | "double" => Kind::Float,
        "boolean" => Kind::Bool,
        "char" | "String" | "any" => Kind::Text,
        "Array" | "ArrayList" | "Queue" | "Stack" => Kind::List,
        "HashMap" | "Hashtable" => Kind::Dict,
        "Set" => Kind::Never,
        _ => return None,
    })
}

fn javascript(name: &str) -> Option<Kind> {
    Some(match name {
        "String" | "any" => Kind::Text,
        "integer" | "Bigint" => Kind::Int,
        "float" => Kind::Float,
        "Boolean" => Kind::Bool,
        "array" => Kind::List,
        "dict" => Kind::Dict,
        _ => return None,
    })
}
