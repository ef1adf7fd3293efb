//! The hash chain: giving an event its place, and finding the first line that is not what it was.

use super::Fresh;
use crate::model::{CanonicalError, Digest, Domain, canonical_bytes};
use serde_json::Value;

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
        let body = canonical_bytes(&event.line(self.next, &self.last))?;
        let hash = Digest::of_bytes(Domain::Plain, &body);
        out.extend_from_slice(b"{\"hash\":\"");
        out.extend_from_slice(hash.as_str().as_bytes());
        out.extend_from_slice(b"\",");
        out.extend_from_slice(&body[1..]);
        out.push(b'\n');
        let seq = self.next;
        self.next += 1;
        self.last = hash;
        Ok(seq)
    }

    /// Takes one line of a journal into account.
    ///
    /// # Errors
    /// [`ChainFault`] if the line is not the next one, unchanged.
    pub fn follow(&mut self, line: &[u8]) -> Result<(), ChainFault> {
        let fault = |what: String| ChainFault { seq: self.next, what };
        let value: Value = serde_json::from_slice(line).map_err(|e| fault(format!("no JSON: {e}")))?;
        let Value::Object(mut fields) = value else {
            return Err(fault("no JSON object".to_owned()));
        };
        let stated = match fields.remove("hash") {
            Some(Value::String(hash)) => hash,
            _ => return Err(fault("it has no `hash`".to_owned())),
        };
        let seq = fields.get("seq").and_then(Value::as_u64);
        if seq != Some(self.next) {
            let found = seq.map_or("none".to_owned(), |s| s.to_string());
            return Err(fault(format!("`seq` is {found}, expected {}", self.next)));
        }
        if fields.get("prevHash").and_then(Value::as_str) != Some(self.last.as_str()) {
            return Err(fault("`prevHash` is not the hash of the line before it".to_owned()));
        }
        let body = canonical_bytes(&fields).map_err(|e| fault(e.to_string()))?;
        let hash = Digest::of_bytes(Domain::Plain, &body);
        if hash.as_str() != stated {
            return Err(fault("`hash` is not the hash of the line: it was changed".to_owned()));
        }
        self.next += 1;
        self.last = hash;
        Ok(())
    }
}

/// The first line that breaks a chain.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {seq}: {what}")]
pub struct ChainFault {
    /// Its line, counted from 1, which is the `seq` it should have.
    pub seq: u64,
    /// What is wrong with it.
    pub what: String,
}

/// Checks the chain of a whole journal; returns how many events it holds.
///
/// # Errors
/// [`ChainFault`] for the first line that was changed, dropped, moved or added.
pub fn verify(journal: &[u8]) -> Result<u64, ChainFault> {
    let mut chain = Chain::default();
    for line in journal.split(|b| *b == b'\n').filter(|l| !l.is_empty()) {
        chain.follow(line)?;
    }
    Ok(chain.next_seq() - 1)
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

    #[test]
    fn any_tampering_is_found_at_its_line() {
        let text = String::from_utf8(journal(4)).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        let edited = lines[1].replace("prompt 2", "prompt 7");
        let rows: [(&str, Vec<&str>, u64); 5] = [
            ("edited", vec![lines[0], &edited, lines[2], lines[3]], 2),
            ("dropped", vec![lines[0], lines[2], lines[3]], 2),
            ("swapped", vec![lines[0], lines[2], lines[1], lines[3]], 2),
            ("duplicated", vec![lines[0], lines[0], lines[1]], 2),
            ("no json", vec![lines[0], "{", lines[1]], 2),
        ];
        for (what, lines, seq) in rows {
            assert_eq!(verify(lines.join("\n").as_bytes()).unwrap_err().seq, seq, "{what}");
        }
    }
}
