//! Nothing but the exit code.

use super::Said;
use serde_json::{Value, json};

#[expect(clippy::unnecessary_wraps, reason = "the table's type")]
pub(super) fn parse(said: &Said<'_>) -> Result<Value, String> {
    Ok(json!({ "exitCode": said.code }))
}
