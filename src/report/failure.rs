//! Why a trial did not pass, in one line: what was expected, what came, and where they differ.
//!
//! Read from the record alone, so that every format tells the same story about the same trial.

use crate::run::{AnswerOutcome, CallRecord, ExpectedRecord, TrialEnd, TrialKey, TrialRecord, TurnRecord};
use serde::Serialize;
use std::fmt;

/// The one thing to know about a trial that did not pass.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Failure {
    /// Which trial.
    #[serde(flatten)]
    pub key: TrialKey,
    /// How it ended; never `pass`.
    pub end: TrialEnd,
    /// The tool that it is about: the expected one, or the one that was called where none was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// What should have come.
    pub expected: String,
    /// What came.
    pub came: String,
    /// JSON pointer to the argument that differs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Everything that is wrong, in words.
    pub problems: Vec<String>,
}

/// What differs, before it is bound to a trial.
struct Difference {
    tool: Option<String>,
    expected: String,
    came: String,
    path: Option<String>,
}

impl Failure {
    /// What is wrong with the trial; `None` if it passed.
    pub fn of(trial: &TrialRecord) -> Option<Self> {
        let difference = match trial.end {
            TrialEnd::Pass => return None,
            TrialEnd::Error | TrialEnd::Stale => no_answer(trial),
            TrialEnd::Fail => wrong_answer(trial),
        };
        Some(Self {
            key: trial.key.clone(),
            end: trial.end,
            tool: difference.tool,
            expected: difference.expected,
            came: difference.came,
            path: difference.path,
            problems: problems(trial),
        })
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(path) = &self.path {
            write!(f, "{path}: ")?;
        }
        match self.expected.as_str() {
            "" => f.write_str(&self.came),
            expected => write!(f, "expected {expected}, got {}", self.came),
        }
    }
}

/// Every problem of every turn, or what kept the model from answering.
fn problems(trial: &TrialRecord) -> Vec<String> {
    let faults = trial.error.iter().map(|error| format!("{}: {}", error.code, error.message));
    faults.chain(trial.turns.iter().flat_map(|turn| turn.problems.iter().cloned())).collect()
}

/// The surroundings failed: there is an expectation, and nothing to hold against it.
fn no_answer(trial: &TrialRecord) -> Difference {
    let came = trial
        .error
        .as_ref()
        .map_or_else(|| "no answer".to_owned(), |error| format!("{} ({})", error.message, error.code));
    let tool = trial.turns.last().and_then(|turn| turn.expected.first()).map(|call| call.tool.to_string());
    Difference { tool, expected: String::new(), came, path: None }
}

/// The model or the resolver got it wrong: the first thing that is wrong in the last turn.
fn wrong_answer(trial: &TrialRecord) -> Difference {
    let last = trial.turns.last();
    last.and_then(|turn| {
        missing_call(turn)
            .or_else(|| wrong_argument(turn))
            .or_else(|| needless_call(turn))
            .or_else(|| other(turn))
    })
    .unwrap_or_else(|| Difference {
        tool: None,
        expected: String::new(),
        came: "the case's expectation does not hold".to_owned(),
        path: None,
    })
}

/// An expected call that no proposed call answers.
fn missing_call(turn: &TurnRecord) -> Option<Difference> {
    let (_, missing) = unpaired_expected(turn).next()?;
    let came = match unpaired_calls(turn).next() {
        Some(call) => came_instead(call),
        None => format!("no call ({})", outcome_word(turn.outcome)),
    };
    let kept_out = match missing.dropped_by {
        Some(filter) => format!("; the `{}` filter kept it out of the view", filter.as_str()),
        None if !missing.in_view => "; it was not in the view".to_owned(),
        None => String::new(),
    };
    Some(Difference {
        tool: Some(missing.tool.to_string()),
        expected: missing.tool.to_string(),
        came: came + &kept_out,
        path: None,
    })
}

/// The first argument that is not what it should be.
fn wrong_argument(turn: &TurnRecord) -> Option<Difference> {
    let pair = turn.pairs.iter().find(|pair| !pair.mismatches.is_empty())?;
    let mismatch = pair.mismatches.first()?;
    Some(Difference {
        tool: turn.expected.get(pair.expected).map(|call| call.tool.to_string()),
        expected: mismatch.expected.clone(),
        came: mismatch.actual.clone(),
        path: Some(if mismatch.path.is_empty() { "/".to_owned() } else { mismatch.path.clone() }),
    })
}

/// A call that nobody expected and the case does not allow.
fn needless_call(turn: &TurnRecord) -> Option<Difference> {
    let call = unpaired_calls(turn).next()?;
    let expected = if turn.expected.is_empty() { "no call" } else { "nothing else" };
    Some(Difference {
        tool: Some(call.tool.to_string()),
        expected: expected.to_owned(),
        came: came_instead(call),
        path: None,
    })
}

/// Whatever else the scorer said.
fn other(turn: &TurnRecord) -> Option<Difference> {
    let came = turn.problems.first()?.clone();
    let tool = turn.expected.first().map(|call| call.tool.as_str());
    let tool = tool.or_else(|| turn.calls.first().map(|call| call.tool.as_str()));
    Some(Difference { tool: tool.map(str::to_owned), expected: String::new(), came, path: None })
}

fn came_instead(call: &CallRecord) -> String {
    if call.in_view { call.tool.to_string() } else { format!("{} (not offered)", call.tool) }
}

fn unpaired_expected(turn: &TurnRecord) -> impl Iterator<Item = (usize, &ExpectedRecord)> {
    turn.expected.iter().enumerate().filter(|(at, _)| turn.pairs.iter().all(|pair| pair.expected != *at))
}

fn unpaired_calls(turn: &TurnRecord) -> impl Iterator<Item = &CallRecord> {
    let free = |at: usize| turn.pairs.iter().all(|pair| pair.call != at);
    turn.calls.iter().enumerate().filter(move |(at, call)| free(*at) && !call.allowed).map(|(_, call)| call)
}

/// What the model did, as a word in a sentence.
pub(super) fn outcome_word(outcome: AnswerOutcome) -> &'static str {
    match outcome {
        AnswerOutcome::Called => "called",
        AnswerOutcome::Abstained => "abstained",
        AnswerOutcome::Refused => "refused",
        AnswerOutcome::Unparsable => "unparsable",
        AnswerOutcome::Truncated => "truncated",
    }
}

/// How a trial ended, as a word.
pub(super) fn end_word(end: TrialEnd) -> &'static str {
    match end {
        TrialEnd::Pass => "pass",
        TrialEnd::Fail => "fail",
        TrialEnd::Error => "error",
        TrialEnd::Stale => "stale",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::testing::SmallRun;

    #[test]
    fn one_line_says_what_is_wrong() {
        let run = SmallRun::new();
        let lines: Vec<_> =
            run.trials.iter().map(|trial| Failure::of(trial).map(|failure| failure.to_string())).collect();
        let wrong_tool = format!("expected file.read, got {} (not offered)", crate::report::testing::HOSTILE);
        assert_eq!(
            lines,
            [
                None,
                Some("/limit: expected 20, got \"20\"".to_owned()),
                Some(wrong_tool),
                Some("no answer within 30s (timeout)".to_owned()),
            ]
        );
    }

    #[test]
    fn a_call_that_nobody_expected_is_told_from_a_missing_one() {
        let mut trial = SmallRun::new().trials.swap_remove(2);
        let turn = &mut trial.turns[0];
        turn.calls[0].tool = "file.list".into();
        turn.calls[0].in_view = true;
        let expected = std::mem::take(&mut turn.expected);
        assert_eq!(Failure::of(&trial).unwrap().to_string(), "expected no call, got file.list");
        let turn = &mut trial.turns[0];
        turn.expected = expected;
        turn.expected[0].in_view = false;
        turn.expected[0].dropped_by = Some(proofhouse_manager::model::ResolveFilter::Budget);
        turn.calls.clear();
        turn.outcome = AnswerOutcome::Refused;
        let text = Failure::of(&trial).unwrap().to_string();
        assert_eq!(
            text,
            "expected file.read, got no call (refused); the `budget` filter kept it out of the view"
        );
    }
}
