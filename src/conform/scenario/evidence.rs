//! What a journal must show for a scenario to count, and what it must not show.

use super::{text::Evidence, variables::Variables};
use crate::matcher::{ArgsMode, ArgsPattern, Normalize};
use serde_json::{Map, Value};

/// A pattern over the fields of an answer or an event; more fields are welcome.
///
/// # Errors
/// What is wrong with the pattern.
pub(super) fn pattern(written: &Value) -> Result<ArgsPattern, String> {
    ArgsPattern::compile(written, ArgsMode::Partial, &Normalize::default()).map_err(|e| e.to_string())
}

/// What a journal has to say about the demands on it.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Shown {
    /// What must not be there and is, in sentences.
    pub(super) faults: Vec<String>,
    /// What must be there and is not.
    pub(super) missing: Vec<String>,
    /// Whether all that must be there is, and something must be.
    pub(super) exercised: bool,
}

/// Looks for the evidence in a journal.
///
/// # Errors
/// A pattern that is none.
pub(super) fn look(
    demands: &[Evidence],
    variables: &Variables,
    events: &[Map<String, Value>],
) -> Result<Shown, String> {
    let mut shown = Shown::default();
    for demand in demands {
        let count = |written: &Map<String, Value>| -> Result<Option<usize>, String> {
            // A name without a value names a call that never came to be: no event can be of it.
            let Ok(Some(written)) = variables.fill(&Value::Object(written.clone())) else { return Ok(None) };
            let pattern = pattern(&written)?;
            Ok(Some(events.iter().filter(|event| pattern.accepts(event, None)).count()))
        };
        let fault = || demand.fault.clone().unwrap_or_default();
        if let Some(has) = &demand.has
            && count(has)?.unwrap_or_default() == 0
        {
            shown.missing.push(format!("no event of the journal is like {}", Value::Object(has.clone())));
        }
        if let Some(never) = &demand.never
            && count(never)?.is_some_and(|count| count > 0)
        {
            shown.faults.push(fault());
        }
        if let Some(once) = &demand.once
            && count(once)?.is_some_and(|count| count > 1)
        {
            shown.faults.push(fault());
        }
    }
    shown.exercised = shown.missing.is_empty() && demands.iter().any(|demand| demand.has.is_some());
    Ok(shown)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn event(text: &str) -> Map<String, Value> {
        serde_json::from_str(text).unwrap()
    }

    fn demand(field: &str, written: &Value) -> Evidence {
        let written = Some(written.as_object().unwrap().clone());
        let fault = Some("it happened".to_owned());
        match field {
            "has" => Evidence { has: written, ..Evidence::default() },
            "never" => Evidence { never: written, fault, ..Evidence::default() },
            _ => Evidence { once: written, fault, ..Evidence::default() },
        }
    }

    #[test]
    fn what_must_be_there_is_missed_and_what_must_not_is_found() {
        let start = event(r#"{"type":"ToolCallStarted","toolCallId":"c1"}"#);
        let events = [start.clone(), start];
        let started = json!({ "type": "ToolCallStarted" });
        let table = [
            ("has", started.clone(), 0, 0),
            ("has", json!({ "type": "ToolCallBlocked" }), 0, 1),
            ("never", started.clone(), 1, 0),
            ("never", json!({ "type": "ToolCallStarted", "toolCallId": "$other.callId" }), 0, 0),
            ("once", started, 1, 0),
            ("has", json!({ "type": "ToolCallStarted", "toolCallId": "$call.callId" }), 0, 0),
        ];
        let mut variables = Variables::default();
        variables.remember("call", &json!({ "callId": "c1" }));
        for (field, written, faults, missing) in table {
            let shown = look(&[demand(field, &written)], &variables, &events).unwrap();
            assert_eq!((shown.faults.len(), shown.missing.len()), (faults, missing), "{field} {written}");
            assert_eq!(shown.exercised, field == "has" && missing == 0, "{field} {written}");
        }
    }
}
