//! Suites: which tools are offered, which models are asked, which cases are put, what must come back.

mod case;

pub use case::{
    Case, CallsMode, Distractors, ExpectedCall, Pick, PrincipalSpec, Selector, Select, Suite, Thresholds,
    ToolSpec, Turn, ViewSpec,
};
