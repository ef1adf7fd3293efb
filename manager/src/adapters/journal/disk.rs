//! What a journal asks of the disk, so that a test can be a disk that fails at any moment.

use std::{
    fs::{File, OpenOptions, TryLockError},
    io::{self, Read, Seek as _, SeekFrom, Write as _},
    path::Path,
};

/// A disk.
pub trait Disk: Send + Sync + std::fmt::Debug {
    /// Opens a file for reading and appending, and creates it if it is not there.
    ///
    /// # Errors
    /// What the system says.
    fn open(&self, path: &Path) -> io::Result<Box<dyn DiskFile>>;

    /// Whether there is such a file.
    fn exists(&self, path: &Path) -> bool;

    /// Makes the names in a folder as durable as the files.
    ///
    /// # Errors
    /// What the system says.
    fn sync_folder(&self, folder: &Path) -> io::Result<()>;
}

/// A file that is read anywhere and written at its end.
pub trait DiskFile: Send + Sync + std::fmt::Debug {
    /// Takes the file for this handle alone, until it is dropped; false if somebody else has it.
    ///
    /// # Errors
    /// What the system says.
    fn try_lock(&self) -> io::Result<bool>;

    /// How many bytes it has.
    ///
    /// # Errors
    /// What the system says.
    fn len(&self) -> io::Result<u64>;

    /// Reads on from a place.
    ///
    /// # Errors
    /// What the system says.
    fn read_from(&self, at: u64) -> io::Result<Box<dyn Read + Send + '_>>;

    /// Writes at the end. After an error, a part of it may be there.
    ///
    /// # Errors
    /// What the system says.
    fn append(&self, bytes: &[u8]) -> io::Result<()>;

    /// Cuts the file to that many bytes.
    ///
    /// # Errors
    /// What the system says.
    fn cut(&self, len: u64) -> io::Result<()>;

    /// Puts everything written so far on the disk.
    ///
    /// # Errors
    /// What the system says; nothing written since the last success is promised then.
    fn sync(&self) -> io::Result<()>;

    /// Whether it holds nothing.
    ///
    /// # Errors
    /// What the system says.
    fn is_empty(&self) -> io::Result<bool> {
        Ok(self.len()? == 0)
    }
}

/// The disk of this machine.
#[derive(Debug, Clone, Copy, Default)]
pub struct RealDisk;

impl Disk for RealDisk {
    fn open(&self, path: &Path) -> io::Result<Box<dyn DiskFile>> {
        Ok(Box::new(OpenOptions::new().read(true).append(true).create(true).open(path)?))
    }

    fn exists(&self, path: &Path) -> bool {
        path.exists()
    }

    fn sync_folder(&self, folder: &Path) -> io::Result<()> {
        // Only Unix opens a folder; elsewhere names are durable with their files.
        if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
    }
}

impl DiskFile for File {
    fn try_lock(&self) -> io::Result<bool> {
        match Self::try_lock(self) {
            Ok(()) => Ok(true),
            Err(TryLockError::WouldBlock) => Ok(false),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }

    fn len(&self) -> io::Result<u64> {
        Ok(self.metadata()?.len())
    }

    fn read_from(&self, at: u64) -> io::Result<Box<dyn Read + Send + '_>> {
        let mut file: &Self = self;
        file.seek(SeekFrom::Start(at))?;
        Ok(Box::new(file))
    }

    fn append(&self, bytes: &[u8]) -> io::Result<()> {
        let mut file: &Self = self;
        file.write_all(bytes)
    }

    fn cut(&self, len: u64) -> io::Result<()> {
        self.set_len(len)
    }

    fn sync(&self) -> io::Result<()> {
        self.sync_data()
    }
}
