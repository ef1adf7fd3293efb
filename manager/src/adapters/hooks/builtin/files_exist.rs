//! Whether the files that were written are there, and those that were deleted are not.

use super::{Builtin, HookCall, Ran};
use crate::model::ResourceRef;
use std::path::{Component, Path, PathBuf};

/// The hook.
pub(super) struct FilesExist;

impl Builtin for FilesExist {
    fn name(&self) -> &'static str {
        "files-exist"
    }

    fn judge(&self, ran: &Ran, call: &HookCall<'_>) -> Result<(), String> {
        let workspace = call.workspace.ok_or("nobody knows in which folder it worked")?;
        let at = |resource: &ResourceRef| place(Path::new(workspace), resource);
        for written in &ran.effects.writes {
            // A link counts as what it is: where it leads is somebody else's.
            if let Some(path) = at(written)?
                && path.symlink_metadata().is_err()
            {
                return Err(format!("`{}` was written and is not there", written.0));
            }
        }
        for deleted in &ran.effects.deletes {
            if let Some(path) = at(deleted)?
                && path.symlink_metadata().is_ok()
            {
                return Err(format!("`{}` was deleted and is still there", deleted.0));
            }
        }
        Ok(())
    }
}

/// Where a file of the workspace is; `None` for what is no file.
fn place(workspace: &Path, resource: &ResourceRef) -> Result<Option<PathBuf>, String> {
    let Some(path) = resource.0.strip_prefix("file:") else { return Ok(None) };
    let beneath = Path::new(path).components().all(|c| matches!(c, Component::Normal(_) | Component::CurDir));
    if beneath {
        Ok(Some(workspace.join(path)))
    } else {
        Err(format!("`{path}` is not beneath the workspace"))
    }
}
