//! Invariant 9: every artifact names the call and the event that it comes from, and is still what was kept.
//!
//! With `--artifacts`, the bytes are read and hashed; an artifact that is gone is one that proves nothing.

use super::{Event, Invariant, Known, Notes, Options, Requirement, Watch};
use crate::conform::judge::Proof;
use sha2::{Digest as _, Sha256};
use std::{
    collections::HashMap,
    path::{Path, PathBuf},
};

const ITS_CALL: Requirement = Requirement::must("R9.1", "§18.9, §9", "an artifact names its call");
const ITS_EVENT: Requirement =
    Requirement::must("R9.2", "§18.9, §9", "an artifact names the event that is the result of its call");
const ITS_DIGEST: Requirement =
    Requirement::must("R9.3", "§18.9, §9", "an artifact states the digest of its bytes");
const ITS_BYTES: Requirement = Requirement::must("R9.4", "§18.9, §9", "the stored bytes have that digest");
const ITS_SIZE: Requirement = Requirement::should("R9.5", "§9", "an artifact states how many bytes it holds");

pub(super) struct ArtifactOrigin;

impl Invariant for ArtifactOrigin {
    fn number(&self) -> u8 {
        9
    }

    fn title(&self) -> &'static str {
        "every artifact references its call and its event"
    }

    fn why(&self) -> &'static str {
        "evidence without an origin is a file that anybody may have put there"
    }

    fn needs(&self) -> &'static str {
        "an artifact (`ArtifactPersisted`)"
    }

    fn requirements(&self) -> &'static [Requirement] {
        &[ITS_CALL, ITS_EVENT, ITS_DIGEST, ITS_BYTES, ITS_SIZE]
    }

    fn watch(&self, options: &Options) -> Box<dyn Watch> {
        Box::new(Watching { artifacts: options.artifacts.clone(), finished: HashMap::new() })
    }

    fn keeps(&self) -> &'static str {
        called!()
    }

    fn breaks(&self) -> &'static [(&'static str, &'static str)] {
        &[
            (
                "no call",
                concat!(
                    called!(),
                    r#"{"type":"ArtifactPersisted","artifactId":"x","contentHash":"h","sourceEventId":"fin"}"#
                ),
            ),
            (
                "no event",
                concat!(
                    called!(),
                    r#"{"type":"ArtifactPersisted","toolCallId":"c","artifactId":"x","contentHash":"h"}"#
                ),
            ),
            (
                "an event that does not exist",
                concat!(
                    called!(),
                    r#"{"type":"ArtifactPersisted","toolCallId":"c","artifactId":"x","contentHash":"h","sourceEventId":"nowhere"}"#
                ),
            ),
            (
                "no digest",
                concat!(
                    called!(),
                    r#"{"type":"ArtifactPersisted","toolCallId":"c","artifactId":"x","sourceEventId":"fin"}"#
                ),
            ),
        ]
    }
}

struct Watching {
    artifacts: Option<PathBuf>,
    /// The event that ended each call.
    finished: HashMap<String, String>,
}

impl Watch for Watching {
    fn see(&mut self, event: &Event, _: &Known, notes: &mut Notes) {
        match event.kind() {
            "ToolCallFinished" => {
                self.finished.insert(event.call().to_owned(), event.text("eventId").to_owned());
            }
            "TraceUpdated" => drop(self.finished.remove(event.call())),
            "ArtifactPersisted" => {
                notes.exercise();
                let mut tell = |requirement, fault: &str| {
                    let sentence = format!("artifact `{}` {fault}", event.text("artifactId"));
                    notes.violate(requirement, sentence, &[&Proof::from(event)]);
                };
                if let Some((requirement, fault)) = self.fault(event) {
                    tell(requirement, &fault);
                } else if event.count("bytes").is_none() {
                    tell(&ITS_SIZE, "does not say how many bytes it holds");
                }
            }
            _ => {}
        }
    }
}

impl Watching {
    fn fault(&self, event: &Event) -> Option<(&'static Requirement, String)> {
        let (call, source, hash) = (event.call(), event.text("sourceEventId"), event.text("contentHash"));
        if call.is_empty() {
            return Some((&ITS_CALL, "names no call: it could be anybody's".to_owned()));
        }
        if hash.is_empty() {
            return Some((&ITS_DIGEST, "has no digest: nobody can tell whether it was changed".to_owned()));
        }
        match self.finished.get(call) {
            None => {
                return Some((
                    &ITS_EVENT,
                    format!("names call `{call}`, which has no result it could come from"),
                ));
            }
            Some(end) if end != source => {
                let named =
                    if source.is_empty() { "no event".to_owned() } else { format!("the event `{source}`") };
                return Some((&ITS_EVENT, format!("names {named}, and the result of its call is `{end}`")));
            }
            Some(_) => {}
        }
        let folder = self.artifacts.as_ref()?;
        stored(folder, event.text("uri"), hash).map(|fault| (&ITS_BYTES, fault))
    }
}

/// What is wrong with the stored bytes. They lie in the folder under the last part of the artifact's address.
fn stored(folder: &Path, uri: &str, hash: &str) -> Option<String> {
    let name = uri.rsplit([':', '/']).next().filter(|n| !n.is_empty() && *n != ".." && *n != ".")?;
    let mut file = match std::fs::File::open(folder.join(name)) {
        Ok(file) => file,
        Err(error) => return Some(format!("cannot be read: {error}")),
    };
    let mut hasher = Sha256::new();
    if let Err(error) = std::io::copy(&mut file, &mut Hashing(&mut hasher)) {
        return Some(format!("cannot be read: {error}"));
    }
    let found: String = hasher.finalize().iter().map(|b| format!("{b:02x}")).collect();
    (found != hash).then(|| format!("was changed: its digest is {found}, kept was {hash}"))
}

struct Hashing<'a>(&'a mut Sha256);

impl std::io::Write for Hashing<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
