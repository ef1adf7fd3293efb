//! What a program is told of a call, and how it answers.

use crate::{
    event::fact::FinishStatus,
    model::{CallId, EffectsObserved, PrincipalId, ToolError, ToolId, ToolVersion, Verification},
    port::HookCall,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// So much of an output is told; the rest is evidence, and kept as such.
const MOST_OUTPUT: usize = 256 << 10;

/// A call, as JSON on a program's standard input.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Told<'a> {
    moment: &'static str,
    tool_call_id: &'a CallId,
    tool_id: &'a ToolId,
    tool_version: &'a ToolVersion,
    level: String,
    principal: &'a PrincipalId,
    args: &'a Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    workspace: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<ToldResult<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ToldResult<'a> {
    status: FinishStatus,
    output: String,
    output_bytes: usize,
    structured: &'a Option<Value>,
    effects: &'a EffectsObserved,
    error: &'a Option<ToolError>,
    #[serde(skip_serializing_if = "Option::is_none")]
    verification: Option<&'a Verification>,
}

/// What a program is told.
pub(super) fn told(call: &HookCall<'_>) -> Result<Vec<u8>, String> {
    let result = call.ran.map(|ran| {
        let head = &ran.output[..ran.output.len().min(MOST_OUTPUT)];
        ToldResult {
            status: ran.status,
            output: String::from_utf8_lossy(head).into_owned(),
            output_bytes: ran.output.len(),
            structured: &ran.structured,
            effects: &ran.effects,
            error: &ran.error,
            verification: call.verification,
        }
    });
    let told = Told {
        moment: call.moment.as_str(),
        tool_call_id: call.call,
        tool_id: &call.tool.tool_id,
        tool_version: &call.tool.version,
        level: call.tool.level().to_string(),
        principal: call.principal,
        args: call.args,
        workspace: call.workspace,
        result,
    };
    serde_json::to_vec(&told).map_err(|e| format!("the call cannot be told: {e}"))
}

/// An answer: `{"answer":"yes"}`, or `{"answer":"no","reason":"…"}`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Written {
    answer: Word,
    #[serde(default)]
    reason: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
enum Word {
    Yes,
    No,
}

/// What a program answered.
pub(super) fn answer(said: &[u8]) -> Result<(), String> {
    let written: Written = serde_json::from_slice(said).map_err(|e| {
        format!("its answer cannot be understood: {e}\nhint: it must print `{{\"answer\":\"yes\"}}`, or `no` with a `reason`")
    })?;
    match written.answer {
        Word::Yes => Ok(()),
        Word::No => Err(written.reason.unwrap_or_else(|| "it gives no reason".to_owned())),
    }
}
