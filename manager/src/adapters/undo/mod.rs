//! Undoing what calls changed: what they replace is kept, shown, and put back.
//!
//! ```text
//! undo/tc_….json      what a call, or an undo, changed, and where
//! undo/kept/<sha256>  the bytes that it replaced, each under its digest
//! undo/lock           held by whoever writes here
//! ```
//!
//! An undo knows nothing of the adapter that ran the call: paths, bytes, permissions and absence are restored, whatever
//! changed them.

mod act;
mod folder;
#[cfg(test)]
mod tests;

pub use act::{Reversal, UndoRefused, Undoing, Undone};
pub use folder::UndoFolder;
