//! What a tool's execution is limited to.

use super::{
    Change, Direction, Group,
    sides::{More, Sides},
};
use crate::model::SandboxMode;

pub(super) const GROUP: Group = Group { pointers: &["/sandbox"], compare };

const EGRESS: [&str; 3] = ["none", "allowlist", "open"];

fn compare(sides: &Sides<'_>, changes: &mut Vec<Change>) {
    sides.other("/sandbox/mode", mode(sides.before.sandbox.mode, sides.after.sandbox.mode), changes);
    for pointer in
        ["/sandbox/filesystem/readRoots", "/sandbox/filesystem/writeRoots", "/sandbox/network/allowDomains"]
    {
        sides.set(pointer, More::Widens, changes);
    }
    for pointer in ["/sandbox/filesystem/blockedPaths", "/sandbox/network/denyDomains"] {
        sides.set(pointer, More::Narrows, changes);
    }
    sides.scale("/sandbox/network/egressPolicy", &EGRESS, More::Widens, changes);
    for limit in ["timeoutMs", "maxMemoryMb", "maxOutputBytes", "maxCostUsd"] {
        sides.bound(&format!("/sandbox/limits/{limit}"), changes);
    }
    let whole = ["/sandbox/filesystem", "/sandbox/network", "/sandbox/limits"];
    let (before, after) = sides.json();
    for pointer in whole {
        // A part that is gone or new beyond what its fields say, such as an empty one.
        let touched = changes.iter().any(|c| c.pointer.starts_with(pointer));
        if !touched && before.pointer(pointer) != after.pointer(pointer) {
            sides.other(pointer, Direction::Widening, changes);
        }
    }
}

/// The modes of one process form a ladder; another kind of isolation is not comparable.
fn mode(before: SandboxMode, after: SandboxMode) -> Direction {
    use SandboxMode as M;
    let rung = |mode| match mode {
        M::ReadOnly => Some(0),
        M::WorkspaceWrite => Some(1),
        M::NetworkRestricted => Some(2),
        M::None => Some(3),
        M::Container | M::Vm | M::RemoteApi => None,
    };
    match (rung(before), rung(after)) {
        (Some(before), Some(after)) if after < before => Direction::Narrowing,
        (Some(3), None) => Direction::Narrowing,
        _ => Direction::Widening,
    }
}
