//! A sandbox in which the tool cannot do, or can do more than, what it says.

use crate::{
    lint::{Check, Lint, LintStage, Report, Severity, Subject},
    model::{Locality, ResourcePattern, SandboxMode},
};

pub(super) const LINT: Lint = Lint {
    code: "sandbox-contradicts-writes",
    stage: LintStage::Sandbox,
    severity: Severity::Error,
    finds: "The tool changes files in a read-only sandbox, or may write files although it says that it changes none.",
    why: "The first fails at every call; the second is a right that nobody needs until something goes wrong.",
    fix: "make `sandbox.mode` and `filesystem.writeRoots` fit `effects.writes` and `effects.deletes`",
    check: Check::Tool(check),
};

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    let (effects, sandbox) = (&subject.tool.effects, &subject.tool.sandbox);
    let on_disk = |resource: &&ResourcePattern| {
        resource.locality() == Locality::Local && matches!(resource.scheme(), "file" | "repo")
    };
    let written = effects.writes.iter().chain(&effects.deletes).find(on_disk);
    let roots = sandbox.filesystem.as_ref().map_or(&[][..], |files| files.write_roots.as_slice());
    if let Some(written) = written.filter(|_| sandbox.mode == SandboxMode::ReadOnly) {
        report.at(subject, "/sandbox/mode", format!("`{written}` is changed, and the sandbox is read-only"));
    }
    if written.is_none() && subject.stated("/effects/writes") && !roots.is_empty() {
        let message = format!("no file is changed, and `{}` may be written", roots[0]);
        report.at(subject, "/sandbox/filesystem/writeRoots", message);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{lint::testing::check, model::FilesystemLimits};

    #[test]
    fn the_sandbox_fits_the_writes() {
        let roots =
            || Some(FilesystemLimits { write_roots: vec![".".into()], ..FilesystemLimits::default() });
        check(&LINT, |t| t.effects.writes = vec!["memory:**".into()], &[]);
        check(
            &LINT,
            |t| {
                t.effects.writes = vec!["file:**".into()];
                t.sandbox.mode = SandboxMode::WorkspaceWrite;
                t.sandbox.filesystem = roots();
            },
            &[],
        );
        check(
            &LINT,
            |t| t.effects.deletes = vec!["file:**".into()],
            &["/sandbox/mode: `file:**` is changed, and the sandbox is read-only"],
        );
        check(
            &LINT,
            |t| t.sandbox.filesystem = roots(),
            &["/sandbox/filesystem/writeRoots: no file is changed, and `.` may be written"],
        );
    }
}
