//! What runs a tool, where it comes from, and the checks around a call.

use super::{
    Change, Direction, Group,
    sides::{More, Sides},
};

pub(super) const GROUP: Group = Group { pointers: &["/execution", "/source", "/hooks"], compare };

fn compare(sides: &Sides<'_>, changes: &mut Vec<Change>) {
    sides.other("/execution/adapter", Direction::Widening, changes);
    sides.bound("/execution/timeoutMs", changes);
    sides.bound("/execution/retryPolicy/maxRetries", changes);
    sides.set("/execution/retryPolicy/retryOn", More::Widens, changes);
    sides.other("/execution/retryPolicy/backoffMs", Direction::Neutral, changes);
    sides.other("/execution/command", Direction::Widening, changes);
    sides.other("/execution/request", Direction::Widening, changes);
    // Another program behind the same name is another tool.
    for field in ["type", "sourceId", "packageName", "serverId", "command", "uri"] {
        sides.other(&format!("/source/{field}"), Direction::Widening, changes);
    }
    for hook in ["preCall", "postCall", "verifier", "onError"] {
        sides.set(&format!("/hooks/{hook}"), More::Narrows, changes);
    }
}
