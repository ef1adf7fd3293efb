//! The hash chain: giving an event its place, and finding the first line that is not what it was.

use super::{ChainFault, Checked, Fault, Fresh, LineMemory, check, diagnose};
use crate::model::{CanonicalError, Digest, Domain, append_canonical};
use std::cmp::Ordering;

/// Where a journal stands: the next number and the last hash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chain {
    next: u64,
    last: Digest,
}

impl Default for Chain {
    fn default() -> Self {
        Self { next: 1, last: Digest::zero() }
    }
}

impl Chain {
    /// The number that the next event gets.
    pub fn next_seq(&self) -> u64 {
        self.next
    }

    /// The hash of the last event; 64 zeros before the first.
    pub fn last_hash(&self) -> &Digest {
        &self.last
    }

    /// Gives an event its place and appends its line, with `\n`, to `out`. Returns its number.
    ///
    /// The line is the hashed form itself with the hash in front, so the event is serialized once.
    ///
    /// # Errors
    /// [`CanonicalError`] if the event cannot be written; the chain and `out` stay as they were.
    pub fn seal(&mut self, event: &Fresh, out: &mut Vec<u8>) -> Result<u64, CanonicalError> {
        const HEAD: &[u8] = b"{\"hash\":\"";
        const DIGITS: usize = 64;
        let start = out.len();
        let body = start + HEAD.len() + DIGITS + 1;
        out.extend_from_slice(HEAD);
        out.resize(body, b'"');
        if let Err(error) = append_canonical(&event.line(self.next, &self.last), out) {
            out.truncate(start);
            return Err(error);
        }
        let hash = Digest::of_bytes(Domain::Plain, &out[body..]);
        out[start + HEAD.len()..body - 1].copy_from_slice(hash.as_str().as_bytes());
        // The hash becomes the first member of the object that was hashed.
        out[body] = b',';
        out.push(b'\n');
        let seq = self.next;
        self.next += 1;
        self.last = hash;
        Ok(seq)
    }

    /// Takes one line of a journal into account, and hands out what its envelope says.
    ///
    /// # Errors
    /// [`ChainFault`] if the line is not the next one, unchanged.
    pub fn follow<'t>(&mut self, line: &'t [u8], memory: &mut LineMemory) -> Result<Checked<'t>, ChainFault> {
        let at = self.next;
        let checked = check(line, memory).and_then(|checked| self.advance(&checked).map(|()| checked));
        checked.map_err(|fault| ChainFault { line: at, fault })
    }

    /// Takes a checked line into account.
    ///
    /// # Errors
    /// [`Fault`] if it is not the next one, unchanged.
    pub fn advance(&mut self, line: &Checked<'_>) -> Result<(), Fault> {
        self.link(line)?;
        self.next += 1;
        self.last = line.computed.clone();
        Ok(())
    }

    /// Whether a checked line is the next one, unchanged.
    ///
    /// # Errors
    /// [`Fault`] that says what it is instead, as far as the line alone can say.
    pub fn link(&self, line: &Checked<'_>) -> Result<(), Fault> {
        if line.computed.as_str() != line.hash {
            return Err(Fault::Changed);
        }
        match line.seq.cmp(&self.next) {
            Ordering::Less => Err(Fault::Duplicated { seq: line.seq }),
            Ordering::Greater => Err(Fault::Dropped { from: self.next, to: line.seq - 1 }),
            Ordering::Equal if line.prev_hash != self.last.as_str() => {
                Err(Fault::Unlinked { before: self.next - 1 })
            }
            Ordering::Equal => Ok(()),
        }
    }
}

/// Checks the chain of a whole journal; returns how many events it holds.
///
/// # Errors
/// [`ChainFault`] for the first line that was changed, dropped, moved or added.
pub fn verify(journal: &[u8]) -> Result<u64, ChainFault> {
    let mut chain = Chain::default();
    let mut memory = LineMemory::default();
    let mut lines = journal.split_inclusive(|b| *b == b'\n');
    while let Some(line) = lines.next() {
        let line = line.strip_suffix(b"\n").ok_or(ChainFault { line: chain.next, fault: Fault::Torn })?;
        if let Err(fault) = chain.follow(line, &mut memory) {
            return Err(diagnose(
                &chain,
                fault,
                line,
                lines.map(|line| line.strip_suffix(b"\n").unwrap_or(line)),
            ));
        }
    }
    Ok(chain.next - 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::{Scope, fact::UserPromptSubmitted};
    use chrono::DateTime;

    fn journal(events: u64) -> Vec<u8> {
        let mut chain = Chain::default();
        let mut out = Vec::new();
        for n in 1..=events {
            let event = Fresh {
                event_id: format!("ev_{n}").into(),
                ts: DateTime::UNIX_EPOCH,
                scope: Scope { session_id: "ses_1".into(), run_id: "run_1".into(), call_id: None },
                parent: None,
                fact: UserPromptSubmitted { prompt: format!("prompt {n}\n\"é\u{2028}") }.into(),
            };
            assert_eq!(chain.seal(&event, &mut out).unwrap(), n);
        }
        out
    }

    #[test]
    fn a_sealed_journal_verifies_and_each_event_is_one_line() {
        let journal = journal(3);
        assert_eq!(journal.iter().filter(|b| **b == b'\n').count(), 3);
        assert_eq!(verify(&journal), Ok(3));
    }

    #[test]
    fn the_hash_is_sha256_over_the_canonical_event_without_it() {
        let first = String::from_utf8(journal(1)).unwrap();
        let body = concat!(
            r#"{"eventId":"ev_1","prevHash":"0000000000000000000000000000000000000000000000000000000000000000","#,
            r#""prompt":"prompt 1\n\"é"#,
            "\u{2028}",
            r#"","runId":"run_1","seq":1,"sessionId":"ses_1","ts":"1970-01-01T00:00:00.000000Z","#,
            r#""type":"UserPromptSubmitted"}"#
        );
        let hash = Digest::of_bytes(Domain::Plain, body.as_bytes());
        assert_eq!(first, format!("{{\"hash\":\"{hash}\",{}\n", &body[1..]));
    }

    /// The line with its hash made right again, as somebody does who knows the format.
    fn rehashed(line: &str) -> String {
        let (_, rest) = line.split_at(r#"{"hash":"","#.len() + 64);
        let hash = Digest::of_bytes(Domain::Plain, format!("{{{rest}").as_bytes());
        format!("{{\"hash\":\"{hash}\",{rest}")
    }

    #[test]
    fn any_tampering_is_named_with_the_first_line_that_is_wrong() {
        let text = String::from_utf8(journal(6)).unwrap();
        let l: Vec<&str> = text.lines().collect();
        let edited = l[1].replace("prompt 2", "prompt 7");
        let forged = rehashed(&edited);
        let alien = rehashed(&l[3].replace("prompt 4", "prompt 9").replace("\"seq\":4", "\"seq\":2"));
        let weak = l[1].replace(&l[1][9..73], "d41d8cd98f00b204e9800998ecf8427e");
        let rows: [(&str, Vec<&str>, u64, Fault); 14] = [
            ("one byte changed", vec![l[0], &edited, l[2], l[3]], 2, Fault::Changed),
            ("last line changed", vec![l[0], &edited], 2, Fault::Changed),
            ("changed and hashed again", vec![l[0], &forged, l[2], l[3]], 3, Fault::Unlinked { before: 2 }),
            ("one dropped", vec![l[0], l[2], l[3]], 2, Fault::Dropped { from: 2, to: 2 }),
            ("first dropped", vec![l[1], l[2]], 1, Fault::Dropped { from: 1, to: 1 }),
            ("two dropped", vec![l[0], l[3], l[4]], 2, Fault::Dropped { from: 2, to: 3 }),
            ("swapped", vec![l[0], l[2], l[1], l[3]], 2, Fault::Moved { seq: 3, belongs: 2, at: 3 }),
            ("moved", vec![l[0], l[2], l[3], l[4], l[1]], 2, Fault::Moved { seq: 3, belongs: 2, at: 5 }),
            ("duplicated", vec![l[0], l[0], l[1]], 2, Fault::Duplicated { seq: 1 }),
            ("duplicated later", vec![l[0], l[1], l[0], l[2]], 3, Fault::Duplicated { seq: 1 }),
            ("inserted", vec![l[0], &alien, l[1], l[2]], 2, Fault::Inserted),
            ("inserted rubbish", vec![l[0], "{}", l[1], l[2]], 2, Fault::Inserted),
            ("an empty line", vec![l[0], "", l[1]], 2, Fault::Inserted),
            ("another algorithm", vec![l[0], &weak, l[2]], 2, Fault::Algorithm { field: "hash" }),
        ];
        for (what, lines, line, fault) in rows {
            let journal = lines.join("\n") + "\n";
            assert_eq!(verify(journal.as_bytes()), Err(ChainFault { line, fault }), "{what}");
        }
        let torn = format!("{}\n{}", l[0], &l[1][..40]);
        assert_eq!(verify(torn.as_bytes()), Err(ChainFault { line: 2, fault: Fault::Torn }));
    }

    #[test]
    fn no_single_byte_can_be_changed() {
        let journal = journal(2);
        for at in 0..journal.len() {
            let mut changed = journal.clone();
            changed[at] ^= 1;
            assert!(verify(&changed).is_err(), "byte {at}: {}", String::from_utf8_lossy(&changed));
        }
    }

    #[test]
    fn an_integer_that_readers_disagree_on_is_no_content() {
        let text = String::from_utf8(journal(1)).unwrap();
        let rounded = text.trim_end().replace(r#""prevHash":"#, r#""extra":9007199254740992,"prevHash":"#);
        let rounded = rehashed(&rounded);
        assert_eq!(verify(format!("{rounded}\n").as_bytes()), Ok(1));
        let other = rounded.replace("9007199254740992", "9007199254740993");
        let fault = verify(format!("{other}\n").as_bytes()).unwrap_err().to_string();
        assert!(fault.contains("rounded"), "{fault}");
    }
}
