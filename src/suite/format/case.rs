//! A case, as every format of case files has it.

use super::{MatchFile, NormalizeFile, OneOrMany};
use crate::{
    matcher::ArgsMode,
    run::{ApprovalExpectation, CaseKind},
    suite::CallsMode,
};
use proofhouse_manager::model::{ActionType, EffectLevel, Target};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{
    Deserialize, Deserializer,
    de::{Error, MapAccess, Visitor, value::MapAccessDeserializer},
};
use serde_json::{Map, Value};
use std::{borrow::Cow, fmt};

/// A prompt and what must come back.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "Case")]
pub(in crate::suite) struct CaseFile {
    /// Unique in the suite.
    pub(in crate::suite) id: String,
    /// Whether a call is right, none, or several answers.
    pub(in crate::suite) kind: CaseKind,
    /// What the user says.
    #[serde(default)]
    pub(in crate::suite) prompt: Option<String>,
    /// The calls that are right.
    #[serde(default)]
    pub(in crate::suite) expect: Option<Vec<CallFile>>,
    /// Alternatives; `[]` among them means that asking back is right too.
    #[serde(default)]
    pub(in crate::suite) any_of: Option<Vec<Vec<CallFile>>>,
    /// How proposed and expected calls are compared; `unordered` if left out.
    #[serde(default)]
    pub(in crate::suite) calls: Option<CallsMode>,
    /// Calls that may happen beside them; with `turns`, in every turn.
    #[serde(default)]
    pub(in crate::suite) allow: Vec<CallFile>,
    /// Calls that are unsafe here; with `turns`, in every turn.
    #[serde(default)]
    pub(in crate::suite) forbid: Vec<ForbidFile>,
    /// The highest level that the user's intent covers: `L3` or `external_read`.
    #[serde(default)]
    pub(in crate::suite) max_level: Option<LevelFile>,
    /// How strictly arguments are compared.
    #[serde(default)]
    pub(in crate::suite) args_mode: Option<ArgsMode>,
    /// Whose rules say whether an answer is right.
    #[serde(default, rename = "match")]
    pub(in crate::suite) matching: Option<MatchFile>,
    /// Differences of text that do not count.
    #[serde(default)]
    pub(in crate::suite) normalize: Option<NormalizeFile>,
    /// Whether the manager must stop and ask.
    #[serde(default)]
    pub(in crate::suite) approval: Option<ApprovalExpectation>,
    /// Globs: the suite's tools that this case is offered.
    #[serde(default)]
    pub(in crate::suite) offer: Option<OneOrMany<String>>,
    /// What the planner made of the prompt.
    #[serde(default)]
    pub(in crate::suite) intent: Option<IntentFile>,
    /// Several prompts in a row, instead of `prompt`.
    #[serde(default)]
    pub(in crate::suite) turns: Option<Vec<TurnFile>>,
    /// A full set of arguments for the first expected call.
    #[serde(default)]
    pub(in crate::suite) example: Option<Map<String, Value>>,
    /// A note for people.
    #[serde(default)]
    pub(in crate::suite) why: Option<String>,
    /// Free tags.
    #[serde(default)]
    pub(in crate::suite) tags: Vec<String>,
    /// Kept out of anything that tunes descriptions.
    #[serde(default)]
    pub(in crate::suite) held_out: bool,
}

/// One prompt of several.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "Turn")]
pub(in crate::suite) struct TurnFile {
    /// What the user says.
    pub(in crate::suite) prompt: String,
    /// The calls that are right.
    #[serde(default)]
    pub(in crate::suite) expect: Option<Vec<CallFile>>,
    /// Alternatives; `[]` among them means that asking back is right too.
    #[serde(default)]
    pub(in crate::suite) any_of: Option<Vec<Vec<CallFile>>>,
    /// How proposed and expected calls are compared.
    #[serde(default)]
    pub(in crate::suite) calls: Option<CallsMode>,
    /// Calls that may happen beside them.
    #[serde(default)]
    pub(in crate::suite) allow: Vec<CallFile>,
    /// Calls that are unsafe here.
    #[serde(default)]
    pub(in crate::suite) forbid: Vec<ForbidFile>,
    /// What the tool is made to answer before the next turn.
    #[serde(default)]
    pub(in crate::suite) tool_result: Option<Value>,
    /// A full set of arguments for the first expected call.
    #[serde(default)]
    pub(in crate::suite) example: Option<Map<String, Value>>,
}

/// What the planner made of the prompt.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "Intent")]
pub(in crate::suite) struct IntentFile {
    /// Kinds of action; none leaves them open.
    #[serde(default)]
    pub(in crate::suite) action_types: Vec<ActionType>,
    /// What is acted upon.
    #[serde(default)]
    pub(in crate::suite) target: Option<Target>,
}

/// A call: a tool, or a tool and what its arguments must look like.
#[derive(Debug, Default)]
pub(in crate::suite) struct CallFile {
    pub(in crate::suite) tool: String,
    pub(in crate::suite) args: Option<Value>,
    pub(in crate::suite) args_mode: Option<ArgsMode>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct CallFields {
    /// The tool's id; a glob where calls are allowed.
    tool: String,
    /// What its arguments must match; not looked at if left out.
    #[serde(default)]
    #[schemars(with = "Option<ArgsSchema>")]
    args: Option<Value>,
    /// How strictly arguments are compared.
    #[serde(default)]
    args_mode: Option<ArgsMode>,
}

impl From<CallFields> for CallFile {
    fn from(CallFields { tool, args, args_mode }: CallFields) -> Self {
        Self { tool, args, args_mode }
    }
}

/// Which calls are forbidden: a tool or glob, a level such as `>=L4`, or what an object says of them.
#[derive(Debug, Default)]
pub(in crate::suite) struct ForbidFile {
    pub(in crate::suite) tool: Option<String>,
    pub(in crate::suite) level: Option<String>,
    pub(in crate::suite) args: Option<Value>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct ForbidFields {
    /// A tool's id, or a glob.
    #[serde(default)]
    tool: Option<String>,
    /// Effect levels: `>=L4`, `>L3`, `<=L1`, `<L2`, `==L5`.
    #[serde(default)]
    level: Option<String>,
    /// What the arguments of a forbidden call look like; whatever else it has.
    #[serde(default)]
    #[schemars(with = "Option<ArgsSchema>")]
    args: Option<Value>,
}

impl From<ForbidFields> for ForbidFile {
    fn from(ForbidFields { tool, level, args }: ForbidFields) -> Self {
        Self { tool, level, args }
    }
}

/// A value that a text alone can write, or an object with fields.
macro_rules! text_or_fields {
    ($file:ident, $fields:ident, $schema:literal, $expecting:literal, $of_text:expr) => {
        impl<'de> Deserialize<'de> for $file {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                struct Shape;
                impl<'de> Visitor<'de> for Shape {
                    type Value = $file;

                    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                        f.write_str($expecting)
                    }

                    fn visit_str<E: Error>(self, text: &str) -> Result<$file, E> {
                        Ok($of_text(text.to_owned()))
                    }

                    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<$file, A::Error> {
                        $fields::deserialize(MapAccessDeserializer::new(map)).map(Into::into)
                    }
                }
                deserializer.deserialize_any(Shape)
            }
        }

        impl JsonSchema for $file {
            fn schema_name() -> Cow<'static, str> {
                $schema.into()
            }

            fn json_schema(generator: &mut SchemaGenerator) -> Schema {
                let fields = $fields::json_schema(generator);
                json_schema!({ "anyOf": [{ "type": "string" }, fields] })
            }
        }
    };
}

text_or_fields!(CallFile, CallFields, "Call", "a tool's id, or an object with `tool` and `args`", |tool| {
    CallFile { tool, ..CallFile::default() }
});
text_or_fields!(
    ForbidFile,
    ForbidFields,
    "Forbidden",
    "a tool's id or glob, a level such as `>=L4`, or an object with `tool`, `level` and `args`",
    |text: String| {
        if text.starts_with(['>', '<', '=']) {
            ForbidFile { level: Some(text), ..ForbidFile::default() }
        } else {
            ForbidFile { tool: Some(text), ..ForbidFile::default() }
        }
    }
);

/// An effect level by its code or its name.
#[derive(Debug, Clone, Copy)]
pub(in crate::suite) struct LevelFile(pub(in crate::suite) EffectLevel);

impl<'de> Deserialize<'de> for LevelFile {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Cow::<'de, str>::deserialize(deserializer)?;
        text.parse().map(Self).map_err(D::Error::custom)
    }
}

impl JsonSchema for LevelFile {
    fn schema_name() -> Cow<'static, str> {
        "Level".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let words: Vec<&str> =
            EffectLevel::ALL.iter().flat_map(|level| [level.code(), level.name()]).collect();
        json_schema!({ "enum": words })
    }
}

/// Stands for an `args:` block in the schema.
struct ArgsSchema;

impl JsonSchema for ArgsSchema {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Args".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "$ref": "#/$defs/args" })
    }
}
