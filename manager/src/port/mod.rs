//! The edge: one trait a file for everything the decisions need from the world.
//!
//! A trait is asked for a decision or a thing, never for a way to do it oneself. `adapters/` implements.

mod adapter;
mod approver;
mod artifacts;
mod clock;
mod credentials;
mod descriptors;
mod evaluator;
mod grants;
mod health;
mod hook;
mod interrupt;
mod journal;
mod linter;
mod rehearsal;
mod resolver;
mod runtime;
mod source;
mod undo;
mod wait;

pub use crate::model::Injection;
pub use adapter::{Adapter, Ran, Settled};
pub use approver::{
    Answer, AnswerDecision, Approver, ApproverRights, Confirmation, NoApprover, Reply, Silence, SingleUse,
    SpendError,
};
pub use artifacts::{ArtifactError, ArtifactStore, Kept};
pub use clock::Clock;
pub use credentials::{CredentialBroker, Leased, NoCredentials};
pub use descriptors::{DescriptorError, DescriptorStore};
pub use evaluator::{Evaluation, Evaluator, EvaluatorError};
pub use grants::{GrantStore, GrantStoreError, NoGrants};
pub use health::{Health, HealthCheck};
pub use hook::{HookCall, Hooks, NoHooks};
pub use interrupt::{Interrupt, Uninterrupted};
pub use journal::{EventSink, JournalError};
pub use linter::Linter;
pub use rehearsal::{MISMATCH, Rehearsal, Rehearsals, Rehearsed};
pub use resolver::Resolver;
pub use runtime::{DeclaredRuntime, RunRequest, RuntimeResolver};
pub use source::{Discovered, Discovery, Rejected, SourceError, Spot, ToolSourcePort};
pub use undo::{Before, NoUndo, UndoError, UndoStore};
pub use wait::Wait;
