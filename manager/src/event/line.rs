//! One line of a journal, read strictly and hashed, by itself: its place in the chain is the chain's business.

use super::Fault;
use crate::model::{
    Digest, Domain,
    jcs::{Integers, Keep, Scratch, rewrite_object},
};
use std::borrow::Cow;

/// The envelope of a line whose form is sound. Whether it is *true* is for the [`Chain`](super::Chain) to say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checked<'t> {
    /// The line.
    pub line: &'t [u8],
    /// The number it claims.
    pub seq: u64,
    /// The type of the event.
    pub kind: Cow<'t, str>,
    /// Its identity.
    pub event_id: Cow<'t, str>,
    /// The conversation.
    pub session_id: Cow<'t, str>,
    /// The run.
    pub run_id: Cow<'t, str>,
    /// The call, on an event of one.
    pub call_id: Option<Cow<'t, str>>,
    /// The hash that it says stands before it.
    pub prev_hash: &'t str,
    /// The hash that it states.
    pub hash: &'t str,
    /// The hash that it has.
    pub computed: Digest,
}

/// Memory for [`check`], used again line after line.
#[derive(Debug, Default)]
pub struct LineMemory {
    scratch: Scratch,
    body: Vec<u8>,
}

/// The members of the envelope, as they stand in the line.
#[derive(Default)]
struct Raw<'t> {
    seq: Option<&'t str>,
    ts: Option<&'t str>,
    kind: Option<&'t str>,
    event_id: Option<&'t str>,
    parent: Option<&'t str>,
    session_id: Option<&'t str>,
    run_id: Option<&'t str>,
    call_id: Option<&'t str>,
    prev_hash: Option<&'t str>,
    hash: Option<&'t str>,
    hashes: u32,
}

/// Reads a line and hashes it: SHA-256 over its RFC 8785 form without `hash`, and no other way.
///
/// # Errors
/// [`Fault`] if it is no JSON object with an envelope of the right types.
pub fn check<'t>(line: &'t [u8], memory: &mut LineMemory) -> Result<Checked<'t>, Fault> {
    if line.is_empty() {
        return Err(Fault::NotJson("an empty line".to_owned()));
    }
    let text = std::str::from_utf8(line).map_err(|_| Fault::NotJson("no UTF-8".to_owned()))?;
    let LineMemory { scratch, body } = memory;
    body.clear();
    let mut raw = Raw::default();
    rewrite_object(text, Integers::Refuse, scratch, body, &mut |key, value| raw.take(key, value))
        .map_err(|fault| Fault::NotJson(fault.to_string()))?;
    if raw.hashes > 1 {
        return Err(Fault::NotJson("`hash` stands twice".to_owned()));
    }
    timestamp(raw.ts)?;
    optional("parentEventId", raw.parent)?;
    Ok(Checked {
        line,
        seq: number(raw.seq)?,
        kind: string("type", raw.kind)?,
        event_id: string("eventId", raw.event_id)?,
        session_id: string("sessionId", raw.session_id)?,
        run_id: string("runId", raw.run_id)?,
        call_id: optional("toolCallId", raw.call_id)?,
        prev_hash: sha256("prevHash", raw.prev_hash)?,
        hash: sha256("hash", raw.hash)?,
        computed: Digest::of_bytes(Domain::Plain, body),
    })
}

impl<'t> Raw<'t> {
    fn take(&mut self, key: &[u8], value: &'t str) -> Keep {
        let place = match key {
            br#""hash""# => {
                self.hash = Some(value);
                self.hashes += 1;
                return Keep::Nothing;
            }
            br#""seq""# => &mut self.seq,
            br#""ts""# => &mut self.ts,
            br#""type""# => &mut self.kind,
            br#""eventId""# => &mut self.event_id,
            br#""parentEventId""# => &mut self.parent,
            br#""sessionId""# => &mut self.session_id,
            br#""runId""# => &mut self.run_id,
            br#""toolCallId""# => &mut self.call_id,
            br#""prevHash""# => &mut self.prev_hash,
            _ => return Keep::Member,
        };
        *place = Some(value);
        Keep::Member
    }
}

fn string<'t>(field: &'static str, raw: Option<&'t str>) -> Result<Cow<'t, str>, Fault> {
    optional(field, raw)?.ok_or(Fault::Envelope { field, expected: "a string" })
}

fn optional<'t>(field: &'static str, raw: Option<&'t str>) -> Result<Option<Cow<'t, str>>, Fault> {
    let Some(raw) = raw else { return Ok(None) };
    let inner = raw.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    let inner = inner.ok_or(Fault::Envelope { field, expected: "a string" })?;
    if !inner.contains('\\') {
        return Ok(Some(Cow::Borrowed(inner)));
    }
    let text = serde_json::from_str(raw).map_err(|e| Fault::NotJson(e.to_string()))?;
    Ok(Some(Cow::Owned(text)))
}

fn number(raw: Option<&str>) -> Result<u64, Fault> {
    raw.and_then(|raw| raw.parse().ok()).ok_or(Fault::Envelope { field: "seq", expected: "a whole number" })
}

/// The algorithm is pinned: what is no SHA-256 in lower-case hexadecimal is no hash here.
fn sha256<'t>(field: &'static str, raw: Option<&'t str>) -> Result<&'t str, Fault> {
    let hash = raw.and_then(|raw| raw.strip_prefix('"')?.strip_suffix('"'));
    let hash = hash.ok_or(Fault::Envelope { field, expected: "a string" })?;
    let is_hash = hash.len() == 64 && hash.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
    if is_hash { Ok(hash) } else { Err(Fault::Algorithm { field }) }
}

/// RFC 3339 in UTC with a `Z`, by its shape; that the date exists is found out when the event is decoded.
fn timestamp(raw: Option<&str>) -> Result<(), Fault> {
    const SHAPE: &[u8] = b"\"0000-00-00T00:00:00";
    let fits = |raw: &str| {
        let (head, tail) = raw.as_bytes().split_at_checked(SHAPE.len())?;
        let digit_or_same = |(b, s): (&u8, &u8)| if *s == b'0' { b.is_ascii_digit() } else { b == s };
        let fraction = tail.strip_suffix(b"Z\"")?;
        let fraction_fits = match fraction.split_first() {
            None => true,
            Some((dot, digits)) => {
                *dot == b'.' && !digits.is_empty() && digits.iter().all(u8::is_ascii_digit)
            }
        };
        (head.iter().zip(SHAPE).all(digit_or_same) && fraction_fits).then_some(())
    };
    raw.and_then(fits).ok_or(Fault::Envelope { field: "ts", expected: "a UTC timestamp of RFC 3339" })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(changed: &[(&str, Option<&str>)]) -> String {
        let zeros = format!("\"{}\"", "0".repeat(64));
        let mut fields = vec![
            ("hash", zeros.as_str()),
            ("eventId", "\"ev_1\""),
            ("prevHash", zeros.as_str()),
            ("runId", "\"r\""),
            ("seq", "1"),
            ("sessionId", "\"s\""),
            ("ts", "\"2026-03-01T12:00:00.123456Z\""),
            ("type", "\"Thing\""),
        ];
        for (name, value) in changed {
            fields.retain(|(field, _)| field != name);
            fields.extend(value.map(|value| (*name, value)));
        }
        let members: Vec<String> = fields.iter().map(|(name, value)| format!("\"{name}\":{value}")).collect();
        format!("{{{}}}", members.join(","))
    }

    #[test]
    fn an_envelope_of_other_types_is_no_envelope() {
        let short = format!("\"{}\"", "0".repeat(63));
        let upper = format!("\"{}\"", "A".repeat(64));
        let sha512 = format!("\"{}\"", "0".repeat(128));
        let rows: [(&str, Option<&str>, &str); 17] = [
            ("seq", Some("\"1\""), "`seq`"),
            ("seq", Some("1.5"), "`seq`"),
            ("seq", Some("-1"), "`seq`"),
            ("seq", None, "`seq`"),
            ("type", Some("7"), "`type`"),
            ("type", None, "`type`"),
            ("eventId", Some("null"), "`eventId`"),
            ("sessionId", Some("{}"), "`sessionId`"),
            ("runId", None, "`runId`"),
            ("toolCallId", Some("1"), "`toolCallId`"),
            ("parentEventId", Some("[]"), "`parentEventId`"),
            ("ts", Some("\"yesterday\""), "`ts`"),
            ("ts", Some("\"2026-03-01T12:00:00.5+01:00\""), "`ts`"),
            ("hash", Some(&short), "`hash` is no SHA-256"),
            ("hash", Some(&upper), "`hash` is no SHA-256"),
            ("hash", Some(&sha512), "`hash` is no SHA-256"),
            ("prevHash", Some("\"none\""), "`prevHash` is no SHA-256"),
        ];
        for (field, value, expected) in rows {
            let text = line(&[(field, value)]);
            let fault = check(text.as_bytes(), &mut LineMemory::default()).unwrap_err().to_string();
            assert!(fault.contains(expected), "{text}: {fault}");
        }
        assert!(check(line(&[]).as_bytes(), &mut LineMemory::default()).is_ok());
    }

    #[test]
    fn any_writer_s_spelling_has_the_same_hash() {
        let text = line(&[("toolCallId", Some("\"tc_\\u0041\""))]);
        let spelled = text.replace("\"seq\":1", "\"s\\u0065q\" : 1").replace(',', " ,\t");
        let mut memory = LineMemory::default();
        let (a, b) = (check(text.as_bytes(), &mut memory), check(spelled.as_bytes(), &mut memory));
        let (a, b) = (a.unwrap(), b.unwrap());
        assert_eq!(a.computed, b.computed);
        assert_eq!((b.seq, b.call_id.as_deref()), (1, Some("tc_A")));
        let twice = text.replacen('{', &format!("{{\"hash\":\"{}\",", "1".repeat(64)), 1);
        assert!(check(twice.as_bytes(), &mut memory).unwrap_err().to_string().contains("twice"));
    }
}
