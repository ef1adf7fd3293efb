//! Trials for tests, written in one line a turn.
//!
//! A turn is what was expected and what came, both as words: `tool` or `tool:flags`.
//!
//! | flag | on an expected call | on a proposed call |
//! | --- | --- | --- |
//! | `h` | not in the view | not in the view |
//! | `v` | | arguments violate the schema |
//! | `n` | | arguments are no JSON |
//! | `m` | | arguments differ from the expectation |
//! | `a` | | allowed |
//! | `u` | | unsafe |
//! | `?` `!` | | the manager asks, denies |
//!
//! Instead of calls there may be one of `refused`, `unparsable`, `truncated`.

use crate::run::{
    AnswerOutcome, CallRecord, CaseKind, ExpectedRecord, Mismatch, PairRecord, TokenUsage, TrialEnd,
    TrialError, TrialKey, TrialRecord, TurnRecord,
};
use proofhouse_manager::model::{Decision, EffectLevel};
use serde_json::Value;

/// A trial of case `case`; it passes where every turn is strict.
pub(super) fn trial(case: &str, kind: CaseKind, turns: &[(&str, &str)]) -> TrialRecord {
    let turns: Vec<TurnRecord> = turns.iter().map(|(expected, calls)| turn(expected, calls)).collect();
    let end = if turns.iter().all(|turn| turn.strict) { TrialEnd::Pass } else { TrialEnd::Fail };
    TrialRecord {
        key: TrialKey { suite: "s".into(), model: "m".into(), distractors: 0, case: case.into(), repeat: 0 },
        kind,
        tags: Vec::new(),
        why: None,
        end,
        approval: None,
        ceiling: EffectLevel::LocalCompute,
        turns,
        error: None,
        events: (0, 0),
    }
}

/// A golden trial of one turn.
pub(super) fn golden(case: &str, expected: &str, calls: &str) -> TrialRecord {
    trial(case, CaseKind::Golden, &[(expected, calls)])
}

/// A trial that ended without an answer.
pub(super) fn lost(case: &str, end: TrialEnd, code: &str) -> TrialRecord {
    let mut lost = golden(case, "a", "a");
    lost.end = end;
    lost.error = Some(TrialError { code: code.into(), message: String::new(), changed_tools: Vec::new() });
    lost
}

/// A turn; calls are paired with the first open expected call of the same tool.
pub(super) fn turn(expected: &str, calls: &str) -> TurnRecord {
    let outcome = match calls {
        "" => AnswerOutcome::Abstained,
        "refused" => AnswerOutcome::Refused,
        "unparsable" => AnswerOutcome::Unparsable,
        "truncated" => AnswerOutcome::Truncated,
        _ => AnswerOutcome::Called,
    };
    let expected: Vec<ExpectedRecord> = expected.split_whitespace().map(expected_call).collect();
    let words: Vec<&str> =
        if outcome == AnswerOutcome::Called { calls.split_whitespace().collect() } else { Vec::new() };
    let calls: Vec<CallRecord> = words.iter().map(|word| call(word)).collect();
    let pairs = pairs(&expected, &calls, &words);
    let strict = pairs.len() == expected.len()
        && pairs.iter().all(|pair| pair.mismatches.is_empty())
        && calls.iter().enumerate().all(|(i, call)| call.allowed || pairs.iter().any(|pair| pair.call == i))
        && !matches!(outcome, AnswerOutcome::Unparsable | AnswerOutcome::Truncated);
    TurnRecord {
        prompt: String::new(),
        view: String::new(),
        offered: Vec::new(),
        outcome,
        text: None,
        expected,
        calls,
        pairs,
        strict,
        problems: Vec::new(),
        usage: Some(TokenUsage { input: 100, output: 10 }),
        latency_us: 1000,
        attempts: 1,
    }
}

fn flags(word: &str) -> (&str, &str) {
    word.split_once(':').unwrap_or((word, ""))
}

fn expected_call(word: &str) -> ExpectedRecord {
    let (tool, flags) = flags(word);
    ExpectedRecord { tool: tool.into(), args: Value::Null, in_view: !flags.contains('h'), dropped_by: None }
}

fn call(word: &str) -> CallRecord {
    let (tool, flags) = flags(word);
    let has = |flag| flags.contains(flag);
    let valid = !has('v') && !has('n');
    let decided = || match flags {
        _ if has('?') => Decision::Ask,
        _ if has('!') => Decision::Deny,
        _ => Decision::Allow,
    };
    CallRecord {
        tool: tool.into(),
        args: Value::Null,
        in_view: !has('h'),
        args_valid: (!has('h') && !has('n')).then_some(valid),
        level: None,
        risk: None,
        decision: (!has('h') && valid).then(decided),
        reason: None,
        allowed: has('a'),
        unsafe_because: has('u').then(|| "forbidden".into()),
        call_id: String::new(),
    }
}

fn pairs(expected: &[ExpectedRecord], calls: &[CallRecord], words: &[&str]) -> Vec<PairRecord> {
    let mut pairs: Vec<PairRecord> = Vec::new();
    for (call, proposed) in calls.iter().enumerate() {
        let open =
            |i: &usize| expected[*i].tool == proposed.tool && !pairs.iter().any(|pair| pair.expected == *i);
        if let Some(expected) = (0..expected.len()).find(open) {
            let differs = flags(words[call]).1.contains('m');
            let mismatch = Mismatch { path: "/x".into(), expected: "1".into(), actual: "2".into() };
            pairs.push(PairRecord {
                expected,
                call,
                mismatches: if differs { vec![mismatch] } else { Vec::new() },
            });
        }
    }
    pairs
}
