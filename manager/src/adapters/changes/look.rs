//! What stands at a path.

use super::slot::Slot;
use crate::model::{Digest, FileState};
use rustix::{
    fs::{AtFlags, FileType, Mode, OFlags},
    io::Errno,
};
use sha2::{Digest as _, Sha256};
use std::{fs::File, io::Read, os::fd::OwnedFd};

/// What stands at a path beneath a root, with the open file where it is one.
///
/// # Errors
/// What the system said; [`Errno::OPNOTSUPP`] for what is neither file, folder nor link.
pub fn look(root: &OwnedFd, path: &str) -> Result<(FileState, Option<File>), Errno> {
    match Slot::open(root, path) {
        Ok(slot) => slot.look(&slot.name),
        // Where there is no folder, or something else in its place, nothing can stand.
        Err(Errno::NOENT | Errno::NOTDIR) => Ok((FileState::Absent, None)),
        Err(error) => Err(error),
    }
}

impl Slot {
    /// What stands under a name of the folder.
    pub(super) fn look(&self, name: &str) -> Result<(FileState, Option<File>), Errno> {
        let stat = match rustix::fs::statat(&self.folder, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => stat,
            Err(Errno::NOENT) => return Ok((FileState::Absent, None)),
            Err(error) => return Err(error),
        };
        let mode = stat.st_mode & 0o7777;
        match FileType::from_raw_mode(stat.st_mode) {
            FileType::Directory => Ok((FileState::Folder { mode }, None)),
            FileType::Symlink => {
                let to = rustix::fs::readlinkat(&self.folder, name, Vec::new())?;
                let to = String::from_utf8(to.into_bytes()).map_err(|_| Errno::ILSEQ)?;
                Ok((FileState::Link { to }, None))
            }
            FileType::RegularFile => {
                let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
                let mut file = File::from(rustix::fs::openat(&self.folder, name, flags, Mode::empty())?);
                let (digest, bytes) = digest_of(&mut file).map_err(|e| errno(&e))?;
                // Of the file that was read, and not of the name.
                let stat = rustix::fs::fstat(&file)?;
                std::io::Seek::rewind(&mut file).map_err(|e| errno(&e))?;
                Ok((FileState::File { digest, bytes, mode: stat.st_mode & 0o7777 }, Some(file)))
            }
            _ => Err(Errno::OPNOTSUPP),
        }
    }
}

/// Digest and number of all bytes that a reader gives.
///
/// # Errors
/// What the reader says.
pub fn digest_of(reader: &mut dyn Read) -> std::io::Result<(Digest, u64)> {
    let mut hasher = Sha256::new();
    let mut buffer = vec![0; 64 << 10];
    let mut bytes = 0;
    loop {
        match reader.read(&mut buffer) {
            Ok(0) => return Ok((Digest::from_hash(&hasher.finalize().into()), bytes)),
            Ok(n) => {
                hasher.update(&buffer[..n]);
                bytes += n as u64;
            }
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

pub(super) fn errno(error: &std::io::Error) -> Errno {
    Errno::from_io_error(error).unwrap_or(Errno::IO)
}
