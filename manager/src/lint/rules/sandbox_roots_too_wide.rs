//! A sandbox that holds the whole machine.

use crate::lint::{Check, Lint, LintStage, Report, Severity, Subject};

pub(super) const LINT: Lint = Lint {
    code: "sandbox-roots-too-wide",
    stage: LintStage::Sandbox,
    severity: Severity::Error,
    finds: "A root of the sandbox is the file system, a home folder or a folder of the system.",
    why: "Keys, settings and other projects are in there; a sandbox around everything is none.",
    fix: "name roots relative to the workspace, such as `.` or `src`",
    check: Check::Tool(check),
};

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    let Some(files) = &subject.tool.sandbox.filesystem else { return };
    for (field, roots, judge) in [
        ("writeRoots", &files.write_roots, too_wide_to_write as fn(&str) -> bool),
        ("readRoots", &files.read_roots, is_everything),
    ] {
        for (index, root) in roots.iter().enumerate().filter(|(_, root)| judge(root)) {
            let pointer = format!("/sandbox/filesystem/{field}/{index}");
            report.at(subject, pointer, format!("`{root}` holds more than a workspace"));
        }
    }
}

/// Whether a root is the file system or a home folder.
fn is_everything(root: &str) -> bool {
    let root = root.trim_end_matches(['/', '*']);
    let drive = root.len() <= 3 && root.as_bytes().get(1) == Some(&b':');
    let above = root.split('/').any(|part| part == "..");
    drive || above || matches!(root, "" | "~" | "$HOME" | "${HOME}" | "/home" | "/root" | "/Users")
}

/// Writing a folder of the system is as much.
fn too_wide_to_write(root: &str) -> bool {
    const SYSTEM: [&str; 12] =
        ["bin", "boot", "dev", "etc", "lib", "opt", "proc", "sbin", "sys", "usr", "var", "System"];
    let first = root.strip_prefix('/').and_then(|rest| rest.split('/').next());
    is_everything(root) || first.is_some_and(|first| SYSTEM.contains(&first))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        lint::testing::check,
        model::{FilesystemLimits, ToolDescriptor},
    };

    #[test]
    fn roots_are_those_of_the_workspace() {
        let of = |read: &'static str, write: &'static str| {
            move |t: &mut ToolDescriptor| {
                let (read_roots, write_roots) = (vec![read.to_owned()], vec![write.to_owned()]);
                t.sandbox.filesystem =
                    Some(FilesystemLimits { read_roots, write_roots, blocked_paths: Vec::new() });
            }
        };
        for (read, write) in [(".", "src"), ("/usr/share", "./**"), ("a..b", "/srv/project")] {
            check(&LINT, of(read, write), &[]);
        }
        for wide in ["/", "~", "~/", "/**", "C:\\", "../..", "/home", ""] {
            let told = format!("/sandbox/filesystem/readRoots/0: `{wide}` holds more than a workspace");
            check(&LINT, of(wide, "."), &[&told]);
        }
        check(
            &LINT,
            of(".", "/etc/x"),
            &["/sandbox/filesystem/writeRoots/0: `/etc/x` holds more than a workspace"],
        );
    }
}
