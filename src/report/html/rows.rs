//! A trial as the page stores it: arrays whose places have a meaning, and numbers instead of repeated texts.
//!
//! `reports/assets/data.js` reads these arrays back; the two files change together. The order of the fields
//! below *is* the format.

use super::{intern::Texts, views::Views};
use crate::run::{
    AnswerOutcome, ApprovalExpectation, CallRecord, EventLine, ExpectedRecord, Mismatch, PairRecord,
    TrialError, TrialRecord, TurnRecord,
};
use proofhouse_manager::model::{Decision, EffectLevel, ResolveFilter, RiskLevel};
use serde::Serialize;
use serde_json::Value;

/// The texts that rows refer to by number.
#[derive(Debug, Default)]
pub(super) struct Tables {
    /// Ids of tools: those of the catalogue first, then every other name that came.
    pub(super) tools: Texts,
    /// Prompts, reasons, problems and types of events.
    pub(super) texts: Texts,
    /// What views offered.
    pub(super) views: Views,
}

/// Everything about a trial that is shown only once somebody opens it.
#[derive(Serialize)]
pub(super) struct Detail<'a>(
    EffectLevel,
    Option<ApprovalExpectation>,
    Option<ErrorRow<'a>>,
    Vec<TurnRow<'a>>,
    (u64, u64),
    Vec<EventRow<'a>>,
);

#[derive(Serialize)]
struct ErrorRow<'a>(&'a str, &'a str, Vec<usize>);

#[derive(Serialize)]
struct TurnRow<'a>(
    usize,
    usize,
    AnswerOutcome,
    Option<&'a str>,
    Vec<ExpectedRow<'a>>,
    Vec<CallRow<'a>>,
    Vec<PairRow<'a>>,
    Vec<usize>,
    Option<(u64, u64)>,
    u64,
    u32,
);

#[derive(Serialize)]
struct ExpectedRow<'a>(usize, &'a Value, bool, Option<ResolveFilter>);

#[derive(Serialize)]
struct CallRow<'a>(
    usize,
    &'a Value,
    bool,
    Option<bool>,
    Option<EffectLevel>,
    Option<RiskLevel>,
    Option<Decision>,
    Option<usize>,
    bool,
    Option<usize>,
    &'a str,
);

#[derive(Serialize)]
struct PairRow<'a>(usize, usize, Vec<(&'a str, &'a str, &'a str)>);

#[derive(Serialize)]
struct EventRow<'a>(u64, usize, &'a str);

impl Tables {
    /// The row of a trial's details.
    pub(super) fn detail<'a>(&mut self, trial: &'a TrialRecord, events: &'a [EventLine]) -> Detail<'a> {
        Detail(
            trial.ceiling,
            trial.approval,
            trial.error.as_ref().map(|error| self.error(error)),
            trial.turns.iter().map(|turn| self.turn(turn)).collect(),
            trial.events,
            events.iter().map(|event| self.event(event)).collect(),
        )
    }

    fn error<'a>(&mut self, error: &'a TrialError) -> ErrorRow<'a> {
        let changed = error.changed_tools.iter().map(|tool| self.tools.number(tool)).collect();
        ErrorRow(&error.code, &error.message, changed)
    }

    fn turn<'a>(&mut self, turn: &'a TurnRecord) -> TurnRow<'a> {
        TurnRow(
            self.texts.number(&turn.prompt),
            self.views.number(&turn.view, &turn.offered, &mut self.tools, &mut self.texts),
            turn.outcome,
            turn.text.as_deref(),
            turn.expected.iter().map(|call| self.expected(call)).collect(),
            turn.calls.iter().map(|call| self.call(call)).collect(),
            turn.pairs.iter().map(pair).collect(),
            turn.problems.iter().map(|problem| self.texts.number(problem)).collect(),
            turn.usage.map(|usage| (usage.input, usage.output)),
            turn.latency_us,
            turn.attempts,
        )
    }

    fn expected<'a>(&mut self, call: &'a ExpectedRecord) -> ExpectedRow<'a> {
        ExpectedRow(self.tools.number(&call.tool), &call.args, call.in_view, call.dropped_by)
    }

    fn call<'a>(&mut self, call: &'a CallRecord) -> CallRow<'a> {
        CallRow(
            self.tools.number(&call.tool),
            &call.args,
            call.in_view,
            call.args_valid,
            call.level,
            call.risk,
            call.decision,
            self.texts.maybe(call.reason.as_deref()),
            call.allowed,
            self.texts.maybe(call.unsafe_because.as_deref()),
            &call.call_id,
        )
    }

    fn event<'a>(&mut self, event: &'a EventLine) -> EventRow<'a> {
        EventRow(event.seq, self.texts.number(&event.kind), &event.summary)
    }
}

fn pair(pair: &PairRecord) -> PairRow<'_> {
    PairRow(pair.expected, pair.call, pair.mismatches.iter().map(place).collect())
}

fn place(mismatch: &Mismatch) -> (&str, &str, &str) {
    (&mismatch.path, &mismatch.expected, &mismatch.actual)
}
