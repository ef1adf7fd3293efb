//! Asking with patience: the caller around every provider.
//!
//! Time limits, rate limits, waits and repeats are here, once, and in no provider. A model that answers at
//! once (one that is embedded, scripted or replayed) costs no timer. Dropping the future cancels all.

mod limiter;
mod patience;

pub use limiter::Limiter;
pub use patience::Patience;

use super::{Attempt, Fault, Provider, Reply, Request};
use std::{
    future::poll_fn,
    task::Poll,
    time::{Duration, Instant},
};

/// What asking took.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Asked {
    /// How many attempts.
    pub attempts: u32,
    /// How long the last one took; for a recorded answer, how long it took then.
    pub latency: Duration,
}

/// Asks until there is an answer, a fault that will not pass, or no attempt left.
pub async fn ask_patiently(
    provider: &dyn Provider,
    request: &Request,
    patience: &Patience,
    limiter: &Limiter,
) -> (Result<Reply, Fault>, Asked) {
    let mut waits = None;
    let mut attempt = 0;
    loop {
        let (answer, latency) = ask_once(provider, request, Attempt(attempt), patience, limiter).await;
        attempt += 1;
        let fault = match answer {
            Err(fault) if fault.is_transient() && attempt < patience.attempts => fault,
            answer => return (answer, Asked { attempts: attempt, latency }),
        };
        let own = waits.get_or_insert_with(|| patience.waits(&request.trial)).next();
        let wait = match fault.retry_after() {
            Some(asked_for) => {
                let wait = asked_for.min(patience.longest_wait);
                limiter.close_for(wait);
                wait
            }
            None => own.unwrap_or(patience.longest_wait),
        };
        tokio::time::sleep(wait).await;
    }
}

async fn ask_once(
    provider: &dyn Provider,
    request: &Request,
    attempt: Attempt,
    patience: &Patience,
    limiter: &Limiter,
) -> (Result<Reply, Fault>, Duration) {
    let _slot = limiter.admit().await;
    let start = Instant::now();
    let mut asking = provider.ask(request, attempt);
    // Polled once by hand: a timer is only set for a model that lets us wait.
    let answer = match poll_fn(|context| Poll::Ready(asking.as_mut().poll(context))).await {
        Poll::Ready(answer) => answer,
        Poll::Pending => {
            let in_time = tokio::time::timeout(patience.timeout, asking).await;
            in_time.unwrap_or(Err(Fault::Timeout(patience.timeout)))
        }
    };
    let recorded = answer.as_ref().ok().and_then(|reply| reply.recorded_latency);
    (answer, recorded.unwrap_or_else(|| start.elapsed()))
}

#[cfg(test)]
mod tests;
