//! Who may use a tool, and whether somebody is asked.

use super::{
    Change, Direction, Group,
    sides::{More, Sides, change},
};

pub(super) const GROUP: Group = Group { pointers: &["/permissions"], compare };

/// From asking least to asking most.
const ASKING: [&str; 4] = ["never", "on_request", "on_risk", "always"];

fn compare(sides: &Sides<'_>, changes: &mut Vec<Change>) {
    sides.scale("/permissions/approvalPolicy", &ASKING, More::Narrows, changes);
    sides.set("/permissions/requiredScopes", More::Narrows, changes);
    sides.set("/permissions/blockedPrincipals", More::Narrows, changes);
    allowed(sides, changes);
    sides.other("/permissions/tenantBoundary", Direction::Widening, changes);
}

/// An empty list allows everybody, so the first entry narrows and the last one gone widens.
fn allowed(sides: &Sides<'_>, changes: &mut Vec<Change>) {
    const POINTER: &str = "/permissions/allowedPrincipals";
    let empty = |tool: &crate::model::ToolDescriptor| tool.permissions.allowed_principals.is_empty();
    match (empty(sides.before), empty(sides.after)) {
        (true, false) => changes.push(change(POINTER, Direction::Narrowing, "now for some principals only")),
        (false, true) => changes.push(change(POINTER, Direction::Widening, "now for every principal")),
        (true, true) | (false, false) => sides.set(POINTER, More::Widens, changes),
    }
}
