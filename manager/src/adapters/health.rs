//! What can be known of a tool without running it.
//!
//! Nothing is ever executed here: a tool with effects must not be, and of one without effects the arguments
//! would have to be made up. What can be found out is found out, and the rest is skipped and marked so.

use super::sandbox::Sandbox;
use crate::{
    event::fact::HealthStatus,
    model::{SourceType, ToolDescriptor},
    port::{Health, HealthCheck},
};
use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

/// Checks that what a tool names is there.
#[derive(Debug, Clone)]
pub struct Presence {
    /// Folders in which programs are looked for, in order.
    pub programs: Vec<PathBuf>,
    /// Words of the adapters that can run something here.
    pub adapters: Vec<String>,
    /// What programs are held in here.
    pub sandbox: Arc<Sandbox>,
}

impl HealthCheck for Presence {
    fn check(&self, tool: &ToolDescriptor) -> Health {
        let health = |status, reason: String| Health { status, reason };
        let adapter = &tool.execution.adapter;
        if !self.adapters.contains(adapter) {
            let known = self.adapters.join(", ");
            return health(
                HealthStatus::Failed,
                format!("no adapter `{adapter}` is known; there are {known}"),
            );
        }
        let not_run = "nothing was run: it was not tried whether it works";
        // What a contract demands and this machine does not keep is said now, and not at the first call.
        let starts = tool.execution.command.is_some();
        if let Some(why) = starts.then(|| self.sandbox.refusal(tool.sandbox.mode)).flatten() {
            return health(HealthStatus::Failed, format!("its sandbox is not to be had here: {why}"));
        }
        match tool.source.kind {
            SourceType::Cli => match self.program(tool) {
                None => health(HealthStatus::Skipped, format!("it names no program; {not_run}")),
                Some((word, Some(path))) => {
                    health(HealthStatus::Passed, format!("`{word}` is `{}`; {not_run}", path.display()))
                }
                Some((word, None)) => health(
                    HealthStatus::Skipped,
                    format!("`{word}` is not on the path here, so calls of it will be refused; {not_run}"),
                ),
            },
            SourceType::Builtin
            | SourceType::Skill
            | SourceType::Mcp
            | SourceType::Http
            | SourceType::Subagent => {
                health(HealthStatus::Skipped, format!("the adapter `{adapter}` is known; {not_run}"))
            }
        }
    }
}

impl Presence {
    /// The program that is started, and where it is.
    fn program<'t>(&self, tool: &'t ToolDescriptor) -> Option<(&'t str, Option<PathBuf>)> {
        let started = tool.execution.command.as_ref().map(|command| command.program.as_str());
        let word = started.or_else(|| tool.source.command.as_deref()?.split_whitespace().next())?;
        let candidates = if word.contains('/') {
            vec![PathBuf::from(word)]
        } else {
            self.programs.iter().map(|folder| folder.join(word)).collect()
        };
        Some((word, candidates.into_iter().find(|path| is_program(path))))
    }
}

/// Whether a path is a file that can be started.
#[cfg(unix)]
pub(super) fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    path.metadata().is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}

/// Whether a path is a file that can be started.
#[cfg(not(unix))]
pub(super) fn is_program(path: &Path) -> bool {
    path.is_file()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::testing::descriptor;

    #[test]
    fn what_can_be_known_is_checked_and_the_rest_is_marked_as_skipped() {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("lint");
        std::fs::write(&program, "#!/bin/sh\nexit 1\n").unwrap();
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
        }
        std::fs::write(folder.path().join("notes"), "no program").unwrap();
        let presence = Presence {
            programs: vec![folder.path().to_owned()],
            adapters: vec!["cli".into(), "builtin".into()],
            sandbox: Arc::new(Sandbox::new(folder.path())),
        };
        let rows = [
            (SourceType::Builtin, None, "builtin", HealthStatus::Skipped, "nothing was run"),
            (SourceType::Builtin, None, "warp", HealthStatus::Failed, "no adapter `warp`"),
            (SourceType::Cli, None, "cli", HealthStatus::Skipped, "names no program"),
            (SourceType::Cli, Some("lint --all"), "cli", HealthStatus::Passed, "nothing was run"),
            (SourceType::Cli, Some("notes"), "cli", HealthStatus::Skipped, "not on the path"),
            (SourceType::Cli, Some("no-such"), "cli", HealthStatus::Skipped, "not on the path"),
        ];
        for (kind, command, adapter, status, word) in rows {
            let mut tool = descriptor("a");
            tool.source.kind = kind;
            tool.source.command = command.map(str::to_owned);
            tool.execution.adapter = adapter.into();
            let health = presence.check(&tool);
            assert_eq!(health.status, status, "{}", health.reason);
            assert!(health.reason.contains(word), "{}", health.reason);
        }
        // What would start a program needs a sandbox, and a program of tests that starts none has none.
        let mut tool = descriptor("a");
        tool.source.kind = SourceType::Cli;
        tool.execution.adapter = "cli".into();
        tool.execution.command = Some(serde_json::from_str(r#"{"program":"lint"}"#).unwrap());
        let health = presence.check(&tool);
        assert_eq!(health.status, HealthStatus::Failed);
        assert!(health.reason.contains("its sandbox is not to be had here"), "{}", health.reason);
    }
}
