//! The rules as a case of a suite takes them.
//!
//! What a case expects is written as everywhere, a tool and its `args`; by this profile `args` is the ground truth of
//! the leaderboard, a list of allowed values for each parameter, and the tool's input schema is the function's doc.

use super::{
    call::Terms,
    case::{Asks, Case, CaseError, Task},
    judge::{Answer, Decode, Judge, Literals, Names},
    kind::Language,
    tape::Tape,
    verdict::{ErrorType, Rules, Verdict},
};
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// Which edition of the rules holds for a case, and which part of the leaderboard the case belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Profile {
    rules: Rules,
    category: Arc<str>,
}

/// A call that is expected.
#[derive(Debug, Clone, Copy)]
pub struct Wanted<'a> {
    /// The function.
    pub tool: &'a str,
    /// Its parameters, each with a list of allowed values.
    pub allowed: &'a Value,
    /// Its input schema; none for a function that nobody has documented.
    pub schema: Option<&'a Value>,
}

/// A call that came, with Java and JavaScript literals read.
#[derive(Debug, Clone, Copy)]
pub struct Proposed<'a> {
    /// The function; empty if the call names none.
    pub tool: &'a str,
    /// Its arguments.
    pub args: &'a Value,
}

/// What is wrong with one call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The rule that it breaks.
    pub error: ErrorType,
    /// The parameter that it is wrong about, if it is one.
    pub parameter: Option<String>,
}

impl Profile {
    /// The rules of an edition, for a case of that category.
    pub fn new(rules: Rules, category: &str) -> Self {
        Self { rules, category: category.into() }
    }

    /// What kind of answer a case of this category asks for.
    pub fn asks(&self) -> Asks {
        Asks::of(&self.category)
    }

    /// What the judge says of an answer; `calls` is none for one that could not be decoded.
    ///
    /// # Errors
    /// Expected calls that are no ground truth.
    pub fn verdict(
        &self,
        expected: &[Wanted<'_>],
        calls: Option<&[Proposed<'_>]>,
    ) -> Result<Verdict, CaseError> {
        let case = self.case(&self.category, expected)?;
        let calls = Value::from(calls.map(|calls| calls.iter().copied().map(written).collect::<Vec<_>>()));
        let text = calls.to_string();
        let tape = Tape::parse(&text).map_err(CaseError::unreadable)?;
        let answer = Answer {
            decode: Decode::Ok,
            calls: tape.root(),
            converted: None,
            literals: Literals::Read,
            names: Names::Dotted,
        };
        Ok(Judge::new(self.rules).verdict(&case, &answer))
    }

    /// What is wrong with one call of the expected function.
    ///
    /// # Errors
    /// An expected call that is no ground truth.
    pub fn fault(&self, expected: Wanted<'_>, args: &Value) -> Result<Option<Fault>, CaseError> {
        // The category of one call, in the same language.
        let language = Language::of(&self.category);
        let case = self.case(language.category(), &[expected])?;
        let text = written(Proposed { tool: expected.tool, args }).to_string();
        let tape = Tape::parse(&text).map_err(CaseError::unreadable)?;
        let (Task::One(call), Some(given)) = (&case.task, tape.root()) else { return Ok(None) };
        let terms = Terms { rules: self.rules, names: Names::Dotted, literals: Language::Python };
        Ok(call
            .check(given, None, terms)
            .err()
            .map(|error| Fault { error, parameter: call.culprit(given, terms).map(str::to_owned) }))
    }

    fn case(&self, category: &str, expected: &[Wanted<'_>]) -> Result<Case, CaseError> {
        let mut functions = Vec::new();
        for wanted in expected {
            if let Some(schema) = wanted.schema {
                functions.push(json!({ "name": wanted.tool, "parameters": schema }));
            }
        }
        let truth: Vec<Value> =
            expected.iter().map(|wanted| json!({ wanted.tool: wanted.allowed })).collect();
        let case = json!({ "id": "", "category": category, "functions": functions, "ground_truth": truth });
        let text = case.to_string();
        let tape = Tape::parse(&text).map_err(CaseError::unreadable)?;
        Case::compile(tape.root().ok_or_else(CaseError::nothing)?)
    }
}

/// Arguments that are right by the rules, if the allowed values show some.
pub(in crate::matcher) fn witness(allowed: &Value) -> Option<Map<String, Value>> {
    let mut args = Map::new();
    for (name, values) in allowed.as_object()? {
        let values = values.as_array()?;
        if !values.iter().any(is_blank) {
            args.insert(name.clone(), values.first().map(simplest)?);
        }
    }
    Some(args)
}

fn is_blank(value: &Value) -> bool {
    value.as_str() == Some("")
}

/// An allowed value itself; of an object with alternatives for its keys, the first of each.
fn simplest(allowed: &Value) -> Value {
    match allowed {
        Value::Object(members) if members.values().all(Value::is_array) => {
            let first = |values: &Value| values.get(0).map_or(Value::Null, simplest);
            members.iter().map(|(key, values)| (key.clone(), first(values))).collect()
        }
        Value::Array(items) if items.iter().all(Value::is_object) => items.iter().map(simplest).collect(),
        other => other.clone(),
    }
}

fn written(call: Proposed<'_>) -> Value {
    match (call.tool, call.args) {
        ("", Value::Null) => json!({}),
        ("", args) => json!({ "arguments": args }),
        (tool, args) => json!({ "name": tool, "arguments": args }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schema() -> Value {
        json!({ "type": "object", "required": ["x"], "properties": {
            "x": { "type": "number", "x-bfcl-type": "float" },
            "unit": { "type": "string" },
            "size": { "type": "object", "x-bfcl-type": "dict" },
        } })
    }

    fn allowed() -> Value {
        json!({ "x": [1.0], "unit": ["Square Metres", ""], "size": [{ "a": [1, 2], "b": ["c"] }, ""] })
    }

    fn verdict(category: &str, calls: Option<&Value>) -> Option<&'static str> {
        let (schema, allowed) = (schema(), allowed());
        let wanted = [Wanted { tool: "f", allowed: &allowed, schema: Some(&schema) }];
        let expected = if category.contains("relevance") { &[][..] } else { &wanted[..] };
        let given = calls.map(|calls| {
            let calls = calls.as_array().unwrap();
            calls.iter().map(|c| Proposed { tool: c[0].as_str().unwrap(), args: &c[1] }).collect::<Vec<_>>()
        });
        Profile::new(Rules::V4, category).verdict(expected, given.as_deref()).unwrap().error_type()
    }

    #[test]
    fn the_judge_is_asked_with_schemas_as_docs() {
        let none = None;
        let rows = [
            ("simple", json!([["f", { "x": 1 }]]), none),
            ("simple", json!([["f", { "x": true }]]), Some("type_error:simple")),
            ("simple", json!([["f", { "x": 1.0, "unit": "square-metres" }]]), none),
            ("simple", json!([["f", { "x": 1.0, "size": { "a": 2, "b": "C" } }]]), none),
            ("simple", json!([["f", { "unit": "" }]]), Some("simple_function_checker:missing_required")),
            ("simple", json!([["g", { "x": 1 }]]), Some("simple_function_checker:wrong_func_name")),
            ("simple", json!([["f", 5]]), Some("ast_decoder:decoder_wrong_output_format")),
            ("irrelevance", json!([["f", {}]]), Some("irrelevance_error:decoder_success")),
            ("irrelevance", json!([["", null]]), none),
            ("live_relevance", json!([["h", {}]]), none),
        ];
        for (category, calls, expected) in rows {
            assert_eq!(verdict(category, Some(&calls)), expected, "{category} {calls}");
        }
        assert_eq!(verdict("simple", None), Some("ast_decoder:decoder_failed"));
        assert_eq!(verdict("irrelevance", None), none);
    }

    #[test]
    fn a_fault_names_its_parameter_and_a_witness_has_none() {
        let (schema, allowed) = (schema(), allowed());
        let wanted = Wanted { tool: "f", allowed: &allowed, schema: Some(&schema) };
        let profile = Profile::new(Rules::V4, "parallel");
        let fault = |args: Value| profile.fault(wanted, &args).unwrap().map(|f| (f.error, f.parameter));
        let named = |name: &str| Some(name.to_owned());
        assert_eq!(fault(json!({ "unit": "feet" })), Some((ErrorType::MissingRequired, named("x"))));
        assert_eq!(fault(json!({ "x": 1, "unit": "feet" })), Some((ErrorType::Text, named("unit"))));
        assert_eq!(fault(json!({ "x": 1, "y": 2 })), Some((ErrorType::UnexpectedParameter, named("y"))));
        assert_eq!(fault(Value::Object(witness(&allowed).unwrap())), None);
        let needed = json!({ "x": [2.5], "size": [{ "a": [1], "b": ["c"] }] });
        let wanted = Wanted { allowed: &needed, ..wanted };
        let args = witness(&needed).unwrap();
        assert_eq!(profile.fault(wanted, &Value::Object(args)), Ok(None));
    }
}
