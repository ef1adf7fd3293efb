//! Events and options for the tests of this folder.

use super::{JournalOptions, Signer};
use crate::{
    adapters::clock::SystemClock,
    event::{Fact, Scope, fact::UserPromptSubmitted},
};
use serde_json::json;
use std::{path::Path, sync::Arc};

pub(super) fn options() -> JournalOptions {
    JournalOptions::new(&"r".into(), "test", Arc::new(SystemClock))
}

pub(super) fn keys(folder: &Path) -> Arc<Signer> {
    Arc::new(Signer::open(folder).unwrap())
}

pub(super) fn scope(call: &str) -> Scope {
    Scope { session_id: "s".into(), run_id: "r".into(), call_id: Some(call.into()) }
}

pub(super) fn prompt(text: &str) -> Fact {
    UserPromptSubmitted { prompt: text.to_owned() }.into()
}

pub(super) fn started() -> Fact {
    known(json!({
        "type": "ToolCallStarted", "toolId": "file.read", "toolVersion": "1.0.0", "descriptorDigest": "d",
        "argsDigest": "a", "scopes": [], "riskLevel": "low", "level": "L0", "principal": "user:dev",
        "adapter": "cli", "policyIds": [],
    }))
}

pub(super) fn finished() -> Fact {
    known(json!({
        "type": "ToolCallFinished", "status": "success", "outputBytes": 0, "latencyMs": 0,
        "effectsObserved": { "reads": [], "writes": [], "externalCalls": [] },
    }))
}

fn known(fact: serde_json::Value) -> Fact {
    let fact = serde_json::from_value(fact).unwrap();
    assert!(!matches!(fact, Fact::Unknown(_)), "{fact:?}");
    fact
}
