//! The keyring of the user's session, through the program that the system has for it.

use super::{MOST_BYTES, Source, Sources};
use crate::adapters::process::Program;
use std::time::Duration;

/// A keyring that is locked asks its user, who may be slow; one that nobody unlocks does not hold a call for ever.
const TIMEOUT: Duration = Duration::from_secs(60);

/// The source.
pub(super) struct Keyring;

/// The program, and how it is asked.
#[cfg(target_os = "macos")]
const CLIENT: (&str, [&str; 6]) = ("security", ["find-generic-password", "-w", "-s", SERVICE, "-a", ACCOUNT]);
/// The program, and how it is asked.
#[cfg(not(target_os = "macos"))]
const CLIENT: (&str, [&str; 5]) = ("secret-tool", ["lookup", "service", SERVICE, "account", ACCOUNT]);
const SERVICE: &str = "{service}";
const ACCOUNT: &str = "{account}";

impl Source for Keyring {
    fn word(&self) -> &'static str {
        "keyring"
    }

    fn form(&self) -> &'static str {
        "keyring:service/account"
    }

    fn is_costly(&self) -> bool {
        true
    }

    fn check(&self, place: &str) -> Result<(), String> {
        parts(place).map(drop)
    }

    fn ready(&self, _: &str, world: &Sources) -> Result<(), String> {
        client(world).map(drop)
    }

    fn read(&self, place: &str, world: &Sources) -> Result<Vec<u8>, String> {
        let (service, account) = parts(place)?;
        let mut argv = vec![client(world)?];
        argv.extend(CLIENT.1.map(|word| match word {
            SERVICE => service.to_owned(),
            ACCOUNT => account.to_owned(),
            word => word.to_owned(),
        }));
        Program { argv: &argv, stdin: Vec::new(), timeout: TIMEOUT, most: MOST_BYTES }.run()
    }
}

fn parts(place: &str) -> Result<(&str, &str), String> {
    let is_part = |part: &str| !part.is_empty() && !part.starts_with('-') && !part.contains(char::is_control);
    let parts = place.split_once('/').filter(|(service, account)| is_part(service) && is_part(account));
    parts.ok_or_else(|| format!("`{place}` names no entry\nhint: write `keyring:service/account`"))
}

fn client(world: &Sources) -> Result<String, String> {
    let found = world.program(CLIENT.0).map(|path| path.display().to_string());
    found.ok_or_else(|| {
        format!(
            "there is no `{}`, which reads the keyring\nhint: install it, or keep the secret in `file:/path`",
            CLIENT.0
        )
    })
}
