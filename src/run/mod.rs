//! Running a suite: plan the trials, ask the models through the manager, score, write the run folder.

mod filter;
mod folder;
mod manifest;
mod offers;
mod plan;
mod record;
mod runner;
mod setup;
mod tools;
mod trial;

pub use filter::{Filter, FilterError};
pub use folder::{Events, FolderError, Home, RunFolder, TrialWriter, Trials, write_file};
pub use manifest::{Manifest, ModelHead, RejectedTool, RunOptions, SuiteHead, ToolHead, ViewHead};
pub use offers::Offers;
pub use plan::{Plan, Planned, Shard};
pub use record::{
    AnswerOutcome, ApprovalExpectation, CallRecord, CaseKind, EventLine, ExpectedRecord, Mismatch,
    OfferedTool, PairRecord, TokenUsage, TrialEnd, TrialError, TrialKey, TrialRecord, TurnRecord,
};
pub use runner::{Ended, RunnerError, Tally};
pub use setup::{Conduct, Prepared, SetupError, SuiteTrust, Surroundings, check_tools};
pub use tools::{ToolOrigin, Toolbox, ToolsError, source_at};
