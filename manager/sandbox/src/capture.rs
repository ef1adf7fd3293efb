//! Output that stays small however much comes: its head, its tail, and the true count.

use std::collections::VecDeque;

/// What was kept of one stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Captured {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    total: u64,
    keep_head: usize,
    keep_tail: usize,
}

impl Captured {
    pub(crate) fn new(keep_head: usize, keep_tail: usize) -> Self {
        Self { head: Vec::new(), tail: VecDeque::new(), total: 0, keep_head, keep_tail }
    }

    pub(crate) fn push(&mut self, bytes: &[u8]) {
        self.total += bytes.len() as u64;
        let (first, rest) = bytes.split_at(bytes.len().min(self.keep_head - self.head.len()));
        self.head.extend_from_slice(first);
        let rest = &rest[rest.len().saturating_sub(self.keep_tail)..];
        let over = (self.tail.len() + rest.len()).saturating_sub(self.keep_tail);
        self.tail.drain(..over);
        self.tail.extend(rest);
    }

    /// The first bytes.
    pub fn head(&self) -> &[u8] {
        &self.head
    }

    /// The last bytes, of those after the head.
    pub fn tail(&self) -> Vec<u8> {
        self.tail.iter().copied().collect()
    }

    /// How many bytes came in all.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// How many bytes are missing between head and tail.
    pub fn omitted(&self) -> u64 {
        self.total - self.head.len() as u64 - self.tail.len() as u64
    }

    /// Everything that came; `None` when bytes are missing.
    pub fn whole(&self) -> Option<Vec<u8>> {
        (self.omitted() == 0).then(|| self.head.iter().copied().chain(self.tail.iter().copied()).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn head_and_tail_are_those_of_the_whole_stream() {
        let stream: Vec<u8> = (0..=255).cycle().take(1000).collect();
        for (head, tail) in [(0, 0), (0, 7), (7, 0), (10, 20), (400, 600), (2000, 1)] {
            for chunk in [1, 3, 64, 999, 1000] {
                let mut captured = Captured::new(head, tail);
                stream.chunks(chunk).for_each(|bytes| captured.push(bytes));
                let cut = stream.len().min(head);
                let from = cut.max(stream.len().saturating_sub(tail));
                assert_eq!(captured.head(), &stream[..cut], "{head} {tail} {chunk}");
                assert_eq!(captured.tail(), &stream[from..], "{head} {tail} {chunk}");
                assert_eq!(captured.total(), 1000);
                assert_eq!(captured.omitted(), (from - cut) as u64);
                assert_eq!(captured.whole(), (from == cut).then(|| stream.clone()));
            }
        }
    }
}
