//! What can be wrong with a line of a journal, and how that is found out from the lines around it.

use super::{Chain, LineMemory, check};

/// The first line that breaks a chain.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {fault}")]
pub struct ChainFault {
    /// Its line, counted from 1; in a sound journal that is its `seq`.
    pub line: u64,
    /// What is wrong with it.
    pub fault: Fault,
}

/// What is wrong with a line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// No JSON object of one meaning.
    #[error("not an event: {0}")]
    NotJson(String),
    /// A field of the envelope is missing or of another type.
    #[error("`{field}` is not {expected}")]
    Envelope {
        /// The field.
        field: &'static str,
        /// What it should be.
        expected: &'static str,
    },
    /// A hash by another algorithm, or written otherwise.
    #[error("`{field}` is no SHA-256 in lower-case hexadecimal; no other hash is accepted")]
    Algorithm {
        /// The field.
        field: &'static str,
    },
    /// A payload field that its type does not have; looked for only where that is asked.
    #[error("it has what an event of its type has not: {0}")]
    Unknown(String),
    /// Its content does not have the hash that it states.
    #[error("it was changed: its content does not have its `hash`")]
    Changed,
    /// It is whole, but does not follow the line before it.
    #[error("it does not follow line {before}: one of the two was replaced, with a hash of its own")]
    Unlinked {
        /// The line before it.
        before: u64,
    },
    /// Lines are missing before it.
    #[error("{}", dropped(*.from, *.to))]
    Dropped {
        /// The first number that is missing.
        from: u64,
        /// The last one.
        to: u64,
    },
    /// Another line belongs here, and stands elsewhere.
    #[error("it holds event {seq}; event {belongs} stands at line {at}: lines were swapped or moved")]
    Moved {
        /// The event that stands here.
        seq: u64,
        /// The event that belongs here.
        belongs: u64,
        /// The line where that one stands.
        at: u64,
    },
    /// Its number was there before.
    #[error("it repeats number {seq}: it was duplicated, or inserted")]
    Duplicated {
        /// The number.
        seq: u64,
    },
    /// The line after it follows the line before it.
    #[error("it was inserted: the line after it follows the line before it")]
    Inserted,
    /// It has no end.
    #[error("it is incomplete: a crash or an unfinished write tore it")]
    Torn,
    /// The file had ended, and goes on in another.
    #[error("it stands after the end: the journal goes on in `{next}`")]
    AfterEnd {
        /// The file that continues it.
        next: String,
    },
    /// A format that this version does not read.
    #[error("the journal has format {0}, this version reads format 1")]
    Format(u32),
}

fn dropped(from: u64, to: u64) -> String {
    match to - from {
        0 => format!("event {from} is missing before it: a line was dropped"),
        _ => format!("events {from} to {to} are missing before it: lines were dropped"),
    }
}

/// Tells apart, with the lines that follow, what looks alike at the bad line itself.
///
/// `chain` is where the journal stood before the bad line; `fault` is what the chain said of it.
pub fn diagnose<'t>(
    chain: &Chain,
    fault: ChainFault,
    bad: &[u8],
    rest: impl IntoIterator<Item = &'t [u8]>,
) -> ChainFault {
    let mut memory = LineMemory::default();
    let mut belongs = |line: &[u8]| check(line, &mut memory).is_ok_and(|next| chain.link(&next).is_ok());
    let mut rest = rest.into_iter();
    let better = match &fault.fault {
        Fault::Dropped { .. } => {
            let seq = check(bad, &mut LineMemory::default()).map_or(0, |bad| bad.seq);
            let at = rest.position(belongs).map(|after| fault.line + 1 + after as u64);
            at.map(|at| Fault::Moved { seq, belongs: chain.next_seq(), at })
        }
        Fault::NotJson(_)
        | Fault::Envelope { .. }
        | Fault::Algorithm { .. }
        | Fault::Changed
        | Fault::Unlinked { .. } => rest.next().filter(|next| belongs(next)).map(|_| Fault::Inserted),
        Fault::Unknown(_)
        | Fault::Moved { .. }
        | Fault::Duplicated { .. }
        | Fault::Inserted
        | Fault::Torn
        | Fault::AfterEnd { .. }
        | Fault::Format(_) => None,
    };
    ChainFault { line: fault.line, fault: better.unwrap_or(fault.fault) }
}
