//! What a tool does to the world, and which kinds of action it serves.

use super::{
    Change, Direction, Group,
    sides::{More, Sides, change, from_to},
};

pub(super) const GROUP: Group = Group { pointers: &["/effects", "/intent/actionTypes"], compare };

fn compare(sides: &Sides<'_>, changes: &mut Vec<Change>) {
    for pointer in ["/effects/reads", "/effects/writes", "/effects/deletes", "/intent/actionTypes"] {
        sides.set(pointer, More::Widens, changes);
    }
    for pointer in ["/effects/externalCalls", "/effects/sendsUserData", "/effects/mutatesState"] {
        sides.flag(pointer, More::Widens, changes);
    }
    for pointer in ["/effects/idempotent", "/effects/reversible", "/effects/dryRunSupported"] {
        sides.flag(pointer, More::Narrows, changes);
    }
    let (before, after) = (sides.before.level(), sides.after.level());
    if before != after {
        let direction = if after > before { Direction::Widening } else { Direction::Narrowing };
        changes.push(change("/effects", direction, format!("level {}", from_to(before, after))));
    }
}
