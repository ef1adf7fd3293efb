//! What changes in a workspace: looked at, shown, made, and taken back by the same code.
//!
//! Everything is done on open descriptors beneath the workspace's root, along paths without a link in them. A change is
//! made only over what it was worked out from: what it displaces is looked at *after* it was displaced, and put back if
//! it is something else, so nobody's write in between is lost.

mod apply;
mod diff;
mod look;
mod pair;
mod slot;

pub use apply::{Applied, Apply, Conflict, Content, rename};
pub use diff::{Side, diff};
pub use look::{digest_of, look};
pub use pair::moved;
