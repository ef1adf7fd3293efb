//! One pass over a journal file: the chain is checked, block by block, on all cores.
//!
//! The hash of a line needs only the line, so lines are hashed side by side; only the links are followed in order.
//! Memory is two blocks, however large the file is.

use crate::event::{
    Chain, ChainFault, Checked, DecodeError, Event, Fact, Fault, LineMemory, check, decode, diagnose,
    fact::{LogClosed, LogOpened, OpenCall},
};
use rayon::prelude::*;
use std::{
    collections::BTreeMap,
    io::{self, Read},
};

/// Bytes that are read and hashed at once.
const BLOCK: usize = 4 << 20;
/// No event is larger; a file without line ends must not fill the memory.
const MAX_LINE: usize = 256 << 20;
/// Lines that are worth waking another core for.
const BATCH: usize = 64;

/// What a pass found.
#[derive(Debug, Clone, Default)]
pub(super) struct Scan {
    /// Where the chain stands.
    pub(super) chain: Chain,
    /// Bytes of whole lines.
    pub(super) bytes: u64,
    /// What stands behind the last whole line.
    pub(super) torn: Vec<u8>,
    /// How the file begins.
    pub(super) opened: Option<LogOpened>,
    /// How it ends, if it ended and nothing came after.
    pub(super) closed: Option<LogClosed>,
    /// Calls that started and did not finish.
    pub(super) open_calls: BTreeMap<String, OpenCall>,
}

/// Why a pass stopped.
#[derive(Debug)]
pub(super) enum ScanError {
    /// The system cannot read on.
    Io(io::Error),
    /// A line is wrong.
    Broken(ChainFault),
}

impl From<io::Error> for ScanError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl Scan {
    /// How many events were there.
    pub(super) fn events(&self) -> u64 {
        self.chain.next_seq() - 1
    }

    /// Notes what a line means for what comes after it.
    pub(super) fn note(&mut self, line: &Checked<'_>) -> Result<(), Fault> {
        if let Some(next) = self.closed.take().and_then(|closed| closed.continued_in) {
            return Err(Fault::AfterEnd { next });
        }
        match line.kind.as_ref() {
            "ToolCallStarted" => {
                if let Some(call) = open_call(line) {
                    self.open_calls.insert(call.tool_call_id.to_string(), call);
                }
            }
            "ToolCallFinished" => {
                if let Some(call) = &line.call_id {
                    self.open_calls.remove(call.as_ref());
                }
            }
            "LogOpened" | "LogClosed" => self.note_log(decode(line.line).map_err(|e| not_an_event(&e))?)?,
            _ => {}
        }
        Ok(())
    }

    fn note_log(&mut self, event: Event) -> Result<(), Fault> {
        match event.fresh.fact {
            Fact::LogOpened(opened) if opened.format != 1 => return Err(Fault::Format(opened.format)),
            Fact::LogOpened(opened) if event.seq == 1 => {
                let before = opened.continues.iter().flat_map(|before| &before.open_calls);
                self.open_calls.extend(before.map(|call| (call.tool_call_id.to_string(), call.clone())));
                self.opened = Some(opened);
            }
            Fact::LogClosed(closed) => self.closed = Some(closed),
            _ => {}
        }
        Ok(())
    }
}

pub(super) fn not_an_event(error: &DecodeError) -> Fault {
    Fault::NotJson(error.to_string())
}

fn open_call(line: &Checked<'_>) -> Option<OpenCall> {
    Some(OpenCall {
        tool_call_id: line.call_id.as_deref()?.into(),
        session_id: line.session_id.as_ref().into(),
        run_id: line.run_id.as_ref().into(),
        started: line.event_id.as_ref().into(),
    })
}

/// Reads a file to its end. `each` sees every line that the chain accepts.
///
/// # Errors
/// [`ScanError`] at the first line that is wrong, or that `each` refuses.
pub(super) fn scan(
    mut file: impl Read,
    mut each: impl FnMut(&Checked<'_>) -> Result<(), Fault>,
) -> Result<Scan, ScanError> {
    let mut scan = Scan::default();
    let mut block = Vec::new();
    while fill(&mut file, &mut block)? {
        let whole = memchr::memrchr(b'\n', &block).map_or(0, |at| at + 1);
        if whole == 0 && block.len() > MAX_LINE {
            let fault = Fault::NotJson(format!("it has no end within {} MB", MAX_LINE >> 20));
            return Err(ScanError::Broken(ChainFault { line: scan.chain.next_seq(), fault }));
        }
        if let Some((fault, at)) = follow(&block[..whole], &mut scan, &mut each) {
            if !is_hole(&fault, &block[at..]) {
                return Err(broken(&mut file, block, at, &scan.chain, fault)?);
            }
            scan.bytes += at as u64;
            block.drain(..at);
            file.by_ref().take(MAX_LINE as u64).read_to_end(&mut block)?;
            break;
        }
        scan.bytes += whole as u64;
        block.drain(..whole);
    }
    scan.torn = block;
    Ok(scan)
}

/// Whether a bad line is what some file systems leave of a write that a power loss cut short: zeros, where no event
/// has one.
fn is_hole(fault: &ChainFault, bad: &[u8]) -> bool {
    let line = bad.split(|b| *b == b'\n').next().unwrap_or_default();
    matches!(fault.fault, Fault::NotJson(_)) && line.contains(&0)
}

/// Reads another block behind what is left of the last one; false at the end.
fn fill(file: &mut impl Read, block: &mut Vec<u8>) -> io::Result<bool> {
    let read = file.by_ref().take(BLOCK as u64).read_to_end(block)?;
    Ok(read > 0)
}

/// Follows the whole lines of a block; the fault of the first bad line, and where in the block it starts.
fn follow(
    lines: &[u8],
    scan: &mut Scan,
    each: &mut impl FnMut(&Checked<'_>) -> Result<(), Fault>,
) -> Option<(ChainFault, usize)> {
    let mut starts: Vec<usize> = vec![0];
    starts.extend(memchr::memchr_iter(b'\n', lines).map(|at| at + 1));
    let line = |at: &[usize]| &lines[at[0]..at[1] - 1];
    let checked: Vec<Result<Checked<'_>, Fault>> = starts
        .par_windows(2)
        .with_min_len(BATCH)
        .map_init(LineMemory::default, |memory, at| check(line(at), memory))
        .collect();
    for (checked, at) in checked.into_iter().zip(&starts) {
        let number = scan.chain.next_seq();
        let followed = checked.and_then(|line| {
            scan.chain.link(&line)?;
            scan.note(&line)?;
            each(&line)?;
            scan.chain.advance(&line)
        });
        if let Err(fault) = followed {
            return Some((ChainFault { line: number, fault }, *at));
        }
    }
    None
}

/// Says what the bad line at `at` is, with all that follows it.
fn broken(
    file: &mut impl Read,
    block: Vec<u8>,
    at: usize,
    chain: &Chain,
    fault: ChainFault,
) -> io::Result<ScanError> {
    let mut rest = block;
    rest.drain(..at);
    // A missing line may stand anywhere further down, within reason.
    let ahead = if matches!(fault.fault, Fault::Dropped { .. }) { MAX_LINE } else { BLOCK };
    file.by_ref().take(ahead as u64).read_to_end(&mut rest)?;
    let mut lines = rest.split(|b| *b == b'\n');
    let bad = lines.next().unwrap_or_default();
    Ok(ScanError::Broken(diagnose(chain, fault, bad, lines)))
}
