//! A disk in memory that loses its power, its space or its patience at any moment, for tests.

use super::disk::{Disk, DiskFile};
use std::{
    collections::BTreeMap,
    io::{self, Read},
    path::{Path, PathBuf},
    sync::{Arc, Condvar, Mutex, MutexGuard},
};

/// What is left after a crash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Crash {
    /// The process ended: everything that was written is there.
    Process,
    /// The power went: only what was synced is there.
    Power,
    /// The power went while the system was writing back: half of what was not synced is there too.
    HalfWritten,
}

/// What goes wrong from now on.
#[derive(Debug, Clone, Default)]
pub(crate) struct Faults {
    /// The process ends after so many steps; a step is a write boundary.
    pub(crate) steps: Option<u64>,
    /// So many bytes still fit.
    pub(crate) room: Option<usize>,
    /// Nothing can be cut.
    pub(crate) no_cuts: bool,
    /// The next fsync fails.
    pub(crate) sync_fails: bool,
    /// Nothing can be opened for writing.
    pub(crate) read_only: bool,
    /// An fsync does not return before the file has so many lines.
    pub(crate) sync_waits_for: usize,
}

#[derive(Debug, Default)]
struct Content {
    bytes: Vec<u8>,
    durable: Vec<u8>,
    /// Whether its name outlives a loss of power.
    named: bool,
    locked: bool,
}

#[derive(Debug, Default)]
struct World {
    files: BTreeMap<PathBuf, Content>,
    faults: Faults,
    steps: u64,
    syncs: u64,
}

/// The disk.
#[derive(Debug, Clone, Default)]
pub(crate) struct SimulatedDisk(Arc<(Mutex<World>, Condvar)>);

#[derive(Debug)]
struct Handle {
    disk: SimulatedDisk,
    path: PathBuf,
    locks: Mutex<bool>,
}

impl SimulatedDisk {
    fn world(&self) -> MutexGuard<'_, World> {
        self.0.0.lock().unwrap()
    }

    pub(crate) fn set(&self, faults: Faults) {
        self.world().faults = faults;
    }

    /// Write boundaries that were passed.
    pub(crate) fn steps(&self) -> u64 {
        self.world().steps
    }

    pub(crate) fn syncs(&self) -> u64 {
        self.world().syncs
    }

    pub(crate) fn bytes(&self, path: &Path) -> Vec<u8> {
        self.world().files.get(path).map(|content| content.bytes.clone()).unwrap_or_default()
    }

    pub(crate) fn durable(&self, path: &Path) -> Vec<u8> {
        self.world().files.get(path).map(|content| content.durable.clone()).unwrap_or_default()
    }

    /// The disk as the next process finds it.
    pub(crate) fn after(&self, crash: Crash) -> Self {
        let next = Self::default();
        for (path, content) in &self.world().files {
            let bytes = match crash {
                Crash::Process => content.bytes.clone(),
                Crash::Power | Crash::HalfWritten if !content.named => continue,
                Crash::Power => content.durable.clone(),
                Crash::HalfWritten => match content.bytes.strip_prefix(content.durable.as_slice()) {
                    Some(rest) => [&content.durable, &rest[..rest.len() / 2]].concat(),
                    None => content.durable.clone(),
                },
            };
            let found = Content { durable: bytes.clone(), bytes, named: true, locked: false };
            next.world().files.insert(path.clone(), found);
        }
        next
    }

    /// Writes every file into a real folder.
    pub(crate) fn dump(&self, folder: &Path) {
        for (path, content) in &self.world().files {
            let path = folder.join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, &content.bytes).unwrap();
        }
    }
}

impl World {
    fn step(&mut self) -> io::Result<()> {
        self.steps += 1;
        match &mut self.faults.steps {
            Some(0) => Err(io::Error::other("the process is gone")),
            Some(left) => {
                *left -= 1;
                Ok(())
            }
            None => Ok(()),
        }
    }

    fn content(&mut self, path: &Path) -> &mut Content {
        self.files.get_mut(path).unwrap()
    }
}

impl Disk for SimulatedDisk {
    fn open(&self, path: &Path) -> io::Result<Box<dyn DiskFile>> {
        let mut world = self.world();
        if world.faults.read_only {
            return Err(io::ErrorKind::ReadOnlyFilesystem.into());
        }
        world.step()?;
        world.files.entry(path.to_owned()).or_default();
        Ok(Box::new(Handle { disk: self.clone(), path: path.to_owned(), locks: Mutex::new(false) }))
    }

    fn exists(&self, path: &Path) -> bool {
        self.world().files.contains_key(path)
    }

    fn sync_folder(&self, folder: &Path) -> io::Result<()> {
        let mut world = self.world();
        world.step()?;
        let inside = world.files.iter_mut().filter(|(path, _)| path.parent() == Some(folder));
        inside.for_each(|(_, content)| content.named = true);
        world.step()
    }
}

impl DiskFile for Handle {
    fn try_lock(&self) -> io::Result<bool> {
        let mut world = self.disk.world();
        let content = world.content(&self.path);
        let free = !std::mem::replace(&mut content.locked, true);
        *self.locks.lock().unwrap() = free;
        Ok(free)
    }

    fn len(&self) -> io::Result<u64> {
        Ok(self.disk.bytes(&self.path).len() as u64)
    }

    fn read_from(&self, at: u64) -> io::Result<Box<dyn Read + Send + '_>> {
        let mut bytes = self.disk.bytes(&self.path);
        bytes.drain(..(at as usize).min(bytes.len()));
        Ok(Box::new(io::Cursor::new(bytes)))
    }

    fn append(&self, bytes: &[u8]) -> io::Result<()> {
        let mut world = self.disk.world();
        let fits = world.faults.room.map_or(bytes.len(), |room| room.min(bytes.len()));
        // The process may end before the first byte, after any of these, or after the last.
        let mut written = 0;
        for boundary in [0, 1, fits / 2, fits.saturating_sub(1), fits] {
            let to = boundary.clamp(written, fits);
            world.step()?;
            world.content(&self.path).bytes.extend_from_slice(&bytes[written..to]);
            written = to;
        }
        if let Some(room) = &mut world.faults.room {
            *room -= fits;
        }
        world.step()?;
        self.disk.0.1.notify_all();
        if fits < bytes.len() { Err(io::ErrorKind::StorageFull.into()) } else { Ok(()) }
    }

    fn cut(&self, len: u64) -> io::Result<()> {
        let mut world = self.disk.world();
        if world.faults.no_cuts {
            return Err(io::Error::other("it cannot be cut"));
        }
        world.step()?;
        let content = world.content(&self.path);
        let gone = content.bytes.len().saturating_sub(len as usize);
        content.bytes.truncate(len as usize);
        if let Some(room) = &mut world.faults.room {
            *room += gone;
        }
        world.step()
    }

    fn sync(&self) -> io::Result<()> {
        let mut world = self.disk.world();
        world.step()?;
        world.syncs += 1;
        if std::mem::take(&mut world.faults.sync_fails) {
            return Err(io::Error::other("the device is broken"));
        }
        let durable = world.content(&self.path).bytes.clone();
        let lines = |world: &mut World| {
            world.files[&self.path].bytes.iter().filter(|b| **b == b'\n').count()
                >= world.faults.sync_waits_for
        };
        let mut world = self.disk.0.1.wait_while(world, |world| !lines(world)).unwrap();
        world.content(&self.path).durable = durable;
        world.step()
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        if *self.locks.lock().unwrap() {
            self.disk.world().content(&self.path).locked = false;
        }
    }
}
