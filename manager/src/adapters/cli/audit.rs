//! The command line of a shell, read and judged before anybody is asked about it and again before it runs.

use super::Fault;
use crate::{
    command::{self, Command, CommandLine, Danger, Weight},
    model::CommandTemplate,
};
use serde_json::Value;

/// Code of what a rule about commands refuses.
pub(super) const REFUSED: &str = "command_refused";

/// Refuses a line that cannot be read for certain, or that holds what no approval allows.
pub(super) fn hold(text: &str) -> Result<CommandLine, Fault> {
    let refused = |why: String| Fault::new(REFUSED, why);
    if text.starts_with(['-', '+']) {
        return Err(refused("a command line does not begin with an option of the shell".to_owned()));
    }
    let line = command::read(text).map_err(|unclear| refused(unclear.to_string()))?;
    match command::judge(&line).into_iter().find(|danger| danger.weight == Weight::Refused) {
        None => Ok(line),
        Some(Danger { rule, command, what, .. }) => {
            Err(refused(format!("`{command}` is refused by the rule `{rule}`: {what}")))
        }
    }
}

/// What is written down of a command line: every command of it, and what is to be known about them. Nothing where a
/// tool has none.
pub(super) fn told(template: &CommandTemplate, args: &Value) -> Result<Option<String>, Fault> {
    let Some(name) = template.command_line() else { return Ok(None) };
    let line = hold(args.get(name).and_then(Value::as_str).unwrap_or_default())?;
    let programs: Vec<String> = line.commands.iter().map(Command::to_string).collect();
    let told = command::judge(&line).into_iter().map(|danger| danger.what);
    Ok(Some(told.fold(programs.join("; "), |text, what| format!("{text} ({what})"))))
}
