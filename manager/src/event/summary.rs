//! What an event says, in one line for people.

use super::{ArgsStatus, Fact};

impl Fact {
    /// One line that says what happened.
    pub fn summary(&self) -> String {
        match self {
            Self::LogOpened { writer, .. } => format!("opened by {writer}"),
            Self::LogRecovered { torn_bytes } => {
                format!("{torn_bytes} bytes of a broken last line set aside")
            }
            Self::LogClosed { events } => format!("closed after {events} events"),
            Self::ToolDiscovered { tool_id, source, .. } => format!("`{tool_id}` found in {source}"),
            Self::ToolNormalized { tool_id, tool_version, level, .. } => {
                format!("`{tool_id}` {tool_version} is {level}")
            }
            Self::ToolRegistrationFailed { tool_id, reason, .. } => format!("`{tool_id}`: {reason}"),
            Self::UserPromptSubmitted { prompt } => shorten(prompt),
            Self::IntentRecorded { intent } => {
                let actions: Vec<_> = intent.action_types.iter().map(|a| a.as_str()).collect();
                let actions = if actions.is_empty() { "any action".to_owned() } else { actions.join(", ") };
                format!("{actions}: {}", shorten(&intent.rationale_summary))
            }
            Self::ToolsResolved { known, candidates, .. } => {
                format!("{candidates} of {known} tools may be used")
            }
            Self::ToolViewCompiled { tools, dropped, tokens, .. } => {
                format!("{} tools shown, {} left out, about {tokens} tokens", tools.len(), dropped.len())
            }
            Self::ModelOutputReceived { model, calls, text, .. } => match text {
                Some(text) if *calls == 0 => format!("{model}: {}", shorten(text)),
                _ => format!("{model} proposes {calls} {}", if *calls == 1 { "call" } else { "calls" }),
            },
            Self::ToolCallRequested { tool_id, args, .. } => {
                format!("`{tool_id}` {}", shorten(&args.to_string()))
            }
            Self::ToolArgsValidated { status: ArgsStatus::Passed, .. } => "arguments are valid".to_owned(),
            Self::ToolArgsValidated { faults, .. } => {
                let faults: Vec<_> = faults.iter().map(|f| format!("{} {}", f.path, f.message)).collect();
                shorten(faults.join("; ").trim())
            }
            Self::ToolPolicyChecked { decision, reason, .. } => format!("{decision}: {reason}"),
            Self::ApprovalRequested { request, .. } => shorten(&request.summary),
            Self::ToolCallBlocked { reason, .. } => shorten(&reason.to_string()),
            Self::Unknown(_) => "a type that this version does not know".to_owned(),
        }
    }
}

/// Cut for one line; what is cut is marked.
fn shorten(text: &str) -> String {
    const MAX: usize = 200;
    let line = text.replace(['\n', '\r'], " ");
    match line.char_indices().nth(MAX) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}
