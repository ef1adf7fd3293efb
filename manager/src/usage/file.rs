//! Limits as people write them.

use super::{Limit, Money, Most, Per};
use crate::{
    document::{self, Diagnostics, DocumentError, Field, Format, Node},
    model::{PrincipalId, ToolId},
};
use chrono::TimeDelta;
use serde::Deserialize;
use std::collections::BTreeSet;

/// Longer windows are written as no window at all.
const MAX_SECONDS: u64 = 10 * 366 * 24 * 60 * 60;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct LimitFile {
    limits: Vec<Written>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Written {
    id: String,
    #[serde(default)]
    tools: Vec<ToolId>,
    #[serde(default)]
    principals: Vec<PrincipalId>,
    #[serde(default)]
    per: Vec<Per>,
    #[serde(default)]
    calls: Option<u64>,
    #[serde(default)]
    cost_usd: Option<f64>,
    #[serde(default)]
    every_seconds: Option<u64>,
}

/// Reads a file of limits.
///
/// # Errors
/// Every mistake, with its place.
pub fn parse_limits(file: &str, bytes: &[u8]) -> Result<Vec<Limit>, Diagnostics> {
    let node = document::parse(file, bytes, Format::Yaml)?;
    let written: LimitFile = node.decode()?;
    let mut problems = Diagnostics::new();
    let mut seen = BTreeSet::new();
    let mut limits = Vec::new();
    for (index, limit) in written.limits.into_iter().enumerate() {
        let at = |field: &'static str| problem_at(&node, index, field);
        if !seen.insert(limit.id.clone()) {
            problems.push(at("id")(format!("another limit has the id `{}`", limit.id)));
        }
        if let Some(limit) = problems.take(typed(limit, at)) {
            limits.push(limit);
        }
    }
    problems.into_result(limits)
}

fn problem_at(node: &Node, index: usize, field: &'static str) -> impl Fn(String) -> DocumentError + use<> {
    let path = Field::root().key("limits").index(index).key(field);
    let place = node.nearest(&path.to_pointer()).place.clone();
    move |message| DocumentError::new(place.clone(), &path, message)
}

fn typed<P: Fn(String) -> DocumentError>(
    written: Written,
    at: impl Fn(&'static str) -> P,
) -> Result<Limit, DocumentError> {
    let most = match (written.calls, written.cost_usd) {
        (Some(calls), None) => Most::Calls(calls),
        (None, Some(cost)) => Most::Cost(
            Money::from_usd(cost).ok_or_else(|| at("costUsd")(format!("`{cost}` is no amount of money")))?,
        ),
        (None, None) | (Some(_), Some(_)) => {
            return Err(at("calls")("a limit counts calls or money".to_owned())
                .with_hint("write `calls` or `costUsd`; for both, write two limits"));
        }
    };
    let window = match written.every_seconds {
        None => None,
        Some(seconds @ 1..=MAX_SECONDS) => i64::try_from(seconds).ok().map(TimeDelta::seconds),
        Some(seconds) => {
            let message = format!("`{seconds}` seconds are no stretch of time to count in");
            return Err(at("everySeconds")(message).with_hint("leave it out for a limit that holds for good"));
        }
    };
    let Written { id, tools, principals, per, .. } = written;
    Ok(Limit { id, tools, principals, per, most, window })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_read() {
        let text = "limits:\n- {id: a, per: [principal, tool], calls: 20, everySeconds: 60}\n- {id: b, tools: [pay], costUsd: 1.5}\n";
        let limits = parse_limits("limits.yaml", text.as_bytes()).unwrap();
        assert_eq!(limits[0].per, [Per::Principal, Per::Tool]);
        assert_eq!((limits[0].most, limits[0].window), (Most::Calls(20), Some(TimeDelta::seconds(60))));
        assert_eq!((limits[1].most, limits[1].window), (Most::Cost(Money(1_500_000)), None));
    }

    #[test]
    fn mistakes_have_a_place() {
        for (limit, expected) in [
            ("{id: a}", "limits.yaml:2:3: `limits[0].calls`: a limit counts calls or money\nhint: write"),
            ("{id: a, calls: 1, costUsd: 1}", "a limit counts calls or money"),
            ("{id: a, costUsd: -1}", "limits.yaml:2:20: `limits[0].costUsd`: `-1` is no amount of money"),
            ("{id: a, calls: 1, everySeconds: 0}", "`0` seconds are no stretch of time"),
            ("{id: a, calls: 1, evrySeconds: 5}", "did you mean `everySeconds`?"),
            (
                "{id: a, calls: 1}\n- {id: a, calls: 2}",
                "limits.yaml:3:8: `limits[1].id`: another limit has the id `a`",
            ),
        ] {
            let text = format!("limits:\n- {limit}\n");
            let error = parse_limits("limits.yaml", text.as_bytes()).unwrap_err().to_string();
            assert!(error.contains(expected), "{limit}\n→ {error}");
        }
    }
}
