//! A process that holds secrets: no core is written of it, and nobody of the same user looks into it.

use std::sync::OnceLock;

/// Hardens this process, once.
///
/// # Errors
/// Why it cannot be: it should hold no secret then.
pub(super) fn harden() -> Result<(), String> {
    static DONE: OnceLock<Result<(), String>> = OnceLock::new();
    DONE.get_or_init(|| {
        use rustix::process::{Resource, Rlimit, setrlimit};
        let none = Rlimit { current: Some(0), maximum: Some(0) };
        setrlimit(Resource::Core, none).map_err(|e| format!("its core files cannot be switched off: {e}"))?;
        unseen().map_err(|e| format!("it cannot be hidden from other processes: {e}"))
    })
    .clone()
}

/// `/proc/<pid>/environ`, `mem` and the debugger are root's alone from here on.
#[cfg(target_os = "linux")]
fn unseen() -> rustix::io::Result<()> {
    rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::NotDumpable)
}

#[cfg(not(target_os = "linux"))]
fn unseen() -> rustix::io::Result<()> {
    Ok(())
}
