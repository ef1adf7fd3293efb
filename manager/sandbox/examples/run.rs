//! Runs a program in a sandbox: `cargo run -p proofhouse-sandbox --example run -- [--write FOLDER] [--read FOLDER]
//! [--aside FOLDER] [--loopback] [--env NAME=VALUE] PROGRAM [ARGUMENT]…`.
//!
//! The working folder is this one, which can be read. Says at the end how the run went, and what was written aside.
#![expect(clippy::print_stderr, reason = "talk goes there; standard output is the program's")]

use proofhouse_sandbox::{
    Aside, Cancel, Digest, Executable, Network, Node, Spec, Variable, Writes, maybe_run_helper,
};
use std::error::Error;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

fn main() -> ExitCode {
    maybe_run_helper();
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args_os().skip(1);
    let path = PathBuf::from("/bin/true");
    let here = std::env::current_dir()?;
    let mut spec = Spec::new(Executable { digest: Digest::of_file(&path)?, path }, here);
    while let Some(arg) = args.next() {
        let mut value = || args.next().ok_or("the last option has no value");
        match arg.to_str() {
            Some("--write") => spec.write_roots.push(value()?.into()),
            Some("--read") => spec.read_roots.push(value()?.into()),
            Some("--aside") => spec.writes = Writes::Aside(value()?.into()),
            Some("--loopback") => spec.network = Network::Loopback,
            Some("--env") => {
                let pair = value()?.into_string().map_err(|_| "a variable is no text")?;
                let (name, value) = pair.split_once('=').ok_or("write `NAME=VALUE`")?;
                spec.env.push(Variable::new(name, value));
            }
            _ => {
                let path = PathBuf::from(arg);
                spec.executable = Executable { digest: Digest::of_file(&path)?, path };
                spec.args = args.by_ref().collect();
            }
        }
    }
    let outcome = spec.prepare()?.run(&Cancel::new()?)?;
    for (stream, captured) in [
        (&mut std::io::stdout() as &mut dyn Write, &outcome.stdout),
        (&mut std::io::stderr(), &outcome.stderr),
    ] {
        stream.write_all(captured.head())?;
        if captured.omitted() > 0 {
            eprintln!("… {} bytes …", captured.omitted());
        }
        stream.write_all(&captured.tail())?;
    }
    eprintln!("{:?} after {:?}", outcome.status, outcome.duration);
    if let Writes::Aside(store) = &spec.writes {
        for change in Aside::open(store)?.changes()? {
            let word = match (&change.before, &change.after) {
                (Node::Absent, _) => "created",
                (_, Node::Absent) => "deleted",
                _ => "changed",
            };
            eprintln!("{word} {}", change.path.display());
        }
    }
    Ok(())
}
