//! What the owner wants asked around a call: a contract names hooks, and something here answers to the names.
//!
//! A hook says yes or no. It changes nothing: neither the arguments, which are exactly what was decided about
//! and approved, nor the result.

use crate::{
    model::{CallId, Moment, PrincipalId, ToolDescriptor, Verification},
    port::Ran,
};
use serde_json::Value;

/// The call that a hook is asked about. A result has no secret in it any more.
#[derive(Debug, Clone, Copy)]
pub struct HookCall<'a> {
    /// When it is asked.
    pub moment: Moment,
    /// The call.
    pub call: &'a CallId,
    /// The tool's contract.
    pub tool: &'a ToolDescriptor,
    /// The arguments.
    pub args: &'a Value,
    /// For whom it runs.
    pub principal: &'a PrincipalId,
    /// The folder that it works in.
    pub workspace: Option<&'a str>,
    /// What came out, once it has run.
    pub ran: Option<&'a Ran>,
    /// What was said about that, once it was.
    pub verification: Option<&'a Verification>,
}

/// Answers to the names of hooks.
pub trait Hooks: Send + Sync {
    /// Asks one hook.
    ///
    /// # Errors
    /// Why it says no. A name that nobody has, a hook that ends badly and one that takes too long say no too.
    fn ask(&self, name: &str, call: &HookCall<'_>) -> Result<(), String>;
}

/// Has no hooks: each says no.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoHooks;

impl Hooks for NoHooks {
    fn ask(&self, name: &str, _: &HookCall<'_>) -> Result<(), String> {
        Err(format!("no hook `{name}` is installed here"))
    }
}
