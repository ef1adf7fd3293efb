//! The key that signs checkpoints, and its public half.
//!
//! Made on first use in the home's `keys/`: `journal.key` for its owner alone, `journal.pub` for everybody. The
//! private half leaves this file only as signatures; its memory is wiped.

use crate::model::{Digest, Domain};
use ed25519_dalek::{Signature, Signer as _, SigningKey, VerifyingKey};
use secrecy::zeroize::Zeroizing;
use std::{
    fmt::Write as _,
    fs::{self, OpenOptions},
    io::{self, Write as _},
    path::{Path, PathBuf},
};

const PRIVATE: &str = "journal.key";
const PUBLIC: &str = "journal.pub";
/// What stands before the hexadecimal public key in its file.
const ALGORITHM: &str = "ed25519 ";

/// A key that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    /// The file system refuses.
    #[error("cannot use the key `{path}`: {source}\nhint: check the folder and its permissions")]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Others could read or replace it.
    #[error(
        "the key `{0}` can be read by others\nhint: chmod 600 it if nobody has, else remove it and let a new one be made"
    )]
    Exposed(PathBuf),
    /// It holds no key.
    #[error("`{0}` holds no ed25519 key\nhint: a public key is `ed25519 ` and 64 hexadecimal digits")]
    NoKey(PathBuf),
}

/// Signs checkpoints.
pub struct Signer {
    key: SigningKey,
    id: String,
}

impl std::fmt::Debug for Signer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Signer").field("id", &self.id).finish_non_exhaustive()
    }
}

impl Signer {
    /// Opens the key of a folder, and makes one on first use.
    ///
    /// # Errors
    /// [`KeyError`] if it cannot be read or made, or others can read it.
    pub fn open(keys: &Path) -> Result<Self, KeyError> {
        let path = keys.join(PRIVATE);
        if !path.exists() {
            make(keys, &path).map_err(|source| KeyError::Io { path: path.clone(), source })?;
        }
        let io = |source| KeyError::Io { path: path.clone(), source };
        if exposed(&fs::metadata(&path).map_err(io)?) {
            return Err(KeyError::Exposed(path));
        }
        let text = Zeroizing::new(fs::read(&path).map_err(io)?);
        let seed = Zeroizing::new(unhex::<32>(text.trim_ascii()).ok_or(KeyError::NoKey(path.clone()))?);
        let key = SigningKey::from_bytes(&seed);
        let public = PublicKey(key.verifying_key());
        let beside = keys.join(PUBLIC);
        if fs::read_to_string(&beside).ok().is_none_or(|text| text.trim() != public.to_string()) {
            fs::write(&beside, format!("{public}\n"))
                .map_err(|source| KeyError::Io { path: beside, source })?;
        }
        Ok(Self { key, id: public.id() })
    }

    /// Names the key: the first sixteen digits of its public half's digest.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The public half.
    pub fn public(&self) -> PublicKey {
        PublicKey(self.key.verifying_key())
    }

    /// Signs a message that says by its first bytes what it is.
    pub(super) fn sign(&self, message: &[u8]) -> String {
        hex(&self.key.sign(message).to_bytes())
    }
}

/// Checks checkpoints.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublicKey(VerifyingKey);

impl std::fmt::Display for PublicKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{ALGORITHM}{}", hex(self.0.as_bytes()))
    }
}

impl PublicKey {
    /// Reads a public key's file.
    ///
    /// # Errors
    /// [`KeyError`] if it cannot be read or holds no key.
    pub fn read(path: &Path) -> Result<Self, KeyError> {
        let text =
            fs::read_to_string(path).map_err(|source| KeyError::Io { path: path.to_owned(), source })?;
        let digits = text.trim().strip_prefix(ALGORITHM).map(str::trim);
        let bytes = digits.and_then(|digits| unhex::<32>(digits.as_bytes()));
        let key = bytes.and_then(|bytes| VerifyingKey::from_bytes(&bytes).ok()).filter(|key| !key.is_weak());
        key.map(Self).ok_or_else(|| KeyError::NoKey(path.to_owned()))
    }

    /// The public key of a folder of keys, if it has one.
    ///
    /// # Errors
    /// [`KeyError`] if it has one that cannot be read.
    pub fn of_folder(keys: &Path) -> Result<Option<Self>, KeyError> {
        let path = keys.join(PUBLIC);
        if path.exists() { Self::read(&path).map(Some) } else { Ok(None) }
    }

    /// Names the key, as in [`Signer::id`].
    pub fn id(&self) -> String {
        Digest::of_bytes(Domain::Key, self.0.as_bytes()).as_str()[..16].to_owned()
    }

    /// Whether the key made that signature of that message.
    pub(super) fn made(&self, signature: &str, message: &[u8]) -> bool {
        unhex::<64>(signature.as_bytes())
            .is_some_and(|bytes| self.0.verify_strict(message, &Signature::from_bytes(&bytes)).is_ok())
    }
}

/// Makes a key; if somebody else makes one at the same moment, one of the two wins for both.
fn make(keys: &Path, path: &Path) -> io::Result<()> {
    let mut seed = Zeroizing::new([0; 32]);
    getrandom::fill(&mut *seed).map_err(|e| io::Error::other(e.to_string()))?;
    let text = Zeroizing::new(hex(&*seed));
    let draft = keys.join(format!("{PRIVATE}.{}", std::process::id()));
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(&draft)?;
    let made = file.write_all(text.as_bytes()).and_then(|()| file.sync_all());
    // A link, unlike a renaming, does not replace what is there.
    let linked = made.and_then(|()| fs::hard_link(&draft, path));
    fs::remove_file(&draft)?;
    match linked {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        _ => Ok(()),
    }
}

#[cfg(unix)]
fn exposed(metadata: &fs::Metadata) -> bool {
    std::os::unix::fs::PermissionsExt::mode(&metadata.permissions()) & 0o077 != 0
}

#[cfg(not(unix))]
fn exposed(_: &fs::Metadata) -> bool {
    false
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        write!(text, "{byte:02x}").expect("INVARIANT: writing into a string does not fail");
        text
    })
}

fn unhex<const N: usize>(text: &[u8]) -> Option<[u8; N]> {
    let digit = |b: u8| match b {
        b'0'..=b'9' => Some(b - b'0'),
        b'a'..=b'f' => Some(b - b'a' + 10),
        _ => None,
    };
    let mut bytes = [0; N];
    if text.len() != 2 * N {
        return None;
    }
    for (byte, pair) in bytes.iter_mut().zip(text.chunks_exact(2)) {
        *byte = digit(pair[0])? << 4 | digit(pair[1])?;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_made_once_for_its_owner_and_kept() {
        let folder = tempfile::tempdir().unwrap();
        let first = Signer::open(folder.path()).unwrap();
        let again = Signer::open(folder.path()).unwrap();
        let public = PublicKey::of_folder(folder.path()).unwrap().unwrap();
        assert_eq!((first.id(), again.id()), (public.id().as_str(), public.id().as_str()));
        assert!(public.made(&first.sign(b"a"), b"a") && !public.made(&first.sign(b"a"), b"b"));
        let seed = fs::read_to_string(folder.path().join(PRIVATE)).unwrap();
        assert!(!format!("{first:?}").contains(&seed));
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let path = folder.path().join(PRIVATE);
            assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
            fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
            assert!(matches!(Signer::open(folder.path()), Err(KeyError::Exposed(_))));
        }
    }

    #[test]
    fn what_is_no_key_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(PUBLIC);
        // All zeros is a point of small order: anything could be signed for it.
        let weak = format!("ed25519 {}", "0".repeat(64));
        for text in ["", "ed25519 abc", "rsa 00", weak.as_str()] {
            fs::write(&path, text).unwrap();
            assert!(matches!(PublicKey::read(&path), Err(KeyError::NoKey(_))), "{text}");
        }
    }
}
