//! A shell's command line, read before anybody runs it: which programs it starts, with which words, through which
//! wrappers, and which of it is dangerous.
//!
//! What cannot be read for certain is refused, not guessed: a loop, a function, a program whose name is only known
//! when it runs. So a rule about `rm` holds for `env rm`, `xargs rm`, `sh -c 'rm …'`, `$(rm …)` and `find -exec rm`
//! too, and no prefix of a line speaks for the rest of it.
//!
//! Pure: no file is looked at, no variable is known. That a line passes says that it holds none of the known
//! dangers; what holds the others is the sandbox.

mod paths;
mod read;
mod rules;
mod unwrap;

pub use read::{Command, CommandLine, Redirect, Unclear, Word, read};
pub use rules::{ALL, Danger, Rule, Weight, judge};
