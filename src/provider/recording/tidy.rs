//! Puts the files of a folder in order, for committing.

use super::{
    line::Recording,
    store::{Store, StoreError, files_in},
};
use std::{collections::BTreeMap, path::Path};

/// Sorts every recording of a folder by case, and drops lines that a later answer to the same trial has
/// superseded and payloads that no line names any more.
///
/// A file with lines that cannot be read is left alone. Returns how many lines were dropped.
///
/// # Errors
/// [`StoreError`] if a file cannot be read or written.
pub fn tidy(folder: &Path) -> Result<usize, StoreError> {
    let mut dropped = 0;
    for path in files_in(folder)? {
        let store = Store::load(&path)?;
        if !store.problems().is_empty() {
            continue;
        }
        let newest = newest(&store);
        dropped += store.recordings().count() - newest.len();
        store.rewrite(&newest)?;
    }
    Ok(dropped)
}

/// The newest answer of every trial's turn, by model and parameters, in order.
fn newest(store: &Store) -> Vec<&Recording> {
    let mut newest: BTreeMap<_, &Recording> = BTreeMap::new();
    for recording in store.recordings() {
        let Recording { suite, case, distractors, turn, repeat, .. } = recording;
        let who = format!("{}:{} {:?}", recording.provider, recording.model, recording.params);
        let place = newest.entry((suite, case, distractors, turn, repeat, who)).or_insert(recording);
        if recording.recorded_at > place.recorded_at {
            *place = recording;
        }
    }
    newest.into_values().collect()
}
