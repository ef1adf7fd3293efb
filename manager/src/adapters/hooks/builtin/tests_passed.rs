//! Whether tests have run, and none has failed.

use super::{Builtin, HookCall, Ran};
use serde_json::Value;

/// The hook.
pub(super) struct TestsPassed;

impl Builtin for TestsPassed {
    fn name(&self) -> &'static str {
        "tests-passed"
    }

    fn judge(&self, ran: &Ran, _: &HookCall<'_>) -> Result<(), String> {
        let report = ran.structured.as_ref().ok_or("there is no structured report of tests")?;
        let count = |name: &str| report.get(name).and_then(Value::as_u64);
        // No count of failures is not none.
        let failed = count("failed").ok_or("its report does not count how many `failed`")?;
        let errors = count("errors").unwrap_or_default();
        let passed = count("passed").ok_or("its report does not count how many `passed`")?;
        match (failed + errors, passed) {
            (0, 0) => Err("no test has run".to_owned()),
            (0, _) => Ok(()),
            (failed, _) => Err(format!("{failed} tests failed")),
        }
    }
}
