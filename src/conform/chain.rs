//! Is a journal what was written? Its hash chain says, as far as a chain can.
//!
//! Each line carries its number, the hash of the line before and its own: SHA-256 over the RFC 8785 form of the
//! event without `hash`. A line that was changed, dropped, moved or added breaks the chain, and the first such
//! line is named. What no chain shows is an end that was cut off, or a log that was written anew as a whole.
//!
//! A line counts with the hash of its own bytes, too, where `hash` stands in front of them: they are bound as
//! tightly, and nothing has to be written anew to see it.

use serde::Serialize;
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};

/// What the hash chain of a file says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum Chain {
    /// Each line is the next one, unchanged.
    Sound,
    /// A line is not.
    Broken {
        /// The first, counted from 1.
        line: u64,
        /// What is wrong with it.
        what: String,
    },
    /// No line carries a hash: anybody may have changed anything.
    Absent,
}

/// Follows the chain of one file.
#[derive(Debug)]
pub(super) struct Link {
    next: u64,
    last: String,
    state: Chain,
}

impl Default for Link {
    fn default() -> Self {
        Self { next: 1, last: ZERO.to_owned(), state: Chain::Absent }
    }
}

/// The hash before the first line.
const ZERO: &str = "0000000000000000000000000000000000000000000000000000000000000000";

/// How a line begins whose hash is that of the bytes behind it.
const HEAD: &[u8] = b"{\"hash\":\"";
const DIGITS: usize = 64;

impl Link {
    /// Takes a line into account.
    pub(super) fn follow(&mut self, line: u64, text: &[u8], fields: &Map<String, Value>) {
        if matches!(self.state, Chain::Broken { .. }) {
            return;
        }
        if let Err(what) = self.step(text, fields) {
            self.state = match what {
                None if self.state == Chain::Absent => return self.next += 1,
                None => Chain::Broken { line, what: "it has no `hash`, and lines before it have".to_owned() },
                Some(what) => Chain::Broken { line, what },
            };
        }
    }

    /// What it came to.
    pub(super) fn end(self) -> Chain {
        self.state
    }

    /// `Err(None)` for a line without a hash.
    fn step(&mut self, text: &[u8], fields: &Map<String, Value>) -> Result<(), Option<String>> {
        let field = |name: &str| fields.get(name).and_then(Value::as_str).unwrap_or_default();
        let (hash, before) = (field("hash"), field("prevHash"));
        if hash.is_empty() {
            return Err(None);
        }
        if self.state == Chain::Absent && self.next > 1 {
            return Err(Some("it has a `hash`, and lines before it have none".to_owned()));
        }
        if !is_hash_of(hash, text, fields) {
            return Err(Some("its hash is not that of its content: it was changed".to_owned()));
        }
        let seq = fields.get("seq").and_then(Value::as_u64).unwrap_or_default();
        if seq != self.next {
            let what =
                format!("its `seq` is {seq}, and {} is next: a line was dropped, moved or added", self.next);
            return Err(Some(what));
        }
        if before != self.last {
            return Err(Some("its `prevHash` is not the hash of the line before it".to_owned()));
        }
        self.next += 1;
        hash.clone_into(&mut self.last);
        self.state = Chain::Sound;
        Ok(())
    }
}

fn is_hash_of(hash: &str, text: &[u8], fields: &Map<String, Value>) -> bool {
    let text = text.trim_ascii();
    let body = HEAD.len() + DIGITS;
    if text.starts_with(HEAD) && text.get(body..body + 2) == Some(b"\",") {
        let mut hasher = Sha256::new();
        hasher.update(b"{");
        hasher.update(&text[body + 2..]);
        if hex(&hasher.finalize()) == hash {
            return true;
        }
    }
    canonical(fields).is_some_and(|form| hex(&Sha256::digest(&form)) == hash)
}

/// The RFC 8785 form of an event without its hash.
fn canonical(fields: &Map<String, Value>) -> Option<Vec<u8>> {
    let mut fields = fields.clone();
    fields.remove("hash");
    serde_json_canonicalizer::to_vec(&fields).ok()
}

/// Gives events their numbers and hashes anew, as one file.
///
/// # Panics
/// Never: events are JSON objects, and those have a canonical form.
pub fn seal(events: impl IntoIterator<Item = Map<String, Value>>) -> Vec<u8> {
    let (mut out, mut last) = (Vec::new(), ZERO.to_owned());
    for (seq, mut fields) in (1_u64..).zip(events) {
        fields.insert("seq".to_owned(), seq.into());
        fields.insert("prevHash".to_owned(), last.into());
        let form = canonical(&fields).expect("INVARIANT: a JSON object has a canonical form");
        last = hex(&Sha256::digest(&form));
        out.extend_from_slice(HEAD);
        out.extend_from_slice(last.as_bytes());
        out.extend_from_slice(b"\",");
        out.extend_from_slice(&form[1..]);
        out.push(b'\n');
    }
    out
}

fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    bytes.iter().flat_map(|b| [b >> 4, b & 15]).map(|d| char::from(DIGITS[usize::from(d)])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn events(count: u64) -> Vec<Map<String, Value>> {
        let event =
            |n| serde_json::json!({"type":"UserPromptSubmitted","prompt":format!("é\n\"{n}"),"x":1.0e2});
        (0..count).filter_map(|n| event(n).as_object().cloned()).collect()
    }

    fn chain(text: &str) -> Chain {
        let mut link = Link::default();
        for (at, line) in (1..).zip(text.lines()) {
            link.follow(at, line.as_bytes(), &serde_json::from_str(line).unwrap());
        }
        link.end()
    }

    fn broken_at(text: &str) -> Option<u64> {
        match chain(text) {
            Chain::Broken { line, .. } => Some(line),
            Chain::Sound | Chain::Absent => None,
        }
    }

    #[test]
    fn what_was_sealed_is_sound_however_its_fields_stand() {
        let text = String::from_utf8(seal(events(3))).unwrap();
        assert_eq!(chain(&text), Chain::Sound);
        // Another writer orders and spaces its lines as it likes: the canonical form is what was hashed.
        let loose: Vec<String> = text
            .lines()
            .map(|line| {
                let mut fields: Map<String, Value> = serde_json::from_str(line).unwrap();
                let hash = fields.remove("hash").unwrap();
                fields.insert("hash".to_owned(), hash);
                serde_json::to_string_pretty(&fields).unwrap().replace('\n', " ")
            })
            .collect();
        assert_eq!(chain(&loose.join("\n")), Chain::Sound);
    }

    #[test]
    fn the_first_line_that_is_not_what_it_was_is_named() {
        let text = String::from_utf8(seal(events(4))).unwrap();
        let l: Vec<&str> = text.lines().collect();
        let edited = l[1].replace("é", "e");
        let bare = r#"{"type":"X"}"#;
        let rows: [(&str, Vec<&str>, Option<u64>); 9] = [
            ("changed", vec![l[0], &edited, l[2]], Some(2)),
            ("dropped", vec![l[0], l[2]], Some(2)),
            ("first dropped", vec![l[1], l[2]], Some(1)),
            ("swapped", vec![l[0], l[2], l[1]], Some(2)),
            ("duplicated", vec![l[0], l[0]], Some(2)),
            ("a line without a hash", vec![l[0], bare, l[1]], Some(2)),
            ("hashes begin late", vec![bare, l[0]], Some(2)),
            ("no hash at all", vec![bare, bare], None),
            // Not shown by a chain: `proofhouse journal verify` holds it against signed checkpoints.
            ("cut off", vec![l[0], l[1]], None),
        ];
        for (what, lines, line) in rows {
            assert_eq!(broken_at(&lines.join("\n")), line, "{what}");
        }
        assert_eq!(chain(&[bare, bare].join("\n")), Chain::Absent);
    }
}
