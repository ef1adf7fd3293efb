//! What a script can make a model do.

use super::{duration::Seconds, format::At};
use crate::{
    provider::{Fault, Reply, Request},
    run::AnswerOutcome,
};
use proofhouse_manager::{document::DocumentError, model::ProposedArgs};
use serde::Deserialize;
use serde_json::{Map, Value};
use std::time::Duration;

/// A reply as it is written: exactly one of the kinds that [`Scene`] tells apart.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub(super) struct ReplySpec {
    calls: Option<Vec<CallSpec>>,
    text: Option<String>,
    refusal: Option<String>,
    truncated: bool,
    http: Option<u16>,
    retry_after: Option<Seconds>,
    stall: Option<Seconds>,
    drop: bool,
}

/// A call as it is written: with arguments, or with the text that stands for them.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct CallSpec {
    tool: String,
    args: Option<Value>,
    raw: Option<String>,
}

/// What happens at one attempt.
#[derive(Debug)]
pub(super) enum Scene {
    /// An answer.
    Answer {
        /// What it counts as.
        outcome: AnswerOutcome,
        /// Its words.
        text: Option<String>,
        /// Its calls, by canonical id or any other name.
        calls: Vec<(String, ProposedArgs)>,
    },
    /// An error status.
    Http {
        /// The status.
        status: u16,
        /// How long the server asks to wait.
        retry_after: Option<Duration>,
    },
    /// Nothing, for so long.
    Stall(Duration),
    /// The connection breaks.
    Drop,
}

const KINDS: &str = "calls, text, refusal, truncated, http, stall or drop";
const TOGETHER: &str = "only `text`, `calls` and `truncated` go together";

impl ReplySpec {
    /// Checks what is written.
    pub(super) fn scene(self, at: &At<'_>) -> Result<Scene, DocumentError> {
        let wrong = |message: String| at.error("reply", message);
        let answers = self.calls.is_some() || self.text.is_some() || self.truncated;
        let kinds = [answers, self.refusal.is_some(), self.http.is_some(), self.stall.is_some(), self.drop];
        match kinds.into_iter().filter(|kind| *kind).count() {
            0 => {
                return Err(
                    wrong("this reply is empty".into()).with_hint(format!("say what happens: {KINDS}"))
                );
            }
            1 => {}
            _ => return Err(wrong("this reply is two things at once".into()).with_hint(TOGETHER)),
        }
        match self {
            Self { http: Some(status @ 400..=599), retry_after, .. } => {
                Ok(Scene::Http { status, retry_after: retry_after.map(|Seconds(wait)| wait) })
            }
            Self { http: Some(status), .. } => {
                Err(wrong(format!("the status {status} is no error")).with_hint("400 to 599"))
            }
            Self { retry_after: Some(_), .. } => Err(wrong("`retryAfter` goes with `http` only".into())),
            Self { stall: Some(Seconds(wait)), .. } => Ok(Scene::Stall(wait)),
            Self { drop: true, .. } => Ok(Scene::Drop),
            Self { refusal: Some(text), .. } => {
                Ok(Scene::Answer { outcome: AnswerOutcome::Refused, text: Some(text), calls: Vec::new() })
            }
            Self { calls, text, truncated, .. } => {
                let calls = calls.unwrap_or_default().into_iter().map(|call| call.call(at));
                let calls = calls.collect::<Result<Vec<_>, _>>()?;
                Ok(Scene::Answer { outcome: outcome(truncated, calls.is_empty()), text, calls })
            }
        }
    }
}

fn outcome(truncated: bool, no_calls: bool) -> AnswerOutcome {
    match (truncated, no_calls) {
        (true, _) => AnswerOutcome::Truncated,
        (false, true) => AnswerOutcome::Abstained,
        (false, false) => AnswerOutcome::Called,
    }
}

impl CallSpec {
    fn call(self, at: &At<'_>) -> Result<(String, ProposedArgs), DocumentError> {
        let args = match (self.args, self.raw) {
            (Some(_), Some(_)) => {
                let message = format!("the call of `{}` has both `args` and `raw`", self.tool);
                return Err(at.error("reply", message).with_hint("keep one of them"));
            }
            (None, Some(raw)) => ProposedArgs::from_text(&raw),
            (Some(args), None) => ProposedArgs::from_value(args),
            (None, None) => ProposedArgs::Object(Map::new()),
        };
        Ok((self.tool, args))
    }
}

impl Scene {
    /// Lets it happen.
    pub(super) async fn give(&self, request: &Request) -> Result<Reply, Fault> {
        match self {
            Self::Answer { outcome, text, calls } => Ok(Reply {
                outcome: *outcome,
                text: text.clone(),
                calls: calls.iter().map(|(tool, args)| (request.called_name(tool), args.clone())).collect(),
                usage: None,
                raw: None,
                recorded_latency: None,
            }),
            Self::Http { status, retry_after } => Err(Fault::Status {
                status: *status,
                message: "as scripted".into(),
                retry_after: *retry_after,
            }),
            Self::Stall(wait) => {
                tokio::time::sleep(*wait).await;
                Err(Fault::Connection("closed without an answer, as scripted".into()))
            }
            Self::Drop => Err(Fault::Connection("dropped, as scripted".into())),
        }
    }
}
