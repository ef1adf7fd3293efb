//! A file that its owner alone can read.

use super::{MOST_BYTES, Source, Sources};
use rustix::fs::{CWD, FileType, Mode, OFlags, Stat};
use std::{fs::File, io::Read as _, os::fd::OwnedFd, path::Path};

/// The source.
pub(super) struct PrivateFile;

impl Source for PrivateFile {
    fn word(&self) -> &'static str {
        "file"
    }

    fn form(&self) -> &'static str {
        "file:/path"
    }

    fn check(&self, place: &str) -> Result<(), String> {
        let path = Path::new(place);
        let plain = path.components().all(|c| !matches!(c, std::path::Component::ParentDir));
        if !path.is_absolute() || !plain {
            return Err(format!("`{place}` is no absolute path\nhint: write the whole path, without `..`"));
        }
        Ok(())
    }

    fn ready(&self, place: &str, _: &Sources) -> Result<(), String> {
        open(place).map(drop)
    }

    fn read(&self, place: &str, _: &Sources) -> Result<Vec<u8>, String> {
        let mut bytes = Vec::new();
        File::from(open(place)?)
            .take(MOST_BYTES + 1)
            .read_to_end(&mut bytes)
            .map_err(|e| format!("`{place}` cannot be read: {e}"))?;
        if bytes.len() as u64 > MOST_BYTES {
            return Err(format!("`{place}` holds more than {} KiB, which is no secret", MOST_BYTES >> 10));
        }
        Ok(bytes)
    }
}

/// Opens a private file, through no link, and judges what was opened.
fn open(place: &str) -> Result<OwnedFd, String> {
    // A pipe in its place must not make anybody wait.
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOFOLLOW;
    let file = beneath_no_link(place, flags).map_err(|e| {
        format!("`{place}` cannot be opened: {e}\nhint: it must exist, and no part of its path be a link")
    })?;
    let stat = rustix::fs::fstat(&file).map_err(|e| format!("`{place}` cannot be looked at: {e}"))?;
    private(&stat).map_err(|why| format!("`{place}` {why}"))?;
    Ok(file)
}

#[cfg(target_os = "linux")]
fn beneath_no_link(place: &str, flags: OFlags) -> rustix::io::Result<OwnedFd> {
    rustix::fs::openat2(CWD, place, flags, Mode::empty(), rustix::fs::ResolveFlags::NO_SYMLINKS)
}

#[cfg(not(target_os = "linux"))]
fn beneath_no_link(place: &str, flags: OFlags) -> rustix::io::Result<OwnedFd> {
    rustix::fs::openat(CWD, place, flags, Mode::empty())
}

fn private(stat: &Stat) -> Result<(), String> {
    let (owner, own) = (stat.st_uid, rustix::process::geteuid().as_raw());
    if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
        return Err("is no file".to_owned());
    }
    if owner != own && owner != 0 {
        return Err(format!(
            "belongs to user {owner}, who could change it\nhint: it must be your own, or root's"
        ));
    }
    if stat.st_mode & 0o077 != 0 {
        let mode = stat.st_mode & 0o777;
        return Err(format!("can be read or changed by others, its mode is {mode:o}\nhint: `chmod 600` it"));
    }
    Ok(())
}
