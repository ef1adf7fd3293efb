//! The `proofhouse` binary.

use proofhouse::cli::{self, Exit};
use std::process::ExitCode;

fn main() -> ExitCode {
    // First of all: to build a sandbox, this program is started again.
    proofhouse_manager::adapters::sandbox::maybe_run_helper();
    // A panic is our bug and says so with its own exit code, not with the one that means "a case fails".
    let exit = std::panic::catch_unwind(|| cli::main(std::env::args_os())).unwrap_or(Exit::Bug);
    exit.into()
}
