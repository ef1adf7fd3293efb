//! The file format of a script.
//!
//! ```yaml
//! script: careless                # the model's name in reports; the file's name if absent
//! otherwise: perfect              # what a case without an answer gets: perfect | abstain | error
//! answers:                        # the first that fits answers
//!   - case: rerun-auth-tests      # a case's id, or a glob
//!     turn: 1                     # from 1; every turn if absent
//!     repeat: 0                   # from 0; every repeat if absent
//!     reply: { calls: [{ tool: npm.test, args: { testName: auth } }] }
//! ```
//!
//! `reply` is one reply or a list of them: one per attempt, and the last stays.

use super::reply::{ReplySpec, Scene};
use crate::provider::Attempt;
use globset::{Glob, GlobMatcher};
use proofhouse_manager::document::{self, DocumentError, Field, Format, Node};
use serde::{
    Deserialize, Deserializer,
    de::{MapAccess, SeqAccess, Visitor, value::MapAccessDeserializer},
};
use std::{fmt, path::Path};

/// A script, checked.
#[derive(Debug)]
pub(super) struct Script {
    pub(super) name: String,
    pub(super) otherwise: Otherwise,
    pub(super) entries: Vec<Entry>,
}

impl Script {
    /// The script that has nothing to say: every case is answered rightly.
    pub(super) fn perfect() -> Self {
        Self { name: "perfect".into(), otherwise: Otherwise::Perfect, entries: Vec::new() }
    }
}

/// What a case without an answer gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Otherwise {
    /// The right answer.
    Perfect,
    /// Words, and no call.
    Abstain,
    /// A fault: a script that forgets a case must not pass for a model that abstains.
    #[default]
    Error,
}

/// One answer, checked.
#[derive(Debug)]
pub(super) struct Entry {
    /// The case, as it is written.
    pub(super) case: String,
    glob: GlobMatcher,
    turn: Option<usize>,
    repeat: Option<u32>,
    scenes: Vec<Scene>,
}

impl Entry {
    /// Whether it is about this case.
    pub(super) fn covers(&self, case: &str) -> bool {
        self.case == case || self.glob.is_match(case)
    }

    /// Whether it answers this turn (from 0) of this repeat (from 0).
    pub(super) fn fits(&self, case: &str, turn: usize, repeat: u32) -> bool {
        self.turn.is_none_or(|at| at == turn + 1)
            && self.repeat.is_none_or(|at| at == repeat)
            && self.covers(case)
    }

    /// What happens at this attempt.
    pub(super) fn reply(&self, attempt: Attempt) -> &Scene {
        let last = self.scenes.len() - 1;
        &self.scenes[last.min(attempt.0 as usize)]
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    script: Option<String>,
    #[serde(default)]
    otherwise: Otherwise,
    #[serde(default)]
    answers: Vec<Written>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    case: String,
    turn: Option<usize>,
    repeat: Option<u32>,
    reply: OneOrMore,
}

/// Reads a script; `stem` names it if it does not name itself.
pub(super) fn parse(path: &Path, bytes: &[u8], stem: &str) -> Result<Script, DocumentError> {
    let extension = path.extension().unwrap_or_default().to_string_lossy();
    let format = Format::of_extension(&extension).unwrap_or(Format::Yaml);
    let document = document::parse(path.display().to_string(), bytes, format)?;
    let file: File = document.decode()?;
    let entry = |(index, written)| {
        let node = document.nearest(&format!("/answers/{index}"));
        entry(written, &At { node, field: Field::root().key("answers").index(index) })
    };
    let entries = file.answers.into_iter().enumerate().map(entry).collect::<Result<_, _>>()?;
    Ok(Script { name: file.script.unwrap_or_else(|| stem.to_owned()), otherwise: file.otherwise, entries })
}

/// Where an answer stands, for errors about it.
pub(super) struct At<'a> {
    node: &'a Node,
    field: Field,
}

impl At<'_> {
    /// A mistake in a field of the answer.
    pub(super) fn error(&self, key: &str, message: impl Into<String>) -> DocumentError {
        let place = self.node.member(key).map_or(&self.node.place, |member| &member.place);
        DocumentError::new(place.clone(), &self.field.clone().key(key), message)
    }
}

fn entry(written: Written, at: &At<'_>) -> Result<Entry, DocumentError> {
    let Written { case, turn, repeat, reply: OneOrMore(replies) } = written;
    if turn == Some(0) {
        return Err(at.error("turn", "there is no turn 0").with_hint("the first turn is 1"));
    }
    if replies.is_empty() {
        return Err(at.error("reply", "there is no reply").with_hint("give one, or one per attempt"));
    }
    let glob = Glob::new(&case).map_err(|e| at.error("case", format!("this names no case: {e}")))?;
    let scenes = replies.into_iter().map(|reply| reply.scene(at)).collect::<Result<_, _>>()?;
    Ok(Entry { case, glob: glob.compile_matcher(), turn, repeat, scenes })
}

/// One reply or a list. Not an untagged enum: its errors would name neither place nor field.
struct OneOrMore(Vec<ReplySpec>);

impl<'de> Deserialize<'de> for OneOrMore {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(OneOrMoreVisitor)
    }
}

struct OneOrMoreVisitor;

impl<'de> Visitor<'de> for OneOrMoreVisitor {
    type Value = OneOrMore;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a reply, or a list of replies: one per attempt")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<OneOrMore, A::Error> {
        Ok(OneOrMore(vec![ReplySpec::deserialize(MapAccessDeserializer::new(map))?]))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<OneOrMore, A::Error> {
        let mut replies = Vec::new();
        while let Some(reply) = seq.next_element()? {
            replies.push(reply);
        }
        Ok(OneOrMore(replies))
    }
}
