//! Opening, locking, rotation and quota on the real disk, and what `verify` and the readers make of the files.

use super::{
    testing::{finished, keys, options, prompt, scope, started},
    *,
};
use crate::event::{Fault, decode};
use std::{
    fs::{self, OpenOptions},
    io::Write as _,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

/// A folder with a journal of several files, signed.
struct Desk {
    folder: tempfile::TempDir,
    signer: Arc<Signer>,
}

impl Desk {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let signer = keys(folder.path());
        Self { folder, signer }
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn checkpoints(&self) -> PathBuf {
        self.file("checkpoints")
    }

    fn options(&self) -> JournalOptions {
        fs::create_dir_all(self.checkpoints()).unwrap();
        options().signed(Arc::clone(&self.signer), self.checkpoints())
    }

    /// Three files with three events each: opened, one prompt, closed.
    fn rotated(&self) -> PathBuf {
        let path = self.file("run.jsonl");
        let writer = self.options().rotate_at(1).open(&path).unwrap();
        for n in 1..=3 {
            writer.record(&scope("tc_1"), None, prompt(&n.to_string())).unwrap();
        }
        writer.close().unwrap();
        path
    }

    fn trust(&self) -> Trust {
        Trust { key: Some(self.signer.public()), checkpoints: Some(self.checkpoints()), ..Trust::default() }
    }

    fn fault(&self, path: &Path, trust: &Trust) -> JournalFault {
        match verify(path, trust) {
            Err(VerifyError::Unsound(fault)) => fault,
            other => panic!("{other:?}"),
        }
    }
}

fn kinds(path: &Path) -> Vec<String> {
    read_verified(path).unwrap().map(|event| event.unwrap().fresh.fact.kind().to_owned()).collect()
}

fn lines(path: &Path) -> Vec<String> {
    fs::read_to_string(path).unwrap().lines().map(str::to_owned).collect()
}

fn write_lines(path: &Path, lines: &[String]) {
    fs::write(path, lines.iter().map(|line| format!("{line}\n")).collect::<String>()).unwrap();
}

/// Seals the events of a journal anew, as somebody does who knows the format and has no key.
fn recomputed(lines: &[String]) -> Vec<u8> {
    let mut chain = crate::event::Chain::default();
    let mut out = Vec::new();
    for line in lines {
        chain.seal(&decode(line.as_bytes()).unwrap().fresh, &mut out).unwrap();
    }
    out
}

#[test]
fn a_journal_continues_after_a_crash_in_the_middle_of_a_line() {
    let desk = Desk::new();
    let path = desk.file("events.jsonl");
    let writer = options().open(&path).unwrap();
    assert!(writer.is_new());
    let fresh = |text| fresh(&crate::adapters::clock::SystemClock, &scope("tc_1"), None, prompt(text));
    assert_eq!(writer.append_all(&[fresh("1"), fresh("2")]), Ok((2, 3)));
    assert_eq!(writer.append_all(&[]), Ok((4, 4)));
    drop(writer);
    OpenOptions::new().append(true).open(&path).unwrap().write_all(b"{\"hash\":\"torn").unwrap();
    let torn = desk.fault(&path, &Trust::default()).to_string();
    assert!(torn.contains("line 4: it is incomplete"), "{torn}");

    let writer = options().open(&path).unwrap();
    assert_eq!(writer.append_all(&[fresh("3")]), Ok((5, 5)));
    writer.close().unwrap();
    assert_eq!(fs::read(desk.file("events.jsonl.torn")).unwrap(), b"{\"hash\":\"torn");
    let (prompt, recovered) = ("UserPromptSubmitted", "LogRecovered");
    assert_eq!(kinds(&path), ["LogOpened", prompt, prompt, recovered, prompt, "LogClosed"]);
    assert_eq!(verify(&path, &Trust::default()).unwrap().files[0].events, 6);
}

#[test]
fn zeros_that_a_power_loss_left_are_set_aside_and_other_changes_are_not() {
    let desk = Desk::new();
    let path = desk.file("events.jsonl");
    let writer = options().open(&path).unwrap();
    writer.record(&scope("tc_1"), None, prompt("1")).unwrap();
    drop(writer);
    let mut zeros = vec![0; 4096];
    zeros.extend_from_slice(b"rest of a line\n");
    OpenOptions::new().append(true).open(&path).unwrap().write_all(&zeros).unwrap();
    drop(options().open(&path).unwrap());
    assert_eq!(fs::read(desk.file("events.jsonl.torn")).unwrap(), zeros);
    assert_eq!(kinds(&path), ["LogOpened", "UserPromptSubmitted", "LogRecovered"]);

    let text = fs::read_to_string(&path).unwrap().replace("\"prompt\":\"1\"", "\"prompt\":\"2\"");
    fs::write(&path, text).unwrap();
    let error = options().open(&path).unwrap_err().to_string();
    assert!(error.contains("line 2: it was changed"), "{error}");
}

#[test]
fn a_call_that_a_crash_interrupted_is_closed_once_and_never_started_again() {
    let desk = Desk::new();
    let path = desk.file("run.jsonl");
    let writer = desk.options().open(&path).unwrap();
    writer.record(&scope("tc_done"), None, started()).unwrap();
    writer.record(&scope("tc_done"), None, finished()).unwrap();
    let start = writer.record(&scope("tc_lost"), None, started()).unwrap();
    drop(writer);
    assert_eq!(verify(&path, &Trust::default()).unwrap().files[0].open_calls, 1);

    drop(desk.options().open(&path).unwrap());
    drop(desk.options().open(&path).unwrap());
    let events: Vec<_> = read_verified(&path).unwrap().map(Result::unwrap).collect();
    assert_eq!(events.len(), 6);
    let Fact::LogRecovered(recovered) = &events[4].fresh.fact else { panic!("{:?}", events[4]) };
    assert_eq!((recovered.torn_bytes, recovered.interrupted_calls), (0, 1));
    let Fact::ToolCallFinished(end) = &events[5].fresh.fact else { panic!("{:?}", events[5]) };
    assert_eq!(end.status, crate::event::fact::FinishStatus::Interrupted);
    assert!(!end.error.as_ref().unwrap().retryable);
    assert_eq!(events[5].fresh.scope, scope("tc_lost"));
    assert_eq!(events[5].fresh.parent.as_ref(), Some(&start));
}

#[test]
fn a_call_is_interrupted_even_if_it_started_in_an_earlier_file() {
    let desk = Desk::new();
    let path = desk.file("run.jsonl");
    let writer = desk.options().rotate_at(1).open(&path).unwrap();
    writer.record(&scope("tc_1"), None, started()).unwrap();
    writer.record(&scope("tc_1"), None, prompt("in the second file")).unwrap();
    writer.record(&scope("tc_1"), None, prompt("in the third file")).unwrap();
    drop(writer);
    // A crash right after the old file ended: the new one has no whole line.
    fs::write(desk.file("run.3.jsonl"), "{\"hash\":").unwrap();
    fs::remove_dir_all(desk.checkpoints()).unwrap();
    drop(desk.options().open(&path).unwrap());
    let found = kinds(&path);
    assert_eq!(found[found.len() - 3..], ["LogOpened", "LogRecovered", "ToolCallFinished"]);
}

#[test]
fn one_writer_a_journal_and_the_next_may_wait() {
    let desk = Desk::new();
    let path = desk.file("run.jsonl");
    let writer = options().open(&path).unwrap();
    assert!(matches!(options().open(&path), Err(OpenError::Locked(_))));
    assert!(matches!(options().wait(Duration::from_millis(20)).open(&path), Err(OpenError::Locked(_))));
    // A run of one's own needs no patience.
    options().open(&desk.file("other.jsonl")).unwrap();
    std::thread::scope(|threads| {
        let waiting = threads.spawn(|| options().wait(Duration::from_secs(60)).open(&path).unwrap());
        writer.record(&scope("tc_1"), None, prompt("1")).unwrap();
        drop(writer);
        waiting.join().unwrap().record(&scope("tc_1"), None, prompt("2")).unwrap();
    });
    assert_eq!(kinds(&path), ["LogOpened", "UserPromptSubmitted", "UserPromptSubmitted"]);
}

#[test]
fn a_journal_of_several_files_is_one_journal() {
    let desk = Desk::new();
    let path = desk.rotated();
    let [opened, prompt, closed] = ["LogOpened", "UserPromptSubmitted", "LogClosed"];
    assert_eq!(kinds(&path), [opened, prompt, closed, opened, prompt, closed, opened, prompt, closed]);
    for name in ["run.jsonl", "run.2.jsonl", "run.3.jsonl"] {
        let report = verify(&desk.file(name), &desk.trust()).unwrap();
        assert_eq!(report.files.iter().map(|file| file.events).collect::<Vec<_>>(), [3, 3, 3], "{name}");
        assert!(report.files.iter().all(|file| matches!(file.attested, Attested::UpTo { seq: 3, .. })));
    }
    let error = options().open(&desk.file("run.2.jsonl")).unwrap_err().to_string();
    assert!(error.contains("open `run.jsonl`"), "{error}");
    // The writer finds the last file by itself.
    let writer = options().open(&path).unwrap();
    assert_eq!(writer.path(), desk.file("run.3.jsonl"));
    assert!(!writer.is_new());
}

#[test]
fn a_missing_exchanged_or_renamed_file_is_found() {
    let desk = Desk::new();
    let path = desk.rotated();
    let second = desk.file("run.2.jsonl");
    let third = desk.file("run.3.jsonl");
    let (two, three) = (fs::read(&second).unwrap(), fs::read(&third).unwrap());

    fs::remove_file(&second).unwrap();
    let fault = desk.fault(&path, &Trust::default());
    assert!(matches!(&fault, JournalFault::Missing { path, .. } if *path == second), "{fault}");
    assert!(matches!(desk.fault(&third, &Trust::default()), JournalFault::Missing { .. }));
    assert!(read(&path).unwrap().any(|event| event.is_err()));

    fs::write(&second, &three).unwrap();
    fs::write(&third, &two).unwrap();
    let fault = desk.fault(&path, &Trust::default());
    assert!(matches!(&fault, JournalFault::Link { path, .. } if *path == second), "{fault}");
    assert!(read_verified(&path).unwrap().any(|event| event.is_err()));

    // The last file gone together with the line that names it: only a checkpoint knows.
    fs::write(&second, &two[..two.iter().rposition(|b| *b == b'\n').unwrap() + 1]).unwrap();
    let mut short = lines(&second);
    short.pop();
    write_lines(&second, &short);
    fs::remove_file(&third).unwrap();
    assert_eq!(verify(&path, &Trust::default()).unwrap().files.len(), 2);
    let fault = desk.fault(&path, &desk.trust());
    assert!(matches!(fault, JournalFault::Cut { line: 3, seq: 3, .. }), "{fault}");
}

#[test]
fn what_the_chain_cannot_know_a_checkpoint_does() {
    let desk = Desk::new();
    let path = desk.file("run.jsonl");
    let writer = desk.options().open(&path).unwrap();
    for n in 1..=4 {
        writer.record(&scope("tc_1"), None, prompt(&n.to_string())).unwrap();
    }
    writer.close().unwrap();
    let whole = lines(&path);
    let unsigned = Trust::default();

    write_lines(&path, &whole[..4]);
    assert!(verify(&path, &unsigned).is_ok());
    assert!(matches!(desk.fault(&path, &desk.trust()), JournalFault::Cut { line: 5, seq: 6, .. }));
    let error = desk.options().open(&path).unwrap_err().to_string();
    assert!(error.contains("ends after 4 events"), "{error}");

    let edited: Vec<String> =
        whole.iter().map(|line| line.replace("\"prompt\":\"2\"", "\"prompt\":\"7\"")).collect();
    fs::write(&path, recomputed(&edited)).unwrap();
    assert!(verify(&path, &unsigned).is_ok());
    assert!(matches!(desk.fault(&path, &desk.trust()), JournalFault::Rewritten { line: 6, .. }));
    let error = desk.options().open(&path).unwrap_err().to_string();
    assert!(error.contains("line 6 is not the one"), "{error}");

    fs::remove_file(&path).unwrap();
    let error = desk.options().open(&path).unwrap_err().to_string();
    assert!(error.contains("ends after 0 events"), "{error}");
}

#[test]
fn a_checkpoint_counts_by_its_signature_alone() {
    let desk = Desk::new();
    let path = desk.rotated();
    let stranger = tempfile::tempdir().unwrap();
    let other = Trust { key: Some(keys(stranger.path()).public()), ..desk.trust() };
    let attested = &verify(&path, &other).unwrap().files[0].attested;
    assert_eq!(*attested, Attested::Unknown { key_id: desk.signer.id().to_owned() });
    let demanding = Trust { demand: Demand::Checkpoint, ..other };
    assert!(matches!(desk.fault(&path, &demanding), JournalFault::Unattested { .. }));
    assert_eq!(verify(&path, &Trust::default()).unwrap().files[0].attested, Attested::Nothing);
    assert!(verify(&path, &Trust { demand: Demand::Checkpoint, ..desk.trust() }).is_ok());

    let file = desk.checkpoints().join("run.jsonl");
    let forged = fs::read_to_string(&file).unwrap().replacen("\"seq\":3", "\"seq\":2", 1);
    fs::write(&file, forged).unwrap();
    assert!(matches!(desk.fault(&path, &desk.trust()), JournalFault::Forged { seq: 2, .. }));
}

#[test]
fn a_checkpoint_comes_with_the_commit_that_is_due() {
    let desk = Desk::new();
    let path = desk.file("run.jsonl");
    let writer = desk.options().checkpoint_every(3).open(&path).unwrap();
    let signed = || Checkpoints::read(&desk.checkpoints().join("run.jsonl")).unwrap().all;
    for n in 0..7 {
        writer.record(&scope("tc_1"), None, prompt(&n.to_string())).unwrap();
        writer.commit().unwrap();
    }
    assert_eq!(signed().iter().map(|c| c.seq).collect::<Vec<_>>(), [3, 6]);
    writer.checkpoint().unwrap();
    assert_eq!(signed().last().unwrap().seq, 8);
}

#[test]
fn nothing_follows_the_end_of_a_file_that_another_continues() {
    let desk = Desk::new();
    let path = desk.rotated();
    let mut chain = crate::event::Chain::default();
    let mut out = Vec::new();
    let event = fresh(&crate::adapters::clock::SystemClock, &scope("tc_1"), None, prompt("after the end"));
    for line in lines(&path) {
        chain.seal(&decode(line.as_bytes()).unwrap().fresh, &mut out).unwrap();
    }
    chain.seal(&event, &mut out).unwrap();
    fs::write(&path, out).unwrap();
    let fault = desk.fault(&path, &Trust::default());
    let JournalFault::Line { fault, .. } = fault else { panic!("{fault}") };
    assert_eq!((fault.line, fault.fault), (4, Fault::AfterEnd { next: "run.2.jsonl".into() }));
    assert!(read(&path).unwrap().any(|event| event.is_err()));
}

#[test]
fn a_full_quota_lets_nothing_begin_and_everything_end() {
    let desk = Desk::new();
    let writer = options().quota(2_000).open(&desk.file("run.jsonl")).unwrap();
    writer.record(&scope("tc_1"), None, started()).unwrap();
    let mut written = 0;
    let error = loop {
        match writer.record(&scope("tc_1"), None, prompt("more")) {
            Ok(_) => written += 1,
            Err(error) => break error.to_string(),
        }
    };
    assert!((1..10).contains(&written) && error.contains("quota"), "{written}: {error}");
    assert!(writer.record(&scope("tc_2"), None, started()).is_err());
    writer.record(&scope("tc_1"), None, finished()).unwrap();
    writer.close().unwrap();
}

#[test]
fn what_is_appended_from_many_threads_is_one_chain() {
    let desk = Desk::new();
    let path = desk.file("run.jsonl");
    let writer = desk.options().rotate_at(20_000).open(&path).unwrap();
    std::thread::scope(|threads| {
        for thread in 0..4 {
            let mut writer = writer.clone();
            threads.spawn(move || {
                for n in 0..50 {
                    use crate::port::EventSink as _;
                    writer.append(&scope("tc_1"), None, prompt(&format!("{thread}/{n}"))).unwrap();
                }
                writer.commit().unwrap();
            });
        }
    });
    writer.close().unwrap();
    let report = verify(&path, &Trust { payload: Payload::Strict, ..desk.trust() }).unwrap();
    assert!(report.files.len() > 3);
    assert_eq!(kinds(&path).iter().filter(|kind| *kind == "UserPromptSubmitted").count(), 200);
}

#[test]
fn a_reader_stops_before_a_line_that_is_being_written() {
    let desk = Desk::new();
    let path = desk.file("run.jsonl");
    let writer = options().open(&path).unwrap();
    writer.record(&scope("tc_1"), None, prompt("1")).unwrap();
    OpenOptions::new().append(true).open(&path).unwrap().write_all(b"{\"hash\":\"abc").unwrap();
    assert_eq!(kinds(&path), ["LogOpened", "UserPromptSubmitted"]);
}

#[test]
fn a_file_that_is_no_journal_is_told() {
    let desk = Desk::new();
    let path = desk.file("notes.txt");
    fs::write(&path, "hello\nworld\n").unwrap();
    let fault = desk.fault(&path, &Trust::default()).to_string();
    assert!(fault.contains("line 1: not an event"), "{fault}");
    assert!(matches!(options().open(&path), Err(OpenError::Broken { .. })));
    fs::write(&path, "").unwrap();
    assert_eq!(verify(&path, &Trust::default()).unwrap().files[0].events, 0);
}
