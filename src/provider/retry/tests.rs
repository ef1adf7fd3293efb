use super::*;
use crate::{
    provider::testing::{block_on, request},
    run::AnswerOutcome,
};
use futures_util::future::{BoxFuture, join_all, ready};
use std::{
    num::{NonZeroU32, NonZeroUsize},
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};

/// Answers with these faults, then rightly; counts who is inside at once.
#[derive(Default)]
struct Model {
    faults: Mutex<Vec<Fault>>,
    slow: Option<Duration>,
    inside: AtomicUsize,
    most: AtomicUsize,
    asked: Mutex<Vec<u32>>,
}

impl Provider for Model {
    fn name(&self) -> &str {
        "model"
    }

    fn label(&self) -> &'static str {
        "a test"
    }

    fn ask<'a>(&'a self, _: &'a Request, Attempt(n): Attempt) -> BoxFuture<'a, Result<Reply, Fault>> {
        self.asked.lock().unwrap().push(n);
        let fault = self.faults.lock().unwrap().pop();
        let reply = Reply {
            outcome: AnswerOutcome::Abstained,
            text: None,
            calls: Vec::new(),
            usage: None,
            raw: None,
            recorded_latency: None,
        };
        let answer = fault.map_or(Ok(reply), Err);
        let Some(slow) = self.slow else { return Box::pin(ready(answer)) };
        Box::pin(async move {
            let inside = self.inside.fetch_add(1, Ordering::SeqCst) + 1;
            self.most.fetch_max(inside, Ordering::SeqCst);
            tokio::time::sleep(slow).await;
            self.inside.fetch_sub(1, Ordering::SeqCst);
            answer
        })
    }
}

fn status(status: u16, retry_after: Option<u64>) -> Fault {
    Fault::Status { status, message: String::new(), retry_after: retry_after.map(Duration::from_millis) }
}

fn quick() -> Patience {
    Patience {
        first_wait: Duration::from_millis(1),
        longest_wait: Duration::from_millis(4),
        ..Patience::default()
    }
}

fn check(faults: &[Fault], attempts: u32, ok: bool) {
    let model = Model { faults: Mutex::new(faults.iter().rev().cloned().collect()), ..Model::default() };
    let (answer, asked) = block_on(ask_patiently(&model, &request("c"), &quick(), &Limiter::unlimited()));
    assert_eq!((asked.attempts, answer.is_ok()), (attempts, ok), "{faults:?}");
    assert_eq!(*model.asked.lock().unwrap(), (0..attempts).collect::<Vec<_>>());
}

#[test]
fn only_what_may_pass_is_asked_again() {
    let timeout = Fault::Timeout(Duration::ZERO);
    check(&[], 1, true);
    check(&[status(429, Some(1))], 2, true);
    // A server that asks for an hour gets the longest wait.
    check(&[status(503, Some(3_600_000)), Fault::Connection(String::new()), timeout.clone()], 4, true);
    check(&[timeout.clone(), timeout.clone(), timeout.clone(), timeout], 4, false);
    check(&[status(400, None)], 1, false);
    check(&[Fault::Protocol(String::new())], 1, false);
    check(&[Fault::NoRecording(String::new())], 1, false);
    check(&[Fault::Setup(String::new())], 1, false);
}

#[test]
fn a_model_that_answers_at_once_needs_no_runtime() {
    let request = request("c");
    let asking =
        async { ask_patiently(&Model::default(), &request, &quick(), &Limiter::unlimited()).await.0 };
    assert!(futures_util::FutureExt::now_or_never(asking).unwrap().is_ok());
}

#[test]
fn waits_grow_are_bounded_and_depend_on_the_trial_alone() {
    let patience = Patience { attempts: 12, ..Patience::default() };
    let waits = |case: &str, seed| {
        let patience = Patience { seed, ..patience.clone() };
        patience.waits(&request(case).trial).collect::<Vec<_>>()
    };
    let first = waits("a", 0);
    assert_eq!(first.len(), 12);
    assert!(first[0] >= patience.first_wait && first[3] > first[0]);
    assert!(first.iter().all(|wait| *wait <= patience.longest_wait));
    assert_eq!(first, waits("a", 0));
    assert_ne!(first, waits("b", 0));
    assert_ne!(first, waits("a", 1));
}

#[test]
fn no_more_are_in_flight_than_there_are_slots() {
    let model = Model { slow: Some(Duration::from_millis(5)), ..Model::default() };
    let limiter = Limiter::new(NonZeroUsize::new(3), None);
    let requests: Vec<Request> = (0..12).map(|_| request("c")).collect();
    let patience = quick();
    let all = requests.iter().map(|request| ask_patiently(&model, request, &patience, &limiter));
    let answers = block_on(join_all(all));
    assert!(answers.iter().all(|(answer, _)| answer.is_ok()));
    assert_eq!(model.most.load(Ordering::SeqCst), 3);
}

#[test]
fn a_rate_limit_lets_everybody_through_in_the_end() {
    let limiter = Limiter::new(None, NonZeroU32::new(60_000));
    let model = Model::default();
    let requests: Vec<Request> = (0..20).map(|_| request("c")).collect();
    let patience = quick();
    let all = requests.iter().map(|request| ask_patiently(&model, request, &patience, &limiter));
    assert!(block_on(join_all(all)).iter().all(|(answer, _)| answer.is_ok()));
}

#[test]
fn when_one_is_asked_to_wait_all_do() {
    let limiter = Limiter::unlimited();
    assert_eq!(limiter.closed_for(), None);
    limiter.close_for(Duration::from_secs(60));
    limiter.close_for(Duration::from_secs(1));
    assert!(limiter.closed_for().unwrap() > Duration::from_secs(30));
}
