//! A provider with a recording around it; with another mode, the response cache.

use super::{
    line::{FORMAT, RecordedPayload, RecordedTool, Recording},
    seen::Seen,
    store::Store,
};
use crate::provider::{
    Attempt, Fault, Provider, Reply, Request,
    open::ModelError,
    settings::{Clock, RecordMode},
    wire::{Identity, Recordable},
};
use chrono::SubsecRound as _;
use futures_util::future::BoxFuture;
use proofhouse_manager::{model::Digest, resolve::payload::Dialect};
use serde_json::Value;
use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

/// What the answers are kept for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Purpose {
    /// To be committed: an answer that cannot be written is lost, and that is a fault.
    Recording,
    /// To save time: an answer that cannot be written is asked for again some day.
    Cache,
}

/// A provider whose answers are kept.
pub(in crate::provider) struct Recorder {
    inner: Arc<dyn Recordable>,
    store: Mutex<Store>,
    mode: RecordMode,
    purpose: Purpose,
    now: Clock,
    unwritten: Mutex<Option<String>>,
}

impl Recorder {
    /// Keeps answers in a folder of recordings.
    pub(in crate::provider) fn record(
        inner: Arc<dyn Recordable>,
        folder: &Path,
        mode: RecordMode,
        now: Clock,
    ) -> Result<Self, ModelError> {
        let file = recording_of(folder, inner.name());
        Self::new(inner, &file, (mode, Purpose::Recording), now)
    }

    /// Keeps answers in a cache. Two servers may call different models by the same name, so here, where
    /// nobody looks at what is taken from where, each has a file of its own.
    pub(in crate::provider) fn cache(
        inner: Arc<dyn Recordable>,
        folder: &Path,
        now: Clock,
    ) -> Result<Self, ModelError> {
        let stem = match &inner.identity().endpoint {
            Some(endpoint) => slug(&format!("{}@{endpoint}", inner.name())),
            None => slug(inner.name()),
        };
        Self::new(inner, &folder.join(format!("{stem}.jsonl")), (RecordMode::Missing, Purpose::Cache), now)
    }

    fn new(
        inner: Arc<dyn Recordable>,
        file: &Path,
        (mode, purpose): (RecordMode, Purpose),
        now: Clock,
    ) -> Result<Self, ModelError> {
        let store = Store::load(file).map_err(|e| ModelError::Recording(e.to_string()))?;
        Ok(Self { inner, store: Mutex::new(store), mode, purpose, now, unwritten: Mutex::new(None) })
    }

    fn store(&self) -> MutexGuard<'_, Store> {
        self.store.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn answer(&self, request: &Request, attempt: Attempt) -> Result<Reply, Fault> {
        let seen = Seen::of(self.identity(), request);
        let key = seen.key(self.identity(), &self.identity().params);
        if self.mode == RecordMode::Missing
            && let Some(recording) = self.store().get(&key)
        {
            return reply(recording, self.identity(), request);
        }
        let start = Instant::now();
        let reply = self.inner.ask(request, attempt).await?;
        let latency = reply.recorded_latency.unwrap_or_else(|| start.elapsed());
        if let Some(raw) = &reply.raw {
            self.keep(request, seen, key, (&reply, raw, latency))?;
        }
        Ok(reply)
    }

    fn keep(
        &self,
        request: &Request,
        seen: Seen,
        key: Digest,
        (reply, raw, latency): (&Reply, &Value, Duration),
    ) -> Result<(), Fault> {
        let tools = seen.payloads.iter();
        let recording = Recording {
            format: FORMAT,
            key,
            provider: self.identity().wire.kind().to_owned(),
            model: self.identity().model.clone(),
            params: self.identity().params,
            suite: request.trial.suite.clone(),
            case: request.trial.case.clone(),
            distractors: request.trial.distractors,
            turn: request.turn,
            repeat: request.trial.repeat,
            messages: seen.messages,
            messages_digest: seen.messages_digest,
            tools: tools.map(|p| RecordedTool { tool: p.tool.clone(), payload: p.digest.clone() }).collect(),
            response: raw.clone(),
            usage: reply.usage,
            latency_ms: u64::try_from(latency.as_millis()).unwrap_or(u64::MAX),
            recorded_at: (self.now)().trunc_subsecs(3),
        };
        let payload = |p: &Arc<crate::provider::wire::Payload>| RecordedPayload {
            format: FORMAT,
            digest: p.digest.clone(),
            tool: p.tool.clone(),
            payload: p.value.clone(),
        };
        // A short append to a file; not worth a thread of its own.
        let written = self.store().append(recording, seen.payloads.iter().map(payload).collect());
        match (written, self.purpose) {
            (Ok(()), _) => Ok(()),
            (Err(error), Purpose::Recording) => {
                Err(Fault::Setup(format!("the answer came and cannot be recorded: {error}")))
            }
            (Err(error), Purpose::Cache) => {
                let note = format!("an answer could not be cached: {error}");
                *self.unwritten.lock().unwrap_or_else(PoisonError::into_inner) = Some(note);
                Ok(())
            }
        }
    }
}

impl Recordable for Recorder {
    fn identity(&self) -> &Identity {
        self.inner.identity()
    }
}

impl Provider for Recorder {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn label(&self) -> &'static str {
        self.inner.label()
    }

    fn dialect(&self) -> Dialect {
        self.inner.dialect()
    }

    fn notes(&self, cases: &[&str]) -> Vec<String> {
        let mut notes = self.inner.notes(cases);
        notes.extend_from_slice(self.store().problems());
        notes.extend(self.unwritten.lock().unwrap_or_else(PoisonError::into_inner).clone());
        notes
    }

    fn ask<'a>(&'a self, request: &'a Request, attempt: Attempt) -> BoxFuture<'a, Result<Reply, Fault>> {
        Box::pin(self.answer(request, attempt))
    }
}

/// Reads a recorded answer as if it came just now.
pub(in crate::provider) fn reply(
    recording: &Recording,
    identity: &Identity,
    request: &Request,
) -> Result<Reply, Fault> {
    let reply = identity.wire.parse(&recording.response, request)?;
    Ok(Reply {
        raw: Some(recording.response.clone()),
        recorded_latency: Some(Duration::from_millis(recording.latency_ms)),
        ..reply
    })
}

/// The file that a model of that name is recorded in.
pub fn recording_of(folder: &Path, name: &str) -> PathBuf {
    folder.join(format!("{}.jsonl", slug(name)))
}

/// A model's name as a file's.
fn slug(name: &str) -> String {
    let legal = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-') { c } else { '-' };
    let text: String = name.chars().map(legal).take(120).collect();
    let parts: Vec<&str> = text.split('-').filter(|part| !part.is_empty()).collect();
    parts.join("-")
}
