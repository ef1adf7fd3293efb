//! Probes about writes that are kept aside.

use super::bench::Bench;
use super::customs::{Check, must, ran};
use super::outside;
use proofhouse_sandbox::{Aside, Change, Conflict, Node, Writes};
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::path::Path;

/// Everything in a folder, with what is in it.
fn picture(folder: &Path) -> Vec<String> {
    let mut lines = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(at) = open.pop() {
        for entry in fs::read_dir(&at).unwrap() {
            let path = entry.unwrap().path();
            let meta = path.symlink_metadata().unwrap();
            let name = path.strip_prefix(folder).unwrap().display().to_string();
            let mode = meta.permissions().mode() & 0o777;
            lines.push(if meta.is_symlink() {
                format!("{name} -> {}", fs::read_link(&path).unwrap().display())
            } else if meta.is_dir() {
                open.push(path);
                format!("{name}/ {mode:o}")
            } else {
                format!("{name} {mode:o} {}", fs::read_to_string(&path).unwrap())
            });
        }
    }
    lines.sort();
    lines
}

fn workspace_to_rework(bench: &Bench) {
    for folder in ["tree/below", "replaced", "folder-to-file"] {
        fs::create_dir_all(bench.at("workspace").join(folder)).unwrap();
    }
    for file in [
        "opened",
        "removed",
        "named",
        "tree/below/leaf",
        "replaced/old",
        "folder-to-file/old",
        "file-to-folder",
        "mode",
    ] {
        let path = bench.at("workspace").join(file);
        fs::write(&path, "old").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
    }
}

fn shown(changes: &[Change]) -> Vec<String> {
    let word = |node: &Node| match node {
        Node::Absent => "nothing",
        Node::Folder { .. } => "folder",
        Node::File { .. } => "file",
        Node::Link { .. } => "link",
    };
    let line = |c: &Change| format!("{}: {} to {}", c.path.display(), word(&c.before), word(&c.after));
    changes.iter().map(line).collect()
}

pub(crate) fn written_aside(bench: &Bench) -> Check {
    workspace_to_rework(bench);
    let workspace = bench.at("workspace");
    let before = picture(&workspace);
    let mut spec = bench.spec("rework", &[]);
    spec.read_roots.clear();
    spec.writes = Writes::Aside(bench.at("store"));
    ran(&spec)?;
    must(picture(&workspace) == before, "the workspace is not as it was")?;
    let text = |conflict: Conflict| conflict.to_string();
    let aside = Aside::open(&bench.at("store")).map_err(text)?;
    let changes = aside.changes().map_err(text)?;
    let expected = [
        "created: nothing to file",
        "deep: nothing to folder",
        "deep/er: nothing to folder",
        "deep/er/still: nothing to file",
        "file: file to file",
        "file-to-folder: file to folder",
        "file-to-folder/inside: nothing to file",
        "folder-to-file: folder to file",
        "folder-to-file/old: file to nothing",
        "link: nothing to link",
        "mode: file to file",
        "named: file to nothing",
        "removed: file to nothing",
        "renamed: nothing to file",
        "replaced/new: nothing to file",
        "replaced/old: file to nothing",
        "tree: folder to nothing",
        "tree/below: folder to nothing",
        "tree/below/leaf: file to nothing",
    ];
    let said = shown(&changes);
    must(said == expected, format!("{said:#?}"))?;
    // the same act on the host itself is what applying must come to
    let control = Bench::new();
    workspace_to_rework(&control);
    outside(&control, "rework", &[])?;
    aside.commit(&changes).map_err(text)?;
    let (ours, theirs) = (picture(&workspace), picture(&control.at("workspace")));
    must(ours == theirs, format!("applied: {ours:#?}\non the host: {theirs:#?}"))?;
    must(matches!(aside.commit(&changes), Err(Conflict::Moved(_))), "it was applied twice")?;
    fs::write(workspace.join("created"), "by another").map_err(|error| error.to_string())?;
    must(matches!(aside.undo(&changes), Err(Conflict::Moved(_))), "another's change was taken back")?;
    fs::write(workspace.join("created"), "new").map_err(|error| error.to_string())?;
    aside.undo(&changes).map_err(text)?;
    must(picture(&workspace) == before, format!("taken back: {:#?}", picture(&workspace)))?;
    aside.discard().map_err(text)?;
    must(!bench.at("store").exists(), "the store is still there")
}

pub(crate) fn blocked_aside(bench: &Bench) -> Check {
    let mut spec = bench.spec("write", &[bench.at("workspace/.env").into()]);
    spec.blocked = vec![".env".to_owned()];
    spec.writes = Writes::Aside(bench.at("store"));
    ran(&spec)?;
    let aside = Aside::open(&bench.at("store")).map_err(|conflict| conflict.to_string())?;
    let changes = aside.changes().map_err(|conflict| conflict.to_string())?;
    must(shown(&changes) == [".env: nothing to file"], format!("{:?}", shown(&changes)))?;
    must(matches!(aside.commit(&changes), Err(Conflict::Blocked(_))), "it was applied")?;
    must(!bench.at("workspace/.env").exists(), "it is there")?;
    aside.discard().map_err(|conflict| conflict.to_string())
}

pub(crate) fn changed_since_shown(bench: &Bench) -> Check {
    let mut spec = bench.spec("write", &[bench.at("workspace/file").into()]);
    spec.writes = Writes::Aside(bench.at("store"));
    ran(&spec)?;
    let aside = Aside::open(&bench.at("store")).map_err(|conflict| conflict.to_string())?;
    let changes = aside.changes().map_err(|conflict| conflict.to_string())?;
    fs::write(bench.at("workspace/file"), "by another").map_err(|error| error.to_string())?;
    must(matches!(aside.commit(&changes), Err(Conflict::Moved(_))), "it was applied over another's change")?;
    must(bench.content("workspace/file") == "by another", "another's change is lost")?;
    aside.discard().map_err(|conflict| conflict.to_string())
}

pub(crate) fn through_beside_aside(bench: &Bench) -> Check {
    let with_cache = |act_path: &str| {
        let mut spec = bench.spec("write", &[bench.at(act_path).into()]);
        spec.read_roots.clear();
        spec.through_roots = vec![bench.at("readable")];
        spec
    };
    for path in ["workspace/file", "readable/file"] {
        let mut spec = with_cache(path);
        spec.writes = Writes::Aside(bench.at("store"));
        ran(&spec)?;
        let aside = Aside::open(&bench.at("store")).map_err(|conflict| conflict.to_string())?;
        aside.discard().map_err(|conflict| conflict.to_string())?;
    }
    must(bench.content("workspace/file") == "as it was", "the view was written for real")?;
    must(bench.content("readable/file") == "changed", "the cache was not written")
}

/// What root runs in another's folder leaves files of that other there, and reaches none of root's.
pub(crate) fn of_another(bench: &Bench) -> Check {
    const OTHER: u32 = 4321;
    let workspace = bench.at("workspace");
    for path in [&workspace, &workspace.join("file")] {
        chown(path, Some(OTHER), Some(OTHER)).map_err(|error| error.to_string())?;
    }
    fs::write(workspace.join("of-root"), "as it was").map_err(|error| error.to_string())?;
    let owner = |name: &str| fs::metadata(workspace.join(name)).map(|meta| (meta.uid(), meta.gid())).ok();
    ran(&bench.spec("write", &[workspace.join("direct").into()]))?;
    must(owner("direct") == Some((OTHER, OTHER)), format!("it belongs to {:?}", owner("direct")))?;
    ran(&bench.spec("write", &[workspace.join("file").into()]))?;
    must(ran(&bench.spec("write", &[workspace.join("of-root").into()])).is_err(), "root's file was changed")?;
    let mut spec = bench.spec("write", &[workspace.join("aside").into()]);
    spec.writes = Writes::Aside(bench.at("store"));
    ran(&spec)?;
    let text = |conflict: Conflict| conflict.to_string();
    let aside = Aside::open(&bench.at("store")).map_err(text)?;
    aside.commit(&aside.changes().map_err(text)?).map_err(text)?;
    must(owner("aside") == Some((OTHER, OTHER)), format!("it belongs to {:?}", owner("aside")))?;
    aside.discard().map_err(text)
}
