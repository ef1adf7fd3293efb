//! Integration tests: the binary and the public API from outside.

mod admission;
mod authority;
mod bfcl;
mod bfcl_suite;
mod browser;
mod call;
mod cli;
mod conform;
mod conform_command;
mod crash;
mod golden;
mod interleaved;
mod journal;
mod lint_command;
mod lints;
#[cfg(target_os = "linux")]
mod programs;
mod real_model;
mod synthetic;
