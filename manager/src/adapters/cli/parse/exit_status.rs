//! Nothing but the exit code.

use super::Said;
use serde_json::{Value, json};

pub(super) fn parse(said: &Said<'_>) -> Result<Value, String> {
    Ok(json!({ "exitCode": said.code }))
}
