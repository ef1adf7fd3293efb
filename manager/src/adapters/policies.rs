//! Files of policies and limits.
//!
//! A folder is read as a whole or not at all. Whoever writes into one writes beside it and renames, so that a
//! half-written file is never seen; a folder that changes while it is read is read again.

use crate::{
    document::Diagnostics,
    policy::{PolicyEngine, PolicyLoadError, PolicyText, Vocabulary},
    usage::{Limits, parse_limits},
};
use std::{
    fs::File,
    io::{ErrorKind, Read as _},
    path::{Path, PathBuf},
    time::SystemTime,
};

/// No file larger than this is read.
const MAX_BYTES: u64 = 1 << 20;
/// How often a folder that changes is read before it is given up.
const ATTEMPTS: usize = 3;
const STANDARD: &str = "standard.cedar";
const LIMITS: &str = "limits.yaml";

/// Where policies stand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PolicyFiles {
    /// Every `*.cedar` of a folder, and the standard policies unless it has a `standard.cedar` of its own.
    /// No folder: the standard policies alone.
    Folder(PathBuf),
    /// These files and nothing else.
    Files(Vec<PathBuf>),
}

impl PolicyFiles {
    /// Loads and checks them.
    ///
    /// # Errors
    /// [`PolicyLoadError`] if one cannot be read, or something is wrong in one.
    pub fn load(&self, vocabulary: &Vocabulary<'_>) -> Result<PolicyEngine, PolicyLoadError> {
        PolicyEngine::load(&self.read()?, vocabulary)
    }

    /// Loads and checks them; where that fails, an engine that denies everything and says why.
    pub fn open(&self, vocabulary: &Vocabulary<'_>) -> PolicyEngine {
        self.load(vocabulary).unwrap_or_else(|error| PolicyEngine::closed(error.to_string()))
    }

    /// Checks them: every mistake, with its place.
    ///
    /// # Errors
    /// [`PolicyLoadError`] if there is none, or one cannot be read.
    pub fn check(&self, vocabulary: &Vocabulary<'_>) -> Result<Diagnostics, PolicyLoadError> {
        match self.load(vocabulary) {
            Ok(_) => Ok(Diagnostics::new()),
            Err(PolicyLoadError::Problems(problems)) => Ok(problems),
            Err(error @ (PolicyLoadError::Empty | PolicyLoadError::Unreadable(_))) => Err(error),
        }
    }

    /// Reads them.
    ///
    /// # Errors
    /// [`PolicyLoadError::Unreadable`] if one cannot be read, or is no text.
    pub fn read(&self) -> Result<Vec<PolicyText>, PolicyLoadError> {
        match self {
            Self::Files(files) => files.iter().map(|file| read(file)).collect(),
            Self::Folder(folder) => whole(folder),
        }
    }
}

/// The limits that hold in a folder of policies: its `limits.yaml`, or none.
///
/// # Errors
/// [`PolicyLoadError`] if the file cannot be read, or something is wrong in it; nothing may run then.
pub fn load_limits(folder: &Path) -> Result<Limits, PolicyLoadError> {
    let path = folder.join(LIMITS);
    if absent(&path)? {
        return Ok(Limits::default());
    }
    let text = read(&path)?;
    parse_limits(&text.file, text.text.as_bytes()).map(Limits::new).map_err(PolicyLoadError::Problems)
}

fn whole(folder: &Path) -> Result<Vec<PolicyText>, PolicyLoadError> {
    for _ in 0..ATTEMPTS {
        let before = listed(folder)?;
        let mut texts: Vec<PolicyText> = before.iter().map(|l| read(&l.path)).collect::<Result<_, _>>()?;
        if listed(folder)? == before {
            if !before.iter().any(|l| l.path.file_name().is_some_and(|name| name == STANDARD)) {
                texts.insert(0, PolicyEngine::standard_text());
            }
            return Ok(texts);
        }
    }
    Err(PolicyLoadError::Unreadable(format!(
        "`{}` changes while it is read\nhint: write policies beside the folder and rename them into it",
        folder.display()
    )))
}

/// A file as the folder lists it.
#[derive(PartialEq)]
struct Listed {
    path: PathBuf,
    bytes: u64,
    modified: SystemTime,
}

fn listed(folder: &Path) -> Result<Vec<Listed>, PolicyLoadError> {
    if absent(folder)? {
        return Ok(Vec::new());
    }
    let told = |error: std::io::Error| unreadable(folder, &error);
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(told)? {
        let path = entry.map_err(told)?.path();
        if path.extension().is_some_and(|e| e == "cedar") {
            let about = std::fs::metadata(&path).map_err(|e| unreadable(&path, &e))?;
            let modified = about.modified().map_err(|e| unreadable(&path, &e))?;
            found.push(Listed { path, bytes: about.len(), modified });
        }
    }
    found.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(found)
}

/// Whether nothing is there; anything but a clear answer is an error.
fn absent(path: &Path) -> Result<bool, PolicyLoadError> {
    match std::fs::symlink_metadata(path) {
        Ok(_) => Ok(false),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(true),
        Err(error) => Err(unreadable(path, &error)),
    }
}

fn read(path: &Path) -> Result<PolicyText, PolicyLoadError> {
    let mut bytes = Vec::new();
    File::open(path)
        .and_then(|file| file.take(MAX_BYTES + 1).read_to_end(&mut bytes))
        .map_err(|error| unreadable(path, &error))?;
    let name = path.display().to_string();
    if bytes.len() as u64 > MAX_BYTES {
        return Err(PolicyLoadError::Unreadable(format!("`{name}` is larger than {} KiB", MAX_BYTES >> 10)));
    }
    let text = String::from_utf8(bytes).map_err(|e| {
        PolicyLoadError::Unreadable(format!(
            "`{name}` is no text: {}\nhint: save it as UTF-8",
            e.utf8_error()
        ))
    })?;
    Ok(PolicyText::new(name, text))
}

fn unreadable(path: &Path, error: &std::io::Error) -> PolicyLoadError {
    PolicyLoadError::Unreadable(format!(
        "`{}` cannot be read: {error}\nhint: check the path and its permissions; until then everything is denied",
        path.display()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: &str = "@id(\"all\") permit (principal, action, resource);\n";

    /// PO-01, PO-06: a folder decides as a whole; what is broken in it denies everything and says why.
    #[test]
    fn a_folder_is_used_whole_or_not_at_all() {
        let standard = PolicyEngine::standard().unwrap().digest().clone();
        for (name, files, expected) in [
            ("nothing of one's own", vec![], Ok(true)),
            ("no policies", vec![("readme.md", "x".as_bytes())], Ok(true)),
            ("beside the standard ones", vec![("own.cedar", ALL.as_bytes())], Ok(false)),
            ("instead of them", vec![(STANDARD, ALL.as_bytes())], Ok(false)),
            (
                "empty",
                vec![("own.cedar", b"".as_slice())],
                Err("own.cedar:1:1: there is no policy in the file"),
            ),
            ("half-written", vec![("own.cedar", &ALL.as_bytes()[..30])], Err("own.cedar:1:")),
            (
                "one is broken",
                vec![("a.cedar", ALL.as_bytes()), ("b.cedar", b"permit".as_slice())],
                Err("b.cedar:1:"),
            ),
            ("no text", vec![("own.cedar", b"\xff".as_slice())], Err("own.cedar` is no text")),
            (
                "an id taken",
                vec![("own.cedar", b"@id(\"scopes\") permit (principal, action, resource);".as_slice())],
                Err("the other stands in `standard.cedar`"),
            ),
        ] {
            let folder = tempfile::tempdir().unwrap();
            for (file, bytes) in files {
                std::fs::write(folder.path().join(file), bytes).unwrap();
            }
            let engine = PolicyFiles::Folder(folder.path().to_owned()).open(&Vocabulary::default());
            match (engine.why_closed(), expected) {
                (None, Ok(as_standard)) => assert_eq!(*engine.digest() == standard, as_standard, "{name}"),
                (Some(why), Err(part)) => assert!(why.contains(part), "{name}: {why}"),
                (got, expected) => panic!("{name}: {got:?}, expected {expected:?}"),
            }
        }
    }

    #[test]
    fn what_is_missing_or_no_file_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let nowhere = PolicyFiles::Folder(folder.path().join("none"));
        assert!(nowhere.load(&Vocabulary::default()).is_ok());
        std::fs::create_dir(folder.path().join("own.cedar")).unwrap();
        for files in [
            PolicyFiles::Folder(folder.path().to_owned()),
            PolicyFiles::Files(vec![folder.path().join("missing.cedar")]),
        ] {
            let error = files.load(&Vocabulary::default()).unwrap_err().to_string();
            assert!(error.contains("cannot be read") && error.contains("everything is denied"), "{error}");
        }
        assert_eq!(
            PolicyFiles::Files(vec![]).load(&Vocabulary::default()).unwrap_err(),
            PolicyLoadError::Empty
        );
    }

    #[test]
    fn limits_stand_beside_the_policies() {
        let folder = tempfile::tempdir().unwrap();
        assert!(load_limits(folder.path()).is_ok());
        std::fs::write(folder.path().join(LIMITS), "limits: [{id: a}]").unwrap();
        assert!(load_limits(folder.path()).unwrap_err().to_string().contains("counts calls or money"));
    }
}
