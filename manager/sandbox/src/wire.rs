//! What the caller's process and its helper say to each other.
//!
//! Frames of JSON behind their length, over the socket that the helper finds as its standard input: the order
//! and the tool's input one way, reports the other.

use crate::attest::{Attestation, Property};
use crate::refused::{Fault, Refused};
use crate::spec::{Limits, Network};
use rustix::fd::{BorrowedFd, OwnedFd};
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage,
    SendFlags,
};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::io::{self, IoSlice, IoSliceMut, Read, Write};
use std::mem::MaybeUninit;
use std::os::unix::fs::MetadataExt;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

/// A prepared run, as the helper gets it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Order {
    /// The caller's process, whose end is the run's.
    pub(crate) parent: i32,
    pub(crate) roots: Vec<Root>,
    /// Links on the way from the caller's names to what they lead to.
    pub(crate) links: Vec<(OsString, OsString)>,
    pub(crate) system: bool,
    pub(crate) blocked: Vec<String>,
    pub(crate) cwd: Place,
    /// The executable as the caller names it.
    pub(crate) program: OsString,
    /// The file that this name leads to.
    pub(crate) executable: Place,
    pub(crate) stamp: Stamp,
    pub(crate) args: Vec<OsString>,
    pub(crate) env: Vec<(OsString, OsString)>,
    pub(crate) network: Network,
    pub(crate) limits: Limits,
    pub(crate) stdin: Option<usize>,
    pub(crate) accept_degraded: Vec<Property>,
}

/// What may be done in a root.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Access {
    Read,
    Write,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Root {
    pub(crate) place: Place,
    pub(crate) access: Access,
    /// Where what is written there is kept instead.
    pub(crate) layer: Option<Place>,
}

/// A path without links, and which file it was when it was checked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Place {
    path: OsString,
    pub(crate) dev: u64,
    pub(crate) ino: u64,
}

impl Place {
    /// Resolves a path.
    pub(crate) fn resolve(path: &Path) -> io::Result<Self> {
        let path = path.canonicalize()?;
        let meta = path.symlink_metadata()?;
        Ok(Self { path: path.into_os_string(), dev: meta.dev(), ino: meta.ino() })
    }

    pub(crate) fn path(&self) -> &Path {
        Path::new(&self.path)
    }
}

/// What changes when a file's content does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Stamp {
    dev: u64,
    ino: u64,
    size: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl Stamp {
    pub(crate) fn of_path(path: &Path) -> io::Result<Self> {
        path.metadata().map(|meta| Self::of(&meta))
    }

    pub(crate) fn of(meta: &std::fs::Metadata) -> Self {
        Self {
            dev: meta.dev(),
            ino: meta.ino(),
            size: meta.size(),
            modified: (meta.mtime(), meta.mtime_nsec()),
            changed: (meta.ctime(), meta.ctime_nsec()),
        }
    }
}

/// What the helper tells.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Report {
    /// The proxy's listening socket comes with this.
    Listening,
    /// Nothing ran, and nothing will.
    Refused(Refusal),
    /// The program starts now, under these properties. A refusal may still follow.
    Starting(Attestation),
    /// The program has ended, and every process with it.
    Ended { end: End, strayed: Vec<OsString> },
}

/// Why the helper runs nothing.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Refusal {
    Setup(Fault),
    Lacking { property: Property, why: String },
}

impl From<Fault> for Refusal {
    fn from(fault: Fault) -> Self {
        Self::Setup(fault)
    }
}

impl From<Refusal> for Refused {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::Setup(fault) => Self::Setup(fault),
            Refusal::Lacking { property, why } => Self::Property { property, why },
        }
    }
}

/// How the program ended, as its init saw it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum End {
    Exited(i32),
    Signalled(i32),
    TimedOut,
    OutOfMemory,
    DiskFull,
    Failed(String),
}

/// No message is longer; the longest is an order with all arguments the kernel allows, as numbers.
const LONGEST: usize = 64 << 20;

/// Encodes a message.
pub(crate) fn frame(message: &impl Serialize) -> io::Result<Vec<u8>> {
    let body = serde_json::to_vec(message)?;
    let length = u32::try_from(body.len()).map_err(|_| too_long())?;
    Ok([&length.to_le_bytes()[..], &body].concat())
}

/// Sends a message.
pub(crate) fn send(to: &mut impl Write, message: &impl Serialize) -> io::Result<()> {
    to.write_all(&frame(message)?)
}

/// Sends a message and a descriptor.
pub(crate) fn send_with(to: &UnixStream, message: &impl Serialize, fd: BorrowedFd<'_>) -> io::Result<()> {
    let frame = frame(message)?;
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    let fds = [fd];
    control.push(SendAncillaryMessage::ScmRights(&fds));
    let sent = rustix::net::sendmsg(to, &[IoSlice::new(&frame)], &mut control, SendFlags::NOSIGNAL)?;
    // the descriptor went with the first byte
    (&*to).write_all(&frame[sent..])
}

/// Reads what has arrived, and a descriptor that came with it.
pub(crate) fn read_with(from: &UnixStream, buffer: &mut [u8]) -> io::Result<(usize, Option<OwnedFd>)> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let read =
        rustix::net::recvmsg(from, &mut [IoSliceMut::new(buffer)], &mut control, RecvFlags::CMSG_CLOEXEC)?;
    let mut fds = control.drain().filter_map(|message| match message {
        RecvAncillaryMessage::ScmRights(mut fds) => fds.next(),
        _ => None,
    });
    let fd = fds.next();
    Ok((read.bytes, fd))
}

/// Waits for a message.
pub(crate) fn receive<T: DeserializeOwned>(from: &mut impl Read) -> io::Result<T> {
    let mut length = [0; 4];
    from.read_exact(&mut length)?;
    let length = u32::from_le_bytes(length) as usize;
    if length > LONGEST {
        return Err(too_long());
    }
    let mut body = vec![0; length];
    from.read_exact(&mut body)?;
    Ok(serde_json::from_slice(&body)?)
}

/// Takes the first whole message out of what has arrived.
pub(crate) fn take<T: DeserializeOwned>(arrived: &mut Vec<u8>) -> io::Result<Option<T>> {
    let Some((length, rest)) = arrived.split_first_chunk::<4>() else { return Ok(None) };
    let length = u32::from_le_bytes(*length) as usize;
    if length > LONGEST {
        return Err(too_long());
    }
    let Some(body) = rest.get(..length) else { return Ok(None) };
    let message = serde_json::from_slice(body)?;
    arrived.drain(..4 + length);
    Ok(Some(message))
}

fn too_long() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "a message is longer than any can be")
}

/// Reads paths back from the wire.
pub(crate) fn paths(names: Vec<OsString>) -> Vec<PathBuf> {
    names.into_iter().map(PathBuf::from).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_taken_only_when_it_is_whole() {
        let sent = Report::Ended { end: End::Exited(3), strayed: vec!["a\nb".into()] };
        let bytes = frame(&sent).unwrap();
        let mut arrived = Vec::new();
        for byte in &bytes[..bytes.len() - 1] {
            arrived.push(*byte);
            assert!(take::<Report>(&mut arrived).unwrap().is_none());
        }
        arrived.push(bytes[bytes.len() - 1]);
        arrived.extend_from_slice(&bytes[..2]);
        let Some(Report::Ended { end: End::Exited(3), strayed }) = take(&mut arrived).unwrap() else {
            panic!("another message")
        };
        assert_eq!(strayed, ["a\nb"]);
        assert_eq!(arrived, bytes[..2]);
        assert!(take::<Report>(&mut vec![0xff; 8]).is_err());
    }
}
