//! Running a suite: plan the trials, ask the models through the manager, score, write the run folder.

mod record;

pub use record::{
    AnswerOutcome, ApprovalExpectation, CallRecord, CaseKind, EventLine, ExpectedRecord, Mismatch,
    OfferedTool, PairRecord, TokenUsage, TrialEnd, TrialError, TrialKey, TrialRecord, TurnRecord,
};
