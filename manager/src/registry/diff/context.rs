//! How much reaches the model, and what is written down.

use super::{
    Change, Direction, Group,
    sides::{More, Sides},
};

pub(super) const GROUP: Group = Group { pointers: &["/contextPolicy", "/observability"], compare };

fn compare(sides: &Sides<'_>, changes: &mut Vec<Change>) {
    sides.flag("/contextPolicy/exposeToModel", More::Widens, changes);
    let exposure = ["none", "preview", "structured", "full"];
    sides.scale("/contextPolicy/exposeOutputToModel", &exposure, More::Widens, changes);
    sides.bound("/contextPolicy/maxOutputPreviewTokens", changes);
    sides.other("/contextPolicy/redactionPolicy", Direction::Widening, changes);
    sides.flag("/observability/logArgs", More::Narrows, changes);
    sides.flag("/observability/logResultPreview", More::Narrows, changes);
    sides.scale("/observability/auditLevel", &["none", "basic", "full"], More::Narrows, changes);
}
