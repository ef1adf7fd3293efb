//! A program that prints a secret: the client of any vault. No shell reads its words.

use super::{MOST_BYTES, Source, Sources};
use crate::adapters::process::Program;
use std::{path::Path, time::Duration};

/// How long it may take.
const TIMEOUT: Duration = Duration::from_secs(15);

/// The source.
pub(super) struct OwnCommand;

impl Source for OwnCommand {
    fn word(&self) -> &'static str {
        "command"
    }

    fn form(&self) -> &'static str {
        "command:/path WORD…"
    }

    fn is_costly(&self) -> bool {
        true
    }

    fn check(&self, place: &str) -> Result<(), String> {
        argv(place).map(drop)
    }

    fn ready(&self, place: &str, _: &Sources) -> Result<(), String> {
        let argv = argv(place)?;
        let program = argv.first().map_or("", String::as_str);
        if Path::new(program).is_file() {
            Ok(())
        } else {
            Err(format!("there is no program `{program}`\nhint: install it, or bind the credential anew"))
        }
    }

    fn read(&self, place: &str, _: &Sources) -> Result<Vec<u8>, String> {
        let argv = argv(place)?;
        Program { argv: &argv, stdin: Vec::new(), timeout: TIMEOUT, most: MOST_BYTES }.run()
    }
}

/// Words as in `/usr/bin/pass show github`, or as a JSON list where one holds a blank.
fn argv(place: &str) -> Result<Vec<String>, String> {
    let words: Vec<String> = match place.starts_with('[') {
        true => serde_json::from_str(place).map_err(|e| format!("the command is no list of words: {e}"))?,
        false => place.split_whitespace().map(ToOwned::to_owned).collect(),
    };
    match words.first() {
        Some(program) if Path::new(program).is_absolute() => Ok(words),
        Some(program) => Err(format!(
            "`{program}` is no absolute path\nhint: name the program by its whole path, so that it is always the same"
        )),
        None => Err("no program is named".to_owned()),
    }
}
