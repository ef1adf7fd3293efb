//! What every provider is asked and answers.

use crate::run::{AnswerOutcome, TokenUsage, TrialKey};
use futures_util::future::BoxFuture;
use proofhouse_manager::model::{ProposedArgs, ToolId};
use proofhouse_manager::registry::RegisteredTool;
use proofhouse_manager::resolve::payload::Dialect;
use serde_json::Value;
use std::{sync::Arc, time::Duration};

/// One question to a model: everything that it sees.
#[derive(Debug, Clone)]
pub struct Request {
    /// Which trial asks; for scripts and recordings, never shown to a model.
    pub trial: TrialKey,
    /// 0 for the first turn of the case.
    pub turn: usize,
    /// The conversation so far, the newest message last.
    pub messages: Vec<Message>,
    /// The tools of the view, best first.
    pub tools: Vec<RequestTool>,
}

/// A tool as it is offered: the registered tool, and the name that this provider knows it by.
#[derive(Debug, Clone)]
pub struct RequestTool {
    /// The tool.
    pub tool: Arc<RegisteredTool>,
    /// The name on the wire.
    pub wire_name: Arc<str>,
}

/// One message of a conversation.
#[derive(Debug, Clone, PartialEq)]
pub enum Message {
    /// Standing instructions.
    System(String),
    /// What the user says.
    User(String),
    /// What the model answered in an earlier turn.
    Assistant {
        /// Its words.
        text: Option<String>,
        /// Its calls, with the ids that results refer to.
        calls: Vec<(String, ToolId, Value)>,
    },
    /// What a tool is made to answer.
    ToolResult {
        /// Id of the call.
        call: String,
        /// The answer.
        content: Value,
    },
}

/// What a model answered.
#[derive(Debug, Clone, PartialEq)]
pub struct Reply {
    /// What it did.
    pub outcome: AnswerOutcome,
    /// Its words.
    pub text: Option<String>,
    /// The calls, by wire name, in order.
    pub calls: Vec<(String, ProposedArgs)>,
    /// Tokens, as the provider counts them.
    pub usage: Option<TokenUsage>,
    /// The provider's raw answer, for recordings; absent for embedded models.
    pub raw: Option<Value>,
    /// How long the model took when this was recorded; absent for a live answer.
    pub recorded_latency: Option<Duration>,
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Fault {
    /// The server answered with an error status.
    #[error("the server answered {status}: {message}")]
    Status {
        /// HTTP status.
        status: u16,
        /// What it said, cut and redacted.
        message: String,
        /// How long it asks to wait.
        retry_after: Option<Duration>,
    },
    /// No connection, or it broke.
    #[error("connection failed: {0}")]
    Connection(String),
    /// No answer in time.
    #[error("no answer within {0:?}")]
    Timeout(Duration),
    /// An answer that is not in the provider's format.
    #[error("the answer is not in the provider's format: {0}")]
    Protocol(String),
    /// The recording does not fit the request.
    #[error("{message}")]
    Stale {
        /// What differs from the nearest recorded request.
        message: String,
        /// Tools whose payload changed, came or went.
        changed_tools: Vec<ToolId>,
    },
    /// Nothing like this was recorded.
    #[error("{0}")]
    NoRecording(String),
    /// The model's set-up is wrong; asking again does not help.
    #[error("{0}")]
    Setup(String),
}

impl Fault {
    /// Whether another attempt may help.
    pub fn is_transient(&self) -> bool {
        match self {
            Self::Status { status, .. } => matches!(status, 408 | 409 | 425 | 429 | 500..),
            Self::Connection(_) | Self::Timeout(_) => true,
            Self::Protocol(_) | Self::Stale { .. } | Self::NoRecording(_) | Self::Setup(_) => false,
        }
    }

    /// How long the server asks to wait.
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Status { retry_after, .. } => *retry_after,
            Self::Connection(_)
            | Self::Timeout(_)
            | Self::Protocol(_)
            | Self::Stale { .. }
            | Self::NoRecording(_)
            | Self::Setup(_) => None,
        }
    }

    /// Stable code for records: `http_429`, `connection`, `timeout`, `protocol`, `stale_recording`, …
    pub fn code(&self) -> String {
        match self {
            Self::Status { status, .. } => format!("http_{status}"),
            Self::Connection(_) => "connection".into(),
            Self::Timeout(_) => "timeout".into(),
            Self::Protocol(_) => "protocol".into(),
            Self::Stale { .. } => "stale_recording".into(),
            Self::NoRecording(_) => "no_recording".into(),
            Self::Setup(_) => "setup".into(),
        }
    }
}

/// Which attempt at the same request this is, from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Attempt(pub u32);

/// A model that can be asked.
pub trait Provider: Send + Sync {
    /// The model's name in reports.
    fn name(&self) -> &str;

    /// What a report must say about answers of this kind of model.
    fn label(&self) -> &'static str;

    /// Whose rules the wire names of [`Request::tools`] follow.
    fn dialect(&self) -> Dialect {
        Dialect::OpenAi
    }

    /// What people should know before they trust the answers: unreadable lines of a recording, scripted
    /// answers for a case that is none of `cases`, a setting that is not sent.
    fn notes(&self, cases: &[&str]) -> Vec<String> {
        let _ = cases;
        Vec::new()
    }

    /// Asks once. Cancelled by dropping the future.
    fn ask<'a>(&'a self, request: &'a Request, attempt: Attempt) -> BoxFuture<'a, Result<Reply, Fault>>;
}
