//! A trial as the metrics read it: every call with its role, every expected call with whether it was met.
//!
//! Worked out once a trial, so that no metric looks at pairs by itself and none can see them differently.

use crate::run::{AnswerOutcome, CallRecord, ExpectedRecord, TrialRecord, TurnRecord};
use proofhouse_manager::model::Decision;

/// One counted trial, read.
#[derive(Debug)]
pub struct Reading<'a> {
    /// The trial.
    pub record: &'a TrialRecord,
    turns: Vec<TurnReading<'a>>,
}

/// One turn, read.
#[derive(Debug)]
pub struct TurnReading<'a> {
    /// The turn.
    pub record: &'a TurnRecord,
    /// The proposed calls in order, with what they are to the case.
    pub calls: Vec<(&'a CallRecord, Role)>,
    /// The expected calls in order, with whether they came.
    pub expected: Vec<(&'a ExpectedRecord, bool)>,
}

/// What a proposed call is to its case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// It answers an expected call.
    Paired {
        /// Whether its arguments are as expected.
        accurate: bool,
    },
    /// Not expected, but allowed beside what is.
    Allowed,
    /// Neither expected nor allowed.
    Stray,
}

impl<'a> Reading<'a> {
    /// Reads a trial.
    pub fn of(record: &'a TrialRecord) -> Self {
        Self { record, turns: record.turns.iter().map(TurnReading::of).collect() }
    }

    /// The turns, in order.
    pub fn turns(&self) -> std::slice::Iter<'_, TurnReading<'a>> {
        self.turns.iter()
    }

    /// The proposed calls of all turns.
    pub fn calls(&self) -> impl Iterator<Item = (&'a CallRecord, Role)> {
        self.turns.iter().flat_map(|turn| turn.calls.iter().copied())
    }

    /// The expected calls of all turns, with whether they came.
    pub fn expected(&self) -> impl Iterator<Item = (&'a ExpectedRecord, bool)> {
        self.turns.iter().flat_map(|turn| turn.expected.iter().copied())
    }

    /// The valid calls that the manager decided about.
    pub fn decided_calls(&self) -> impl Iterator<Item = &'a CallRecord> {
        self.calls().map(|(call, _)| call).filter(|call| is_decided(call))
    }

    /// Whether a call came that the case expects.
    pub fn right_call_came(&self) -> bool {
        self.calls().any(|(_, role)| matches!(role, Role::Paired { .. }))
    }

    /// Whether the manager asked about any valid call.
    pub fn asked(&self) -> bool {
        self.decided_calls().any(|call| call.decision == Some(Decision::Ask))
    }

    /// Whether the manager asked about a call that the case expects.
    pub fn asked_about_right_call(&self) -> bool {
        self.calls().any(|(call, role)| {
            matches!(role, Role::Paired { .. }) && is_decided(call) && call.decision == Some(Decision::Ask)
        })
    }
}

impl<'a> TurnReading<'a> {
    fn of(record: &'a TurnRecord) -> Self {
        let mut calls: Vec<_> = record.calls.iter().map(|call| (call, unpaired(call))).collect();
        let mut expected: Vec<_> = record.expected.iter().map(|expected| (expected, false)).collect();
        for pair in &record.pairs {
            // A record is data from a file: a pair that points nowhere is no pair.
            if let (Some(call), Some(expected)) = (calls.get_mut(pair.call), expected.get_mut(pair.expected))
            {
                call.1 = Role::Paired { accurate: pair.mismatches.is_empty() };
                expected.1 = true;
            }
        }
        Self { record, calls, expected }
    }

    /// Whether no call was expected.
    pub fn expects_nothing(&self) -> bool {
        self.expected.is_empty()
    }

    /// Whether the model called nothing. A call that cannot be read is not nothing.
    pub fn called_nothing(&self) -> bool {
        match self.record.outcome {
            AnswerOutcome::Abstained | AnswerOutcome::Refused => true,
            AnswerOutcome::Called | AnswerOutcome::Unparsable | AnswerOutcome::Truncated => false,
        }
    }

    /// Whether every call that came is merely allowed.
    pub fn only_allowed_calls(&self) -> bool {
        self.calls.iter().all(|(_, role)| *role == Role::Allowed)
    }
}

fn unpaired(call: &CallRecord) -> Role {
    if call.allowed { Role::Allowed } else { Role::Stray }
}

/// Whether a call was valid and the manager answered it.
fn is_decided(call: &CallRecord) -> bool {
    call.in_view && call.args_valid == Some(true) && call.decision.is_some()
}
