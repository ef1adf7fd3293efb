//! The workspace of a scenario: what the suite puts there, and what has become of it.

use super::{
    kit, secret,
    text::{Content, World},
};
use std::{collections::BTreeMap, io, path::Path};

/// Puts the kit's files and the scenario's there.
pub(super) fn furnish(workspace: &Path, files: &BTreeMap<String, Content>) -> io::Result<()> {
    write(workspace, kit::files())?;
    write(workspace, files)
}

/// Writes files.
pub(super) fn write(workspace: &Path, files: &BTreeMap<String, Content>) -> io::Result<()> {
    for (name, content) in files {
        let path = workspace.join(name);
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        std::fs::write(&path, bytes(content))?;
        #[cfg(unix)]
        if let Content::Program(_) = content {
            use std::os::unix::fs::PermissionsExt as _;
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755))?;
        }
    }
    Ok(())
}

fn bytes(content: &Content) -> Vec<u8> {
    match content {
        Content::Text(text) | Content::Program(text) => text.clone().into_bytes(),
        Content::Bytes(count) => b"0123456789abcde\n".iter().copied().cycle().take(*count).collect(),
        Content::Secret(form) => format!("before\n{}\nafter\n", secret::encoded(*form)).into_bytes(),
        Content::Json(value) => value.to_string().into_bytes(),
    }
}

/// What is not as it must be, in sentences.
pub(super) fn faults(workspace: &Path, files: &BTreeMap<String, Content>, world: &[World]) -> Vec<String> {
    let broken = |rule: &&World| {
        let appeared = rule.missing.as_ref().is_some_and(|name| workspace.join(name).exists());
        let changed = rule.kept.as_ref().is_some_and(|name| {
            let content = files.get(name).or_else(|| kit::files().get(name));
            let now = std::fs::read(workspace.join(name)).ok();
            now != content.map(bytes)
        });
        appeared || changed
    };
    world.iter().filter(broken).map(|rule| rule.fault.clone()).collect()
}
