//! One line of recorded answers.
//!
//! The calls are read into a tape; what nobody needs, above all the raw answer, is only stepped over. It must be
//! JSON all the same.

use crate::matcher::bfcl::{Answer, Cursor, Decode, Names, Span, SyntaxError, Tape, View};
use std::borrow::Cow;

/// A recorded answer, apart from its calls.
#[derive(Debug, Clone, Default)]
pub(super) struct Row<'a> {
    id: Option<Span<'a>>,
    decode: Option<Decode>,
    names: Option<Names>,
    has_calls: bool,
    /// The text of the calls with their literals read.
    converted: Option<&'a str>,
    pub(super) recorded: Recorded<'a>,
    pub(super) recorded_v4: Recorded<'a>,
}

/// What another checker said, as JSON text.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Recorded<'a> {
    pub(super) verdict: Option<&'a str>,
    pub(super) error_type: Option<&'a str>,
}

/// Why a line is no recorded answer.
#[derive(Debug, thiserror::Error)]
pub(super) enum RowError {
    #[error(transparent)]
    Syntax(#[from] SyntaxError),
    #[error("an answer without `{0}`")]
    Missing(&'static str),
    #[error("`{key}` is `{found}`\nhint: {expected}")]
    Field { key: &'static str, found: String, expected: &'static str },
}

impl<'a> Row<'a> {
    /// Reads a line, its calls into the tape.
    pub(super) fn read(line: &'a str, calls: &mut Tape<'a>) -> Result<Self, RowError> {
        let mut row = Self::default();
        let mut cursor = Cursor::new(line);
        cursor.enter()?;
        let mut first = true;
        while let Some(key) = cursor.key(first)? {
            row.member(key, &mut cursor, calls)?;
            first = false;
        }
        cursor.end()?;
        if !row.has_calls {
            return Err(RowError::Missing("calls"));
        }
        Ok(row)
    }

    #[inline]
    fn member(
        &mut self,
        key: Span<'a>,
        cursor: &mut Cursor<'a>,
        calls: &mut Tape<'a>,
    ) -> Result<(), RowError> {
        if key.raw == "calls" {
            self.has_calls = true;
            return Ok(calls.read(cursor)?);
        }
        let text = cursor.skip()?;
        match key.raw {
            "id" => self.id = Some(string(text).ok_or_else(|| field("id", text, "an id is text"))?),
            "decode" => self.decode = Some(decode(text)?),
            "dot_to_underscore" => self.names = names(text)?,
            "converted" => self.converted = Some(text).filter(|text| *text != "null"),
            "verdict" => self.recorded.verdict = Some(text),
            "error_type" => self.recorded.error_type = Some(text),
            "verdict_v4" => self.recorded_v4.verdict = Some(text),
            "error_type_v4" => self.recorded_v4.error_type = Some(text),
            _ => {}
        }
        Ok(())
    }

    /// The case that it answers.
    pub(super) fn id(&self) -> Result<Cow<'a, str>, RowError> {
        let span = self.id.ok_or(RowError::Missing("id"))?;
        if !span.escaped {
            return Ok(Cow::Borrowed(span.raw));
        }
        let quoted = format!("\"{}\"", span.raw);
        let tape = Tape::parse(&quoted)?;
        Ok(Cow::Owned(tape.root().and_then(View::text).unwrap_or_default().to_owned()))
    }

    /// The id as it stands in the line, without quotes.
    pub(super) fn written_id(&self) -> &'a str {
        self.id.map_or("", |span| span.raw)
    }

    /// Reads the converted calls, for a case that is judged by them.
    pub(super) fn read_converted(&self, tape: &mut Tape<'a>) -> Result<(), RowError> {
        tape.clear();
        self.converted.map_or(Ok(()), |text| Ok(tape.read(&mut Cursor::new(text))?))
    }

    /// The answer, to be judged.
    pub(super) fn answer<'t>(
        &self,
        calls: &'t Tape<'a>,
        converted: Option<&'t Tape<'a>>,
        names: Names,
    ) -> Answer<'t> {
        Answer {
            decode: self.decode.unwrap_or(Decode::Ok),
            calls: calls.root(),
            converted: converted.and_then(Tape::root),
            names: self.names.unwrap_or(names),
        }
    }
}

fn string(text: &str) -> Option<Span<'_>> {
    let raw = text.strip_prefix('"')?.strip_suffix('"')?;
    Some(Span { raw, escaped: raw.contains('\\') })
}

fn decode(text: &str) -> Result<Decode, RowError> {
    match text {
        "\"ok\"" => Ok(Decode::Ok),
        "\"failed\"" => Ok(Decode::Failed),
        "\"wrong_format\"" => Ok(Decode::WrongFormat),
        _ => Err(field("decode", text, "one of ok, failed, wrong_format")),
    }
}

fn names(text: &str) -> Result<Option<Names>, RowError> {
    match text {
        "true" => Ok(Some(Names::Underscored)),
        "false" => Ok(Some(Names::Dotted)),
        "null" => Ok(None),
        _ => Err(field("dot_to_underscore", text, "true or false")),
    }
}

#[cold]
fn field(key: &'static str, found: &str, expected: &'static str) -> RowError {
    RowError::Field { key, found: found.chars().take(80).collect(), expected }
}
