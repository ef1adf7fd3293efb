//! Reads one recorded answer after the other, and recognises what they have in common.
//!
//! Whoever writes such files writes every line alike: the same keys in the same order, and between id, calls and
//! raw answer mostly the same words. So the text between those is kept from lines that were read member by
//! member, and where a line has it again, byte for byte, it is not read again.

use super::row::{Row, RowError};
use crate::matcher::bfcl::{Cursor, Tape};

/// How many texts of a kind are kept: one for right answers, and for the usual kinds of wrong ones.
const KEPT: usize = 8;
/// How long a text may be that is worth keeping; a longer one holds something of its line alone.
const LONGEST: usize = 256;

/// Reads lines of one text.
#[derive(Debug, Default)]
pub(super) struct Reader<'a> {
    /// The calls of the line that was read last.
    pub(super) calls: Tape<'a>,
    /// What stands before the id.
    opening: Option<&'a str>,
    /// What stands between the id and the calls.
    heads: Vec<Known<'a>>,
    /// What stands between the calls and the value of the last member.
    tails: Vec<Known<'a>>,
}

/// A text that was read, with what it says.
#[derive(Debug)]
struct Known<'a> {
    text: &'a str,
    /// The key that it ends with.
    key: &'a str,
    row: Row<'a>,
}

impl<'a> Reader<'a> {
    /// Reads a line.
    #[inline]
    pub(super) fn read(&mut self, mut line: Cursor<'a>) -> Result<Row<'a>, RowError> {
        let mut row = Row::default();
        if self.recognise_head(&mut line, &mut row).is_none() {
            line.restart();
            row = Row::default();
            self.read_head(&mut line, &mut row)?;
        }
        if row.has_calls() && !self.recognise_tail(&mut line, &mut row)? {
            self.read_tail(&mut line, &mut row)?;
        }
        line.end()?;
        row.check()?;
        Ok(row)
    }

    #[inline]
    fn recognise_head(&mut self, line: &mut Cursor<'a>, row: &mut Row<'a>) -> Option<()> {
        if !line.take(self.opening?) {
            return None;
        }
        row.set_id(line.skip()?).ok()?;
        row.add(&recognise(&mut self.heads, line)?.row);
        self.read_calls(line, row);
        Some(())
    }

    #[inline]
    fn recognise_tail(&mut self, line: &mut Cursor<'a>, row: &mut Row<'a>) -> Result<bool, RowError> {
        let Some(tail) = recognise(&mut self.tails, line) else { return Ok(false) };
        row.add(&tail.row);
        row.member(tail.key, line)?;
        // Mostly that was the last member here too; if not, the others follow.
        if !line.leave() {
            self.read_rest(line, row)?;
        }
        Ok(true)
    }

    /// Reads members up to the calls, or up to the end if there are none.
    fn read_head(&mut self, line: &mut Cursor<'a>, row: &mut Row<'a>) -> Result<(), RowError> {
        line.enter();
        let (mut id, mut members) = (None, 0);
        while let Some(key) = line.key(members == 0) {
            let from = line.place();
            if key == "calls" {
                if let Some((from_id, to_id)) = id {
                    self.opening = Some(line.text(0, from_id));
                    learn(
                        &mut self.heads,
                        Known { text: line.text(to_id, from), key, row: row.without_id() },
                    );
                }
                self.read_calls(line, row);
                return Ok(());
            }
            row.member(key, line)?;
            id = match key {
                // Only an id at the beginning, and a single one.
                "id" => (members == 0).then(|| (from, line.place())),
                _ => id,
            };
            members += 1;
        }
        Ok(())
    }

    /// Reads the members behind the calls.
    fn read_tail(&mut self, line: &mut Cursor<'a>, row: &mut Row<'a>) -> Result<(), RowError> {
        let start = line.place();
        let (mut said, mut last, mut usual) = (Row::default(), None, true);
        while let Some(key) = line.key(false) {
            last = Some(Known { text: line.text(start, line.place()), key, row: said.clone() });
            usual &= key != "id" && key != "calls";
            self.member(key, line, &mut said)?;
        }
        row.add(&said);
        match last {
            Some(last) if usual => learn(&mut self.tails, last),
            _ => {}
        }
        Ok(())
    }

    fn read_rest(&mut self, line: &mut Cursor<'a>, row: &mut Row<'a>) -> Result<(), RowError> {
        while let Some(key) = line.key(false) {
            self.member(key, line, row)?;
        }
        Ok(())
    }

    fn member(&mut self, key: &str, line: &mut Cursor<'a>, row: &mut Row<'a>) -> Result<(), RowError> {
        if key == "calls" {
            self.read_calls(line, row);
            return Ok(());
        }
        row.member(key, line)
    }

    #[inline]
    fn read_calls(&mut self, line: &mut Cursor<'a>, row: &mut Row<'a>) {
        self.calls.read(line);
        row.set_calls();
    }
}

/// The known text that follows, which is then stepped over.
#[inline]
fn recognise<'k, 'a>(known: &'k mut [Known<'a>], line: &mut Cursor<'a>) -> Option<&'k Known<'a>> {
    let place = known.iter().position(|known| line.take(known.text))?;
    // What is frequent comes to be tried first.
    known.swap(place / 2, place);
    known.get(place / 2)
}

fn learn<'a>(all: &mut Vec<Known<'a>>, known: Known<'a>) {
    if known.text.len() <= LONGEST {
        all.truncate(KEPT - 1);
        all.push(known);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether lines read after others are read as they are alone.
    fn check(lines: &[&str]) {
        let mut reader = Reader::default();
        for line in lines {
            let after_others = reader.read(Cursor::new(line));
            let mut alone = Reader::default();
            let expected = alone.read(Cursor::new(line));
            assert_eq!(format!("{after_others:?}"), format!("{expected:?}"), "{line}");
            if expected.is_ok() {
                assert_eq!(
                    format!("{:?}", reader.calls.root()),
                    format!("{:?}", alone.calls.root()),
                    "{line}"
                );
            }
        }
    }

    #[test]
    fn what_is_recognised_is_read_as_if_it_were_not() {
        check(&[
            r#"{"id":"a","decode":"ok","calls":[1],"dot_to_underscore":true,"dot_to_underscore":null,"raw":"x"}"#,
            r#"{"id":"a","decode":"ok","calls":[1],"dot_to_underscore":true,"dot_to_underscore":null,"raw":"x"}"#,
            r#"{"id":"a","decode":"ok","id":"b","calls":[1],"raw":"x"}"#,
            r#"{"id":"a","decode":"ok","id":"b","calls":[1],"raw":"x"}"#,
            r#"{"id":"a","decode":"ok","calls":[1],"raw":"x","id":"c","calls":[2]}"#,
            r#"{"id":"b","decode":"ok","calls":[1],"raw":"x","id":"d","calls":[3]}"#,
            r#"{"id":"b","decode":"ok","calls":[1],"raw":"x","id":"d","calls":3]}"#,
            r#"{"id":"a","decode":"ok","calls":[1],"verdict":true,"raw":"x"}"#,
            r#"{"id":"b","decode":"ok","calls":[1,2],"verdict":true,"raw":{"y":1}}"#,
            r#"{"id":"b","decode":"ok","calls":[2],"verdict":false,"raw":0}"#,
            r#"{"id":"b","decode":"failed","calls":null,"verdict":false,"raw":0}"#,
            r#"{"id":"b","decode":"failed","calls":null,"verdict":false,"raw":0,"converted":[3]}"#,
            r#"{"id":"b","decode":"failed","calls":null,"verdict":false,"raw":0,"dot_to_underscore":true}"#,
            r#"{"id":"b","decode":"failed","calls":null,"verdict":false,"raw":0,"dot_to_underscore":1}"#,
            r#"{"id":"b","decode":"failed","calls":null,"verdict":false,"raw":0"#,
            r#"{"id":"b","decode":"failed","calls":null,"verdict":false,"raw":0}}"#,
            r#"{"id":"b","decode":"failed","calls":null,"verdict":false,"raw":}"#,
            r#"{"id":7,"decode":"failed","calls":null,"verdict":false,"raw":0}"#,
            r#"{"calls":[],"id":"c","raw":0}"#,
            r#"{"id":"a","decode":"ok","calls":[1],"verdict":true,"raw":"x","decode":"failed"}"#,
            r#"{"id":"a","decode":"ok","calls":[1],"verdict":true,"raw":"x","decode":"ok"}"#,
            r#" { "id" : "a" , "calls" : [1] , "raw" : "x" } "#,
            r#" { "id" : "b" , "calls" : [1] , "raw" : "y" } "#,
            r#"{"id":"a","calls":[1]}"#,
            r#"{"id":"b","calls":[1]}"#,
        ]);
    }
}
