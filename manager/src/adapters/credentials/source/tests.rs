use super::*;
use std::{
    os::unix::fs::{PermissionsExt as _, symlink},
    path::Path,
};

const SECRET: &str = "sk-7Hq2mXw9Zt4L";

fn sources(programs: &Path) -> Sources {
    let environment: Environment = Arc::new(|name| (name == "TOKEN").then(|| SECRET.to_owned()));
    Sources { environment, programs: vec![programs.to_owned()] }
}

fn write(path: &Path, text: &str, mode: u32) {
    std::fs::write(path, text).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

/// Writes a program by another process: were it open for writing here, it could not be started.
fn write_program(path: &Path, text: &str) {
    let script = "printf %s \"$1\" > \"$2\" && chmod 700 \"$2\"";
    let mut shell = std::process::Command::new("/bin/sh");
    assert!(shell.args(["-c", script, "sh", text]).arg(path).status().unwrap().success());
}

/// What comes of a reference; no error ever says the secret.
fn check(sources: &Sources, reference: &str, expected: Result<&str, &str>) {
    match (sources.read(reference), expected) {
        (Ok(secret), Ok(expected)) => {
            assert_eq!(secret.expose(), expected, "{reference}");
            assert_eq!(sources.ready(reference), Ok(()), "{reference}");
        }
        (Err(error), Err(part)) => {
            let error = error.to_string();
            assert!(error.contains(part) && !error.contains(SECRET), "{reference}: {error}");
        }
        (got, _) => panic!("{reference}: {got:?}"),
    }
}

#[test]
fn a_secret_is_read_where_it_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    let at = |name: &str| root.join(name);
    write(&at("token"), &format!("{SECRET}\n"), 0o600);
    write(&at("windows"), &format!("{SECRET}\r\n"), 0o400);
    write(&at("two"), &format!("{SECRET}\n\n"), 0o600);
    write(&at("empty"), "\n", 0o600);
    write(&at("open"), SECRET, 0o640);
    write(&at("large"), &SECRET.repeat(5000), 0o600);
    std::fs::write(at("bytes"), b"sk-7Hq2mXw9Zt4L\xff").unwrap();
    std::fs::set_permissions(at("bytes"), std::fs::Permissions::from_mode(0o600)).unwrap();
    symlink(at("token"), at("link")).unwrap();
    std::fs::create_dir(at("folder")).unwrap();
    write(&at("folder/token"), SECRET, 0o600);
    symlink(at("folder"), at("other")).unwrap();
    write_program(&at("vault"), &format!("#!/bin/sh\necho {SECRET}"));
    write_program(&at("closed"), &format!("#!/bin/sh\necho {SECRET}; exit 1"));
    write_program(
        &at("secret-tool"),
        &format!("#!/bin/sh\n[ \"$*\" = 'lookup service git hub account me' ] && echo {SECRET}"),
    );
    let sources = sources(&root);
    let here = |form: &str, name: &str| format!("{form}:{}", at(name).display());
    let rows = [
        ("env:TOKEN".to_owned(), Ok(SECRET)),
        ("env:OTHER".to_owned(), Err("the variable `OTHER` is not set")),
        ("env:$TOKEN".to_owned(), Err("`$TOKEN` is no name of a variable")),
        ("env:".to_owned(), Err("no name of a variable")),
        (here("file", "token"), Ok(SECRET)),
        (here("file", "windows"), Ok(SECRET)),
        (here("file", "two"), Ok("sk-7Hq2mXw9Zt4L\n")),
        (here("file", "empty"), Err("holds nothing")),
        (here("file", "open"), Err("can be read or changed by others, its mode is 640")),
        (here("file", "large"), Err("more than 64 KiB")),
        (here("file", "bytes"), Err("no text in UTF-8")),
        (here("file", "link"), Err("no part of its path be a link")),
        (here("file", "folder"), Err("is no file")),
        (here("file", "missing"), Err("cannot be opened")),
        ("file:token".to_owned(), Err("no absolute path")),
        ("file:/etc/../etc/passwd".to_owned(), Err("no absolute path")),
        (here("command", "vault"), Ok(SECRET)),
        (format!("command:[\"{}\"]", at("vault").display()), Ok(SECRET)),
        (here("command", "closed"), Err("failed: exit status: 1")),
        (here("command", "missing"), Err("cannot be started")),
        ("command:vault read".to_owned(), Err("no absolute path")),
        ("command:".to_owned(), Err("no program is named")),
        ("command:[1]".to_owned(), Err("no list of words")),
        #[cfg(not(target_os = "macos"))]
        ("keyring:git hub/me".to_owned(), Ok(SECRET)),
        ("keyring:other/me".to_owned(), Err("failed")),
        ("keyring:--service/me".to_owned(), Err("names no entry")),
        ("keyring:me".to_owned(), Err("names no entry")),
        (
            "vault:x".to_owned(),
            Err("`vault` is no place for secrets\nhint: there are `env:NAME`, `file:/path`"),
        ),
        (SECRET.to_owned()[..2].to_owned(), Err("no place for secrets")),
    ];
    for (reference, expected) in rows {
        check(&sources, &reference, expected);
    }
    #[cfg(target_os = "linux")]
    check(&sources, &here("file", "other/token"), Err("no part of its path be a link"));
    let nowhere = Sources { programs: Vec::new(), ..sources };
    check(&nowhere, "keyring:git hub/me", Err("which reads the keyring"));
    assert!(
        nowhere.ready("keyring:git hub/me").is_err() && nowhere.ready(&here("command", "missing")).is_err()
    );
    assert!(Sources::check("command:/usr/bin/pass show github").is_ok());
}

#[test]
fn every_file_is_in_the_table() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/adapters/credentials/source");
    assert_eq!(std::fs::read_dir(folder).unwrap().count() - 2, ALL.len());
}
