//! `replay:` — real answers that were given earlier.
//!
//! The request is compiled exactly as the recorded provider would compile it, and the raw answer goes through
//! that provider's parser. What is not recorded is a fault that says why, and never an answer.

use super::{
    ALL, Attempt, Fault, Provider, Reply, Request,
    open::{Kind, ModelError, Opened},
    recording::{Store, explain_miss, files_in, recorded_reply, seen::Seen},
    settings::{Params, ProviderSettings},
    wire::{Identity, Wire},
};
use futures_util::future::{BoxFuture, ready};
use proofhouse_manager::resolve::payload::Dialect;
use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    sync::Arc,
};

/// Models whose answers were recorded.
pub(super) const KIND: Kind = Kind {
    prefix: "replay",
    takes: "FOLDER",
    docs: "recorded answers of a real model; a recording that no longer fits is stale, never a pass",
    wire: None,
    open,
};

fn open(path: &str, _: &ProviderSettings) -> Result<Opened, ModelError> {
    let file = the_file(Path::new(path))?;
    let store = Store::load(&file).map_err(|e| ModelError::Recording(e.to_string()))?;
    let fail = |problem: String| ModelError::Recording(format!("{}: {problem}", file.display()));
    let models: BTreeSet<(&str, &str)> =
        store.recordings().map(|r| (r.provider.as_str(), r.model.as_str())).collect();
    let (provider, model) = match models.first() {
        None => {
            return Err(fail(match store.problems() {
                [] => format!("nothing is recorded\n{HINT}"),
                problems => problems.join("\n"),
            }));
        }
        Some(_) if models.len() > 1 => {
            let names: Vec<String> = models.iter().map(|(p, m)| format!("{p}:{m}")).collect();
            return Err(fail(format!(
                "holds answers of several models: {}\nhint: keep one file a model",
                names.join(", ")
            )));
        }
        Some(&(provider, model)) => (provider.to_owned(), model.to_owned()),
    };
    let wire = wire(&provider).ok_or_else(|| {
        fail(format!("is of a provider `{provider}` that this version of proofhouse does not know"))
    })?;
    let params = params(&store);
    let identity = Identity::new(wire, model, Params::default(), None);
    Ok(Opened::Plain(Arc::new(Replay { name: identity.name(), identity, params, store })))
}

const HINT: &str = "hint: record a model with `proofhouse run -m openai:MODEL --record missing`";

fn wire(provider: &str) -> Option<&'static dyn Wire> {
    ALL.iter().filter_map(|kind| kind.wire).find(|wire| wire.kind() == provider)
}

/// The one file that a path stands for.
fn the_file(path: &Path) -> Result<PathBuf, ModelError> {
    if path.is_file() {
        return Ok(path.to_owned());
    }
    let fail = |problem: String| ModelError::Recording(format!("{}: {problem}", path.display()));
    let files = files_in(path).map_err(|e| fail(format!("no recordings: {}\n{HINT}", e.source)))?;
    match files.as_slice() {
        [] => Err(fail(format!("the folder holds no recording\n{HINT}"))),
        [file] => Ok(file.clone()),
        files => {
            let names: Vec<String> = files.iter().map(|file| format!("replay:{}", file.display())).collect();
            Err(fail(format!("the folder holds several models\nhint: name one: {}", names.join(", "))))
        }
    }
}

/// The parameters that were recorded with, those of the newest line first.
fn params(store: &Store) -> Vec<Params> {
    let mut by_age: Vec<_> = store.recordings().map(|r| (r.recorded_at, r.params)).collect();
    by_age.sort_by_key(|(at, _)| std::cmp::Reverse(*at));
    let mut distinct = Vec::new();
    for (_, params) in by_age {
        if !distinct.contains(&params) {
            distinct.push(params);
        }
    }
    distinct
}

/// A model whose answers were recorded.
struct Replay {
    name: String,
    identity: Identity,
    params: Vec<Params>,
    store: Store,
}

impl Provider for Replay {
    fn name(&self) -> &str {
        &self.name
    }

    fn label(&self) -> &'static str {
        "a recording: a real model's answers, given earlier"
    }

    fn dialect(&self) -> Dialect {
        self.identity.wire.dialect()
    }

    fn notes(&self, _: &[&str]) -> Vec<String> {
        self.store.problems().to_vec()
    }

    fn ask<'a>(&'a self, request: &'a Request, _: Attempt) -> BoxFuture<'a, Result<Reply, Fault>> {
        Box::pin(ready(self.answer(request)))
    }
}

impl Replay {
    fn answer(&self, request: &Request) -> Result<Reply, Fault> {
        let seen = Seen::of(&self.identity, request);
        let mut keys = self.params.iter().map(|params| seen.key(&self.identity, params));
        match keys.find_map(|key| self.store.get(&key)) {
            Some(recording) => recorded_reply(recording, &self.identity, request),
            None => Err(explain_miss(&self.store, &seen, request)),
        }
    }
}
