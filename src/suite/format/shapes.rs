//! Fields that take more than one shape.

use crate::matcher::{Fold, Folds, Normalize};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{
    Deserialize, Deserializer,
    de::{
        Error, MapAccess, SeqAccess, Visitor,
        value::{MapAccessDeserializer, SeqAccessDeserializer, StrDeserializer, U64Deserializer},
    },
};
use std::{borrow::Cow, collections::BTreeMap, fmt, marker::PhantomData};

/// One value, or a list of them.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::suite) struct OneOrMany<T>(pub(in crate::suite) Vec<T>);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for OneOrMany<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(OneOrManyVisitor(PhantomData))
    }
}

struct OneOrManyVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for OneOrManyVisitor<T> {
    type Value = OneOrMany<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("one value or a list of them")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
        T::deserialize(StrDeserializer::new(text)).map(|one| OneOrMany(vec![one]))
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Self::Value, E> {
        T::deserialize(U64Deserializer::new(number)).map(|one| OneOrMany(vec![one]))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Self::Value, A::Error> {
        Vec::deserialize(SeqAccessDeserializer::new(list)).map(OneOrMany)
    }
}

impl<T: JsonSchema> JsonSchema for OneOrMany<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        format!("OneOrMany_{}", T::schema_name()).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let one = generator.subschema_for::<T>();
        json_schema!({ "anyOf": [one, { "type": "array", "items": one }] })
    }
}

/// `[case, whitespace]`, or such a list for each JSON pointer into the arguments.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::suite) enum NormalizeFile {
    Everywhere(Vec<Fold>),
    Parameters(BTreeMap<String, Vec<Fold>>),
}

impl NormalizeFile {
    /// These settings over those of the suite: a list replaces them, a map adds to them.
    pub(in crate::suite) fn over(&self, outer: &Normalize) -> Normalize {
        match self {
            Self::Everywhere(folds) => Normalize::everywhere(folds.iter().copied().collect()),
            Self::Parameters(parameters) => parameters.iter().fold(outer.clone(), |all, (pointer, folds)| {
                all.with(pointer.clone(), folds.iter().copied().collect::<Folds>())
            }),
        }
    }

    /// The first parameter that is named, but not by a JSON pointer.
    pub(in crate::suite) fn not_a_pointer(&self) -> Option<&str> {
        match self {
            Self::Everywhere(_) => None,
            Self::Parameters(parameters) => {
                parameters.keys().map(String::as_str).find(|key| !key.starts_with('/'))
            }
        }
    }
}

impl<'de> Deserialize<'de> for NormalizeFile {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NormalizeVisitor)
    }
}

struct NormalizeVisitor;

impl<'de> Visitor<'de> for NormalizeVisitor {
    type Value = NormalizeFile;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list such as `[case, whitespace]`, or an object such as `{ /title: [case] }`")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<NormalizeFile, A::Error> {
        Vec::deserialize(SeqAccessDeserializer::new(list)).map(NormalizeFile::Everywhere)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<NormalizeFile, A::Error> {
        BTreeMap::deserialize(MapAccessDeserializer::new(map)).map(NormalizeFile::Parameters)
    }
}

impl JsonSchema for NormalizeFile {
    fn schema_name() -> Cow<'static, str> {
        "Normalize".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let folds = generator.subschema_for::<Vec<Fold>>();
        json_schema!({
            "description": "Differences of text that do not count: everywhere, or by JSON pointer into the arguments.",
            "anyOf": [folds, {
                "type": "object",
                "propertyNames": { "pattern": "^/" },
                "additionalProperties": folds,
            }],
        })
    }
}

/// `user:dev`, or the same with the scopes that are held.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::suite) struct PrincipalFile {
    pub(in crate::suite) id: String,
    pub(in crate::suite) scopes: Option<Vec<String>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct PrincipalFields {
    id: String,
    #[serde(default)]
    scopes: Option<Vec<String>>,
}

impl<'de> Deserialize<'de> for PrincipalFile {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(PrincipalVisitor)
    }
}

struct PrincipalVisitor;

impl<'de> Visitor<'de> for PrincipalVisitor {
    type Value = PrincipalFile;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("text such as `user:dev`, or an object with `id` and `scopes`")
    }

    fn visit_str<E: Error>(self, id: &str) -> Result<PrincipalFile, E> {
        Ok(PrincipalFile { id: id.to_owned(), scopes: None })
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<PrincipalFile, A::Error> {
        let PrincipalFields { id, scopes } = PrincipalFields::deserialize(MapAccessDeserializer::new(map))?;
        Ok(PrincipalFile { id, scopes })
    }
}

impl JsonSchema for PrincipalFile {
    fn schema_name() -> Cow<'static, str> {
        "Principal".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "Who acts: `kind:name`, holding every scope that the tools ask for, or the scopes listed.",
            "anyOf": [{ "type": "string", "pattern": "^[^:]+:.+$" }, {
                "type": "object",
                "properties": {
                    "id": { "type": "string", "pattern": "^[^:]+:.+$" },
                    "scopes": { "type": "array", "items": { "type": "string" } },
                },
                "required": ["id"],
                "additionalProperties": false,
            }],
        })
    }
}
