//! Files that only change their place.

use crate::model::{Changes, FileChange, FileState};
use std::collections::HashMap;

/// Files that are moved and not changed, as indices of where each goes from and to. Their bytes stay in the workspace.
///
/// The same pairs come out of the changes that take these back.
pub fn moved(changes: &Changes) -> Vec<(usize, usize)> {
    let all = &changes.0;
    // Where a file and a folder change places, things have to go before others come.
    if all.iter().any(FileChange::changes_kind) {
        return Vec::new();
    }
    let mut gone: HashMap<&FileState, Vec<usize>> = HashMap::new();
    for (at, change) in all.iter().enumerate().rev() {
        if change.after == FileState::Absent && matches!(change.before, FileState::File { .. }) {
            gone.entry(&change.before).or_default().push(at);
        }
    }
    let mut pairs = Vec::new();
    for (to, change) in all.iter().enumerate() {
        if change.before == FileState::Absent
            && let Some(from) = gone.get_mut(&change.after).and_then(Vec::pop)
        {
            pairs.push((from, to));
        }
    }
    pairs
}
