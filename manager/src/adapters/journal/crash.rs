//! Crashes at every write boundary, full disks, failed fsyncs: nothing acknowledged is lost, nothing runs twice, and
//! the chain holds.

use super::{
    simulated::{Crash, Faults, SimulatedDisk},
    testing::{finished, keys, options, prompt, scope, started},
    *,
};
use crate::{adapters::clock::SystemClock, event::fact::FinishStatus, model::CallId};
use chrono::{DateTime, TimeDelta, Utc};
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
};

const RUN: &str = "runs/run_1.jsonl";
const CALLS: usize = 4;

fn on(disk: &SimulatedDisk, signer: &Arc<Signer>) -> JournalOptions {
    let signed = options().signed(Arc::clone(signer), PathBuf::from("checkpoints")).checkpoint_every(3);
    signed.rotate_at(2_500).on(Arc::new(disk.clone()))
}

/// Runs calls one after the other, and tells which events were acknowledged.
fn work(disk: &SimulatedDisk, signer: &Arc<Signer>, acknowledged: &mut Vec<EventId>) -> Option<()> {
    let writer = on(disk, signer).open(Path::new(RUN)).ok()?;
    for n in 0..CALLS {
        let call = scope(&format!("tc_{n}"));
        let start = writer.record(&call, None, started()).ok()?;
        writer.commit().ok()?;
        acknowledged.push(start.clone());
        let asides: Vec<EventId> =
            (0..2).filter_map(|_| writer.record(&call, Some(&start), prompt("aside")).ok()).collect();
        let end = writer.record(&call, Some(&start), finished()).ok()?;
        writer.commit().ok()?;
        acknowledged.extend(asides);
        acknowledged.push(end);
    }
    writer.close().ok()
}

#[test]
fn a_crash_at_any_write_boundary_loses_nothing_that_was_acknowledged() {
    let folder = tempfile::tempdir().unwrap();
    let signer = keys(folder.path());
    let whole = SimulatedDisk::default();
    work(&whole, &signer, &mut Vec::new()).unwrap();
    assert!(whole.bytes(Path::new("runs/run_1.2.jsonl")).len() > 100, "the work spans a rotation");
    let steps = whole.steps();
    assert!(steps > 100);
    for step in 0..steps {
        let disk = SimulatedDisk::default();
        disk.set(Faults { steps: Some(step), ..Faults::default() });
        let mut acknowledged = Vec::new();
        assert_eq!(work(&disk, &signer, &mut acknowledged), None, "step {step}");
        for crash in [Crash::Process, Crash::Power, Crash::HalfWritten] {
            let case = format!("step {step}, {crash:?}");
            after(&disk.after(crash), &signer, &acknowledged, &case);
        }
    }
}

/// The next process finds everything that was acknowledged, each call ended once, and a sound, signed chain.
fn after(disk: &SimulatedDisk, signer: &Arc<Signer>, acknowledged: &[EventId], case: &str) {
    let writer = on(disk, signer).open(Path::new(RUN)).unwrap_or_else(|e| panic!("{case}: {e}"));
    writer.record(&scope("tc_next"), None, prompt("on we go")).unwrap();
    writer.close().unwrap();
    let folder = tempfile::tempdir().unwrap();
    disk.dump(folder.path());
    let path = folder.path().join(RUN);
    let trust = Trust {
        key: Some(signer.public()),
        checkpoints: Some(folder.path().join("checkpoints")),
        ..Trust::default()
    };
    verify(&path, &trust).unwrap_or_else(|e| panic!("{case}: {e}"));
    let events: Vec<_> = read_verified(&path).unwrap().map(|event| event.unwrap().fresh).collect();
    for id in acknowledged {
        assert!(events.iter().any(|event| event.event_id == *id), "{case}: {id} is lost");
    }
    let mut ends: BTreeMap<&CallId, Vec<bool>> = BTreeMap::new();
    for event in &events {
        let Some(call) = &event.scope.call_id else { continue };
        match &event.fact {
            Fact::ToolCallStarted(_) => drop(ends.entry(call).or_default()),
            Fact::ToolCallFinished(end) => {
                ends.entry(call).or_default().push(end.status == FinishStatus::Interrupted);
            }
            _ => {}
        }
    }
    let interrupted = ends.values().filter(|ends| ends.as_slice() == [true]).count();
    assert!(ends.values().all(|ends| ends.len() == 1) && interrupted <= 1, "{case}: {ends:?}");
    let counted = events.iter().map(|event| match &event.fact {
        Fact::LogRecovered(recovered) => recovered.interrupted_calls,
        _ => 0,
    });
    // A crash while recovering leaves the account of that recovery, too.
    assert!(counted.sum::<u64>() >= interrupted as u64, "{case}");
}

#[test]
fn a_crash_while_recovering_is_recovered_from() {
    let folder = tempfile::tempdir().unwrap();
    let signer = keys(folder.path());
    let disk = SimulatedDisk::default();
    let writer = on(&disk, &signer).open(Path::new(RUN)).unwrap();
    let start = writer.record(&scope("tc_1"), None, started()).unwrap();
    writer.commit().unwrap();
    disk.set(Faults { steps: Some(2), ..Faults::default() });
    writer.record(&scope("tc_1"), None, finished()).unwrap_err();
    let torn = disk.after(Crash::Process);
    let mut step = 0;
    loop {
        let disk = torn.after(Crash::Process);
        disk.set(Faults { steps: Some(step), ..Faults::default() });
        let opened = on(&disk, &signer).open(Path::new(RUN)).is_ok();
        for crash in [Crash::Process, Crash::Power, Crash::HalfWritten] {
            after(
                &disk.after(crash),
                &signer,
                std::slice::from_ref(&start),
                &format!("step {step}, {crash:?}"),
            );
        }
        if opened {
            break;
        }
        step += 1;
    }
    assert!(step > 10);
}

#[test]
fn a_full_disk_stops_the_caller_and_space_that_returns_lets_him_go_on() {
    for room in [0, 1, 200] {
        for no_cuts in [false, true] {
            let disk = SimulatedDisk::default();
            let path = Path::new(RUN);
            let writer = options().on(Arc::new(disk.clone())).open(path).unwrap();
            let whole = disk.bytes(path);
            disk.set(Faults { room: Some(room), no_cuts, ..Faults::default() });
            let error = writer.record(&scope("tc_1"), None, started()).unwrap_err().to_string();
            assert!(error.contains("no storage space") && error.contains("no log, no run"), "{error}");
            assert_eq!(disk.bytes(path) == whole, !no_cuts || room == 0);
            disk.set(Faults::default());
            writer.record(&scope("tc_1"), None, started()).unwrap();
            writer.commit().unwrap();
            assert_eq!(crate::event::verify(&disk.durable(path)), Ok(2), "room {room}, no cuts {no_cuts}");
        }
    }
}

#[test]
fn a_disk_without_room_for_the_next_file_keeps_the_old_one_open() {
    let disk = SimulatedDisk::default();
    let path = Path::new(RUN);
    let writer = options().rotate_at(1).on(Arc::new(disk.clone())).open(path).unwrap();
    writer.record(&scope("tc_1"), None, started()).unwrap();
    for room in [0, 300, 450, 600] {
        disk.set(Faults { room: Some(room), ..Faults::default() });
        writer.record(&scope("tc_1"), None, finished()).unwrap_err();
        assert_eq!(crate::event::verify(&disk.bytes(path)), Ok(2), "{room}");
    }
    disk.set(Faults::default());
    writer.record(&scope("tc_1"), None, finished()).unwrap();
    assert_eq!(writer.path(), Path::new("runs/run_1.2.jsonl"));
    drop(writer);
    // The call ended in the second file, so nothing is left to interrupt.
    let writer = options().on(Arc::new(disk.clone())).open(path).unwrap();
    assert_eq!(crate::event::verify(&disk.bytes(&writer.path())), Ok(2));
}

#[test]
fn after_a_failed_fsync_nothing_is_promised_until_the_journal_is_opened_anew() {
    let disk = SimulatedDisk::default();
    let path = Path::new(RUN);
    let writer = options().on(Arc::new(disk.clone())).open(path).unwrap();
    writer.record(&scope("tc_1"), None, started()).unwrap();
    disk.set(Faults { sync_fails: true, ..Faults::default() });
    assert!(writer.commit().unwrap_err().0.contains("refused a commit"));
    assert!(writer.commit().is_err());
    assert!(writer.record(&scope("tc_1"), None, finished()).is_err());
    drop(writer);
    let writer = options().on(Arc::new(disk.after(Crash::Power))).open(path).unwrap();
    writer.record(&scope("tc_2"), None, started()).unwrap();
    writer.commit().unwrap();
}

#[test]
fn a_disk_that_cannot_be_written_is_told_at_once() {
    let disk = SimulatedDisk::default();
    disk.set(Faults { read_only: true, ..Faults::default() });
    let error = options().on(Arc::new(disk)).open(Path::new(RUN)).unwrap_err().to_string();
    assert!(error.contains(RUN) && error.contains("no log, no run"), "{error}");
}

#[test]
fn threads_that_wait_at_the_same_time_share_one_fsync() {
    const THREADS: usize = 16;
    let disk = SimulatedDisk::default();
    let path = Path::new(RUN);
    let writer = options().on(Arc::new(disk.clone())).open(path).unwrap();
    let before = disk.syncs();
    // The first fsync returns when everybody has appended; one more has to cover the others.
    disk.set(Faults { sync_waits_for: 1 + THREADS, ..Faults::default() });
    std::thread::scope(|threads| {
        for n in 0..THREADS {
            let (writer, disk) = (writer.clone(), disk.clone());
            threads.spawn(move || {
                let id = writer.record(&scope(&format!("tc_{n}")), None, started()).unwrap();
                writer.commit().unwrap();
                let durable = String::from_utf8(disk.durable(path)).unwrap();
                assert!(durable.contains(id.as_str()), "acknowledged and not on the disk");
            });
        }
    });
    assert!(disk.syncs() - before <= 2, "{} fsyncs", disk.syncs() - before);
    assert_eq!(crate::event::verify(&disk.durable(path)), Ok(1 + THREADS as u64));
}

/// A clock that goes back with every look.
#[derive(Debug)]
struct Backwards(Mutex<DateTime<Utc>>);

impl Clock for Backwards {
    fn now(&self) -> DateTime<Utc> {
        let mut now = self.0.lock().unwrap();
        *now -= TimeDelta::hours(1);
        *now
    }

    fn uuid(&self) -> uuid::Uuid {
        SystemClock.uuid()
    }
}

#[test]
fn the_sequence_gives_the_order_where_the_clock_goes_back() {
    let disk = SimulatedDisk::default();
    let clock = Arc::new(Backwards(Mutex::new(DateTime::UNIX_EPOCH)));
    let writer = JournalOptions::new(&"r".into(), "test", clock).on(Arc::new(disk.clone()));
    let writer = writer.open(Path::new(RUN)).unwrap();
    for n in 0..3 {
        writer.record(&scope("tc_1"), None, prompt(&n.to_string())).unwrap();
    }
    let bytes = disk.bytes(Path::new(RUN));
    assert_eq!(crate::event::verify(&bytes), Ok(4));
    let events: Vec<_> = bytes
        .split(|b| *b == b'\n')
        .filter(|line| !line.is_empty())
        .map(|line| crate::event::decode(line).unwrap())
        .collect();
    assert!(events.windows(2).all(|pair| pair[0].fresh.ts > pair[1].fresh.ts && pair[0].seq < pair[1].seq));
}
