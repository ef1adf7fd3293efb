//! How bad a tool says that it can get. A lower claim takes guards away, so it widens.

use super::{
    Change, Group,
    sides::{More, Sides},
};

pub(super) const GROUP: Group = Group { pointers: &["/risk", "/provenance/trustLevel"], compare };

fn compare(sides: &Sides<'_>, changes: &mut Vec<Change>) {
    sides.scale("/risk/level", &["low", "medium", "high", "critical"], More::Narrows, changes);
    sides.flag("/risk/destructive", More::Narrows, changes);
    sides.flag("/risk/openWorld", More::Narrows, changes);
    sides.scale("/risk/financialCost", &["none", "low", "metered", "unknown"], More::Narrows, changes);
    sides.scale("/risk/privacyRisk", &["none", "low", "medium", "high"], More::Narrows, changes);
    let trust = ["untrusted", "third_party", "workspace", "first_party"];
    sides.scale("/provenance/trustLevel", &trust, More::Widens, changes);
}
