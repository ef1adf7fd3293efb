//! What the leaderboard allows, in our own pattern language, and what our rules say of an answer then.

use super::{documents::Document, schema, suite::expected_calls};
use crate::{
    matcher::{
        ArgsMode, ArgsPattern, Fold, Folds, Normalize,
        bfcl::{Asks, Case, ErrorType, Profile, Rules, WRITTEN_TYPE, Wanted},
    },
    provider::{Offered, Reply},
    run::CallRecord,
    score::{Answer, TurnScore, score_turn},
    suite::{CallsMode, ExpectedCall, Turn},
};
use proofhouse_manager::{
    model::{Decision, EffectLevel, JsonSchema, ToolId},
    registry::Arguments,
};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// A case as our default rules take it.
pub(super) struct OurCase {
    exact: Turn,
    folded: Turn,
    /// The expected calls as the leaderboard has them, in the same order.
    truth: Vec<(ToolId, Value)>,
    profile: Profile,
    tools: BTreeMap<ToolId, Arguments>,
}

/// Which text counts as equal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TextOf {
    /// The same, letter by letter: our default.
    Letter,
    /// The same but for case, white space, punctuation and the forms of characters.
    Folded,
}

impl OurCase {
    /// Translates a case; the error says what in it has no translation.
    pub(super) fn of(document: &Document, case: &Case, rules: Rules) -> Result<Self, String> {
        let mut tools = BTreeMap::new();
        for function in document.value["functions"].as_array().into_iter().flatten() {
            let name = ToolId::from(function["name"].as_str().unwrap_or_default());
            let (usable, _) = schema::usable(schema::of(function));
            let arguments = Arguments::compile(&JsonSchema(usable)).map_err(|fault| fault.to_string())?;
            tools.entry(name).or_insert(arguments);
        }
        let turn = |normalize: &Normalize| turn(document, case, &tools, normalize);
        let all = [Fold::Case, Fold::Whitespace, Fold::Punctuation, Fold::Unicode];
        let folds = Normalize::everywhere(all.into_iter().collect::<Folds>());
        let truth = expected_calls(&document.value["ground_truth"], first_of(document, case));
        Ok(Self {
            exact: turn(&Normalize::default())?,
            folded: turn(&folds)?,
            truth: truth.map(|(name, allowed)| (name.into(), allowed.clone())).collect(),
            profile: Profile::new(rules, case.category()),
            tools,
        })
    }

    /// What the leaderboard's rules hold against a call that we have paired with that expected one.
    pub(super) fn fault(&self, expected: usize, args: &Value) -> Option<ErrorType> {
        let (tool, allowed) = self.truth.get(expected)?;
        let wanted = Wanted { tool, allowed, schema: self.tools.get(tool).map(Arguments::schema) };
        self.profile.fault(wanted, args).ok()?.map(|fault| fault.error)
    }

    /// The tools that are offered.
    pub(super) fn offered(&self) -> Vec<Offered> {
        let names = self.tools.keys();
        names.map(|name| Offered { id: name.to_string(), wire_name: name.to_string() }).collect()
    }

    /// What our rules say of an answer.
    pub(super) fn score(&self, reply: &Reply, text: TextOf) -> TurnScore {
        let calls = reply.calls.iter().map(|(name, args)| {
            let tool = ToolId::from(name.as_str());
            let args = args.to_value();
            let faults = self.tools.get(&tool).map(|tool| tool.faults(&args));
            let reason = faults
                .as_ref()
                .and_then(|faults| faults.first())
                .map(|f| format!("`{}`: {}", f.path, f.message));
            let valid = faults.map(|faults| faults.is_empty());
            CallRecord {
                in_view: valid.is_some(),
                args_valid: valid,
                // Whether a person would be asked says nothing of the answer.
                decision: valid.filter(|valid| *valid).map(|_| Decision::Allow),
                level: None,
                risk: None,
                reason,
                allowed: false,
                unsafe_because: None,
                call_id: String::new(),
                args,
                tool,
            }
        });
        let turn = match text {
            TextOf::Letter => &self.exact,
            TextOf::Folded => &self.folded,
        };
        let answer = Answer {
            outcome: reply.outcome,
            calls: calls.collect(),
            ceiling: EffectLevel::DestructiveOrAdmin,
            in_view: &|tool| if self.tools.contains_key(tool) { Ok(()) } else { Err(None) },
            schema_of: &|tool| self.tools.get(tool).map(Arguments::schema),
        };
        score_turn(turn, answer)
    }
}

fn turn(
    document: &Document,
    case: &Case,
    tools: &BTreeMap<ToolId, Arguments>,
    normalize: &Normalize,
) -> Result<Turn, String> {
    let (expect, calls) = match case.asks() {
        Asks::NoCall => (vec![Vec::new()], CallsMode::Unordered),
        Asks::AnyCall => {
            let any =
                |tool: &ToolId| vec![ExpectedCall { tool: tool.clone(), args: ArgsPattern::anything() }];
            (tools.keys().map(any).collect(), CallsMode::Superset)
        }
        Asks::OneCall | Asks::Calls => {
            let first = first_of(document, case);
            let expected = expected_calls(&document.value["ground_truth"], first).map(|(name, allowed)| {
                let tool = ToolId::from(name);
                let known =
                    tools.get(&tool).ok_or_else(|| format!("`{name}` is expected and not offered"))?;
                let args = patterns(allowed, known.schema());
                let args =
                    ArgsPattern::compile(&args, ArgsMode::Exact, normalize).map_err(|e| e.to_string())?;
                Ok(ExpectedCall { tool, args })
            });
            (vec![expected.collect::<Result<_, String>>()?], CallsMode::Unordered)
        }
    };
    Ok(Turn {
        prompt: String::new(),
        expect,
        calls,
        allow: Vec::new(),
        forbid: Vec::new(),
        tool_result: None,
        example: None,
        profile: None,
    })
}

/// The first function, where its call is what is expected.
fn first_of<'d>(document: &'d Document, case: &Case) -> Option<&'d str> {
    document.value["functions"][0]["name"].as_str().filter(|_| case.asks() == Asks::OneCall)
}

/// Lists of allowed values as patterns: one of them, or nothing where `""` is among them.
fn patterns(allowed: &Value, schema: &Value) -> Value {
    let members = allowed.as_object().into_iter().flatten();
    let pattern = |(name, values): (&String, &Value)| {
        let doc = &schema["properties"][name];
        (name.clone(), alternatives(values, doc))
    };
    Value::Object(members.map(pattern).collect::<Map<_, _>>())
}

fn alternatives(values: &Value, doc: &Value) -> Value {
    let is_blank = |value: &&Value| value.as_str() == Some("");
    let values = values.as_array().map(Vec::as_slice).unwrap_or_default();
    let (blank, given): (Vec<&Value>, Vec<&Value>) = values.iter().partition(is_blank);
    let mut patterns: Vec<Value> = given.into_iter().map(|value| literal(value, doc)).collect();
    if !blank.is_empty() {
        if patterns.is_empty() {
            patterns.push(json!(""));
        }
        patterns.push(json!({ "$absent": true }));
    }
    match patterns.len() {
        // Nothing is allowed, not even leaving it out.
        0 => json!({ "$allOf": [{ "$absent": true }, { "$any": true }] }),
        1 => patterns.remove(0),
        _ => json!({ "$anyOf": patterns }),
    }
}

/// One allowed value; where objects are declared, each key has allowed values of its own.
fn literal(value: &Value, doc: &Value) -> Value {
    let is_dict = |doc: &Value| doc[WRITTEN_TYPE] == "dict" || doc["type"] == "object";
    match value {
        Value::Object(members) if is_dict(doc) && members.values().all(Value::is_array) => {
            members.iter().map(|(key, values)| (key.clone(), alternatives(values, &Value::Null))).collect()
        }
        Value::Array(items) if is_dict(&doc["items"]) => {
            items.iter().map(|item| literal(item, &doc["items"])).collect()
        }
        other => json!({ "$equals": other }),
    }
}
