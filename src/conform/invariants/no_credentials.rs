//! Invariant 7: no credential reaches what a model can see.
//!
//! Secrets are planted (canaries) and looked for in every text of every event: as they are, as base64 in its
//! three alignments and both alphabets, hexadecimal, percent-encoded, escaped for JSON, reversed, and cut in
//! two between one projection and the next. Encodings that are not in this list are not looked for.

use super::{Event, Invariant, Known, Notes, Options, Requirement, Watch};
use aho_corasick::AhoCorasick;
use base64::{Engine as _, alphabet, engine::general_purpose::NO_PAD};
use serde_json::Value;
use std::collections::HashMap;

const NOWHERE: Requirement = Requirement::must(
    "R7.1",
    "§18.7, §3",
    "no planted secret stands in any event, in any encoding that is looked for",
);
const NOT_IN_PARTS: Requirement =
    Requirement::must("R7.2", "§18.7, §3", "no planted secret reaches a model in parts");

pub(super) struct NoCredentials;

impl Invariant for NoCredentials {
    fn number(&self) -> u8 {
        7
    }

    fn title(&self) -> &'static str {
        "credentials never reach the model's context"
    }

    fn why(&self) -> &'static str {
        "what a model has read it may repeat, to anybody, at any time"
    }

    fn needs(&self) -> &'static str {
        "planted secrets (`--canary`), and something that a model is shown (`ContextProjected`)"
    }

    fn requirements(&self) -> &'static [Requirement] {
        &[NOWHERE, NOT_IN_PARTS]
    }

    fn watch(&self, options: &Options) -> Box<dyn Watch> {
        let forms: Vec<String> = options.canaries.iter().flat_map(|c| forms(c)).collect();
        let longest = forms.iter().map(String::len).max().unwrap_or_default();
        // Without canaries, or with more than can be searched for, nothing is exercised: never a pass.
        let search = (!forms.is_empty()).then(|| AhoCorasick::new(&forms).ok()).flatten();
        Box::new(Watching { search, longest, tails: HashMap::new() })
    }

    fn keeps(&self) -> &'static str {
        called!()
    }

    fn breaks(&self) -> &'static [(&'static str, &'static str)] {
        // The secret planted in the tests is `canary-7f3a9c`.
        &[
            (
                "as it is",
                concat!(
                    decided!(),
                    started!(),
                    finished!(),
                    kept!(),
                    r#"{"type":"ContextProjected","toolCallId":"c","tokens":9,"maxTokens":10,"preview":"key=canary-7f3a9c"}"#
                ),
            ),
            (
                "base64, in the middle of other bytes",
                concat!(
                    called!(),
                    r#"{"type":"ModelOutputReceived","model":"m","text":"eHhjYW5hcnktN2YzYTlj"}"#
                ),
            ),
            (
                "hexadecimal",
                concat!(
                    called!(),
                    r#"{"type":"ModelOutputReceived","model":"m","text":"63616E6172792D376633613963"}"#
                ),
            ),
            (
                "reversed",
                concat!(called!(), r#"{"type":"ModelOutputReceived","model":"m","text":"c9a3f7-yranac"}"#),
            ),
            (
                "cut in two",
                concat!(
                    decided!(),
                    started!(),
                    finished!(),
                    kept!(),
                    r#"{"type":"ContextProjected","toolCallId":"c","tokens":9,"maxTokens":10,"preview":"key=canary-"}"#,
                    "\n",
                    r#"{"type":"ContextProjected","toolCallId":"c","tokens":9,"maxTokens":10,"preview":"7f3a9c and more"}"#
                ),
            ),
        ]
    }
}

/// The forms in which a secret is looked for.
pub(in crate::conform) fn forms(secret: &str) -> Vec<String> {
    let hex: String = secret.bytes().map(|b| format!("{b:02x}")).collect();
    let percent: String = secret.bytes().map(|b| format!("%{b:02X}")).collect();
    let escaped = secret.bytes().map(|b| match b {
        b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => char::from(b).to_string(),
        other => format!("%{other:02X}"),
    });
    let json = Value::from(secret).to_string();
    let mut forms = vec![
        secret.to_owned(),
        hex.to_uppercase(),
        hex,
        percent,
        escaped.collect(),
        json.trim_matches('"').to_owned(),
        secret.chars().rev().collect(),
    ];
    forms.extend((0..3).flat_map(|offset| base64(secret, offset)));
    forms.retain(|form| !form.is_empty());
    forms.sort();
    forms.dedup();
    forms
}

/// The characters of base64 that are the same whatever stands around the secret, `offset` bytes into a group.
fn base64(secret: &str, offset: usize) -> [String; 2] {
    let mut bytes = vec![0; offset];
    bytes.extend_from_slice(secret.as_bytes());
    let (first, last) = ((offset * 8).div_ceil(6), bytes.len() * 8 / 6);
    [alphabet::STANDARD, alphabet::URL_SAFE].map(|alphabet| {
        let text = base64::engine::GeneralPurpose::new(&alphabet, NO_PAD).encode(&bytes);
        text.get(first..last).unwrap_or_default().to_owned()
    })
}

struct Watching {
    search: Option<AhoCorasick>,
    longest: usize,
    /// The end of what each call has shown so far.
    tails: HashMap<String, String>,
}

impl Watch for Watching {
    fn see(&mut self, event: &Event, _: &Known, notes: &mut Notes) {
        let Some(search) = &self.search else { return };
        let shown = event.kind() == "ContextProjected";
        if shown {
            notes.exercise();
        }
        let found = event.fields().values().any(|value| holds(search, value));
        let mut joined = String::new();
        if shown {
            joined = self.tails.remove(event.call()).unwrap_or_default() + event.text("preview");
        }
        if found {
            let sentence = format!(
                "a planted secret stands in a `{}`, as it is or encoded: whoever reads the log has it",
                event.kind()
            );
            notes.violate(&NOWHERE, sentence, &[&event.into()]);
        } else if search.is_match(&joined) {
            let sentence = format!(
                "a planted secret reaches the model in parts: this one completes it for call `{}`",
                event.call()
            );
            notes.violate(&NOT_IN_PARTS, sentence, &[&event.into()]);
        } else if shown {
            let keep = joined.char_indices().rev().nth(self.longest).map_or(0, |(at, _)| at);
            self.tails.insert(event.call().to_owned(), joined.split_off(keep));
        } else if event.kind() == "TraceUpdated" {
            self.tails.remove(event.call());
        }
    }
}

fn holds(search: &AhoCorasick, value: &Value) -> bool {
    match value {
        Value::String(text) => search.is_match(text),
        Value::Array(items) => items.iter().any(|item| holds(search, item)),
        Value::Object(fields) => {
            fields.iter().any(|(name, field)| search.is_match(name) || holds(search, field))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}
