//! Where secrets are kept: a file each, and a line in `ALL`.
//!
//! A reference is `WORD:PLACE`. The place is checked when it is bound; whether the secret could be read is told
//! without reading it; and it is read for one run at a time.

mod command;
mod environment;
mod file;
mod keyring;

use crate::model::Secret;
use std::{path::PathBuf, sync::Arc};

/// Reads a variable of the environment.
pub type Environment = Arc<dyn Fn(&str) -> Option<String> + Send + Sync>;

/// No secret is longer.
const MOST_BYTES: u64 = 64 << 10;

/// What sources need of the world.
#[derive(Clone)]
pub struct Sources {
    environment: Environment,
    /// Folders of the system's own programs, in order.
    programs: Vec<PathBuf>,
}

impl std::fmt::Debug for Sources {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Sources").field("programs", &self.programs).finish_non_exhaustive()
    }
}

/// A secret that cannot be had, or a reference that leads nowhere.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct SourceFault(String);

/// A kind of place where secrets are kept.
trait Source: Sync {
    /// Its word in references.
    fn word(&self) -> &'static str;

    /// What a reference looks like, for people.
    fn form(&self) -> &'static str;

    /// Whether reading takes time, or leaves a trace elsewhere.
    fn is_costly(&self) -> bool {
        false
    }

    /// Whether a place is one.
    fn check(&self, place: &str) -> Result<(), String>;

    /// Whether a secret is there, as far as that can be known without reading it.
    fn ready(&self, place: &str, world: &Sources) -> Result<(), String>;

    /// Reads what is there.
    fn read(&self, place: &str, world: &Sources) -> Result<Vec<u8>, String>;
}

/// Every kind of place.
const ALL: &[&dyn Source] =
    &[&environment::EnvironmentVariable, &file::PrivateFile, &keyring::Keyring, &command::OwnCommand];

impl Sources {
    /// With the system's own programs, and this environment.
    pub fn new(environment: Environment) -> Self {
        let programs = ["/usr/bin", "/bin", "/usr/local/bin", "/opt/homebrew/bin"].map(PathBuf::from).into();
        Self { environment, programs }
    }

    /// Whether a reference leads to a place where a secret can be kept.
    ///
    /// # Errors
    /// [`SourceFault`] if it does not.
    pub fn check(reference: &str) -> Result<(), SourceFault> {
        let (source, place) = find(reference)?;
        source.check(place).map_err(SourceFault)
    }

    /// Whether a secret could be read, as far as that can be known without reading it.
    ///
    /// # Errors
    /// [`SourceFault`] if it could not.
    pub fn ready(&self, reference: &str) -> Result<(), SourceFault> {
        let (source, place) = find(reference)?;
        source.check(place).and_then(|()| source.ready(place, self)).map_err(SourceFault)
    }

    /// Reads a secret; a line end behind it is not part of it.
    ///
    /// # Errors
    /// [`SourceFault`] if it cannot be read, or is no text.
    pub fn read(&self, reference: &str) -> Result<Secret, SourceFault> {
        let (source, place) = find(reference)?;
        let bytes = source.check(place).and_then(|()| source.read(place, self)).map_err(SourceFault)?;
        // The bytes in the error would be the secret.
        let text = String::from_utf8(bytes)
            .map_err(|_| SourceFault(format!("what `{reference}` holds is no text in UTF-8")))?;
        let secret = text.strip_suffix('\n').map_or(&*text, |line| line.strip_suffix('\r').unwrap_or(line));
        if secret.is_empty() {
            return Err(SourceFault(format!("`{reference}` holds nothing")));
        }
        if secret.contains('\0') {
            return Err(SourceFault(format!("what `{reference}` holds is no text, it has a zero in it")));
        }
        Ok(Secret::new(secret.to_owned()))
    }

    /// Whether reading takes time, or leaves a trace elsewhere.
    pub(super) fn is_costly(&self, reference: &str) -> bool {
        find(reference).is_ok_and(|(source, _)| source.is_costly())
    }

    /// A program of the system, by its name.
    fn program(&self, name: &str) -> Option<PathBuf> {
        self.programs.iter().map(|folder| folder.join(name)).find(|path| path.is_file())
    }
}

/// What references look like, one each.
pub fn forms() -> impl Iterator<Item = &'static str> {
    ALL.iter().map(|source| source.form())
}

fn find(reference: &str) -> Result<(&'static dyn Source, &str), SourceFault> {
    let (word, place) = reference.split_once(':').unwrap_or((reference, ""));
    let source = ALL.iter().copied().find(|source| source.word() == word);
    source.map(|source| (source, place)).ok_or_else(|| {
        let forms: Vec<String> = forms().map(|form| format!("`{form}`")).collect();
        SourceFault(format!("`{word}` is no place for secrets\nhint: there are {}", forms.join(", ")))
    })
}

#[cfg(test)]
mod tests;
