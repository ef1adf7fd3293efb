//! Never over a limit, never a share lost: by rows, by threads, and against a slow model.

use super::*;
use crate::{
    event::{
        Fact, Fresh, Scope,
        fact::{FinishStatus, ToolCallFinished, ToolCallStarted},
    },
    model::{
        BudgetLeft, CallId, Digest, Domain, EffectLevel, EffectsObserved, PrincipalId, RiskLevel, SessionId,
        StopCode, Surroundings, ToolId,
    },
};
use chrono::{DateTime, TimeDelta, Utc};
use proptest::prelude::*;
use std::sync::atomic::{AtomicU64, Ordering};

fn at(second: i64) -> DateTime<Utc> {
    DateTime::from_timestamp(1_800_000_000 + second, 0).unwrap()
}

fn limit(id: &str, most: Most, window: Option<i64>, per: &[Per]) -> Limit {
    Limit {
        id: id.to_owned(),
        tools: Vec::new(),
        principals: Vec::new(),
        per: per.to_vec(),
        most,
        window: window.map(TimeDelta::seconds),
    }
}

/// Names of one call: `call`, `attempt`, `principal`, `tool`, `session`.
struct Who {
    call: CallId,
    principal: PrincipalId,
    tool: ToolId,
    session: SessionId,
}

impl Who {
    fn new(call: &str, principal: &str, tool: &str, session: &str) -> Self {
        Self { call: call.into(), principal: principal.into(), tool: tool.into(), session: session.into() }
    }

    fn spend(&self, price: Price) -> Spend<'_> {
        let Self { call, principal, tool, session } = self;
        Spend { call, attempt: 0, principal, tool, session, price }
    }

    fn event(&self, second: i64, fact: Fact) -> Fresh {
        let (session_id, call_id) = (self.session.clone(), Some(self.call.clone()));
        let scope = Scope { session_id, run_id: "run_1".into(), call_id };
        Fresh { event_id: "ev_1".into(), ts: at(second), scope, parent: None, fact }
    }

    fn started(&self, second: i64, reserved_usd: Option<f64>) -> Fresh {
        let digest = Digest::of_bytes(Domain::Plain, b"");
        let fact = ToolCallStarted {
            tool_id: self.tool.clone(),
            tool_version: "1.0.0".into(),
            descriptor_digest: digest.clone(),
            args_digest: digest,
            scopes: Vec::new(),
            risk_level: RiskLevel::Low,
            level: EffectLevel::PureRead,
            principal: self.principal.clone(),
            adapter: "builtin".to_owned(),
            dry_run: false,
            attempt: 0,
            policy_ids: Vec::new(),
            grant_id: None,
            approval_id: None,
            expires_at: None,
            sandbox_id: None,
            sandbox_digest: None,
            credentials: Vec::new(),
            executable: None,
            labels: vec!["read-private".to_owned()],
            reserved_usd,
            idempotency_key: None,
        };
        self.event(second, fact.into())
    }

    fn finished(&self, second: i64, cost_usd: Option<f64>) -> Fresh {
        let fact = ToolCallFinished {
            status: FinishStatus::Success,
            effects_observed: EffectsObserved { cost_usd, ..EffectsObserved::default() },
            output_bytes: 0,
            output_digest: None,
            latency_ms: 1,
            error: None,
            changes_digest: None,
        };
        self.event(second, fact.into())
    }
}

const FREE: Price = Price::AtMost(Money(0));

#[test]
fn each_counter_counts_what_it_is_for() {
    for (per, expected) in [
        (&[][..], [true, false, false, false]),
        (&[Per::Principal], [true, false, false, true]),
        (&[Per::Tool], [true, false, true, false]),
        (&[Per::Session], [true, false, false, true]),
        (&[Per::Principal, Per::Tool], [true, false, true, true]),
    ] {
        let limits = Limits::new(vec![limit("one", Most::Calls(1), None, per)]);
        let calls = [
            ("a", "u1", "t1", "s1"),
            ("b", "u1", "t1", "s1"),
            ("c", "u1", "t2", "s1"),
            ("d", "u2", "t1", "s2"),
        ];
        let got = calls.map(|(call, principal, tool, session)| {
            let who = Who::new(call, principal, tool, session);
            let reserved = limits.reserve(&who.spend(FREE), at(0));
            reserved.map(Reservation::started).is_ok()
        });
        assert_eq!(got, expected, "{per:?}");
    }
}

#[test]
fn a_limit_is_about_what_it_names() {
    let mut mail = limit("mail", Most::Calls(0), None, &[]);
    (mail.tools, mail.principals) = (vec!["mail.send".into()], vec!["user:dev".into()]);
    let limits = Limits::new(vec![mail]);
    for (principal, tool, allowed) in
        [("user:dev", "mail.send", false), ("user:dev", "mail.read", true), ("user:ops", "mail.send", true)]
    {
        let who = Who::new("c", principal, tool, "s");
        assert_eq!(limits.reserve(&who.spend(FREE), at(0)).is_ok(), allowed, "{principal} {tool}");
    }
}

#[test]
fn a_window_moves_and_a_clock_that_goes_back_frees_nothing() {
    let limits = Limits::new(vec![limit("two a minute", Most::Calls(2), Some(60), &[])]);
    let take = |call: &str, second: i64| {
        let who = Who::new(call, "u", "t", "s");
        limits.reserve(&who.spend(FREE), at(second)).map(Reservation::started)
    };
    assert!(take("a", 0).is_ok() && take("b", 30).is_ok());
    let refused = take("c", 59).unwrap_err();
    assert_eq!(refused.code, StopCode::LimitReached);
    assert_eq!(
        refused.message,
        "the limit `two a minute` allows 2 calls in 60 s; the next share is free at 2027-01-15 08:01:00Z"
    );
    assert!(take("d", -500).is_err());
    assert!(take("e", 60).is_ok() && take("f", 61).is_err() && take("g", 90).is_ok());
}

#[test]
fn a_call_takes_of_every_limit_or_of_none() {
    let limits = Limits::new(vec![
        limit("calls", Most::Calls(10), None, &[]),
        limit("budget", Most::Cost(Money(1_000_000)), None, &[]),
    ]);
    let who = Who::new("a", "u", "t", "s");
    let dear = Price::AtMost(Money(1_500_000));
    let refused = limits.reserve(&who.spend(dear), at(0)).unwrap_err();
    assert!(
        refused.message.contains("`budget` allows $1.000000 in all, and it can cost $1.500000"),
        "{refused}"
    );
    assert!(limits.reserve(&who.spend(Price::Unknown), at(0)).unwrap_err().message.contains("nothing says"));
    assert_eq!(limits.left(&who.spend(FREE), at(0)).calls, Some(10));

    // Given back unless it has started; settled at what it did cost.
    drop(limits.reserve(&who.spend(Price::AtMost(Money(600_000))), at(0)).unwrap());
    assert_eq!(limits.left(&who.spend(FREE), at(0)).cost_usd, Some(1.0));
    limits.reserve(&who.spend(Price::AtMost(Money(600_000))), at(0)).unwrap().started();
    assert_eq!(limits.left(&who.spend(FREE), at(0)).cost_usd, Some(0.4));
    limits.settle(&who.call, Some(Money(100_000)));
    let left = limits.left(&who.spend(FREE), at(0));
    assert_eq!((left.calls, left.cost_usd), (Some(9), Some(0.9)));
    // Dearer than it should have been: what is left is nothing, and not less.
    let other = Who::new("b", "u", "t", "s");
    limits.reserve(&other.spend(FREE), at(0)).unwrap().started();
    limits.settle(&other.call, Some(Money(5_000_000)));
    assert_eq!(limits.left(&who.spend(FREE), at(0)).cost_usd, Some(0.0));
}

/// PO-11: as many threads as can collide take exactly what there is.
#[test]
fn threads_never_take_more_than_there_is_and_lose_nothing() {
    const THREADS: usize = 8;
    const TRIES: usize = 400;
    let limits = Limits::new(vec![
        limit("calls", Most::Calls(500), Some(60), &[Per::Principal]),
        limit("budget", Most::Cost(Money(300)), None, &[]),
    ]);
    let (running, most, started) = (AtomicU64::new(0), AtomicU64::new(0), AtomicU64::new(0));
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let (limits, running, most, started) = (&limits, &running, &most, &started);
            scope.spawn(move || {
                for attempt in 0..TRIES {
                    let who = Who::new(&format!("{thread}.{attempt}"), "u", "t", "s");
                    let Ok(held) = limits.reserve(&who.spend(Price::AtMost(Money(1))), at(0)) else {
                        continue;
                    };
                    most.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                    if attempt % 3 == 0 {
                        running.fetch_sub(1, Ordering::SeqCst);
                        drop(held);
                    } else {
                        started.fetch_add(1, Ordering::SeqCst);
                        held.started();
                    }
                }
            });
        }
    });
    assert_eq!(started.load(Ordering::SeqCst), 300, "the budget is used up, exactly");
    assert!(most.load(Ordering::SeqCst) <= 300);
    let who = Who::new("x", "u", "t", "s");
    let left = limits.left(&who.spend(FREE), at(0));
    assert_eq!((left.calls, left.cost_usd), (Some(200), Some(0.0)));
}

#[test]
fn a_restart_forgets_nothing() {
    let rules = || {
        vec![
            limit("calls", Most::Calls(3), Some(60), &[Per::Session]),
            limit("budget", Most::Cost(Money(2_000_000)), None, &[]),
        ]
    };
    let (a, b) = (Who::new("a", "u", "t", "s"), Who::new("b", "u", "t", "s"));
    let limits = Limits::new(rules());
    let mut labels = SessionLabels::default();
    // `b` never finished: it has cost the most that it could.
    for event in [a.started(0, Some(0.5)), a.finished(5, Some(0.25)), b.started(6, Some(1.0))] {
        limits.fold(&event);
        labels.fold(&event);
        limits.fold(&event);
    }
    let left = limits.left(&a.spend(FREE), at(10));
    assert_eq!((left.calls, left.cost_usd), (Some(1), Some(0.75)));
    assert_eq!(limits.left(&a.spend(FREE), at(60)).calls, Some(2));
    assert_eq!(labels.of(&"s".into()), ["read-private".to_owned()].into());
    assert!(labels.of(&"other".into()).is_empty());
}

#[test]
fn a_call_is_decided_with_what_is_left_and_was_read() {
    let used = Used::new(Limits::new(vec![limit("calls", Most::Calls(3), None, &[])]));
    let who = Who::new("a", "u", "t", "s");
    let began = Surroundings {
        budget: BudgetLeft { calls: Some(2), cost_usd: Some(1.0) },
        ..Surroundings::default()
    };
    let now = |began: &Surroundings| used.surroundings(began, &who.spend(FREE), at(0)).unwrap();
    assert_eq!(now(&began).budget, BudgetLeft { calls: Some(2), cost_usd: Some(1.0) });
    used.limits().reserve(&who.spend(FREE), at(0)).unwrap().started();
    used.limits().reserve(&Who::new("b", "u", "t", "s").spend(FREE), at(0)).unwrap().started();
    used.label(&"s".into(), ["read-private".to_owned()]);
    assert_eq!(now(&began).budget.calls, Some(1));
    assert_eq!(now(&began).labels, ["read-private".to_owned()].into());
    let unlimited = Used::default();
    assert_eq!(unlimited.surroundings(&began, &who.spend(FREE), at(0)), None);
}

/// What one step of the property does.
#[derive(Debug, Clone)]
enum Step {
    Take { cost: u64, keep: bool },
    Settle { nth: usize, cost: u64 },
    Wait(i64),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (0u64..40, any::<bool>()).prop_map(|(cost, keep)| Step::Take { cost, keep }),
        2 => (0usize..30, 0u64..40).prop_map(|(nth, cost)| Step::Settle { nth, cost }),
        1 => (0i64..30).prop_map(Step::Wait),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// The counters agree with a list that is added up anew for every question.
    #[test]
    fn counters_agree_with_a_slow_model(steps in prop::collection::vec(step(), 1..80)) {
        const CALLS: u64 = 6;
        const COST: u64 = 100;
        const WINDOW: i64 = 50;
        let limits = Limits::new(vec![
            limit("calls", Most::Calls(CALLS), Some(WINDOW), &[]),
            limit("budget", Most::Cost(Money(COST)), Some(WINDOW), &[]),
        ]);
        // When, what it counts for, and whether it is settled.
        let mut model: Vec<(i64, u64, bool)> = Vec::new();
        let mut now = 0;
        for step in steps {
            let live = |model: &[(i64, u64, bool)]| {
                model.iter().filter(|(then, ..)| then + WINDOW > now).map(|(_, cost, _)| (1, *cost))
                    .fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1))
            };
            let (calls, cost_sum) = live(&model);
            match step {
                Step::Wait(seconds) => now += seconds,
                Step::Settle { nth, cost } => {
                    let who = Who::new(&nth.to_string(), "u", "t", "s");
                    limits.settle(&who.call, Some(Money(cost)));
                    if let Some(entry) = model.get_mut(nth).filter(|entry| !entry.2) {
                        (entry.1, entry.2) = (cost, true);
                    }
                }
                Step::Take { cost, keep } => {
                    let who = Who::new(&model.len().to_string(), "u", "t", "s");
                    let held = limits.reserve(&who.spend(Price::AtMost(Money(cost))), at(now));
                    prop_assert_eq!(held.is_ok(), calls < CALLS && cost_sum + cost <= COST);
                    if let (Ok(held), true) = (held, keep) {
                        held.started();
                        model.push((now, cost, false));
                    }
                }
            }
            let (calls, cost_sum) = model.iter().filter(|(then, ..)| then + WINDOW > now)
                .fold((0, 0), |sum, (_, cost, _)| (sum.0 + 1, sum.1 + cost));
            let who = Who::new("x", "u", "t", "s");
            let left = limits.left(&who.spend(FREE), at(now));
            prop_assert_eq!(left.calls, Some(CALLS.saturating_sub(calls)));
            prop_assert_eq!(left.cost_usd, Some(Money(COST.saturating_sub(cost_sum)).usd()));
        }
    }
}
