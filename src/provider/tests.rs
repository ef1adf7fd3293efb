//! The table of providers, and what holds for all of them.

mod answers;
mod http;

use super::{
    testing::{KEY, settings},
    *,
};
use std::{collections::BTreeSet, fs, path::Path};

/// Files that are no provider but what providers stand on.
const SHARED: &[&str] = &[
    "address",
    "answer",
    "api",
    "conversation",
    "http",
    "mod",
    "open",
    "recording",
    "redact",
    "retry",
    "settings",
    "testing",
    "tests",
    "wire",
];

#[test]
fn every_provider_of_this_folder_is_in_the_table() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/provider");
    let names = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path().file_stem().unwrap().to_string_lossy().into_owned());
    let files: BTreeSet<String> = names.filter(|name| !SHARED.contains(&name.as_str())).collect();
    // A folder may hold several APIs of one maker: the prefix begins with its name.
    let kinds: BTreeSet<String> =
        ALL.iter().map(|kind| kind.prefix.split('-').next().unwrap().to_owned()).collect();
    assert_eq!(files, kinds);
}

#[test]
fn a_wire_format_goes_by_the_prefix_of_its_kind() {
    for kind in ALL {
        assert!(kind.wire.is_none_or(|wire| wire.kind() == kind.prefix), "{}", kind.prefix);
        assert!(!kind.docs.is_empty());
    }
}

fn check_error(spec: &str, parts: &[&str]) {
    let mut settings = settings();
    settings.env = std::sync::Arc::new(|_| None);
    let error = open(spec, &settings).map(|p| p.name().to_owned()).unwrap_err().to_string();
    for part in parts {
        assert!(error.contains(part), "{spec}: {error}");
    }
    assert!(error.contains("\nhint: ") || spec.starts_with("script"), "{error}");
}

#[test]
fn a_name_that_cannot_be_opened_says_what_to_write() {
    check_error("opnai:gpt-5", &["no provider `opnai`", "did you mean `openai:MODEL[@BASE_URL]`?"]);
    check_error("gpt-5-mini", &["no provider `gpt-5-mini`", "there are lexical, script:FILE, replay:FOLDER"]);
    check_error("openai", &["does not name a model", "openai:MODEL"]);
    check_error("openai:", &["does not name a model"]);
    check_error("openai:gpt-5", &["OPENAI_API_KEY is not set", "export OPENAI_API_KEY"]);
    check_error("openai-responses:gpt-5", &["OPENAI_API_KEY is not set"]);
    check_error("anthropic:claude", &["ANTHROPIC_API_KEY is not set"]);
    check_error("openai:m@http://u:hunter2@h", &["must not hold a user"]);
    check_error("command:python3 'x", &["is no command line"]);
    check_error("script:/nowhere.yaml", &["/nowhere.yaml", "No such file"]);
    check_error("replay:/nowhere", &["/nowhere", "--record missing"]);
}

#[test]
fn a_server_on_this_machine_needs_no_key() {
    let mut settings = settings();
    settings.env = std::sync::Arc::new(|_| None);
    for spec in ["openai:m@http://127.0.0.1:1/v1", "anthropic:m@http://localhost:1"] {
        assert_eq!(open(spec, &settings).unwrap().name(), spec.split('@').next().unwrap());
    }
}

#[test]
fn a_key_that_is_no_header_is_refused_without_being_shown() {
    let mut settings = settings();
    settings.env = std::sync::Arc::new(|_| Some(format!("{KEY}\u{1}x")));
    for spec in ["openai:m", "anthropic:m"] {
        let error = open(spec, &settings).map(|_| ()).unwrap_err();
        assert!(!format!("{error} {error:?}").contains(KEY));
    }
    assert!(!format!("{settings:?}").contains(KEY));
}
