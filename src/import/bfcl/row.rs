//! One line of recorded answers.
//!
//! What nobody needs, above all the raw answer, is only stepped over. It must be JSON all the same.

use crate::matcher::bfcl::{Answer, Cursor, Decode, Literals, Names, SyntaxError, Tape, View};
use std::borrow::Cow;

/// A recorded answer, apart from its calls.
#[derive(Debug, Clone, Default)]
pub(super) struct Row<'a> {
    /// As it is written, without its quotes.
    id: Option<&'a str>,
    decode: Option<Decode>,
    /// Some of none if it is said to be as it is for the others.
    names: Option<Option<Names>>,
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

impl Recorded<'_> {
    #[inline]
    fn add(&mut self, later: Self) {
        self.verdict = later.verdict.or(self.verdict);
        self.error_type = later.error_type.or(self.error_type);
    }
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
    /// Takes a member other than the calls.
    #[inline]
    pub(super) fn member(&mut self, key: &str, cursor: &mut Cursor<'a>) -> Result<(), RowError> {
        // What fails here fails for good, and is told at the end.
        let Some(text) = cursor.skip() else { return Ok(()) };
        match key {
            "id" => self.set_id(text)?,
            "decode" => self.decode = Some(decode(text)?),
            "dot_to_underscore" => self.names = Some(names(text)?),
            "converted" => self.converted = Some(text),
            "verdict" => self.recorded.verdict = Some(text),
            "error_type" => self.recorded.error_type = Some(text),
            "verdict_v4" => self.recorded_v4.verdict = Some(text),
            "error_type_v4" => self.recorded_v4.error_type = Some(text),
            _ => {}
        }
        Ok(())
    }

    /// Takes the id, as JSON text.
    #[inline]
    pub(super) fn set_id(&mut self, text: &'a str) -> Result<(), RowError> {
        self.id = Some(string(text).ok_or_else(|| field("id", text, "an id is text"))?);
        Ok(())
    }

    /// Notes that the calls were read.
    pub(super) fn set_calls(&mut self) {
        self.has_calls = true;
    }

    /// Whether the calls were read.
    #[inline]
    pub(super) fn has_calls(&self) -> bool {
        self.has_calls
    }

    /// What it says beside its id.
    pub(super) fn without_id(&self) -> Self {
        Self { id: None, ..self.clone() }
    }

    /// Whether everything is there that an answer needs.
    pub(super) fn check(&self) -> Result<(), RowError> {
        if self.has_calls { Ok(()) } else { Err(RowError::Missing("calls")) }
    }

    /// Adds what a later part of the line says, which goes before what was said.
    #[inline]
    pub(super) fn add(&mut self, later: &Self) {
        self.id = later.id.or(self.id);
        self.decode = later.decode.or(self.decode);
        self.names = later.names.or(self.names);
        self.has_calls |= later.has_calls;
        self.converted = later.converted.or(self.converted);
        self.recorded.add(later.recorded);
        self.recorded_v4.add(later.recorded_v4);
    }

    /// The case that it answers.
    pub(super) fn id(&self) -> Result<Cow<'a, str>, RowError> {
        let raw = self.id.ok_or(RowError::Missing("id"))?;
        if memchr::memchr(b'\\', raw.as_bytes()).is_none() {
            return Ok(Cow::Borrowed(raw));
        }
        let quoted = format!("\"{raw}\"");
        let tape = Tape::parse(&quoted)?;
        Ok(Cow::Owned(tape.root().and_then(View::text).unwrap_or_default().to_owned()))
    }

    /// The id as it stands in the line, without quotes.
    pub(super) fn written_id(&self) -> &'a str {
        self.id.unwrap_or_default()
    }

    /// Reads the converted calls, for a case that is judged by them.
    pub(super) fn read_converted(&self, tape: &mut Tape<'a>) -> Result<(), RowError> {
        tape.clear();
        let Some(text) = self.converted.filter(|text| *text != "null") else { return Ok(()) };
        let mut cursor = Cursor::new(text);
        tape.read(&mut cursor);
        Ok(cursor.end()?)
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
            literals: Literals::Written,
            names: self.names.flatten().unwrap_or(names),
        }
    }
}

fn string(text: &str) -> Option<&str> {
    text.strip_prefix('"')?.strip_suffix('"')
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
