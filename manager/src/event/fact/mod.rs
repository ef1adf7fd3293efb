//! What an event says: one type a kind of event, a file a stage of life.
//!
//! Names and fields are a published format. A kind is one type in its stage's file, with its one line for
//! people beside it, and its line in the table below.

mod authority;
mod call;
mod log;
mod outcome;
mod registration;
mod turn;

pub use authority::{CredentialBound, CredentialUnbound, GrantIssued, GrantRevoked};
pub use call::{
    ApprovalConfirmation, ApprovalDenied, ApprovalExpired, ApprovalGranted, ApprovalInvalidated,
    ApprovalRequested, ArgsStatus, GrantReach, ToolArgsValidated, ToolCallBlocked, ToolCallCancelled,
    ToolCallRequested, ToolPolicyChecked,
};
pub use log::{LogClosed, LogOpened, LogRecovered, OpenCall, PreviousFile};
pub use outcome::{
    ArtifactPersisted, ContextProjected, FinishStatus, HookAnswered, StateUpdated, ToolCallFinished,
    ToolCallRehearsed, ToolCallStarted, ToolCallUndoStarted, ToolCallUndone, ToolResultValidated,
    ToolSandboxPrepared, TraceUpdated,
};
pub use registration::{
    BlockCause, EvalCompleted, HealthStatus, LintFinding, ReviewStatus, ToolBlocked, ToolDeprecated,
    ToolDiscovered, ToolEnabled, ToolGranted, ToolHealthChecked, ToolLinted, ToolNormalized, ToolParsed,
    ToolRegistrationFailed, ToolSecurityReviewed, ToolVerified,
};
pub use turn::{
    IntentRecorded, ModelOutputReceived, ProposedOutcome, SkillLoaded, ToolViewCompiled, ToolsResolved,
    UserPromptSubmitted,
};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// One line of an event for people.
trait Summary {
    fn summary(&self) -> String;
}

/// What stands for arguments and output of a tool that does not log them.
pub const REDACTED: &str = "[redacted]";

/// A kind of fact, to look for.
pub trait Kind: Sized {
    /// The event's type, such as `ToolCallRequested`.
    const NAME: &'static str;

    /// The fact, if it is of this kind.
    fn from_fact(fact: &Fact) -> Option<&Self>;
}

macro_rules! facts {
    ($($kind:ident,)*) => {
        /// What happened.
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
        #[serde(tag = "type")]
        #[expect(missing_docs, reason = "each kind is documented at its type")]
        pub enum Fact {
            $($kind($kind),)*
            /// A type that this version does not know; kept as it came.
            #[serde(untagged)]
            Unknown(Map<String, Value>),
        }

        impl Fact {
            /// The event's type, such as `ToolCallRequested`.
            pub fn kind(&self) -> &str {
                match self {
                    $(Self::$kind(_) => stringify!($kind),)*
                    Self::Unknown(fields) => fields.get("type").and_then(Value::as_str).unwrap_or("?"),
                }
            }

            /// One line that says what happened.
            pub fn summary(&self) -> String {
                match self {
                    $(Self::$kind(fact) => fact.summary(),)*
                    Self::Unknown(_) => "a type that this version does not know".to_owned(),
                }
            }
        }

        $(impl Kind for $kind {
            const NAME: &'static str = stringify!($kind);

            fn from_fact(fact: &Fact) -> Option<&Self> {
                if let Fact::$kind(fact) = fact { Some(fact) } else { None }
            }
        })*

        $(impl From<$kind> for Fact {
            fn from(fact: $kind) -> Self {
                Self::$kind(fact)
            }
        })*
    };
}

facts! {
    LogOpened,
    LogRecovered,
    LogClosed,
    ToolDiscovered,
    ToolParsed,
    ToolNormalized,
    ToolLinted,
    ToolSecurityReviewed,
    ToolHealthChecked,
    EvalCompleted,
    ToolVerified,
    ToolEnabled,
    ToolGranted,
    ToolDeprecated,
    ToolBlocked,
    ToolRegistrationFailed,
    GrantIssued,
    GrantRevoked,
    CredentialBound,
    CredentialUnbound,
    UserPromptSubmitted,
    IntentRecorded,
    ToolsResolved,
    ToolViewCompiled,
    ModelOutputReceived,
    SkillLoaded,
    ToolCallRequested,
    ToolArgsValidated,
    ToolPolicyChecked,
    ApprovalRequested,
    ApprovalGranted,
    ApprovalDenied,
    ApprovalExpired,
    ApprovalInvalidated,
    ToolSandboxPrepared,
    HookAnswered,
    ToolCallRehearsed,
    ToolCallStarted,
    ToolCallFinished,
    ToolResultValidated,
    ArtifactPersisted,
    ContextProjected,
    StateUpdated,
    TraceUpdated,
    ToolCallUndoStarted,
    ToolCallUndone,
    ToolCallBlocked,
    ToolCallCancelled,
}

/// A part of a summary, on one line.
fn shorten(text: &str) -> String {
    crate::text::line(text, 200)
}
