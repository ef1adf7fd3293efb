//! Hooks that are built in: a file each, and a line in [`ALL`].
//!
//! Each looks at what came out, so each is a verifier; as a `postCall` or `onError` hook it is merely recorded.

mod diff_is_small;
mod files_exist;
mod json_not_empty;
mod no_secrets_in_output;
mod tests_passed;

use crate::port::{HookCall, Ran};

/// A hook that is built in.
pub(super) trait Builtin: Sync {
    /// Its name in contracts.
    fn name(&self) -> &'static str;

    /// What it says of a run.
    fn judge(&self, ran: &Ran, call: &HookCall<'_>) -> Result<(), String>;
}

/// Every built-in hook.
const ALL: &[&dyn Builtin] = &[
    &diff_is_small::DiffIsSmall,
    &files_exist::FilesExist,
    &json_not_empty::JsonNotEmpty,
    &no_secrets_in_output::NoSecretsInOutput,
    &tests_passed::TestsPassed,
];

impl dyn Builtin {
    /// Asks it.
    pub(super) fn ask(&self, call: &HookCall<'_>) -> Result<(), String> {
        match call.ran {
            Some(ran) => self.judge(ran, call),
            None => Err(format!("`{}` looks at what came out, and nothing has run yet", self.name())),
        }
    }
}

pub(super) fn find(name: &str) -> Option<&'static dyn Builtin> {
    ALL.iter().copied().find(|hook| hook.name() == name)
}

pub(super) fn names() -> impl Iterator<Item = &'static str> {
    ALL.iter().map(|hook| hook.name())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_is_in_the_table() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/adapters/hooks/builtin");
        assert_eq!(std::fs::read_dir(folder).unwrap().count() - 1, ALL.len());
    }
}
