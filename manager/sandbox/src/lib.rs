//! Runs one program under limits that the Linux kernel enforces, with no other program's help.
//!
//! A [`Spec`] names the program, pinned to its content, and everything that it may see, use and leave.
//! [`Spec::prepare`] checks it; [`Prepared::run`] builds the sandbox, runs the program, and returns an [`Outcome`] when
//! the whole tree of its processes is dead. What cannot be kept on this machine is a [`Refused`], and nothing ran.
//!
//! A program that uses this calls [`maybe_run_helper`] first thing in `main`: to build a sandbox it is started again.
//!
//! Absent: policy, tools, the manager's types. This crate knows paths, limits and the kernel, and is the only one
//! of the workspace with unsafe code, all of it in one file.
#![cfg(target_os = "linux")]

mod aside;
mod attest;
mod blocked;
mod cancel;
mod capture;
mod digest;
mod helper;
mod helper_path;
mod outcome;
mod prepare;
mod probe;
mod refused;
mod run;
mod spec;
mod wire;

pub use aside::{Aside, Change, Conflict, Node};
pub use attest::{Attestation, Property, Standing};
pub use cancel::Cancel;
pub use capture::Captured;
pub use digest::{Digest, NoDigest};
pub use helper_path::Helper;
pub use outcome::{Outcome, Status, Tree};
pub use prepare::Prepared;
pub use probe::{Capabilities, probe};
pub use refused::{Fault, Refused};
pub use spec::{Executable, Limits, Network, Spec, Stdin, System, Variable, Writes};

/// Becomes the helper, if this process was started as one; otherwise remembers that this program can be.
///
/// Call it first thing in `main`, before any thread is started.
pub fn maybe_run_helper() {
    let mut args = std::env::args_os().skip(1);
    if args.next().is_some_and(|arg| arg == helper_path::ROLE) {
        match args.next() {
            Some(role) if role == helper_path::RUN => helper::run(),
            Some(role) if role == helper_path::TRY => probe::run_trials(&args.collect::<Vec<_>>()),
            // not something a person calls
            _ => std::process::exit(2),
        }
    }
    helper_path::remember();
}
