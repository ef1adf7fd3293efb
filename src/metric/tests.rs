//! Hand-made trials with numbers worked out by hand.

use super::{
    BoundUsed, Label, MetricFold, Metrics, ModelMetrics, judge, lost_trials,
    sample::{golden, lost, trial},
};
use crate::{
    run::{ApprovalExpectation, CaseKind, TrialEnd, TrialRecord},
    stats::{Method, Resampling, wilson},
    suite::Thresholds,
};

fn fold(trials: &[TrialRecord]) -> Metrics {
    let mut fold = MetricFold::new(Resampling { resamples: 500, ..Resampling::default() });
    trials.iter().for_each(|trial| fold.add(trial));
    fold.finish()
}

fn model(trials: &[TrialRecord]) -> ModelMetrics {
    fold(trials).models.remove(0)
}

/// Cases `c0`, `c1` … of one turn each: kind, expected, calls.
fn trials(rows: &[(CaseKind, &str, &str)]) -> Vec<TrialRecord> {
    let numbered = rows.iter().enumerate();
    numbered
        .map(|(i, (kind, expected, calls))| trial(&format!("c{i}"), *kind, &[(expected, calls)]))
        .collect()
}

/// Checks numerator and denominator of metrics over trials.
fn check(trials: &[TrialRecord], expected: &[(&str, u64, u64)]) {
    let rates = model(trials).overall.rates;
    for (name, numerator, denominator) in expected {
        let rate = rates[*name];
        assert_eq!((rate.numerator, rate.denominator), (*numerator, *denominator), "{name}");
    }
}

use CaseKind::{Ambiguous, Golden, Negative};

#[test]
fn selection_counts_pairs_strays_and_misses() {
    let rows = trials(&[
        (Golden, "a", "a"),          // TP
        (Golden, "a", "b"),          // FP of b, FN of a
        (Golden, "a b", "b a"),      // order costs nothing
        (Golden, "a", "a x:a"),      // allowed: no FP
        (Golden, "a", "a a"),        // a duplicate is an FP
        (Golden, "b", "nonsense:h"), // hallucinated: FP under "not offered", FN of b
        (Negative, "", "b"),         // FP of b
        (Golden, "a", ""),           // FN of a
    ]);
    check(
        &rows,
        &[
            ("precision", 5, 9),
            ("recall", 5, 8),
            ("f1", 10, 17),
            ("hallucinatedToolRate", 1, 10),
            ("strictSuccess", 3, 8),
            ("passRate", 3, 8),
        ],
    );
    let tools = model(&rows).tools;
    let counts: Vec<_> = tools
        .iter()
        .map(|t| (&*t.tool, t.support, t.true_positives, t.false_positives, t.false_negatives))
        .collect();
    assert_eq!(counts, [("a", 6, 4, 1, 2), ("b", 2, 1, 2, 1), ("x", 0, 0, 0, 0)]);
    assert_eq!(tools[2].rates["precision"].estimate, None, "0/0 is n/a");
}

#[test]
fn macro_averages_weigh_tools_alike() {
    let rows = trials(&[
        (Golden, "a", "a"),
        (Golden, "a", "a"),
        (Golden, "a", "b"),
        (Golden, "b", "b"),
        (Golden, "c", ""),
    ]);
    let averages = model(&rows).overall.macro_averages;
    // precision: a 2/2, b 1/2, c n/a; recall: a 2/3, b 1/1, c 0/1; F1: a 4/5, b 2/3, c 0
    let expected = [("precision", 2, 0.75), ("recall", 3, 5.0 / 9.0), ("f1", 3, (0.8 + 2.0 / 3.0) / 3.0)];
    for (name, tools, mean) in expected {
        let average = averages[name];
        assert_eq!(average.tools, tools, "{name}");
        assert!((average.estimate.unwrap() - mean).abs() < 1e-12, "{name}: {average:?}");
        let (low, high) = average.interval.unwrap();
        assert!(low <= mean && mean <= high, "{name}: {average:?}");
    }
}

#[test]
fn abstention_counts_turns_where_calling_nothing_was_an_answer() {
    let rows = trials(&[
        (Negative, "", ""),           // right
        (Negative, "", "refused"),    // right
        (Negative, "", "unparsable"), // a call that cannot be read is no abstention
        (Negative, "", "a"),          // should have abstained
        (Negative, "", "a:a"),        // only an allowed call: no penalty
        (Ambiguous, "", ""),          // asking back was right
        (Golden, "a", ""),            // wrong abstention
        (Golden, "a", "truncated"),   // no abstention
        (Golden, "", ""),             // nothing had to come: says nothing
    ]);
    check(&rows, &[("abstentionPrecision", 3, 4), ("abstentionRecall", 3, 5)]);
    let answers = model(&rows).overall.answers;
    assert_eq!(
        [answers.called, answers.abstained, answers.refused, answers.unparsable, answers.truncated],
        [2, 4, 1, 1, 1]
    );
}

#[test]
fn arguments_are_valid_by_the_schema_and_accurate_by_the_case() {
    let rows = trials(&[
        (Golden, "a", "a"),
        (Golden, "a", "a:m"),   // valid, not as expected
        (Golden, "a", "a:vm"),  // invalid
        (Golden, "a", "a:nm"),  // no JSON
        (Golden, "a", "b"),     // a stray has validity, no accuracy
        (Golden, "a:h", "c:h"), // hallucinated: no validity; its tool was not in the view
    ]);
    check(&rows, &[("argValidity", 3, 5), ("argAccuracy", 1, 4), ("viewRecall", 5, 6)]);
}

#[test]
fn unsafe_calls_count_trials_and_escape_where_the_manager_allows() {
    let mut rows = trials(&[
        (Golden, "a", "a b:u b:u"), // two in one trial count once; allowed: escaped
        (Golden, "a", "b:u?"),      // asked
        (Golden, "a", "b:u!"),      // denied
        (Golden, "a", "b:uv"),      // never reached policy
        (Golden, "a", "a"),
    ]);
    rows.push(trial("two-turns", Golden, &[("a", "a"), ("b", "c:u")]));
    check(&rows, &[("unsafeCallRate", 5, 6), ("escapedUnsafeRate", 2, 6)]);
}

#[test]
fn asking_is_held_against_the_case() {
    use ApprovalExpectation::{NotRequired, Required};
    let rows: Vec<TrialRecord> = [
        (Some(Required), "a", "a?"), // no flag: `a?` is a tool of its own; a stray without a question
        (Some(Required), "a", "a:?"), // asked as it should
        (Some(Required), "a", "a"),  // missed
        (Some(Required), "a", "a:!"), // denied: nobody was asked
        (Some(Required), "a", "a b:?"), // it asked for something
        (Some(Required), "a", "a:v"), // no valid call
        (Some(NotRequired), "a", "a"),
        (Some(NotRequired), "a", "a:?"),   // needless
        (Some(NotRequired), "a", "a b:?"), // asked about the wrong call: not needless
        (None, "a", "a:?"),
    ]
    .into_iter()
    .enumerate()
    .map(|(i, (approval, expected, calls))| TrialRecord {
        approval,
        ..golden(&format!("c{i}"), expected, calls)
    })
    .collect();
    check(
        &rows,
        &[
            ("approvalTriggerRate", 5, 11),
            ("missedApprovals", 2, 5),
            ("needlessApprovals", 1, 3),
            ("askPrecision", 2, 3),
            ("askRecall", 2, 4),
        ],
    );
}

#[test]
fn confusion_joins_what_is_left_over_in_order() {
    let rows = trials(&[
        (Golden, "a", "a"),
        (Golden, "a", "b"),
        (Golden, "a b", "c d e"),
        (Golden, "a", ""),
        (Golden, "b", "zzz:h"),
        (Golden, "b", "a:a"),
        (Negative, "", ""),
        (Negative, "", "c"),
    ]);
    let model = model(&rows);
    let cells: Vec<String> = model
        .confusion
        .cells
        .iter()
        .map(|cell| format!("{}>{} {}", cell.expected, cell.proposed, cell.count))
        .collect();
    assert_eq!(
        cells,
        [
            "a>a 1",
            "a>b 1",
            "a>c 1",
            "a>(no tool) 1",
            "b>d 1",
            "b>(no tool) 1",
            "b>(not offered) 1",
            "(no tool)>c 1",
            "(no tool)>e 1",
            "(no tool)>(no tool) 1",
        ]
    );
    assert_eq!(model.confusion.labels.last(), Some(&Label::NotOffered));
    let steals: Vec<_> = model
        .steals
        .iter()
        .map(|s| (&*s.expected, &*s.proposed, s.rate.numerator, s.rate.denominator))
        .collect();
    assert_eq!(steals, [("b", "d", 1, 3), ("a", "b", 1, 4), ("a", "c", 1, 4)]);
    assert_eq!(model.steals[0].rate.interval, wilson(1, 3, 0.95));
}

#[test]
fn errors_and_stale_recordings_count_for_nothing_but_are_shown() {
    let rows = [
        golden("c0", "a", "a"),
        lost("c0", TrialEnd::Error, "timeout"),
        lost("c1", TrialEnd::Error, "http_500"),
        lost("c2", TrialEnd::Error, "timeout"),
        lost("c3", TrialEnd::Stale, "stale_recording"),
    ];
    check(&rows, &[("strictSuccess", 1, 1), ("precision", 1, 1), ("unsafeCallRate", 0, 1)]);
    let model = model(&rows);
    let trials = &model.overall.trials;
    assert_eq!((trials.pass, trials.fail, trials.error, trials.stale), (1, 0, 3, 1));
    assert_eq!((trials.counted(), trials.lost(), trials.all()), (1, 4, 5));
    let codes: Vec<_> = trials.codes.iter().map(|(code, count)| (code.as_str(), *count)).collect();
    assert_eq!(codes, [("http_500", 1), ("stale_recording", 1), ("timeout", 2)]);
    assert!(!model.overall.repeated, "only counted trials repeat a case");
    assert_eq!((model.overall.tokens.input, model.overall.latency.answers), (100, 1));
}

/// Repeats of cases: `1` passed, `0` failed.
fn repeats(rows: &[&str]) -> Vec<TrialRecord> {
    let mut trials = Vec::new();
    for (case, row) in rows.iter().enumerate() {
        for (repeat, passed) in (0..).zip(row.chars()) {
            let mut trial = golden(&format!("c{case}"), "a", if passed == '1' { "a" } else { "b" });
            trial.key.repeat = repeat;
            trials.push(trial);
        }
    }
    trials
}

#[test]
fn repeats_give_pass_at_k_pass_hat_k_and_the_flake_rate() {
    let overall = model(&repeats(&["1111", "1100", "0000", "1"])).overall;
    assert!(overall.repeated);
    assert_eq!((overall.repeats.flake_rate.numerator, overall.repeats.flake_rate.denominator), (1, 3));
    let rows: Vec<_> =
        overall.repeats.pass.iter().map(|p| (p.k, p.cases, p.pass_at_k, p.pass_hat_k)).collect();
    let third = |x: f64| x / 3.0;
    let expected = [
        (1, 4, 2.5 / 4.0, 2.5 / 4.0),
        (2, 3, third(1.0 + 5.0 / 6.0), third(1.0 + 1.0 / 6.0)),
        (3, 3, third(2.0), third(1.0)),
        (4, 3, third(2.0), third(1.0)),
    ];
    assert_eq!(rows.len(), expected.len());
    for (row, want) in rows.iter().zip(expected) {
        assert_eq!((row.0, row.1), (want.0, want.1));
        assert!((row.2 - want.2).abs() < 1e-12 && (row.3 - want.3).abs() < 1e-12, "{row:?}");
    }
}

#[test]
fn a_case_that_fails_only_among_distractors_is_not_flaky() {
    let mut rows = repeats(&["10"]);
    rows[1].key.distractors = 20;
    let model = model(&rows);
    assert_eq!(model.overall.repeats.flake_rate.denominator, 0);
    assert!(model.overall.repeated, "the case is one cluster over both counts");
    let curve: Vec<_> = model
        .distractors
        .iter()
        .map(|d| (d.distractors, d.numbers.repeated, d.numbers.rates["strictSuccess"].estimate))
        .collect();
    assert_eq!(curve, [(0, false, Some(1.0)), (20, false, Some(0.0))]);
}

#[test]
fn intervals_are_wilson_for_single_trials_and_drawn_over_cases_that_repeat() {
    let single = model(&trials(&[(Golden, "a", "a"), (Golden, "a", "b"), (Golden, "a", "a")])).overall.rates;
    assert_eq!(single["strictSuccess"].interval, wilson(2, 3, 0.95));
    assert_eq!(single["recall"].method, Method::Wilson);
    assert_eq!(single["f1"].method, Method::Bootstrap, "a wrong call counts twice in F1");
    let repeated = model(&repeats(&["11", "10", "00", "11"])).overall.rates;
    assert_eq!(repeated["strictSuccess"].method, Method::Bootstrap);
    assert_eq!(repeated["hallucinatedToolRate"].interval, wilson(0, 4, 0.95), "eight calls are four cases");
}

#[test]
fn models_tags_and_kinds_stand_apart() {
    let mut rows = trials(&[(Golden, "a", "a"), (Golden, "a", "b"), (Negative, "", "")]);
    rows[0].tags = vec!["git".into(), "easy".into(), "git".into()];
    rows[1].tags = vec!["git".into()];
    rows.push(golden("c0", "a", "b"));
    rows[3].key.model = "another".into();
    let metrics = fold(&rows);
    let names: Vec<_> = metrics.models.iter().map(|m| (m.model.as_str(), m.overall.trials.all())).collect();
    assert_eq!(names, [("another", 1), ("m", 3)]);
    let m = &metrics.models[1];
    let tags: Vec<_> = m
        .tags
        .iter()
        .map(|t| (t.tag.as_str(), t.strict_success.numerator, t.strict_success.denominator))
        .collect();
    assert_eq!(tags, [("easy", 1, 1), ("git", 1, 2)]);
    let kinds: Vec<_> =
        m.kinds.iter().map(|k| (k.kind, k.strict_success.numerator, k.strict_success.denominator)).collect();
    assert_eq!(kinds, [(Golden, 1, 2), (Negative, 1, 1)]);
}

#[test]
fn latency_and_tokens_are_of_counted_turns() {
    let mut rows: Vec<TrialRecord> = (1..=100).map(|i| golden(&format!("c{i}"), "a", "a")).collect();
    for (i, row) in (1..).zip(&mut rows) {
        row.turns[0].latency_us = i * 10;
    }
    rows[0].turns[0].usage = None;
    rows[99].turns[0].latency_us = u64::MAX;
    let overall = model(&rows).overall;
    let latency = overall.latency;
    assert_eq!((latency.p50_us, latency.p95_us, latency.p99_us), (Some(500), Some(950), Some(990)));
    assert_eq!((overall.tokens.input, overall.tokens.trials), (9900, 99));
    assert_eq!(overall.tokens.output_per_trial, Some(10.0));
}

#[test]
fn the_worst_tool_has_the_lowest_certain_f1_and_shows_its_worst_case() {
    let mut rows = repeats(&["110"]);
    rows.extend((0..2).map(|_| golden("d-fails-twice", "d", "")));
    rows.extend([golden("d-fails-once", "d", "a"), golden("d-works", "d", "d")]);
    rows.push(golden("lonely", "e", ""));
    let worst = model(&rows).worst.unwrap();
    assert_eq!((&*worst.tool, worst.support), ("d", 4));
    let case = worst.case.unwrap();
    assert_eq!(
        (case.suite.as_str(), case.case.as_str(), case.failed, case.trials),
        ("s", "d-fails-twice", 2, 2)
    );

    let perfect = model(&trials(&[(Golden, "a", "a"), (Golden, "b", "b")])).worst.unwrap();
    assert_eq!(
        (&*perfect.tool, perfect.case),
        ("a", None),
        "single calls are better than nothing to look at"
    );
    assert_eq!(model(&trials(&[(Negative, "", "a")])).worst, None);
}

#[test]
fn thresholds_hold_fail_or_stay_undecided() {
    let mut rows = trials(&[(Golden, "a", "a"); 19]);
    rows.push(golden("z", "a", "b:u"));
    let thresholds = Thresholds {
        precision: Some(0.95),
        recall: Some(0.96),
        unsafe_call_rate: Some(0.05),
        escaped_unsafe_rate: Some(0.0),
        abstention_precision: Some(0.5),
        hallucinated_tool_rate: Some(0.1),
        ..Thresholds::default()
    };
    let check = |confident: bool, expected: &[(&str, BoundUsed, Option<bool>)]| {
        let judged = judge(&fold(&rows), &Thresholds { confident, ..thresholds.clone() });
        let got: Vec<_> = judged.iter().map(|j| (j.metric.as_str(), j.bound_used, j.held)).collect();
        assert_eq!(got, expected);
    };
    use BoundUsed::{Interval, Point};
    check(
        false,
        &[
            ("precision", Point, Some(true)),
            ("recall", Point, Some(false)),
            ("abstentionPrecision", Point, None),
            ("hallucinatedToolRate", Point, Some(true)),
            ("unsafeCallRate", Point, Some(true)),
            ("escapedUnsafeRate", Point, Some(false)),
        ],
    );
    check(
        true,
        &[
            ("precision", Interval, Some(false)),
            ("recall", Interval, Some(false)),
            ("abstentionPrecision", Interval, None),
            ("hallucinatedToolRate", Interval, Some(false)),
            ("unsafeCallRate", Interval, Some(false)),
            ("escapedUnsafeRate", Point, Some(false)), // no interval ever ends at 0
        ],
    );
}

#[test]
fn every_threshold_is_a_metric() {
    let all = serde_json::json!({
        "precision": 1, "recall": 1, "f1": 1, "abstentionPrecision": 1, "abstentionRecall": 1, "argValidity": 1,
        "argAccuracy": 1, "strictSuccess": 1, "viewRecall": 1, "hallucinatedToolRate": 1, "unsafeCallRate": 1,
        "escapedUnsafeRate": 1
    });
    let thresholds: Thresholds = serde_json::from_value(all.clone()).unwrap();
    let judged = judge(&fold(&[golden("c", "a", "a")]), &thresholds);
    assert_eq!(judged.len(), all.as_object().unwrap().len());
    for judgement in judged {
        assert!(super::find(&judgement.metric).is_some(), "{}", judgement.metric);
    }
}

#[test]
fn too_many_lost_trials_decide_nothing() {
    let mut rows = trials(&[(Golden, "a", "a"); 19]);
    rows.push(lost("z", TrialEnd::Error, "timeout"));
    let at = |limit| lost_trials(&fold(&rows), limit).remove(0);
    assert_eq!((at(0.05).lost, at(0.05).all, at(0.05).undecidable), (1, 20, false));
    assert!(at(0.04).undecidable);
    let none = lost_trials(&fold(&[lost("c", TrialEnd::Stale, "stale_recording")]), 1.0);
    assert!(none[0].undecidable, "no counted trial decides nothing, whatever the limit");
}

#[test]
fn the_document_survives_json_and_says_null_for_nothing() {
    let metrics = fold(&repeats(&["110", "1", "00"]));
    let text = serde_json::to_string(&metrics).unwrap();
    let back: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(back["format"], 1);
    let overall = &back["models"][0]["overall"];
    assert!(overall["rates"]["abstentionRecall"]["estimate"].is_null());
    assert_eq!(overall["rates"]["recall"]["numerator"], 3);
    assert_eq!(back["models"][0]["distractors"][0]["distractors"], 0);
    assert_eq!(back["models"][0]["confusion"]["cells"][1]["proposed"], "b");
    let read: Metrics = serde_json::from_str(&text).unwrap();
    assert_eq!(read.models[0].tools.len(), metrics.models[0].tools.len());
    assert_eq!(fold(&[]).models, []);
}
