//! Journals: in memory, and as files that outlive a crash.
//!
//! [`JournalWriter`] is the one way to write a file. It holds the lock of the journal, appends whole lines, and
//! shares one fsync between all threads that wait for one. What it promises, to whom and after which fault:
//!
//! - `append`: the lines are with the operating system; they survive the end of the process.
//! - `commit`: they are on the disk; they survive the end of the machine.
//! - opening: a line that a crash tore is set aside, a call that it interrupted is closed; nothing runs again.
//!
//! A journal is one file, or several after a rotation, each naming the next and the one before. [`read`] and
//! [`read_verified`] stream its events, [`verify`] judges it, [`Signer`] makes checkpoints that keep its writer
//! honest. It must not know what the events mean, but for the start and the end of a call.

mod checkpoint;
#[cfg(test)]
mod crash;
mod disk;
mod key;
mod links;
mod memory;
mod open;
mod read;
mod scan;
#[cfg(test)]
pub(crate) mod simulated;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod verify;
mod writer;

pub use checkpoint::{Checkpoint, Checkpoints};
pub use disk::{Disk, DiskFile, RealDisk};
pub use key::{KeyError, PublicKey, Signer};
pub use memory::MemoryLog;
pub use open::{JournalOptions, OpenError};
pub use read::{Events, ReadError, read, read_verified};
pub use verify::{Attested, Demand, FileReport, JournalFault, Payload, Report, Trust, VerifyError, verify};
pub use writer::JournalWriter;

use crate::{
    event::{Fact, Fresh, Scope},
    model::{EventId, RunId, SessionId},
    port::Clock,
};

fn fresh(clock: &dyn Clock, scope: &Scope, parent: Option<&EventId>, fact: Fact) -> Fresh {
    Fresh {
        event_id: EventId::from_uuid(clock.uuid()),
        ts: clock.now(),
        scope: scope.clone(),
        parent: parent.cloned(),
        fact,
    }
}

/// Events about the log itself belong to no conversation.
fn log_scope(run: &RunId) -> Scope {
    Scope { session_id: SessionId::new("log"), run_id: run.clone(), call_id: None }
}
