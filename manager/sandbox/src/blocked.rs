//! Which paths inside the roots are hidden.
//!
//! A rule is text; what it hides is found by walking the mounted tree, so that the decision is about files.

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// More entries than this are not searched for blocked ones: the run is refused instead.
const MOST_ENTRIES: usize = 500_000;
/// More blocked paths than this are not hidden one by one.
const MOST_BLOCKED: usize = 1024;

/// Compiled rules.
#[derive(Debug)]
pub(crate) struct Rules {
    /// Matched against a path from its root, and against the whole path for absolute rules.
    set: GlobSet,
}

/// Compiles rules.
///
/// # Errors
/// When a rule is no pattern, or would hide everything.
pub(crate) fn compile(rules: &[String]) -> Result<Rules, String> {
    let mut set = GlobSetBuilder::new();
    for rule in rules {
        for pattern in spread(rule)? {
            let glob = GlobBuilder::new(&pattern).literal_separator(true).case_insensitive(true).build();
            set.add(glob.map_err(|error| format!("`{rule}` is no pattern: {error}"))?);
        }
    }
    Ok(Rules { set: set.build().map_err(|error| error.to_string())? })
}

/// The patterns that a rule stands for: a bare name is meant at any depth, and hiding all that is in a folder
/// hides the folder.
fn spread(rule: &str) -> Result<Vec<String>, String> {
    let trimmed = rule.strip_prefix("./").unwrap_or(rule).trim_end_matches('/');
    if trimmed.is_empty() || matches!(trimmed, "." | "*" | "**" | "**/*" | "**/**") {
        return Err(format!("`{rule}` hides everything"));
    }
    if trimmed.split('/').any(|part| part == "..") {
        return Err(format!("`{rule}` leaves its root"));
    }
    let anywhere = if trimmed.contains('/') { trimmed.to_owned() } else { format!("**/{trimmed}") };
    let mut patterns = vec![anywhere.clone()];
    if let Some(folder) = anywhere.strip_suffix("/**").filter(|folder| !folder.is_empty()) {
        patterns.push(folder.to_owned());
    }
    Ok(patterns)
}

impl Rules {
    /// Says whether there is nothing to hide.
    pub(crate) fn is_empty(&self) -> bool {
        self.set.is_empty()
    }

    /// Says whether a path of a root is hidden.
    pub(crate) fn hides(&self, root: &Path, path: &Path) -> bool {
        let inside = path.strip_prefix(root).unwrap_or(path);
        let inside =
            if inside.as_os_str().is_empty() { path.file_name().map(Path::new) } else { Some(inside) };
        inside.is_some_and(|inside| self.set.is_match(inside)) || self.set.is_match(path)
    }

    /// Finds what is hidden below a root, links followed to what they lead to, and other names of hidden files.
    ///
    /// # Errors
    /// When a folder cannot be searched though it can be entered, or there is too much in it.
    pub(crate) fn find(&self, root: &Path) -> Result<Vec<PathBuf>, String> {
        let mut found = Found::default();
        if self.is_empty() {
            return Ok(Vec::new());
        }
        let meta = root.symlink_metadata().map_err(|error| format!("`{}`: {error}", root.display()))?;
        self.visit(root, root, &meta, &mut found)?;
        found.aliases();
        if found.paths.len() > MOST_BLOCKED {
            return Err(format!("more than {MOST_BLOCKED} paths in `{}` are blocked", root.display()));
        }
        Ok(found.paths)
    }

    fn visit(&self, root: &Path, path: &Path, meta: &fs::Metadata, found: &mut Found) -> Result<(), String> {
        found.seen += 1;
        if found.seen > MOST_ENTRIES {
            return Err(format!("`{}` has more than {MOST_ENTRIES} entries to search", root.display()));
        }
        if self.hides(root, path) {
            found.hide(path, meta);
            return Ok(());
        }
        if meta.is_file() && meta.nlink() > 1 {
            found.linked.push(((meta.dev(), meta.ino()), path.to_owned()));
        }
        if !meta.is_dir() {
            return Ok(());
        }
        let at = |error: std::io::Error| format!("`{}`: {error}", path.display());
        let entries = match fs::read_dir(path) {
            Ok(entries) => entries,
            // what cannot be listed by us cannot be by the program, which has the same rights; what it could
            // still reach by name is why only a folder that cannot be entered either is left out
            Err(_) if fs::symlink_metadata(path.join(".")).is_err() => return Ok(()),
            Err(error) => return Err(at(error)),
        };
        for entry in entries {
            let entry = entry.map_err(at)?;
            match entry.metadata() {
                Ok(meta) => self.visit(root, &entry.path(), &meta, found)?,
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
                Err(error) => return Err(at(error)),
            }
        }
        Ok(())
    }
}

#[derive(Default)]
struct Found {
    paths: Vec<PathBuf>,
    hidden: Vec<(u64, u64)>,
    linked: Vec<((u64, u64), PathBuf)>,
    seen: usize,
}

impl Found {
    fn hide(&mut self, path: &Path, meta: &fs::Metadata) {
        // A link cannot be mounted over, so what it leads to is hidden.
        let (path, meta) = if meta.is_symlink() {
            let Ok(path) = path.canonicalize() else { return };
            let Ok(meta) = path.symlink_metadata() else { return };
            (path, meta)
        } else {
            (path.to_owned(), meta.clone())
        };
        if meta.is_file() && meta.nlink() > 1 {
            self.hidden.push((meta.dev(), meta.ino()));
        }
        self.paths.push(path);
    }

    fn aliases(&mut self) {
        let hidden = std::mem::take(&mut self.hidden);
        let aliases = self.linked.drain(..).filter(|(file, _)| hidden.contains(file));
        self.paths.extend(aliases.map(|(_, path)| path));
        self.paths.sort();
        self.paths.dedup();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hidden(rules: &[&str], entries: &[&str]) -> Vec<String> {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        for entry in entries {
            let path = root.join(entry);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            match entry.split_once(" = ") {
                Some((new, old)) => fs::hard_link(root.join(old), root.join(new)).unwrap(),
                None => match entry.split_once(" -> ") {
                    Some((link, to)) => std::os::unix::fs::symlink(to, root.join(link)).unwrap(),
                    None => fs::write(path, "x").unwrap(),
                },
            }
        }
        let rules: Vec<String> = rules.iter().map(|&rule| rule.to_owned()).collect();
        let found = compile(&rules).unwrap().find(&root).unwrap();
        found.iter().map(|path| path.strip_prefix(&root).unwrap().display().to_string()).collect()
    }

    #[test]
    fn rules_hide_what_they_say_at_any_depth_and_in_any_case() {
        for (rules, entries, expected) in [
            (&[".env"][..], &[".env", "a/b/.env", "env"][..], &[".env", "a/b/.env"][..]),
            (&[".env"], &[".ENV", "a/.Env"], &[".ENV", "a/.Env"]),
            (&["**/*.pem"], &["a.pem", "x/b.pem", "x/b.pem.txt"], &["a.pem", "x/b.pem"]),
            (&["**/.ssh/**"], &["h/.ssh/id", "h/ssh"], &["h/.ssh"]),
            (&["a/secret"], &["a/secret", "b/a/secret"], &["a/secret"]),
            (&["secret"], &["secret", "alias = secret", "other"], &["alias", "secret"]),
            (&[".env"], &["real", ".env -> real"], &["real"]),
            (&[".env"], &[".env -> nowhere"], &[]),
        ] {
            assert_eq!(hidden(rules, entries), expected, "{rules:?}");
        }
    }

    #[test]
    fn rules_that_hide_everything_or_leave_their_root_are_none() {
        for rule in ["", ".", "*", "**", "../x", "a/../../x", "[", "/"] {
            assert!(compile(&[rule.to_owned()]).is_err(), "{rule}");
        }
    }
}
