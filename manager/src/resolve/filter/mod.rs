//! The filters that decide whether a tool may be a candidate at all, a file each.
//!
//! A filter sees the tool and the turn, never the words of the prompt.

mod capability;
mod context;
mod policy;

use super::turn::Turn;
use crate::model::ResolveFilter;
use std::borrow::Cow;

/// One link of the chain.
pub(super) trait Filter: Sync {
    /// Its name in a view.
    fn name(&self) -> ResolveFilter;

    /// Why the tool of that number is dropped; `None` lets it pass.
    ///
    /// A reason that depends on the tool is made anew each turn, so it should be borrowed where many tools
    /// share it.
    fn drops(&self, at: u32, turn: &Turn<'_>) -> Option<Cow<'static, str>>;
}

/// The filters in the order of §11. What an earlier one drops no later one sees.
pub(super) const ALL: [&dyn Filter; 3] = [&capability::Capability, &policy::Policy, &context::Context];

#[cfg(test)]
mod tests {
    #[test]
    fn every_file_of_this_folder_is_in_the_table() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/resolve/filter");
        let mut files: Vec<String> = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().path().file_stem().unwrap().to_string_lossy().into_owned())
            .filter(|stem| stem != "mod")
            .collect();
        files.sort();
        let mut table: Vec<&str> = super::ALL.iter().map(|f| f.name().as_str()).collect();
        assert!(super::ALL.is_sorted_by_key(|f| f.name()), "the order is that of the words in a view");
        table.sort_unstable();
        assert_eq!(files, table);
    }
}
