//! A text that comes in parts: nothing is let go that could still become a part of a secret.

use super::{Redactor, redactor::Scratch};

/// So much is looked at at once: it stays in the processor's cache.
const BLOCK: usize = 64 << 10;
/// So much is held back at most, however many unseen characters stand between two parts of a secret.
const MOST_HELD: usize = 1 << 20;

/// Takes secrets out of a text that comes in parts.
#[derive(Debug)]
pub struct Redacting<'r> {
    redactor: &'r Redactor,
    held: Vec<u8>,
    scratch: Scratch,
}

impl<'r> Redacting<'r> {
    pub(super) fn new(redactor: &'r Redactor) -> Self {
        Self { redactor, held: Vec::new(), scratch: Scratch::default() }
    }

    /// Takes the next part in, and lets go what holds no secret however the text goes on.
    pub fn push(&mut self, part: &[u8], out: &mut Vec<u8>) {
        if self.redactor.is_empty() {
            out.extend_from_slice(part);
            return;
        }
        for block in part.chunks(BLOCK) {
            self.held.extend_from_slice(block);
            self.release(false, out);
        }
    }

    /// Lets go of the rest.
    pub fn finish(mut self, out: &mut Vec<u8>) {
        self.release(true, out);
    }

    fn release(&mut self, is_end: bool, out: &mut Vec<u8>) {
        let hits = self.redactor.hits(&self.held, &mut self.scratch);
        let all = self.held.len();
        let mut cut = if is_end { all } else { self.scratch.safe_end };
        // What was found may grow, and is let go when it is whole.
        if let Some(open) = hits.iter().find(|hit| hit.at.start < cut && cut < hit.at.end) {
            cut = open.at.start;
        }
        cut = cut.max(all.saturating_sub(MOST_HELD));
        let mut from = 0;
        for hit in hits.iter().filter(|hit| hit.at.start < cut) {
            out.extend_from_slice(&self.held[from..hit.at.start]);
            out.extend_from_slice(self.redactor.mark(hit.of).as_bytes());
            from = hit.at.end;
        }
        if from < cut {
            out.extend_from_slice(&self.held[from..cut]);
        }
        self.held.drain(..from.max(cut));
    }
}
