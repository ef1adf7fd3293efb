//! Why a request is not recorded: the nearest one that is, and what differs.

use super::{line::Recording, seen::Seen, store::Store};
use crate::provider::{Fault, Request};
use proofhouse_manager::{model::ToolId, text::shorten};
use serde_json::Value;
use std::{collections::BTreeMap, fmt::Write as _};

const HINT: &str = "hint: ask the model again with `--record missing`";
/// So many tools are told apart in words; the rest are counted.
const SHOWN: usize = 5;
const WINDOW: usize = 60;

/// The fault for a request that is not recorded.
pub(in crate::provider) fn explain_miss(store: &Store, seen: &Seen, request: &Request) -> Fault {
    let Some(nearest) = nearest(store, seen, request) else {
        return Fault::NoRecording(format!(
            "nothing like turn {} of `{}` is recorded in {}\n{HINT}",
            request.turn + 1,
            request.trial.case,
            store.path().display()
        ));
    };
    let tools = ToolChanges::between(store, nearest, seen);
    let conversation = conversation_change(nearest, seen);
    if tools.is_empty() && conversation.is_none() && !order_changed(nearest, seen) {
        return Fault::NoRecording(format!(
            "repeat {} of `{}` is not recorded in {}, only others are\n{HINT}",
            request.trial.repeat + 1,
            request.trial.case,
            store.path().display()
        ));
    }
    let mut message = format!("the recording of `{}` is stale", nearest.case);
    if tools.is_empty() && conversation.is_none() {
        message.push_str(": the same tools are offered in another order");
    }
    message.extend(conversation.map(|change| format!("\n{change}")));
    tools.describe(&mut message);
    message.push('\n');
    message.push_str(HINT);
    Fault::Stale { message, changed_tools: tools.ids() }
}

/// The recorded request that is nearest: of this case and turn, or with this conversation; then the one that
/// shares most; then the newest.
fn nearest<'a>(store: &'a Store, seen: &Seen, request: &Request) -> Option<&'a Recording> {
    let same_turn = |r: &Recording| r.case == request.trial.case && r.turn == request.turn;
    let near = store.recordings().filter(|r| same_turn(r) || r.messages_digest == seen.messages_digest);
    near.max_by_key(|r| {
        let shared = seen.payloads.iter().filter(|p| r.tools.iter().any(|tool| tool.payload == p.digest));
        (
            same_turn(r),
            r.suite == request.trial.suite,
            r.distractors == request.trial.distractors,
            r.messages_digest == seen.messages_digest,
            r.repeat == request.trial.repeat,
            shared.count(),
            r.recorded_at,
        )
    })
}

fn order_changed(nearest: &Recording, seen: &Seen) -> bool {
    !nearest.tools.iter().map(|tool| &tool.payload).eq(seen.payloads.iter().map(|payload| &payload.digest))
}

fn conversation_change(nearest: &Recording, seen: &Seen) -> Option<String> {
    if nearest.messages_digest == seen.messages_digest {
        return None;
    }
    let change = first_change(&nearest.messages, &seen.messages).unwrap_or_default();
    Some(format!("the conversation changed: {change}"))
}

/// How the tools of two requests differ.
struct ToolChanges {
    /// In the order of their ids, with the first place where the payloads differ.
    changed: BTreeMap<ToolId, String>,
    came: Vec<ToolId>,
    went: Vec<ToolId>,
}

impl ToolChanges {
    fn between(store: &Store, nearest: &Recording, seen: &Seen) -> Self {
        let before: BTreeMap<_, _> = nearest.tools.iter().map(|t| (&t.tool, &t.payload)).collect();
        let after: BTreeMap<_, _> = seen.payloads.iter().map(|p| (&p.tool, p)).collect();
        let changed = after.iter().filter_map(|(id, payload)| {
            let old = before.get(id).filter(|old| ***old != payload.digest)?;
            let change = store.payload(old).and_then(|old| first_change(old, &payload.value));
            Some(((*id).clone(), change.unwrap_or_default()))
        });
        let came = after.keys().filter(|id| !before.contains_key(**id)).map(|id| (*id).clone()).collect();
        let went = before.keys().filter(|id| !after.contains_key(**id)).map(|id| (*id).clone()).collect();
        Self { changed: changed.collect(), came, went }
    }

    fn is_empty(&self) -> bool {
        self.changed.is_empty() && self.came.is_empty() && self.went.is_empty()
    }

    /// Every tool that differs, sorted.
    fn ids(&self) -> Vec<ToolId> {
        let mut ids: Vec<ToolId> = self.changed.keys().chain(&self.came).chain(&self.went).cloned().collect();
        ids.sort();
        ids
    }

    fn describe(&self, message: &mut String) {
        for (tool, change) in self.changed.iter().take(SHOWN) {
            let _ = write!(message, "\n{tool} changed: {change}");
        }
        if self.changed.len() > SHOWN {
            let _ = write!(message, "\nand {} more changed", self.changed.len() - SHOWN);
        }
        for (tools, verb) in [(&self.came, "new in the view"), (&self.went, "no longer in the view")] {
            if !tools.is_empty() {
                let names: Vec<&str> = tools.iter().map(ToolId::as_str).collect();
                let _ = write!(message, "\n{verb}: {}", names.join(", "));
            }
        }
    }
}

/// The first place where two values differ, with both sides cut to what differs.
fn first_change(before: &Value, after: &Value) -> Option<String> {
    let (path, before, after) = first_difference(before, after, String::new())?;
    let (before, after) = match (before, after) {
        (Some(Value::String(before)), Some(Value::String(after))) => windows(before, after),
        (before, after) => {
            let text = |value: Option<&Value>| {
                value.map_or_else(|| "(nothing)".into(), |v| shorten(&v.to_string(), WINDOW).into_owned())
            };
            (text(before), text(after))
        }
    };
    Some(format!("{path}: `{before}` → `{after}`"))
}

type Difference<'a> = (String, Option<&'a Value>, Option<&'a Value>);

fn first_difference<'a>(before: &'a Value, after: &'a Value, path: String) -> Option<Difference<'a>> {
    let differ = |key: &str, old: Option<&'a Value>, new: Option<&'a Value>| -> Option<Difference<'a>> {
        let path = format!("{path}/{}", key.replace('~', "~0").replace('/', "~1"));
        match (old, new) {
            (Some(old), Some(new)) => first_difference(old, new, path),
            (old, new) => Some((path, old, new)),
        }
    };
    match (before, after) {
        (old, new) if old == new => None,
        (Value::Object(old), Value::Object(new)) => {
            let keys = old.keys().chain(new.keys().filter(|key| !old.contains_key(*key)));
            keys.into_iter().find_map(|key| differ(key, old.get(key), new.get(key)))
        }
        (Value::Array(old), Value::Array(new)) => {
            (0..old.len().max(new.len())).find_map(|i| differ(&i.to_string(), old.get(i), new.get(i)))
        }
        (old, new) => Some((path, Some(old), Some(new))),
    }
}

/// Two texts from shortly before where they part.
fn windows(before: &str, after: &str) -> (String, String) {
    let same = before.chars().zip(after.chars()).take_while(|(a, b)| a == b).count();
    let skip = same.saturating_sub(20);
    let window = |text: &str| {
        let rest: String = text.chars().skip(skip).collect();
        format!("{}{}", if skip > 0 { "…" } else { "" }, shorten(&rest, WINDOW))
    };
    (window(before), window(after))
}
