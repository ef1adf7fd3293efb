//! Hooks by their names: those that are built in, a file each, and programs of the owner's own.
//!
//! A program gets the call as JSON on its standard input and answers with JSON on its standard output. It is held
//! in a read-only sandbox without network unless the owner says otherwise, and everything but a clear yes is a no.

mod builtin;
mod file;
mod told;

use super::{home::Home, sandbox::Sandbox};
use crate::{
    document::did_you_mean,
    port::{HookCall, Hooks},
};
pub use file::{Confinement, HookFileError, OwnHook};
use std::sync::Arc;

/// The hooks of one home.
#[derive(Debug)]
pub struct HomeHooks {
    own: Vec<OwnHook>,
    sandbox: Arc<Sandbox>,
}

impl HomeHooks {
    /// The built-in hooks, and those of the home's `hooks.yaml`.
    ///
    /// # Errors
    /// [`HookFileError`] if the file is there and cannot be used: a hook that cannot be read would ask nobody.
    pub fn open(home: &Home, sandbox: Arc<Sandbox>) -> Result<Self, HookFileError> {
        Ok(Self { own: file::read(&home.hooks())?, sandbox })
    }
}

impl Hooks for HomeHooks {
    fn ask(&self, name: &str, call: &HookCall<'_>) -> Result<(), String> {
        // A name of the owner's own never stands for a built-in one, whatever its program does.
        if let Some(builtin) = builtin::find(name) {
            return builtin.ask(call);
        }
        match self.own.iter().find(|hook| hook.name == name) {
            Some(hook) => hook.ask(call, &self.sandbox),
            None => {
                let own = self.own.iter().map(|hook| hook.name.as_str());
                let mut known: Vec<&str> = builtin::names().collect();
                known.extend(own);
                let hint = match did_you_mean(name, known) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => "`hooks.yaml` in the home names programs that answer".to_owned(),
                };
                Err(format!("no hook `{name}` is installed here\nhint: {hint}"))
            }
        }
    }
}

#[cfg(test)]
mod tests;
