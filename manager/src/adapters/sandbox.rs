//! What this machine's kernel holds tools to, found out once and by trying; and the one call that a program makes
//! before it may start a sandbox.
//!
//! Where there is no sandbox, such as on other systems, everything that needs one is refused with the reason.

use crate::model::SandboxMode;
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::OnceLock,
};

/// Becomes the sandbox's helper, if this process was started as one. Call it first thing in `main`: a program that
/// does not cannot start sandboxes.
pub fn maybe_run_helper() {
    #[cfg(target_os = "linux")]
    proofhouse_sandbox::maybe_run_helper();
}

/// Why no program runs in a container. An engine would have to keep what the kernel keeps for the other modes, and a
/// weaker one is none.
const NO_CONTAINER: &str = "no container engine is used: bubblewrap bounds neither memory nor processes, and no contract names the image that podman or docker would need\nhint: `read_only`, `workspace_write` and `network_restricted` hold programs in namespaces of their own, too";

/// How sure it is that a property holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Held {
    /// A program inside was refused what the same one outside got.
    Probed,
    /// It was set up, and could not be shown by trial.
    Attested,
    /// It does not hold.
    Missing,
}

/// A property of a sandbox: its name, how sure it is that it holds, and by what or why not.
pub type Property = (String, Held, String);

/// The sandboxes of this machine.
#[derive(Debug)]
pub struct Sandbox {
    folder: PathBuf,
    #[cfg(target_os = "linux")]
    helper: HelperOf,
    /// What was found out, by trying once.
    found: OnceLock<Result<Vec<Property>, String>>,
}

/// Which program is started to build a sandbox.
#[cfg(target_os = "linux")]
#[derive(Debug)]
enum HelperOf {
    ThisProgram,
    Program(PathBuf),
}

impl Sandbox {
    /// Those that this program starts. What they need on disk is kept in `folder`, which must be there.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self {
            folder: folder.into(),
            #[cfg(target_os = "linux")]
            helper: HelperOf::ThisProgram,
            found: OnceLock::new(),
        }
    }

    /// Those that another program builds, whose `main` calls [`maybe_run_helper`] first.
    #[cfg(target_os = "linux")]
    #[must_use]
    pub fn helped_by(self, program: impl Into<PathBuf>) -> Self {
        Self { helper: HelperOf::Program(program.into()), ..self }
    }

    /// Where they keep what they need.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Every property; tried at the first question.
    ///
    /// # Errors
    /// Why no sandbox can be built at all.
    pub fn properties(&self) -> Result<&[Property], &str> {
        self.found.get_or_init(|| self.look()).as_deref().map_err(String::as_str)
    }

    /// What holds a run, and by what, if everything that must hold does. What is only not shown by trial is held or
    /// refused by the run itself.
    ///
    /// # Errors
    /// Why nothing may run here: a property does not hold.
    pub fn enforced(&self) -> Result<BTreeMap<String, String>, String> {
        let mut enforced = BTreeMap::new();
        for (property, held, because) in self.properties()? {
            match held {
                Held::Probed => drop(enforced.insert(property.clone(), because.clone())),
                Held::Attested => {}
                Held::Missing => return Err(format!("this machine does not keep `{property}`: {because}")),
            }
        }
        Ok(enforced)
    }

    /// Why a program cannot be held in such a sandbox here, if it cannot.
    pub fn refusal(&self, mode: SandboxMode) -> Option<String> {
        match mode {
            SandboxMode::None => Some("a program does not run without a sandbox".to_owned()),
            SandboxMode::Vm => Some("no runtime for virtual machines is configured".to_owned()),
            SandboxMode::Container => Some(NO_CONTAINER.to_owned()),
            SandboxMode::RemoteApi => Some("`remote_api` is for requests; a program runs here".to_owned()),
            SandboxMode::ReadOnly | SandboxMode::WorkspaceWrite | SandboxMode::NetworkRestricted => {
                self.enforced().err()
            }
        }
    }

    #[cfg(not(target_os = "linux"))]
    fn look(&self) -> Result<Vec<Property>, String> {
        Err("programs are held in sandboxes of the Linux kernel, and this is another system".to_owned())
    }

    #[cfg(target_os = "linux")]
    fn look(&self) -> Result<Vec<Property>, String> {
        use proofhouse_sandbox::{Standing, probe};
        let helper = self.helper().map_err(|refused| refused.to_string())?;
        let found = probe(&helper, &self.folder);
        if let Some(why) = found.refused {
            return Err(why);
        }
        let told = found.attestation.iter().map(|(property, standing)| {
            let (held, because) = match standing {
                Standing::Enforced { by } => (Held::Probed, by),
                Standing::Degraded { why } => (Held::Attested, why),
                Standing::Unavailable { why } => (Held::Missing, why),
            };
            (property.to_string(), held, because.clone())
        });
        Ok(told.collect())
    }

    #[cfg(target_os = "linux")]
    pub(super) fn helper(&self) -> Result<proofhouse_sandbox::Helper, proofhouse_sandbox::Refused> {
        use proofhouse_sandbox::Helper;
        match &self.helper {
            HelperOf::ThisProgram => Helper::this_program(),
            HelperOf::Program(program) => Ok(Helper::at(program)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_is_no_helper_holds_nothing_and_says_what_to_do() {
        let folder = tempfile::tempdir().unwrap();
        let sandbox = Sandbox::new(folder.path());
        let why = sandbox.enforced().unwrap_err();
        assert!(why.contains("maybe_run_helper") || why.contains("another system"), "{why}");
        for mode in [SandboxMode::None, SandboxMode::Vm, SandboxMode::RemoteApi, SandboxMode::ReadOnly] {
            assert!(sandbox.refusal(mode).is_some(), "{mode:?}");
        }
    }
}
