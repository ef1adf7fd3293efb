//! Files by glob, sorted, relative to the suite's folder.

use globset::GlobBuilder;
use std::{
    fs, io,
    path::{Component, Path, PathBuf},
};

/// A `**` goes this deep.
const MAX_DEPTH: usize = 16;

/// Why a glob gives no files.
#[derive(Debug, thiserror::Error)]
pub(super) enum GlobError {
    /// It is no glob.
    #[error("`{0}` is no glob: {1}")]
    Invalid(String, String),
    /// No file fits.
    #[error("no file matches `{0}`")]
    Nothing(String),
    /// A folder cannot be listed.
    #[error("cannot list `{0}`: {1}")]
    Unreadable(String, io::Error),
}

/// The files that a path or glob names; a plain path is taken as it is.
pub(super) fn expand(folder: &Path, text: &str) -> Result<Vec<PathBuf>, GlobError> {
    if !is_glob(text) {
        let path = tidy(&folder.join(text));
        return if path.is_file() { Ok(vec![path]) } else { Err(GlobError::Nothing(text.to_owned())) };
    }
    // As the files below are written: without `//` and `/./`.
    let written: PathBuf = Path::new(text).components().collect();
    let matcher = GlobBuilder::new(&written.to_string_lossy()).literal_separator(true).build();
    let matcher =
        matcher.map_err(|e| GlobError::Invalid(text.to_owned(), e.kind().to_string()))?.compile_matcher();
    let depth =
        if text.contains("**") { MAX_DEPTH } else { text.split('/').filter(|part| is_glob(part)).count() };
    let start: PathBuf = Path::new(text).components().take_while(|part| !is_glob_part(*part)).collect();
    let mut found = Vec::new();
    walk(folder, &start, depth + fixed_tail(text), &mut found)?;
    found.retain(|path| matcher.is_match(path));
    found.sort();
    if found.is_empty() {
        return Err(GlobError::Nothing(text.to_owned()));
    }
    Ok(found.iter().map(|path| tidy(&folder.join(path))).collect())
}

fn is_glob(text: &str) -> bool {
    text.contains(['*', '?', '[', '{'])
}

fn is_glob_part(part: Component<'_>) -> bool {
    part.as_os_str().to_str().is_some_and(is_glob)
}

/// Plain folders that follow a wildcard, as in `*/tools/*.json`.
fn fixed_tail(text: &str) -> usize {
    text.split('/').skip_while(|part| !is_glob(part)).filter(|part| !is_glob(part)).count()
}

/// Collects files below `relative`, by their path relative to `folder`; links to folders are not followed.
fn walk(folder: &Path, relative: &Path, depth: usize, found: &mut Vec<PathBuf>) -> Result<(), GlobError> {
    let here = folder.join(relative);
    let unreadable = |error| GlobError::Unreadable(here.display().to_string(), error);
    let entries = match fs::read_dir(&here) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        entries => entries.map_err(unreadable)?,
    };
    for entry in entries {
        let entry = entry.map_err(unreadable)?;
        let path = relative.join(entry.file_name());
        if entry.file_type().map_err(unreadable)?.is_dir() {
            if depth > 1 {
                walk(folder, &path, depth - 1, found)?;
            }
        } else {
            found.push(path);
        }
    }
    Ok(())
}

/// The path without `a/../`, where that leads to the same file; with links it may not.
pub(super) fn tidy(path: &Path) -> PathBuf {
    let mut short = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if matches!(short.components().next_back(), Some(Component::Normal(_))) => {
                short.pop();
            }
            other => short.push(other),
        }
    }
    match (fs::canonicalize(path), fs::canonicalize(&short)) {
        (Ok(long_way), Ok(short_way)) if long_way == short_way => short,
        _ => path.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn globs_are_sorted_relative_and_never_empty() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("suites");
        for file in ["suites/a.yaml", "suites/b.yaml", "suites/c.json", "suites/sub/d.yaml", "x/y/z.yaml"] {
            let path = root.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        for (text, expected) in [
            ("a.yaml", vec!["suites/a.yaml"]),
            ("*.yaml", vec!["suites/a.yaml", "suites/b.yaml"]),
            ("./*.json", vec!["suites/c.json"]),
            ("**/*.yaml", vec!["suites/a.yaml", "suites/b.yaml", "suites/sub/d.yaml"]),
            ("{b,a}.yaml", vec!["suites/a.yaml", "suites/b.yaml"]),
            ("../x/*/z.yaml", vec!["x/y/z.yaml"]),
            ("../*/y/z.yaml", vec!["x/y/z.yaml"]),
            ("..//x/./*/z.yaml", vec!["x/y/z.yaml"]),
            ("*.toml", vec![]),
            ("none.yaml", vec![]),
            ("none/*.yaml", vec![]),
        ] {
            let found = match expand(&folder, text) {
                Ok(found) => {
                    found.iter().map(|p| p.strip_prefix(root.path()).unwrap().display().to_string()).collect()
                }
                Err(error) => {
                    assert_eq!(error.to_string(), format!("no file matches `{text}`"));
                    Vec::new()
                }
            };
            assert_eq!(found, expected, "{text}");
        }
    }
}
